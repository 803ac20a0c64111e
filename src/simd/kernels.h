// The kernels: the inner loops of filters, once for each instruction set, behind one table of
// functions. `portable` is the reference; every other one gives the same answers and the same
// bytes. *Words* in src/core/FORMAT.md says what a slot, a lane, a segment or a seat is.
//
// Only constants and declarations here: a file compiled for AVX2 must not leave an inline function
// behind that the linker might pick for baseline code.

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

// Layer that a lookup is asked of: a BloomLayer or a RibbonLayer.
struct Layer {};

// About what a processor's own cache holds. What is smaller is mostly there, and asking for it
// ahead is a waste.
inline constexpr size_t kOwnCacheBytes = size_t{1} << 20;

// A Bloom filter as lookups need it.
struct BloomLayer : Layer {
  const unsigned char* blocks = nullptr;  // unaligned
  uint64_t num_blocks = 0;                // below 2^32
  // For each value of the hash's low 8 bits the words of a block that it uses, as 16 bits.
  const uint16_t* words = nullptr;
};
inline constexpr unsigned kBloomWordSets = 256;

// A bumped layer of a Ribbon filter as lookups need it.
struct RibbonLayer : Layer {
  // The solution's columns, unaligned; at least 8 readable bytes follow the last one.
  const unsigned char* words = nullptr;
  const unsigned char* thresholds = nullptr;  // unaligned
  // Function that answers for a hash whose bucket bumps it; gets the layer that it was asked of.
  bool (*if_bumped)(const RibbonLayer& layer, uint64_t hash) noexcept = nullptr;
  uint32_t starts = 0;            // start positions of all sub-shards
  uint32_t split = 0;             // the first block with one column more
  uint16_t column_mask = 0;       // one bit for each column that a block may have
  uint8_t columns = 0;            // of the blocks before the split
  uint8_t shard_shift = 0;        // 32 less the bits that choose a sub-shard
  uint8_t fingerprint_shift = 0;  // 64 less the bits of a fingerprint
};

// One lookup. `layer` is a BloomLayer or a RibbonLayer, as the function's name says: a pointer to
// either kind of function can be kept in one place, and then a lookup needs no other choice.
using Probe = bool (*)(const Layer& layer, uint64_t hash) noexcept;

// A one in each lane. In a file of their own: where the compiler sees the values, it makes them
// anew at each lookup, which takes longer than to load them.
extern const uint32_t kOnes32[16] __attribute__((visibility("hidden")));
extern const uint64_t kOnes64[8] __attribute__((visibility("hidden")));
// kCoefficientMultiplier and kFingerprintMultiplier, so too.
extern const uint64_t kMultipliers[2] __attribute__((visibility("hidden")));

// Many filters and one hash: a lookup first locates the places where the hash's bits lie, in the
// segments of several runs and for several keys, then tests them, so that all misses overlap.
inline constexpr unsigned kMaxPlaces = 64;  // of one call: their answers fill a word

// Prefetching of the memory where a hash's bits lie.
struct Ahead {
  // Nothing: it is in the cache anyway, or so little that the processor runs ahead itself.
  bool asks = false;
  // Both lines of a Bloom filter's block; else all blocks lie at multiples of 64.
  bool straddles = false;
  // Into the second-level cache only: the first level has room for some twenty requests, and more
  // would wait for it.
  bool is_far = false;
};

// The Bloom filters of segments, by seat. All have the same number of probes.
struct BloomSegments {
  const unsigned char* const* blocks;
  const uint32_t* num_blocks;
};

// A bumped layer of the Ribbon filters of segments, by seat: whole, and what locating needs once
// more, as arrays.
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

// Where the answers of Ribbons for a hash lie: arrays with room for a multiple of 8.
struct RibbonPlaces {
  const RibbonLayer** layers;        // set or not, as ribbon_test of the same kernels needs it
  const unsigned char** words;       // of the block
  const unsigned char** thresholds;  // of the layer
  uint32_t* start;
  uint32_t* columns;  // of the block
  uint32_t* shape;
};

// The start positions of a bumped layer in cells of 2^cell_bits, each sub-shard's in cells of its
// own: for sorting.
struct RibbonGrid {
  unsigned shard_bits;    // below 32
  uint32_t shard_starts;  // of a sub-shard
  unsigned cell_bits;
  uint32_t shard_cells;  // of a sub-shard
  uint32_t first_cell;   // has number 0
};

struct Kernels {
  const char* name;

