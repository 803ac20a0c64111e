// A step of eight slots for ribbon_buckets.h, for vectors that are too short for a pool in
// registers: the planes stay in memory, each as two vectors of 32 bytes.
//
// Vectors is specific to an instruction set and has:
//
//   Bytes, Load, Store      32 bytes
//   LoadOne, StoreWord      broadcast of one byte; store of the first eight
//   Having, Bits, Where     mask of bytes with bit `slot`; a mask as 64 bits; a value under a mask
//   HavingOneOf             all ones in bytes with at least one of these bits, else 0
//   NonZero                 mask of nonzero bytes, as 64 bits
//   LowestBit               index of the lowest bit; 64 or more if there is none
//   Rows, Gather            eight rows of the pool, where byte 7 - j is that of slot j; their bytes
//                           in a plane
//   Product                 product of bytes with a matrix of 8 x 8 bits, whose row j is byte 7 - j
//                           of the gathered bytes: Of returns the sums of the rows that the bits of
//                           Factors' bytes select
//   Eight, LowEight         the low half of Bytes
//   TransposeBytes          transposition of 8 x 8 bytes, with each row in the low half of an Eight

#ifndef WINNOW_SRC_SIMD_RIBBON_STEPS_H_
#define WINNOW_SRC_SIMD_RIBBON_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {
namespace {

// Writes keys from `first` on: words of seven bytes of coefficient and one of fingerprint, and
// behind all words the second bytes of the fingerprints.
inline void MakeKeysFrom(size_t first, const uint64_t* hashes, size_t n, uint32_t starts,
                         RibbonRows rows, unsigned char* keys, size_t key_room) {
  const uint64_t value_mask = rows.value_mask();
  unsigned char* const high = keys + sizeof(uint64_t) * key_room;
  for (size_t i = first; i < n; ++i) {
    const uint64_t hash = hashes[i] & ~value_mask;
    const unsigned slot = formulas::StartPosition(hash, starts) % kRibbonStepSlots;
    const uint64_t fingerprint =
        (formulas::Fingerprint(hash, rows.fingerprint_bits) & ~value_mask) |
        (hashes[i] & value_mask);
    const uint64_t word = formulas::Coefficient(hash) << slot | fingerprint
                                                                    << (8 * kFingerprintPlane);
    std::memcpy(keys + sizeof word * i, &word, sizeof word);
    if (rows.fingerprint_bits > kNarrowColumns)
      high[i] = static_cast<unsigned char>(fingerprint >> 8);
  }
}

inline void MakeKeys(const uint64_t* hashes, size_t n, uint32_t starts, RibbonRows rows,
                     unsigned char* keys, size_t key_room) {
  MakeKeysFrom(0, hashes, n, starts, rows, keys, key_room);
}

template <typename Vectors, unsigned kPlanes>
struct PlanesInMemory {
  using Bytes = typename Vectors::Bytes;

  Pool* pool;
  Bytes coefficients[2];  // OR of the planes, per row
  Bytes fingerprints[2];

  PlanesInMemory() = default;
  explicit PlanesInMemory(Pool* in_pool) : pool(in_pool) {}

  void Clear(Pool* of) {
    pool = of;
    std::memset(of->planes, 0, sizeof of->planes);
  }
  unsigned char* plane(unsigned i) const {
    return reinterpret_cast<unsigned char*>(pool->planes[i]);
  }
  void Store(Pool* /*pool*/) const {}
  void Drop(uint64_t rows) {
    for (; rows != 0; rows &= rows - 1) Put(0, 0, Vectors::LowestBit(rows));
  }

  uint64_t WithCoefficient() const { return Vectors::NonZero(coefficients[0], coefficients[1]); }
  uint64_t WithFingerprint() const { return Vectors::NonZero(fingerprints[0], fingerprints[1]); }
  uint64_t InLowSlots() const {
    const Bytes low_slots = Vectors::Set(0x0f);
    return Vectors::NonZero(Vectors::Load(plane(0)) & low_slots,
                            Vectors::Load(plane(0) + 32) & low_slots);
  }

  WINNOW_INLINE void Put(uint64_t word, unsigned char high, size_t row) {
    unsigned char* byte = plane(0) + row;
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i, byte += sizeof pool->planes[0], word >>= 8) {
      *byte = static_cast<unsigned char>(word);
    }
    if constexpr (kPlanes > 8) *byte = high;
  }

