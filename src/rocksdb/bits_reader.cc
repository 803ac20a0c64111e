#include "src/rocksdb/bits_reader.h"

#include <rocksdb/convenience.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>

#include "src/core/format.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/shared_hash.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Any block of ours. Most of a lookup is calls and the hash: so the comparison with the key before,
// and the hash of short keys, are inlined into MayMatch, which ends with a jump to the kernel that
// the view chose when it was made.
//
// What a lookup reads is in one cache line.
class alignas(64) BitsReader : public FilterBitsReader {
 public:
  explicit BitsReader(std::string_view block) noexcept : view_(block) {}

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    return Lookup<BitsReader>::Ask(*this, key);
  }

  bool is_usable() const noexcept { return view_.fault() == Fault::kNone; }

  bool Ask(uint64_t hash) const noexcept { return view_.MayContain(KeyHash{hash}); }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    KeyHash hashes[kMostBatchKeys];
    const auto all = static_cast<size_t>(num_keys);
    for (size_t first = 0; first < all; first += kMostBatchKeys) {
      const size_t n = std::min(kMostBatchKeys, all - first);
      SharedHashes(keys + first, n, hashes);
      view_.MayContain(hashes, n, may_match + first);
    }
  }

 private:
  const FilterView view_;
};

class CountedReader final : public BitsReader {
 public:
  CountedReader(std::string_view block, ReaderCount count) noexcept
      : BitsReader(block), count_(std::move(count)) {}

 private:
  const ReaderCount count_;
};

BitsReader* NewOwnReader(std::string_view block, ReaderCount count) noexcept {
  if (count) return new (std::nothrow) CountedReader(block, std::move(count));
  return new (std::nothrow) BitsReader(block);
}

}  // namespace

FilterBitsReader* NewBitsReader(const Slice& contents, const FilterPolicy& builtin,
                                ReaderCount count) noexcept {
  const std::string_view block(contents.data(), contents.size());
  if (core::LooksOurs(block)) {
    BitsReader* const reader = NewOwnReader(block, std::move(count));
    if (reader != nullptr) {
      CountLoadedFilter(reader->is_usable() ? LoadedFilter::kWinnow : LoadedFilter::kUnusable);
    }
    return reader;
  }
  CountLoadedFilter(LoadedFilter::kBuiltin);
  try {
    return builtin.GetFilterBitsReader(contents);
  } catch (...) {
    return nullptr;
  }
}

Status NewBuiltinReader(std::shared_ptr<const FilterPolicy>* policy) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  // True would give OK and no policy for a name that is not known.
  config.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> made;
  const Status status = FilterPolicy::CreateFromString(config, "rocksdb.BuiltinBloomFilter", &made);
  if (!status.ok() || made == nullptr) {
    return Status::NotSupported(
        "Winnow needs RocksDB's policy rocksdb.BuiltinBloomFilter to read the filters of existing "
        "files, and this RocksDB can't make it",
        status.ToString());
  }
  *policy = std::move(made);
  return Status::OK();
}

}  // namespace winnow::plugin
