// NEON operations of 64-bit ARM for ribbon_steps.h and ribbon_solve_sums.h: 32 bytes in two
// registers.

#ifndef WINNOW_SRC_SIMD_RIBBON_NEON_VECTORS_H_
#define WINNOW_SRC_SIMD_RIBBON_NEON_VECTORS_H_

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "src/simd/inline.h"
#include "src/simd/ribbon_sum_tables.h"

namespace winnow::simd {
namespace {

struct NeonBytes {
  uint8x16_t low;
  uint8x16_t high;

  WINNOW_INLINE friend NeonBytes operator^(NeonBytes a, NeonBytes b) {
    return {veorq_u8(a.low, b.low), veorq_u8(a.high, b.high)};
  }
  WINNOW_INLINE friend NeonBytes operator&(NeonBytes a, NeonBytes b) {
    return {vandq_u8(a.low, b.low), vandq_u8(a.high, b.high)};
  }
  WINNOW_INLINE friend NeonBytes operator|(NeonBytes a, NeonBytes b) {
    return {vorrq_u8(a.low, b.low), vorrq_u8(a.high, b.high)};
  }
  WINNOW_INLINE friend NeonBytes operator~(NeonBytes a) {
    return {vmvnq_u8(a.low), vmvnq_u8(a.high)};
  }
};

struct NeonVectors {
  using Bytes = NeonBytes;
  using Eight = uint8x16_t;

  WINNOW_INLINE static Bytes Load(const unsigned char* bytes) {
    return {vld1q_u8(bytes), vld1q_u8(bytes + 16)};
  }
  WINNOW_INLINE static void Store(unsigned char* bytes, Bytes value) {
    vst1q_u8(bytes, value.low);
    vst1q_u8(bytes + 16, value.high);
  }
  WINNOW_INLINE static Bytes Set(unsigned char value) {
    return {vdupq_n_u8(value), vdupq_n_u8(value)};
  }
  WINNOW_INLINE static Bytes SetEight(uint64_t value) {
    const uint8x16_t twice = vreinterpretq_u8_u64(vdupq_n_u64(value));
    return {twice, twice};
  }
  WINNOW_INLINE static Eight LowEight(Bytes bytes) { return bytes.low; }

  WINNOW_INLINE static Bytes LoadOne(const unsigned char* byte) {
    const uint8x16_t all = vld1q_dup_u8(byte);
    return {all, all};
  }
  WINNOW_INLINE static void StoreWord(unsigned char* bytes, Bytes value) {
    vst1_u8(bytes, vget_low_u8(value.low));
  }
  WINNOW_INLINE static Bytes HavingOneOf(Bytes bytes, Bytes bits) {
    return {vtstq_u8(bytes.low, bits.low), vtstq_u8(bytes.high, bits.high)};
  }

  // Sets all bits of each byte that has the bit of `slot`, and clears all other bytes.
  WINNOW_INLINE static Bytes Having(Bytes bytes, unsigned slot) {
    const uint8x16_t bit = vdupq_n_u8(static_cast<uint8_t>(1u << slot));
    return {vtstq_u8(bytes.low, bit), vtstq_u8(bytes.high, bit)};
  }
  WINNOW_INLINE static Bytes Where(Bytes having, Bytes value) { return having & value; }
  // Masks each byte with its own bit, and sums up eight neighbors.
  WINNOW_INLINE static uint64_t Bits(Bytes low, Bytes high) {
    const Bytes places = SetEight(0x8040201008040201u);
    const Bytes low_bits = low & places;
    const Bytes high_bits = high & places;
    const uint8x16_t fours =
        vpaddq_u8(vpaddq_u8(low_bits.low, low_bits.high), vpaddq_u8(high_bits.low, high_bits.high));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(fours, fours)), 0);
  }
  WINNOW_INLINE static uint64_t NonZero(Bytes low, Bytes high) {
    return Bits({vtstq_u8(low.low, low.low), vtstq_u8(low.high, low.high)},
                {vtstq_u8(high.low, high.low), vtstq_u8(high.high, high.high)});
  }
  WINNOW_INLINE static size_t LowestBit(uint64_t bits) {
    return bits != 0 ? static_cast<size_t>(__builtin_ctzll(bits)) : 64;
  }

  struct Rows {
    uint8x16_t rows;

    WINNOW_INLINE explicit Rows(uint64_t eight) : rows(vreinterpretq_u8_u64(vdupq_n_u64(eight))) {}
  };
  WINNOW_INLINE static Bytes Gather(Bytes low, Bytes high, const Rows& rows) {
    const uint8x16_t twice =
        vqtbl4q_u8(uint8x16x4_t{{low.low, low.high, high.low, high.high}}, rows.rows);
    return {twice, twice};
  }

  struct Factors {
    Bytes low;
    Bytes high;

    WINNOW_INLINE explicit Factors(Bytes bytes)
        : low(bytes & Set(15)), high{vshrq_n_u8(bytes.low, 4), vshrq_n_u8(bytes.high, 4)} {}
  };

