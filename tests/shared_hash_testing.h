// What the tests of the shared hash have in common.

#ifndef WINNOW_TESTS_SHARED_HASH_TESTING_H_
#define WINNOW_TESTS_SHARED_HASH_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "src/core/hash_inline.h"
#include "src/rocksdb/shared_hash.h"
#include "winnow/hash.h"

namespace winnow::plugin {

// What a reader does, for the hash instead of an answer.
__attribute__((flatten)) inline uint64_t HashForReader(const ROCKSDB_NAMESPACE::Slice& key) {
  LastKey* const last = this_thread_key;
  if (IsHashedInLine(*last, key)) {
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    CountComputed(last);
    if (IsWatched(*last, hash)) {
      WatchHash(hash);
    }
    return hash;
  }
  if (last->length != key.size()) {
    return SharedHash(key);
  }
  if (IsLast(*last, key)) {
    return HashOfLast(last);
  }
  if (!IsShort(key)) {
    return SharedHash(key);
  }
  const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
  if (ReplaceLast(last, key, hash)) {
    SettleHashes();
  }
  return hash;
}

inline LookupCounts operator-(const LookupCounts& after, const LookupCounts& before) {
  return {after.computed - before.computed, after.shared - before.shared};
}

// A thread of its own begins with nothing kept, and shares.
template <typename Do>
LookupCounts CountInThread(Do do_this) {
  const LookupCounts before = CurrentLookupCounts();
  std::thread(do_this).join();
  return CurrentLookupCounts() - before;
}

// Keys that all lie at the same place, as those of RocksDB's lookups do.
class Asker {
 public:
  void Ask(const std::string& key, int files) {
    memory_.assign(key.begin(), key.end());
    memory_.push_back('\0');  // so that an empty key lies somewhere
    const uint64_t expected = HashKey(key).value;
    for (int i = 0; i < files; ++i) {
      ASSERT_EQ(HashForReader(ROCKSDB_NAMESPACE::Slice(memory_.data(), key.size())), expected)
          << key.size() << " bytes";
    }
  }

  void AskAll(const std::vector<std::string>& keys, int files) {
    memory_.clear();
    for (const std::string& key : keys) {
      memory_.insert(memory_.end(), key.begin(), key.end());
    }
    std::vector<ROCKSDB_NAMESPACE::Slice> slices;
    std::vector<const ROCKSDB_NAMESPACE::Slice*> pointers(keys.size());
    size_t at = 0;
    for (const std::string& key : keys) {
      slices.emplace_back(memory_.data() + at, key.size());
      at += key.size();
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      pointers[i] = &slices[i];
    }
    for (int file = 0; file < files; ++file) {
      std::vector<KeyHash> hashes(keys.size());
      SharedHashes(pointers.data(), keys.size(), hashes.data());
      for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(hashes[i], HashKey(keys[i])) << keys[i].size() << " bytes";
      }
    }
  }

 private:
  std::vector<char> memory_;
};

inline std::string Key(uint64_t number, size_t length) {
  std::string key = std::to_string(number * 7919);
  key.insert(0, length - std::min(length, key.size()), 'k');
  return key;
}

inline std::vector<std::string> Keys(uint64_t first, size_t n, size_t length) {
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < n; ++i) {
    keys.push_back(Key(first + i, length));
  }
  return keys;
}

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_SHARED_HASH_TESTING_H_