  // XXH3, 64 bits, with seed 0. Worth the call from about 240 bytes on, where XXH3 takes to
  // vectors.
  uint64_t (*hash_bytes)(const void* bytes, size_t size) noexcept;

  // Returns whether the block of this hash has all the hash's bits.
  Probe bloom_probe;

  // The same for n hashes. asks_ahead: a hash's block is asked for some hashes before it is read.
  void (*bloom_probe_many)(const BloomLayer& layer, const uint64_t* hashes, size_t n,
                           bool asks_ahead, bool* results);

  // Sets the bits of n hashes.
  void (*bloom_add)(unsigned char* blocks, uint64_t num_blocks, const uint16_t* words,
                    const uint64_t* hashes, size_t n);

  // Returns whether the solution gives the hash's fingerprint, or what if_bumped says.
  Probe ribbon_probe;
  // The same, faster, for a layer with at most 8 columns.
  Probe ribbon_probe_narrow;

  // The same for n hashes, with the blocks of a large layer asked for ahead. The thresholds follow
  // the words. next: the layer that a bumped hash goes on to, so that its blocks are asked for
  // ahead as well; null if that is of another type, or there is none: then if_bumped is called.
  void (*ribbon_probe_many)(const RibbonLayer& layer, const RibbonLayer* next,
                            const uint64_t* hashes, size_t n, bool* results);

  // Returns the solution's sum for a hash that the layer does not bump: bit j is that of column j,
  // for all columns that a block may have; *columns is how many of them this block has.
  uint32_t (*ribbon_retrieve)(const RibbonLayer& layer, uint64_t hash, unsigned* columns) noexcept;

  // The low 16 bits of the numbers of the cells in which n hashes start.
  void (*ribbon_cells)(const RibbonGrid& grid, const uint64_t* hashes, size_t n,
                       uint16_t* cells) noexcept;

  // Back substitution. rows[i], i < shards, are the tables of rows of sub-shards that follow each
  // other, at most kRibbonMostShards, each of shard_blocks blocks of 64 slots; the first block of
  // the first one has the number first_block among all. A row has its coefficient in the high 48
  // bits and its fingerprint in the low 16; 0 is a free slot. Writes the blocks' columns to
  // `words`: `whole` columns before block `split`, else `most`.
  void (*ribbon_solve)(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                       uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                       unsigned char* words);

  // Elimination slot by slot; null: rows are inserted one by one.
  const RibbonElimination* ribbon_elimination = nullptr;

  // The blocks of a hash in n segments, n <= kMaxPlaces: those of these seats, or the first n if
  // `seats` is null. May write up to the next multiple of 8 places.
  void (*bloom_locate)(const BloomSegments& segments, const uint32_t* seats, size_t n,
                       uint64_t hash, Ahead ahead, const unsigned char** places) = nullptr;

  // Returns whether the hash's bits are set in n such blocks: bit i of the result is the answer of
  // block i, and the bits from n on are 0.
  uint64_t (*bloom_test)(const unsigned char* const* places, size_t n, const uint16_t* words,
                         uint64_t hash) = nullptr;

  // Both, for any number of segments: bit i % 64 of word i / 64 is the answer of segment i.
  void (*bloom_probe_segments)(const BloomSegments& segments, size_t n, const uint16_t* words,
                               uint64_t hash, Ahead ahead, uint64_t* answers) = nullptr;

  // Locating and testing for Ribbon. Bit i of *bumped is set, and that of the result is not, where
  // the layer bumps the hash.
  void (*ribbon_locate)(const RibbonSegments& segments, const uint32_t* seats, size_t n,
                        uint64_t hash, Ahead ahead, const RibbonPlaces& places) = nullptr;
  uint64_t (*ribbon_test)(const RibbonPlaces& places, size_t n, uint64_t hash,
                          uint64_t* bumped) = nullptr;
};

extern const Kernels kPortableKernels;
// Defined where the build has them: use FindKernels.
extern const Kernels kAvx2Kernels;
extern const Kernels kGfniKernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kNeonKernels;

// The kernels of this name if they are built in and the CPU and the system support them, else null.
// `reason`, if not null, is then set to a static sentence.
const Kernels* FindKernels(const char* name, const char** reason) noexcept;

// Every name that FindKernels may know, best first, ended by null.
extern const char* const kKernelNames[];

// The best kernels of this machine, or those that the environment variable WINNOW_KERNEL names;
// chosen once, at the first call. A name that can't be used is reported on stderr, once, and gives
// `portable`.
const Kernels& ActiveKernels() noexcept;

}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_KERNELS_H_
