// Unaligned little-endian access to bytes, on any machine.

#ifndef WINNOW_SRC_FORMULAS_BYTES_H_
#define WINNOW_SRC_FORMULAS_BYTES_H_

#include <cstdint>
#include <cstring>

#include "src/formulas/inline.h"

namespace winnow::formulas {

WINNOW_FORMULA uint32_t LoadLittle32(const unsigned char* bytes) noexcept {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

WINNOW_FORMULA void StoreLittle32(unsigned char* bytes, uint32_t value) noexcept {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  std::memcpy(bytes, &value, sizeof value);
}

WINNOW_FORMULA uint64_t LoadLittle64(const unsigned char* bytes) noexcept {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

WINNOW_FORMULA void StoreLittle64(unsigned char* bytes, uint64_t value) noexcept {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  std::memcpy(bytes, &value, sizeof value);
}

// Access to the low `size` bytes of an integer, 0 to 8.
WINNOW_FORMULA uint64_t LoadLittle(const unsigned char* bytes, unsigned size) noexcept {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  return value;
}

WINNOW_FORMULA void StoreLittle(unsigned char* bytes, uint64_t value, unsigned size) noexcept {
  for (unsigned i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
}

}  // namespace winnow::formulas

#endif  // WINNOW_SRC_FORMULAS_BYTES_H_