  // Puts keys into the first free rows, and returns these rows.
  WINNOW_INLINE uint64_t PutAll(const unsigned char* words, const unsigned char* high,
                                uint32_t count, uint64_t free) {
    uint64_t left = free;
    for (const unsigned char* end = words + sizeof(uint64_t) * count; words != end;
         words += sizeof(uint64_t), left &= left - 1) {
      uint64_t word;
      std::memcpy(&word, words, sizeof word);
      Put(word, kPlanes > 8 ? *high++ : 0, Vectors::LowestBit(left));
    }
    return free ^ left;
  }

  WINNOW_INLINE uint64_t PutKeys(const RibbonShardState& state, uint32_t count, uint64_t free) {
    return PutAll(state.keys + sizeof(uint64_t) * state.next_key,
                  state.keys + sizeof(uint64_t) * state.key_room + state.next_key, count, free);
  }

  WINNOW_INLINE bool PutCarried(const uint64_t* rows, uint64_t free, uint64_t* places) {
    // Branch-free, since it is unpredictable which slots have a row.
    uint64_t words[kRibbonStepSlots];
    unsigned char high[kRibbonStepSlots];
    uint32_t count = 0;
#pragma GCC unroll 8
    for (unsigned slot = 0; slot < kRibbonStepSlots; ++slot) {
      const uint64_t row = rows[slot];
      words[count] = row >> (64 - kRibbonWidth) << slot | row << (8 * kFingerprintPlane);
      high[count] = static_cast<unsigned char>(row >> 8);
      count += row != 0 ? 1 : 0;
    }
    if (count > static_cast<unsigned>(__builtin_popcountll(free))) return false;
    *places = PutAll(reinterpret_cast<const unsigned char*>(words), high, count, free);
    return true;
  }
};

// Stores eight rows as the slots' rows. Each word is a row, shifted by its slot, with its
// fingerprint in the top byte.
template <typename Eight>
WINNOW_INLINE void StoreSlots(const Eight (&words)[4], const Eight* high, uint64_t* rows) {
  using Words = uint64_t __attribute__((vector_size(16)));
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) {
    const auto word = reinterpret_cast<Words>(words[i]);
    const Words coefficient = (word & ~uint64_t{0} >> 8) >> Words{2 * i, 2 * i + 1};
    Words row = coefficient << (64 - kRibbonWidth) | word >> (8 * kFingerprintPlane);
    if (high != nullptr) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(high);
      row |= Words{bytes[2 * i], bytes[2 * i + 1]} << 8;
    }
    std::memcpy(rows + 2 * i, &row, sizeof row);
  }
}

template <typename Vectors, unsigned kPlanes>
struct StepsInMemory {
  using Bytes = typename Vectors::Bytes;
  using Eight = typename Vectors::Eight;
  using Planes = PlanesInMemory<Vectors, kPlanes>;

  // Result of the elimination in plane 0.
  struct Pivots {
    // One byte per row of the pool: the pivots that are added to the row.
    alignas(32) unsigned char combinations[kRibbonPoolRows];
    // Byte j, in its bits up to j: the pivots whose sum is that of slot j, including itself;
    // without itself if slot j has no pivot. Bytes from 8 on are unspecified.
    alignas(8) unsigned char own[2 * kRibbonStepSlots];
    alignas(8) unsigned char rows[kRibbonStepSlots];  // byte 7 - j: row of slot j's pivot

    uint64_t Rows() const {
      uint64_t word;
      std::memcpy(&word, rows, sizeof word);
      return word;
    }
  };

