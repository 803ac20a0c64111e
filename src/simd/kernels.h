// Kernels: the inner loops of filters, once per instruction set, behind a table of functions.
// `portable` is the reference; all other kernels return the same answers and bytes. *Words* in
// src/core/FORMAT.md defines slot, lane, segment and seat.
//
// Contains only constants and declarations: a file compiled for AVX2 must not emit an inline
// function that the linker could pick for baseline code.

#ifndef WINNOW_SRC_SIMD_KERNELS_H_
#define WINNOW_SRC_SIMD_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/bloom_layer.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {

// Constants of the format.
using formulas::kBloomBlockBytes;
using formulas::kBloomMaxProbes;
using formulas::kBloomPatterns;
using formulas::kBloomSalts;
using formulas::kCoefficientMultiplier;
using formulas::kFingerprintMultiplier;
using formulas::kRibbonBucketSlots;
using formulas::kRibbonBumpedBelow;
using formulas::kRibbonClass1Slots;
using formulas::kRibbonClass2Slots;
using formulas::kRibbonMaxColumns;
using formulas::kRibbonWidth;

// Base of the layers that lookups take: BloomLayer and RibbonLayer.
struct Layer {};

// Approximate size of a core's private cache. Smaller data is mostly cached, and prefetching it is
// wasteful.
inline constexpr size_t kOwnCacheBytes = size_t{1} << 20;

// A Bloom filter in the form that lookups need.
struct BloomLayer : Layer {
  const unsigned char* blocks = nullptr;  // unaligned
  uint64_t num_blocks = 0;                // below 2^32
  // Words of a block that a hash uses, as a 16-bit set, by the hash's low 8 bits.
  const uint16_t* words = nullptr;
};
inline constexpr unsigned kBloomWordSets = 256;

// A bumped layer of a Ribbon filter in the form that lookups need.
struct RibbonLayer : Layer {
  // Columns of the solution, unaligned; at least 8 readable bytes must follow.
  const unsigned char* words = nullptr;
  const unsigned char* thresholds = nullptr;  // unaligned
  // Called for a hash whose bucket bumps it, with the layer that was asked; returns the answer.
  bool (*if_bumped)(const RibbonLayer& layer, uint64_t hash) noexcept = nullptr;
  uint32_t starts = 0;            // start positions of all sub-shards
  uint32_t split = 0;             // first block with one column more
  uint16_t column_mask = 0;       // one bit per column that a block may have
  uint8_t columns = 0;            // number of columns of blocks before the split
  uint8_t shard_shift = 0;        // 32 less the number of bits that select a sub-shard
  uint8_t fingerprint_shift = 0;  // 64 less the number of bits of a fingerprint
};

// A single lookup. `layer` is a BloomLayer or a RibbonLayer, depending on the function. Both kinds
// of functions have the same type, so that a lookup needs no branch on the kind.
using Probe = bool (*)(const Layer& layer, uint64_t hash) noexcept;

// A one in each lane. Defined in another file: a compiler that sees the values recreates them in
// each lookup, which is slower than loading them.
extern const uint32_t kOnes32[16] __attribute__((visibility("hidden")));
extern const uint64_t kOnes64[8] __attribute__((visibility("hidden")));
// kCoefficientMultiplier and kFingerprintMultiplier, also defined in another file.
extern const uint64_t kMultipliers[2] __attribute__((visibility("hidden")));

// Lookups of one hash in many filters first locate the places of the hash's bits, in the segments
// of several runs and for several keys, and then test them, so that all cache misses overlap.
inline constexpr unsigned kMaxPlaces = 64;  // maximum of one call: the answers fill a word

// Prefetching options for the places of a hash's bits.
struct Ahead {
  // False if the memory is cached anyway, or so small that out-of-order execution suffices.
  bool asks = false;
  // Prefetches both cache lines of a Bloom block; if false, all blocks must be 64-byte aligned.
  bool straddles = false;
  // Prefetches into the second-level cache only: the first level has room for some twenty
  // outstanding requests, and more would stall.
  bool is_far = false;
};

// Bloom filters of segments, by seat. All have the same number of probes.
struct BloomSegments {
  const unsigned char* const* blocks;
  const uint32_t* num_blocks;
};

// A bumped layer of the Ribbon filters of segments, by seat: as structs, and as arrays of the
// fields that locating needs.
struct RibbonSegments {
  const RibbonLayer* layers;
  const unsigned char* const* words;
  const unsigned char* const* thresholds;
  const uint32_t* starts;
  const uint32_t* split;
  const uint32_t* shape;  // shard_shift, columns and fingerprint_shift, 8 bits each from the lowest
};
inline constexpr unsigned kShapeColumns = 8;
inline constexpr unsigned kShapeFingerprint = 16;

// Places of a hash's bits in Ribbon layers: arrays with room for a multiple of 8.
struct RibbonPlaces {
  const RibbonLayer** layers;        // set only if ribbon_test of the same kernels needs it
  const unsigned char** words;       // words of the block
  const unsigned char** thresholds;  // thresholds of the layer
  uint32_t* start;
  uint32_t* columns;  // columns of the block
  uint32_t* shape;
};

