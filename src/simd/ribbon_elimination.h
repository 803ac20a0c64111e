// Gaussian elimination of bumped Ribbon sub-shards, slot by slot from left to right instead of row
// by row, for machines where this is faster. ribbon_build.cc describes elimination and names the
// papers. This order is our own.
//
// Row by row, a row's walk from slot to slot waits for memory at each step. Slot by slot, the rows
// that have started but have no slot yet form a pool of at most 64, which stays in registers or in
// the first-level cache. At each slot, one of the pool's rows with a bit there becomes the slot's
// row, its pivot, and is added to all other rows with that bit. The result is the same echelon form
// as with row-by-row insertion, as ribbon_build.cc explains.
//
// A bucket needs one pass, although its classes may fail one by one: keys of the lower class, which
// is kept longer, take a slot first. So a row of a lower class never has a row of a higher class
// added to it, and when a row of a class contradicts, the rows of this class and of higher ones are
// removed without side effects. After the bucket's last slot, its pool is drained into the slots
// behind, before the next bucket's rows enter. The rows placed there are added to the next bucket's
// pool at their slots.
//
// The pool is stored in planes: byte i of plane t is byte t of row i. So plane 0 holds eight slots,
// and advancing by eight slots renames the planes. The pivots of eight slots are added to all other
// rows at the same time, as in the method of the Four Russians (Arlazarov, Dinic, Kronrod,
// Faradzhev, 1970): one byte per row selects its pivots, and the sum of these pivots' bytes is a
// product with a matrix of 8 x 8 bits. That product is one GFNI instruction, or two lookups in
// tables of 16 bytes, one per nibble.

#ifndef WINNOW_SRC_SIMD_RIBBON_ELIMINATION_H_
#define WINNOW_SRC_SIMD_RIBBON_ELIMINATION_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"

namespace winnow::simd {

// Number of slots that are eliminated together; keys within a step need no order.
inline constexpr uint32_t kRibbonStepSlots = 8;
inline constexpr uint32_t kRibbonBucketSteps = formulas::kRibbonBucketSlots / kRibbonStepSlots;
// Seven bytes of coefficient, shifted by up to seven slots, and two of fingerprint.
inline constexpr unsigned kRibbonPlanes = 9;
// Capacity of a pool. A full pool has a contradiction, since its windows have only 55 slots.
inline constexpr unsigned kRibbonPoolRows = 64;
// Maximum number of sub-shards that are eliminated or solved in parallel (interleaved).
inline constexpr unsigned kRibbonMostShards = 4;

// State of one sub-shard during elimination. The caller sets the first part for each bin of
// buckets, and clears is_begun before the first bin.
struct alignas(64) RibbonShardState {
  // Keys of the bin, sorted by step, and their capacity (RibbonElimination::make_keys);
  // step_ends[s] is the end of the keys of step s.
  const unsigned char* keys;
  size_t key_room;
  const uint32_t* step_ends;
  uint32_t next_key;
  // First row of the current bucket, and its threshold. 64 rows behind the last bucket must exist.
  // A row has its coefficient in the high 48 bits and its fingerprint in the low 16.
  uint64_t* rows;
  unsigned char* threshold;  // one byte per bucket
  uint32_t buckets;          // remaining buckets of this bin
  // Set by `eliminate` if the current bucket has too many keys for the pool. Its rows are then as
  // if none of its keys had entered. The caller must place the bucket, advance to the next one, and
  // clear this flag.
  bool is_overfull;

  // ---- Private to `eliminate`; ribbon_buckets.h defines the values
  static constexpr unsigned kCarriedSteps = 6;  // steps with rows of the previous bucket
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
  // Pivots of a step's slots, kept in case classes fail.
  struct Step {
    uint64_t pivots;  // byte 7 - j: the row of the pool in slot j
    uint64_t class2;
    uint64_t classes12;
  };
  Step steps[kMaxSteps];
  uint32_t first_key;  // first key of the bucket
  unsigned step;
  unsigned kept_classes;  // number of classes that have not failed
  bool is_begun;          // true within a bucket
  bool is_trial;          // no keys are added, to find the class that fails
};

// Meaning of the low bits of a row.
struct RibbonRows {
  unsigned fingerprint_bits = 0;  // number of bits of a fingerprint, or of a value
  bool are_items = false;         // values of a retrieval, which are the low bits of the hashes
                                  // themselves

  constexpr uint64_t value_mask() const noexcept { return are_items ? formulas::kItemValue : 0; }
};

struct RibbonElimination {
  // Writes the rows of n hashes to kRibbonPlanes * key_room bytes, in a kernel-specific layout.
  // key_room is at least n + 63.
  void (*make_keys)(const uint64_t* hashes, size_t n, uint32_t starts, RibbonRows rows,
                    unsigned char* keys, size_t key_room);

  // Eliminates buckets of all sub-shards, 1, 2 or kRibbonMostShards, in parallel (interleaved),
  // until one has no bucket left or is overfull. Each must have one left.
  void (*eliminate)(RibbonShardState* states, unsigned num_shards, unsigned fingerprint_bits);
};

// Parts of kAvx512Kernels and kGfniKernels, in separate files: use Kernels::ribbon_elimination and
// ribbon_solve.
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
