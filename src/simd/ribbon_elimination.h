// Elimination of bumped Ribbon sub-shards, slot by slot from left to right instead of row by row,
// for machines whose instructions make that the faster way. ribbon_build.cc says what elimination
// is, and by which papers. This order is ours.
//
// Row by row, a row's walk from slot to slot waits for memory at each step. Slot by slot, the rows
// that have begun and have found no slot yet are a pool of at most 64, which stays in registers or
// in the nearest cache. At each slot one of the pool's rows that have a bit there becomes the
// slot's row, its pivot, and is added to all others that have one. That gives the same echelon form
// as inserting row after row, as ribbon_build.cc explains.
//
// A bucket is done in one pass, though its classes may fail one by one: keys of the lower class,
// which is the one that is kept longer, take a slot before others do. So no row of a lower class
// ever has one of a higher class added to it, and when a row of a class contradicts, the rows of
// this class and the higher ones are taken out without a trace. After the bucket's last slot its
// pool is brought to an end in the slots behind it, before the next bucket's rows come in. The rows
// placed there are added to the next bucket's pool at their slots.
//
// The pool is kept as planes: byte i of plane t is byte t of row i. So eight slots are the bytes of
// plane 0, and moving on by eight slots is renaming the planes. The pivots of eight slots are added
// to all other rows at once, as in the method of the Four Russians (Arlazarov, Dinic, Kronrod,
// Faradzhev, 1970): which pivots a row gets is one byte, and which sum of pivot bytes that means is
// a product with a matrix of 8 x 8 bits. That product is one instruction of GFNI, or two look-ups
// in tables of 16 bytes, one for each half of the byte.

#ifndef WINNOW_SRC_SIMD_RIBBON_ELIMINATION_H_
#define WINNOW_SRC_SIMD_RIBBON_ELIMINATION_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"

namespace winnow::simd {

// Slots that are eliminated together, and of which keys need no order among each other.
inline constexpr uint32_t kRibbonStepSlots = 8;
inline constexpr uint32_t kRibbonBucketSteps = formulas::kRibbonBucketSlots / kRibbonStepSlots;
// Seven bytes of coefficient, shifted by up to seven slots, and two of fingerprint.
inline constexpr unsigned kRibbonPlanes = 9;
// Pools are full of rows that contradict: their windows of 55 slots have no room for more.
inline constexpr unsigned kRibbonPoolRows = 64;
// Sub-shards that are eliminated or solved side by side.
inline constexpr unsigned kRibbonMostShards = 4;

// One sub-shard while it is eliminated. The caller sets the first part for each bin of buckets, and
// has is_begun false before the first one.
struct alignas(64) RibbonShardState {
  // The bin's keys, sorted by step, and for how many there is room (RibbonElimination::make_keys);
  // step_ends[s] is where the keys of step s end.
  const unsigned char* keys;
  size_t key_room;
  const uint32_t* step_ends;
  uint32_t next_key;
  // The current bucket's first row, and threshold. 64 rows behind the last bucket must exist. A row
  // has its coefficient in the high 48 bits and its fingerprint in the low 16.
  uint64_t* rows;
  unsigned char* threshold;  // one byte a bucket
  uint32_t buckets;          // left in this bin
  // Set by `eliminate` when the current bucket has too many keys for the pool. Its rows are then
  // as if none of its keys had come yet. The caller takes over: it places the bucket, moves on
  // to the next one, and resets this.
  bool is_overfull;

  // ---- `eliminate`'s own: ribbon_buckets.h says what each is when
  static constexpr unsigned kCarriedSteps = 6;  // of rows from the bucket before
  static constexpr unsigned kMaxSteps = kRibbonBucketSteps + kCarriedSteps;
  struct alignas(64) Pool {
    uint64_t planes[kRibbonPlanes][8];
    uint64_t alive;  // rows in use
    uint64_t class2;
    uint64_t classes12;
  };
  Pool pool;
  Pool before_trial;
  uint64_t carried[kCarriedSteps][kRibbonStepSlots];
  // Rows that a step's slots were given to, in case that classes fail.
  struct Step {
    uint64_t pivots;  // byte 7 - j: the pool's row that slot j took
    uint64_t class2;
    uint64_t classes12;
  };
  Step steps[kMaxSteps];
  uint32_t first_key;  // of the bucket
  unsigned step;
  unsigned kept_classes;  // that have not failed
  bool is_begun;          // the current bucket
  bool is_trial;          // no keys are added, to find what fails
};

// Meaning of the low bits of a row.
struct RibbonRows {
  unsigned fingerprint_bits = 0;  // or of a value
  bool are_items = false;         // of a retrieval: values, which are the hashes' own low bits

  constexpr uint64_t value_mask() const noexcept { return are_items ? formulas::kItemValue : 0; }
};

struct RibbonElimination {
  // Writes the rows of n hashes to kRibbonPlanes * key_room bytes, where key_room is at least
  // n + 63, in an order that is the kernels' own.
  void (*make_keys)(const uint64_t* hashes, size_t n, uint32_t starts, RibbonRows rows,
                    unsigned char* keys, size_t key_room);

  // Eliminates buckets of all sub-shards, 1, 2 or kRibbonMostShards, side by side, until one has no
  // bucket left or is overfull. Each must have one left.
  void (*eliminate)(RibbonShardState* states, unsigned num_shards, unsigned fingerprint_bits);
};

// Parts of kAvx512Kernels and kGfniKernels, in files of their own: use Kernels::ribbon_elimination
// and ribbon_solve.
extern const RibbonElimination kAvx512Elimination;
void SolveWithAvx512(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                     uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                     unsigned char* words);
extern const RibbonElimination kGfniElimination;
void SolveWithGfni(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                   uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                   unsigned char* words);

}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_ELIMINATION_H_
