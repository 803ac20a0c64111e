// Helpers for tests of kept keys.

#ifndef WINNOW_TESTS_ROCKSDB_KEPT_KEY_TESTING_H_
#define WINNOW_TESTS_ROCKSDB_KEPT_KEY_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/lookups/kept_key.h"
#include "tests/rocksdb/lookup_keys.h"
#include "winnow/hash.h"

namespace winnow::plugin {

// Stand-in for a filter, which answers with the hash, and counts the counted checks.
struct HashOfKey {
  uint64_t Ask(uint64_t hash) const noexcept { return hash; }
  void NoteCounted(const ROCKSDB_NAMESPACE::Slice& key, const CountedAsk& ask,
                   uint64_t hash) const noexcept {
    EXPECT_EQ(hash, HashKey({key.data(), key.size()}).value);
    counted += ask.weight;
  }

  inline static thread_local uint64_t counted = 0;  // sum of the weights
};

// Returns the hash that a reader would look up for `key`.
__attribute__((flatten)) inline uint64_t HashForReader(const ROCKSDB_NAMESPACE::Slice& key) {
  return Lookup<HashOfKey>::Ask(HashOfKey(), key);
}

inline LookupCounts operator-(const LookupCounts& after, const LookupCounts& before) {
  return {after.computed - before.computed, after.shared - before.shared};
}

// Returns what `do_this` counts in a new thread, which keeps keys at first.
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

  // Returns the number of checks that are counted one by one.
  size_t AskAll(const std::vector<std::string>& keys, int files) {
    const std::vector<ROCKSDB_NAMESPACE::Slice> slices = memory_.PutAll(keys);
    const std::vector<const ROCKSDB_NAMESPACE::Slice*> pointers = PointersTo(slices);
    size_t counted = 0;
    for (int file = 0; file < files; ++file) {
      std::vector<KeyHash> hashes(keys.size());
      const size_t computed = HashTogether(pointers.data(), keys.size(), hashes.data());
      EXPECT_LE(computed, keys.size());
      for (size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(hashes[i], HashKey(keys[i])) << keys[i].size() << " bytes";
      }
      if (!CountTogether(keys.size(), computed)) continue;
      size_t next = 0;
      for (size_t last = 0; NextCounted(keys.size(), &next).weight != 0; last = next) {
        EXPECT_GT(next, last);
        EXPECT_LE(next, keys.size());
        ++counted;
      }
    }
    return counted;
  }

 private:
  KeyMemory memory_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_KEPT_KEY_TESTING_H_