  struct Product {
    uint8x16_t low;
    uint8x16_t high;

    WINNOW_INLINE explicit Product(Bytes rows) {
      const uint8x16_t sums =
          veorq_u8(rows.low, vqtbl1q_u8(rows.low, vld1q_u8(kSumTables.neighbours)));
      const auto table = [sums](unsigned half) {
        return veorq_u8(vqtbl1q_u8(sums, vld1q_u8(kSumTables.low_bits + 16 * half)),
                        vqtbl1q_u8(sums, vld1q_u8(kSumTables.high_bits + 16 * half)));
      };
      low = table(0);
      high = table(1);
    }
    WINNOW_INLINE Bytes Of(const Factors& factors) const {
      return {veorq_u8(vqtbl1q_u8(low, factors.low.low), vqtbl1q_u8(high, factors.high.low)),
              veorq_u8(vqtbl1q_u8(low, factors.low.high), vqtbl1q_u8(high, factors.high.high))};
    }
  };

  WINNOW_INLINE static void TransposeBytes(const Eight* rows, Eight (&columns)[4]) {
    ZipFours(vzip1q_u8(rows[0], rows[1]), vzip1q_u8(rows[2], rows[3]), vzip1q_u8(rows[4], rows[5]),
             vzip1q_u8(rows[6], rows[7]), columns);
  }

  WINNOW_INLINE static Bytes Lookup(Bytes tables, Bytes indices) {
    return {vqtbl1q_u8(tables.low, indices.low), vqtbl1q_u8(tables.high, indices.high)};
  }
  WINNOW_INLINE static Bytes RowBytes(const uint64_t* low, const uint64_t* high, unsigned slot,
                                      unsigned fingerprint_shift) {
    const auto pair = [&](const uint64_t* rows) {
      const uint64x2_t two = vld1q_u64(rows);
      const int64x2_t slots = vcombine_s64(vcreate_s64(slot), vcreate_s64(slot + 1));
      const uint64x2_t coefficients = vshlq_u64(vshrq_n_u64(two, 16), slots);
      const uint64x2_t fingerprints = vandq_u64(vshlq_u64(two, vdupq_n_s64(fingerprint_shift)),
                                                vdupq_n_u64(uint64_t{0xff} << 56));
      return vreinterpretq_u8_u64(vorrq_u64(coefficients, fingerprints));
    };
    return {pair(low), pair(high)};
  }
  WINNOW_INLINE static void TransposePairs(Bytes (*pairs)[4]) {
    const auto transpose = [](uint8x16_t(&of)[4]) {
      for (uint8x16_t& pair : of) pair = vzip1q_u8(vextq_u8(pair, pair, 8), pair);
      ZipFours(of[3], of[2], of[1], of[0], of);
    };
    uint8x16_t low[4];
    uint8x16_t high[4];
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i) {
      low[i] = (*pairs)[i].low;
      high[i] = (*pairs)[i].high;
    }
    transpose(low);
    transpose(high);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i) (*pairs)[i] = {low[i], high[i]};
  }
  WINNOW_INLINE static void StoreWords(Bytes bytes, unsigned char* first, unsigned char* second,
                                       unsigned char* third, unsigned char* fourth) {
    vst1_u8(first, vget_low_u8(bytes.low));
    vst1_u8(second, vget_high_u8(bytes.low));
    vst1_u8(third, vget_low_u8(bytes.high));
    vst1_u8(fourth, vget_high_u8(bytes.high));
  }
  WINNOW_INLINE static Bytes FirstWords(Bytes first, Bytes second, Bytes third, Bytes fourth) {
    const auto two = [](uint8x16_t a, uint8x16_t b) {
      return vcombine_u8(vget_low_u8(a), vget_low_u8(b));
    };
    return {two(first.low, second.low), two(third.low, fourth.low)};
  }
  WINNOW_INLINE static void DropFirstWord(Bytes (*words)[2]) {
    Bytes& near = (*words)[0];
    Bytes& far = (*words)[1];
    near = {vextq_u8(near.low, near.high, 8), vextq_u8(near.high, far.low, 8)};
    far.low = vextq_u8(far.low, vdupq_n_u8(0), 8);
  }

 private:
  // Interleaves neighboring registers of four, twice.
  WINNOW_INLINE static void ZipFours(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d,
                                     uint8x16_t (&zipped)[4]) {
    const auto zip = [](uint8x16_t x, uint8x16_t y) {
      return vzipq_u16(vreinterpretq_u16_u8(x), vreinterpretq_u16_u8(y));
    };
    const uint16x8x2_t first = zip(a, b);
    const uint16x8x2_t last = zip(c, d);
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; ++i) {
      const uint32x4x2_t fours =
          vzipq_u32(vreinterpretq_u32_u16(first.val[i]), vreinterpretq_u32_u16(last.val[i]));
      zipped[2 * i] = vreinterpretq_u8_u32(fours.val[0]);
      zipped[2 * i + 1] = vreinterpretq_u8_u32(fours.val[1]);
    }
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_NEON_VECTORS_H_
