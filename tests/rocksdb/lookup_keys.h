// Lookup keys for tests of shared hashes.

#ifndef WINNOW_TESTS_ROCKSDB_LOOKUP_KEYS_H_
#define WINNOW_TESTS_ROCKSDB_LOOKUP_KEYS_H_

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace winnow::plugin {

// Memory for a test's keys. A lookup's keys replace those of the previous lookup, as in RocksDB,
// and each has an allocation of its exact size, so that AddressSanitizer finds reads outside of it.
class KeyMemory {
 public:
  // The slice is valid until the next call with the same length and place.
  ROCKSDB_NAMESPACE::Slice Put(const std::string& key, size_t place = 0) {
    std::unique_ptr<char[]>& bytes = bytes_[{key.size(), place}];
    if (bytes == nullptr) {
      bytes.reset(new char[key.size()]);
    }
    std::copy(key.begin(), key.end(), bytes.get());
    return {bytes.get(), key.size()};
  }

  std::vector<ROCKSDB_NAMESPACE::Slice> PutAll(const std::vector<std::string>& keys) {
    std::vector<ROCKSDB_NAMESPACE::Slice> slices;
    for (const std::string& key : keys) {
      slices.push_back(Put(key, slices.size()));
    }
    return slices;
  }

 private:
  std::map<std::pair<size_t, size_t>, std::unique_ptr<char[]>> bytes_;  // keyed by length and place
};

inline std::vector<const ROCKSDB_NAMESPACE::Slice*> PointersTo(
    const std::vector<ROCKSDB_NAMESPACE::Slice>& slices) {
  std::vector<const ROCKSDB_NAMESPACE::Slice*> pointers;
  for (const ROCKSDB_NAMESPACE::Slice& slice : slices) {
    pointers.push_back(&slice);
  }
  return pointers;
}

// Returns a key of `length` bytes that ends with `number` in base 64. The number must fit.
inline std::string Key(uint64_t number, size_t length) {
  std::string key(length, 'k');
  for (size_t i = length; i-- > 0 && length - i <= 8; number /= 64) {
    key[i] = static_cast<char>('0' + number % 64);
  }
  EXPECT_EQ(number, 0u) << "does not fit into a key of " << length << " bytes";
  return key;
}

// Returns `n` keys with the numbers `first`, `first` + 1, …
inline std::vector<std::string> Keys(uint64_t first, size_t n, size_t length) {
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < n; ++i) {
    keys.push_back(Key(first + i, length));
  }
  return keys;
}

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_LOOKUP_KEYS_H_
