// Bit-packed slots of up to 32 bits, with identical bytes on all machines.

#ifndef WINNOW_STREAMS_AMQ_PACKED_SLOTS_H_
#define WINNOW_STREAMS_AMQ_PACKED_SLOTS_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/bytes.h"

namespace winnow::amq {

// Returns the size of n packed slots in bytes. Slots are read by loads of 8 bytes, so that 7 bytes
// of padding follow.
inline size_t PackedBytes(uint64_t n, unsigned bits) noexcept { return (n * bits + 7) / 8 + 7; }

inline uint64_t LowBits(unsigned bits) noexcept { return (uint64_t{1} << bits) - 1; }

inline uint64_t GetSlot(const unsigned char* bytes, uint64_t slot, unsigned bits) noexcept {
  const uint64_t at = slot * bits;
  return formulas::LoadLittle64(bytes + at / 8) >> at % 8 & LowBits(bits);
}

inline void SetSlot(unsigned char* bytes, uint64_t slot, unsigned bits, uint64_t value) noexcept {
  const uint64_t at = slot * bits;
  const uint64_t others = formulas::LoadLittle64(bytes + at / 8) & ~(LowBits(bits) << at % 8);
  formulas::StoreLittle64(bytes + at / 8, others | value << at % 8);
}

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_PACKED_SLOTS_H_
