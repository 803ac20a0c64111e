// Little-endian, unaligned access to bytes, whatever the machine.

#ifndef WINNOW_SRC_CORE_BYTES_H_
#define WINNOW_SRC_CORE_BYTES_H_

#include <cstdint>
#include <cstring>

namespace winnow::core {

inline uint64_t LoadLittle64(const unsigned char* bytes) noexcept {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

inline void StoreLittle64(unsigned char* bytes, uint64_t value) noexcept {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  std::memcpy(bytes, &value, sizeof value);
}

// The low `size` bytes of an integer, for fields of any width up to 8.
inline uint64_t LoadLittle(const unsigned char* bytes, unsigned size) noexcept {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  return value;
}

inline void StoreLittle(unsigned char* bytes, uint64_t value, unsigned size) noexcept {
  for (unsigned i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_BYTES_H_
