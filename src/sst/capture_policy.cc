#include "src/sst/capture_policy.h"

#include <rocksdb/slice.h>

#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

class MayMatchReader final : public FilterBitsReader {
 public:
  bool MayMatch(const Slice&) override { return true; }

  void MayMatch(int num_keys, Slice**, bool* may_match) override {
    for (int i = 0; i < num_keys; ++i) {
      may_match[i] = true;
    }
  }
};

class CapturePolicy final : public FilterPolicy {
 public:
  explicit CapturePolicy(CapturedBlocks* blocks) : blocks_(blocks) {}

  const char* Name() const override { return "winnow.inspect.Capture"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext&) const override {
    return nullptr;
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    blocks_->emplace_back(contents.data(), contents.size());
    return new MayMatchReader;
  }

 private:
  CapturedBlocks* blocks_;
};

}  // namespace

std::shared_ptr<const FilterPolicy> NewCapturePolicy(CapturedBlocks* blocks) {
  return std::make_shared<CapturePolicy>(blocks);
}

}  // namespace winnow::inspect