// Grid that divides the start positions of a bumped layer into cells of 2^cell_bits, separately per
// sub-shard. For sorting.
struct RibbonGrid {
  unsigned shard_bits;    // below 32
  uint32_t shard_starts;  // start positions of a sub-shard
  unsigned cell_bits;
  uint32_t shard_cells;  // cells of a sub-shard
  uint32_t first_cell;   // the cell with number 0
};

struct Kernels {
  const char* name;

  // 64-bit XXH3 with seed 0. The call pays off from about 240 bytes on, where XXH3 uses vectors.
  uint64_t (*hash_bytes)(const void* bytes, size_t size) noexcept;

  // Returns whether the hash's block has all bits of the hash.
  Probe bloom_probe;

  // Batched bloom_probe for n hashes. `asks_ahead` enables prefetching of blocks.
  void (*bloom_probe_many)(const BloomLayer& layer, const uint64_t* hashes, size_t n,
                           bool asks_ahead, bool* results);

  // Sets the bits of n hashes.
  void (*bloom_add)(unsigned char* blocks, uint64_t num_blocks, const uint16_t* words,
                    const uint64_t* hashes, size_t n);

  // Returns whether the solution yields the hash's fingerprint or, for a bumped hash, the answer of
  // if_bumped.
  Probe ribbon_probe;
  // A faster ribbon_probe for layers with at most 8 columns.
  Probe ribbon_probe_narrow;

  // Batched ribbon_probe for n hashes; blocks of a large layer are prefetched. The thresholds must
  // follow the words. `next` is the next layer, whose blocks are prefetched for bumped hashes; null
  // if the next layer is of another type or does not exist: then if_bumped is called.
  void (*ribbon_probe_many)(const RibbonLayer& layer, const RibbonLayer* next,
                            const uint64_t* hashes, size_t n, bool* results);

  // Returns the solution's sum for a hash that the layer does not bump. Bit j is that of column j,
  // for all columns that a block may have; *columns is set to the number of columns of this block.
  uint32_t (*ribbon_retrieve)(const RibbonLayer& layer, uint64_t hash, unsigned* columns) noexcept;

  // Batched ribbon_retrieve for n hashes, n <= kMostRetrieved; blocks are prefetched. The values of
  // bumped hashes are arbitrary.
  static constexpr size_t kMostRetrieved = 32;
  void (*ribbon_retrieve_many)(const RibbonLayer& layer, const uint64_t* hashes, size_t n,
                               uint32_t* values, unsigned* columns) noexcept;

  // Writes the low 16 bits of the numbers of the cells in which n hashes start.
  void (*ribbon_cells)(const RibbonGrid& grid, const uint64_t* hashes, size_t n,
                       uint16_t* cells) noexcept;

  // Back substitution. rows[i], i < shards, are the tables of rows of at most kRibbonMostShards
  // consecutive sub-shards, with shard_blocks blocks of 64 slots each; first_block is the number of
  // the first one's first block in the layer. A row has its coefficient in the high 48 bits and its
  // fingerprint in the low 16; 0 is a free slot. Writes the columns of the blocks to `words`:
  // `whole` columns before block `split`, else `most`.
  void (*ribbon_solve)(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                       uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                       unsigned char* words);

  // Elimination slot by slot; null: the caller inserts rows one by one.
  const RibbonElimination* ribbon_elimination = nullptr;

  // Locates the blocks of a hash in n segments, n <= kMaxPlaces: the segments at `seats`, or the
  // first n if `seats` is null. May write up to the next multiple of 8 places.
  void (*bloom_locate)(const BloomSegments& segments, const uint32_t* seats, size_t n,
                       uint64_t hash, Ahead ahead, const unsigned char** places) = nullptr;

  // Tests whether n blocks have the hash's bits: bit i of the result is the answer of block i; bits
  // from n on are 0.
  uint64_t (*bloom_test)(const unsigned char* const* places, size_t n, const uint16_t* words,
                         uint64_t hash) = nullptr;

  // Locates and tests any number of segments: bit i % 64 of word i / 64 is the answer of segment i.
  void (*bloom_probe_segments)(const BloomSegments& segments, size_t n, const uint16_t* words,
                               uint64_t hash, Ahead ahead, uint64_t* answers) = nullptr;

  // Locate and test for Ribbon. If the layer bumps the hash, bit i of *bumped is 1 and that of the
  // result is 0.
  void (*ribbon_locate)(const RibbonSegments& segments, const uint32_t* seats, size_t n,
                        uint64_t hash, Ahead ahead, const RibbonPlaces& places) = nullptr;
  uint64_t (*ribbon_test)(const RibbonPlaces& places, size_t n, uint64_t hash,
                          uint64_t* bumped) = nullptr;
};

extern const Kernels kPortableKernels;
// Defined only if built in: use FindKernels.
extern const Kernels kAvx2Kernels;
extern const Kernels kGfniKernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kNeonKernels;

// Returns the kernels of this name, or null if they are not built in or the CPU or the operating
// system lacks support. In that case, *reason is set to a static sentence unless `reason` is null.
const Kernels* FindKernels(const char* name, const char** reason) noexcept;

// Names that FindKernels may know, best first, terminated by null.
extern const char* const kKernelNames[];

// Returns the best kernels of this machine, or those named by the environment variable
// WINNOW_KERNEL; chosen once, at the first call. An unusable name is reported on stderr, once, and
// selects `portable`.
const Kernels& ActiveKernels() noexcept;

}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_KERNELS_H_
