#include "src/rocksdb/bits_reader.h"

#include <rocksdb/convenience.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

#include "src/core/format.h"
#include "src/core/hash_inline.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/key_hash.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Any block of ours. Most of a lookup is calls and the hash: so the hash of short keys is inlined
// into MayMatch, which ends with a jump to the kernel that the view chose when it was made; and
// what is rare is behind tail calls, so that the common path needs no frame.
//
// What a lookup reads is in one cache line.
class alignas(64) BitsReader final : public FilterBitsReader {
 public:
  explicit BitsReader(std::string_view block) noexcept : view_(block) {}

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    const size_t size = key.size();
    ThreadCounters* const counters = this_thread_counters;
    if (__builtin_expect(size - 1 >= core::kMostShortKeyBytes || counters == nullptr, 0)) {
      return MayMatchOther(key);
    }
    CountLookups(counters, 1, 1);
    return view_.MayContain(KeyHash{core::HashShortKeyInline(key.data(), size)});
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    constexpr int kBatch = 32;  // the most that RocksDB asks for at once
    KeyHash hashes[kBatch];
    for (int first = 0; first < num_keys; first += kBatch) {
      const int n = std::min(kBatch, num_keys - first);
      for (int i = 0; i < n; ++i) {
        hashes[i] = HashOf(*keys[first + i]);
      }
      CountLookups(static_cast<uint64_t>(n), static_cast<uint64_t>(n));
      view_.MayContain(hashes, static_cast<size_t>(n), may_match + first);
    }
  }

 private:
  __attribute__((noinline)) bool MayMatchOther(const Slice& key) const {
    CountLookups(1, 1);
    return view_.MayContain(HashOf(key));
  }

  const FilterView view_;
};

}  // namespace

FilterBitsReader* NewBitsReader(const Slice& contents, const FilterPolicy& builtin) noexcept {
  const std::string_view block(contents.data(), contents.size());
  if (core::LooksOurs(block)) {
    return new (std::nothrow) BitsReader(block);
  }
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
