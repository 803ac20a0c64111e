// Helpers for tests of the shared hash.

#ifndef WINNOW_TESTS_ROCKSDB_SHARED_HASH_TESTING_H_
#define WINNOW_TESTS_ROCKSDB_SHARED_HASH_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "src/core/bloom_batch.h"
#include "src/rocksdb/lookups/hash_batch.h"
#include "src/rocksdb/lookups/shared_hash.h"
#include "tests/rocksdb/lookup_keys.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/options.h"

namespace winnow::plugin {

// Stand-in for a filter, which answers with the hash.
struct HashOfKey {
  uint64_t Ask(uint64_t hash) const noexcept { return hash; }
  void NoteCounted(const ROCKSDB_NAMESPACE::Slice& /*key*/, const CountedAsk& /*ask*/,
                   uint64_t /*hash*/) const noexcept {}
};

// Returns the hash that a reader would look up for `key`.
__attribute__((flatten)) inline uint64_t HashForReader(const ROCKSDB_NAMESPACE::Slice& key) {
  return Lookup<HashOfKey>::Ask(HashOfKey(), key);
}

inline LookupCounts operator-(const LookupCounts& after, const LookupCounts& before) {
  return {after.computed - before.computed, after.shared - before.shared};
}

// Returns what `do_this` counts in a new thread, which begins with sharing on and nothing stored.
template <typename Do>
LookupCounts CountInThread(Do do_this) {
  const LookupCounts before = CurrentLookupCounts();
  std::thread(do_this).join();
  return CurrentLookupCounts() - before;
}

// Looks up keys and checks their hashes.
class Asker {
 public:
  void Ask(const std::string& key, int files) {
    const ROCKSDB_NAMESPACE::Slice slice = memory_.Put(key);
    const uint64_t expected = HashKey(key).value;
    for (int i = 0; i < files; ++i) {
      ASSERT_EQ(HashForReader(slice), expected) << key.size() << " bytes";
    }
  }

  void AskAll(const std::vector<std::string>& keys, int files) {
    const std::vector<ROCKSDB_NAMESPACE::Slice> slices = memory_.PutAll(keys);
    const std::vector<const ROCKSDB_NAMESPACE::Slice*> pointers = PointersTo(slices);
    for (int file = 0; file < files; ++file) {
      std::vector<KeyHash> hashes(keys.size());
      // Prefetching must change no hash and no count.
      if (file % 2 == 0 && !keys.empty()) {
        SharedHashes(pointers.data(), keys.size(), hashes.data(), core::BloomBatch(filter_));
      } else {
        SharedHashes(pointers.data(), keys.size(), hashes.data());
      }
      for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(hashes[i], HashKey(keys[i])) << keys[i].size() << " bytes";
      }
    }
  }

 private:
  static FilterBlock BloomOfOne() {
    FilterOptions options;
    options.kind = FilterKind::kBloom;
    FilterBuilder builder(options);
    builder.Add(KeyHash{1});
    return builder.Finish();
  }

  KeyMemory memory_;
  const FilterBlock block_ = BloomOfOne();
  const FilterView filter_{block_.bytes()};
};

// Looks up batches of keys in a HashBatch and checks their hashes.
class BatchAsker {
 public:
  // Returns how many hashes were computed.
  size_t Ask(const std::vector<std::string>& keys) {
    const std::vector<ROCKSDB_NAMESPACE::Slice> slices = memory_.PutAll(keys);
    std::vector<KeyHash> hashes(keys.size());
    const size_t computed = batch_.Hash(PointersTo(slices).data(), keys.size(), hashes.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(hashes[i], HashKey(keys[i])) << "key " << i << " of " << keys[i].size() << " bytes";
    }
    return computed;
  }

 private:
  HashBatch batch_;
  KeyMemory memory_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_SHARED_HASH_TESTING_H_
