// Integers of 64 bits in little-endian bytes at any address, whatever the machine.

#ifndef WINNOW_SRC_AMQ_LITTLE_ENDIAN_H_
#define WINNOW_SRC_AMQ_LITTLE_ENDIAN_H_

#include <cstdint>
#include <cstring>

namespace winnow::amq {

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

}  // namespace winnow::amq

#endif  // WINNOW_SRC_AMQ_LITTLE_ENDIAN_H_