  // Finds the pivots. The bit of an eliminated slot is 0 in each row of the pool, so its place is
  // reused to record whether the slot's pivot was added to the row.
  template <unsigned kShards>
  WINNOW_INLINE static void FindPivots(const RibbonShardState* states, Pivots* pivots) {
    Bytes low[kShards];
    Bytes high[kShards];
#pragma GCC unroll 4
    for (unsigned i = 0; i < kShards; ++i) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(states[i].pool.planes[0]);
      low[i] = Vectors::Load(bytes);
      high[i] = Vectors::Load(bytes + 32);
      Vectors::Store(pivots[i].combinations, low[i]);
      Vectors::Store(pivots[i].combinations + 32, high[i]);
    }
#pragma GCC unroll 8
    for (unsigned slot = 0; slot < kRibbonStepSlots; ++slot) {
      const Bytes bit = Vectors::Set(static_cast<unsigned char>(1u << slot));
#pragma GCC unroll 4
      for (unsigned i = 0; i < kShards; ++i) {
        const Bytes low_having = Vectors::Having(low[i], slot);
        const Bytes high_having = Vectors::Having(high[i], slot);
        const uint64_t candidates = Vectors::Bits(low_having, high_having);
        const size_t row =
            Vectors::LowestBit(LowestClass(candidates, states[i].pool)) % kRibbonPoolRows;
        pivots[i].rows[kRibbonStepSlots - 1 - slot] = static_cast<unsigned char>(row);
        const Bytes pivot = Vectors::LoadOne(pivots[i].combinations + row);
        Vectors::StoreWord(pivots[i].own + slot, pivot);
        const Bytes added = pivot ^ bit;
        low[i] = low[i] ^ Vectors::Where(low_having, added);
        high[i] = high[i] ^ Vectors::Where(high_having, added);
        Vectors::Store(pivots[i].combinations, low[i]);
        Vectors::Store(pivots[i].combinations + 32, high[i]);
      }
    }
  }

  // Returns the bits of each slot's byte up to its own, if its own bit is set, else 0.
  WINNOW_INLINE static Bytes OwnRows(const Pivots& pivots) {
    uint64_t own;
    std::memcpy(&own, pivots.own, sizeof own);
    const Bytes rows = Vectors::SetEight(own);
    const Bytes found = Vectors::HavingOneOf(rows, Vectors::SetEight(0x8040201008040201u));
    return rows & found & Vectors::SetEight(0xff7f3f1f0f070301u);
  }

  static void FreeSlots(uint64_t pivots, uint64_t failed, uint64_t* rows) {
    if (failed == 0) return;
    for (unsigned slot = kRibbonStepSlots; slot-- > 0; pivots >>= 8) {
      rows[slot] &= (failed >> (pivots & 0xff) & 1) - 1;
    }
  }

  WINNOW_INLINE static void AddPivots(const Pivots& pivots, Pool* pool, uint64_t* slots,
                                      Planes* next) {
    Planes planes(pool);
    const typename Vectors::Factors low(Vectors::Load(pivots.combinations));
    const typename Vectors::Factors high(Vectors::Load(pivots.combinations + 32));
    const typename Vectors::Factors own(OwnRows(pivots));
    const typename Vectors::Rows rows(pivots.Rows());
    const Bytes zero = Vectors::Set(0);
    planes.coefficients[0] = planes.coefficients[1] = zero;
    planes.fingerprints[0] = planes.fingerprints[1] = zero;
    Eight pivot_bytes[kPlanes];
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) {
      const Bytes low_plane = Vectors::Load(planes.plane(i));
      const Bytes high_plane = Vectors::Load(planes.plane(i) + 32);
      const typename Vectors::Product product(Vectors::Gather(low_plane, high_plane, rows));
      pivot_bytes[i] = Vectors::LowEight(product.Of(own));
      if (i == 0) continue;
      const bool is_coefficient = i < kCoefficientPlanes;
      unsigned char* const to = planes.plane(is_coefficient ? i - 1 : i);
      const Bytes low_sum = low_plane ^ product.Of(low);
      const Bytes high_sum = high_plane ^ product.Of(high);
      Vectors::Store(to, low_sum);
      Vectors::Store(to + 32, high_sum);
      Bytes* const bits = is_coefficient ? planes.coefficients : planes.fingerprints;
      bits[0] = bits[0] | low_sum;
      bits[1] = bits[1] | high_sum;
    }
    Vectors::Store(planes.plane(kCoefficientPlanes - 1), zero);
    Vectors::Store(planes.plane(kCoefficientPlanes - 1) + 32, zero);
    if (__builtin_expect(slots != nullptr, 1)) {
      Eight words[4];
      Vectors::TransposeBytes(pivot_bytes, words);
      StoreSlots(words, kPlanes > 8 ? &pivot_bytes[kPlanes - 1] : nullptr, slots);
    }
    *next = planes;
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_STEPS_H_
