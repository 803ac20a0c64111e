// Back substitution with the vectors of ribbon_steps.h, eight slots at a time: as soon as these are
// solved, their contributions to the preceding slots are added to sums.
//
// A byte is a slot: bit c is column c. Eight slots are stored in reverse, byte 7 - j for slot j,
// since a Product takes its rows in this order; four sub-shards form a vector, sub-shard i in the
// bytes from 8 i on. A coefficient of 48 bits, which begins anywhere in its eight slots, has seven
// bytes: the first one selects among these eight slots, byte t among those 8 t behind.

#ifndef WINNOW_SRC_SIMD_RIBBON_SOLVE_SUMS_H_
#define WINNOW_SRC_SIMD_RIBBON_SOLVE_SUMS_H_

#include <cstdint>
#include <cstring>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

// Shuffle indices. Entry j broadcasts byte 7 - j of each eight bytes; entry 8 reverses eight bytes.
struct SlotBytes {
  alignas(32) unsigned char of[9][32] = {};

  constexpr SlotBytes() {
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned eight = i % 16 / 8 * 8;
      for (unsigned j = 0; j < 8; ++j) of[j][i] = static_cast<unsigned char>(eight + 7 - j);
      of[8][i] = static_cast<unsigned char>(eight + 7 - i % 8);
    }
  }
};
constexpr SlotBytes kSlotBytes;

template <typename Vectors, unsigned kShards>
class SummingSolver {
 public:
  SummingSolver(const uint64_t* const* rows, uint64_t shard_blocks, unsigned first_column)
      : fingerprint_shift_(56 - first_column) {
    for (unsigned shard = 0; shard < kShards; ++shard) shards_[shard].rows = rows[shard];
    Load(shard_blocks - 1);
  }

  WINNOW_INLINE void SolveBlock(uint64_t block) {
    // Solved slots contribute to the previous block, which is therefore loaded.
    if (block > 0) Load(block - 1);
    const auto first = static_cast<unsigned>(block % 2 * 8);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) SolveEight(first + 7 - i, 7 - i);
  }

  void Store(unsigned shard, unsigned columns, unsigned char* out) const {
    const unsigned char* solution = shards_[shard].solution;
    const Bytes turned = Vectors::Load(kSlotBytes.of[8]);
    const Bytes low = Vectors::Lookup(Vectors::Load(solution), turned);
    const Bytes high = Vectors::Lookup(Vectors::Load(solution + 32), turned);
    for (unsigned column = 0; column < columns; ++column) {
      const uint64_t word =
          Vectors::Bits(Vectors::Having(low, column), Vectors::Having(high, column));
      std::memcpy(out + sizeof word * column, &word, sizeof word);
    }
  }

 private:
  using Bytes = typename Vectors::Bytes;

  struct Shard {
    const uint64_t* rows;
    // Coefficients by which the slots of two blocks, in eights, are added to the six preceding
    // eights, the nearest first. Those beyond the first block are unspecified.
    alignas(32) unsigned char adding[16][64] = {};
    // Sums for the next six eights so far, in the same order.
    Bytes sums[2] = {Vectors::Set(0), Vectors::Set(0)};
    alignas(32) unsigned char solution[64] = {};  // solution of a block
  };

  // Loads the coefficients and fingerprints of a block of each sub-shard.
  WINNOW_INLINE void Load(uint64_t block) {
    const auto first = static_cast<unsigned>(block % 2 * 8);
    for (unsigned shard = 0; shard < kShards; ++shard) {
      Shard& of = shards_[shard];
      const uint64_t* rows = of.rows + 64 * block;
#pragma GCC unroll 4
      for (unsigned i = first; i < first + 8; i += 2, rows += 16) {
        // Rows 2 k and 2 k + 1 of two eights; after the transposition, bytes 2 k and 2 k + 1 of all
        // their rows.
        Bytes pairs[4];
#pragma GCC unroll 4
        for (unsigned k = 0; k < 4; ++k) {
          pairs[k] = Vectors::RowBytes(rows + 2 * k, rows + 8 + 2 * k, 2 * k, fingerprint_shift_);
        }
        Vectors::TransposePairs(&pairs);
        unsigned char* to[2][8];
        for (unsigned next = 0; next < 2; ++next) {
          to[next][0] = within_[i + next] + 8 * shard;
          to[next][7] = fingerprints_[i + next] + 8 * shard;
#pragma GCC unroll 8
          for (unsigned t = 1; t < 7; ++t) {
            to[next][t] = of.adding[(i + next + t) % 16] + 8 * (t - 1);
          }
        }
#pragma GCC unroll 4
        for (unsigned k = 0; k < 4; ++k) {
          Vectors::StoreWords(pairs[k], to[0][2 * k], to[0][2 * k + 1], to[1][2 * k],
                              to[1][2 * k + 1]);
        }
      }
    }
  }

  WINNOW_INLINE void SolveEight(unsigned at, unsigned in_block) {
    Bytes slots;
    if constexpr (kShards == 1) {
      slots = shards_[0].sums[0];
    } else {
      slots = Vectors::FirstWords(shards_[0].sums[0], shards_[1].sums[0], shards_[2].sums[0],
                                  shards_[3].sums[0]);
    }
    slots = slots ^ Vectors::Load(fingerprints_[at]);
    // Adds each slot, from right to left, to the slots that have it in their coefficient.
    constexpr uint64_t kItself = 0x0102040810204080u;
    const Bytes within = Vectors::Load(within_[at]) & ~Vectors::SetEight(kItself);
#pragma GCC unroll 8
    for (unsigned j = 7; j > 0; --j) {
      slots = slots ^ Vectors::Where(Vectors::Having(within, j),
                                     Vectors::Lookup(slots, Vectors::Load(kSlotBytes.of[j])));
    }
    alignas(32) unsigned char solved[32];
    Vectors::Store(solved, slots);
#pragma GCC unroll 4
    for (unsigned shard = 0; shard < kShards; ++shard) {
      Shard& of = shards_[shard];
      uint64_t word;
      std::memcpy(&word, solved + 8 * shard, sizeof word);
      std::memcpy(of.solution + 8 * in_block, &word, sizeof word);
      const typename Vectors::Product product(Vectors::SetEight(word));
      const unsigned char* adding = of.adding[at];
      Vectors::DropFirstWord(&of.sums);
      of.sums[0] = of.sums[0] ^ product.Of(typename Vectors::Factors(Vectors::Load(adding)));
      of.sums[1] = of.sums[1] ^ product.Of(typename Vectors::Factors(Vectors::Load(adding + 32)));
    }
  }

  unsigned fingerprint_shift_;
  Shard shards_[kShards];
  // First bytes of the coefficients, and the fingerprints, of the eights of two blocks, for all
  // sub-shards.
  alignas(32) unsigned char within_[16][32] = {};
  alignas(32) unsigned char fingerprints_[16][32] = {};
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_SOLVE_SUMS_H_
