// Big-endian numbers, which sort as keys like the numbers.

#ifndef WINNOW_TESTS_ROCKSDB_RANGES_BIG_ENDIAN_H_
#define WINNOW_TESTS_ROCKSDB_RANGES_BIG_ENDIAN_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace winnow::testing {

// Returns the number in eight bytes, the most significant first.
inline std::string BigEndian(uint64_t number) {
  std::string bytes(8, '\0');
  for (size_t i = 8; i > 0; --i, number >>= 8) bytes[i - 1] = static_cast<char>(number);
  return bytes;
}

// Returns the number in the last eight bytes of a key.
inline uint64_t LastNumber(const std::string& key) {
  uint64_t number = 0;
  for (size_t i = key.size() - 8; i < key.size(); ++i) {
    number = number << 8 | static_cast<unsigned char>(key[i]);
  }
  return number;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_ROCKSDB_RANGES_BIG_ENDIAN_H_
