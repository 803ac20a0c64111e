#include "src/sst/filter_prober.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <algorithm>

#include "src/core/format.h"
#include "src/core/ranges/range_note.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

constexpr size_t kMaxAtOnce = 32;  // maximum of RocksDB's filter readers

// Policy that reads all built-in filters, regardless of its own parameters.
const FilterPolicy& BuiltinPolicy() {
  static const FilterPolicy* policy = ROCKSDB_NAMESPACE::NewBloomFilterPolicy(10);
  return *policy;
}

}  // namespace

struct FilterProber::Builtin {
  std::unique_ptr<FilterBitsReader> reader;
};

FilterProber::FilterProber(std::string_view block) {
  if (core::LooksOurs(block)) {
    view_ = FilterView(block);
    const core::TableRanges ranges(block);
    if (core::AnswersKeys(block, ranges)) range_ = ranges.view(0);
    return;
  }
  builtin_ = std::make_unique<Builtin>();
  builtin_->reader.reset(BuiltinPolicy().GetFilterBitsReader(Slice(block.data(), block.size())));
}

FilterProber::~FilterProber() = default;
FilterProber::FilterProber(FilterProber&&) noexcept = default;

void FilterProber::MayContain(const AskedKey* keys, size_t n, bool* answers) {
  if (range_) {
    for (size_t i = 0; i < n; ++i) {
      // RocksDB takes the empty prefix of winnow.range for that of all keys.
      answers[i] = keys[i].bytes.empty() || range_->MayHaveKey(keys[i].bytes);
    }
    return;
  }
  if (builtin_ == nullptr) {
    hashes_.clear();
    for (size_t i = 0; i < n; ++i) {
      hashes_.push_back(KeyHash{keys[i].hash});
    }
    view_.MayContain(hashes_.data(), n, answers);
    return;
  }
  for (size_t first = 0; first < n; first += kMaxAtOnce) {
    const size_t count = std::min(kMaxAtOnce, n - first);
    Slice slices[kMaxAtOnce];
    Slice* pointers[kMaxAtOnce];
    for (size_t i = 0; i < count; ++i) {
      slices[i] = Slice(keys[first + i].bytes.data(), keys[first + i].bytes.size());
      pointers[i] = &slices[i];
    }
    builtin_->reader->MayMatch(static_cast<int>(count), pointers, answers + first);
  }
}

}  // namespace winnow::inspect
