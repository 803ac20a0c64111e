// The kernels: the inner loops of filters, once for each instruction set, behind one table of
// functions. `portable` is the reference; every other one gives the same answers and the same
// bytes.
//
// Only constants and declarations here: a file compiled for AVX2 must not leave an inline function
// behind that the linker might pick for baseline code.

#ifndef WINNOW_SRC_SIMD_KERNELS_H_
#define WINNOW_SRC_SIMD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace winnow::simd {

// Cache-blocked Bloom. A block is 16 little-endian words of 32 bits; in word w a key may set the
// bit (x * kBloomSalts[w]) >> 27, x being the low half of its hash. Odd numbers from db_bench_ext's
// tune_bloom.
inline constexpr uint32_t kBloomBlockBytes = 64;
inline constexpr uint32_t kBloomSalts[16] = {0x910a2dedu, 0xbeeb8da1u, 0xf893a2efu, 0x71c18691u,
                                             0x71bb54d9u, 0xc34d0bffu, 0xe099ec6du, 0x85e7bb0fu,
                                             0x491718dfu, 0xcb435c8fu, 0x9afcd44du, 0x7476cf8bu,
                                             0x87b341d7u, 0x2ac2ce17u, 0xa534a6a7u, 0xd0bad0dbu};
inline constexpr unsigned kBloomMaxProbes = 14;
// For each number of probes there are 16 patterns of words, each used in 16 rotations.
inline constexpr unsigned kBloomPatterns = 16;

// Bumped Ribbon.
inline constexpr uint64_t kCoefficientMultiplier = 0x9e3779b97f4a7c15u;
inline constexpr uint64_t kFingerprintMultiplier = 0xd6e8feb86659fd93u;
inline constexpr unsigned kRibbonWidth = 48;         // bits of a coefficient
inline constexpr unsigned kRibbonMaxColumns = 16;    // a coefficient and a fingerprint fill 64 bits
inline constexpr unsigned kRibbonBucketSlots = 128;  // start positions that share a threshold
inline constexpr unsigned kRibbonClass2Slots = 16;   // offsets below this are of class 2,
inline constexpr unsigned kRibbonClass1Slots = 36;   // below this of class 1, others of class 0

// A Bloom filter as lookups need it.
struct BloomLayer {
  const unsigned char* blocks = nullptr;  // unaligned
  uint64_t num_blocks = 0;                // below 2^32
  // For each value of the hash's low 8 bits the words of a block that it uses, as 16 bits.
  const uint16_t* words = nullptr;
};
inline constexpr unsigned kBloomWordSets = 256;

// A bumped layer of a Ribbon filter as lookups need it.
struct RibbonLayer {
  // The solution's columns, unaligned; at least 8 readable bytes follow the last one.
  const unsigned char* words = nullptr;
  const unsigned char* thresholds = nullptr;  // unaligned
  // What answers for a hash whose bucket bumps it; gets the layer that it was asked of.
  bool (*if_bumped)(const RibbonLayer* layer, uint64_t hash) noexcept = nullptr;
  uint32_t starts = 0;      // start positions of all sub-shards
  uint32_t split = 0;       // the first block with one column more
  uint16_t lanes[2] = {};   // one bit for each column: before the split, and the most there are
  uint8_t columns = 0;      // of the blocks before the split
  uint8_t shard_shift = 0;  // 32 less the bits that choose a sub-shard
  uint8_t fingerprint_shift = 0;  // 64 less the bits of a fingerprint
};

// One lookup. `layer` is a BloomLayer or a RibbonLayer, as the function's name says: a pointer to
// either kind of function can be kept in one place, and then a lookup needs no other choice.
using Probe = bool (*)(const void* layer, uint64_t hash) noexcept;

// A one in each lane. In a file of their own: where the compiler sees the values, it makes them
// anew at each lookup, which takes longer than to load them.
extern const uint32_t kOnes32[16] __attribute__((visibility("hidden")));
extern const uint64_t kOnes64[8] __attribute__((visibility("hidden")));

struct Kernels {
  const char* name;

  // XXH3, 64 bits, with seed 0. Worth the call from about 240 bytes on, where XXH3 takes to
  // vectors.
  uint64_t (*hash_bytes)(const void* bytes, size_t size) noexcept;

  // Whether the block of this hash has all the hash's bits.
  Probe bloom_probe;

  // The same for n hashes, with the blocks of a large filter asked for ahead.
  void (*bloom_probe_many)(const BloomLayer& layer, const uint64_t* hashes, size_t n,
                           bool* results);

  // Sets the bits of n hashes.
  void (*bloom_add)(unsigned char* blocks, uint64_t num_blocks, const uint16_t* words,
                    const uint64_t* hashes, size_t n);

  // Whether the solution gives the hash's fingerprint, or what if_bumped says.
  Probe ribbon_probe;
  // The same, faster, for a layer with at most 8 columns.
  Probe ribbon_probe_narrow;

  // The same for n hashes, with the blocks of a large layer asked for ahead. The thresholds follow
  // the words.
  void (*ribbon_probe_many)(const RibbonLayer& layer, const uint64_t* hashes, size_t n,
                            bool* results);

  // Back substitution. rows[i], i < shards, are the tables of rows of sub-shards that follow each
  // other, at most kRibbonMostShards, each of shard_blocks blocks of 64 slots; the first block of
  // the first one has the number first_block among all. A row has its coefficient in the high 48
  // bits and its fingerprint in the low 16; 0 is a free slot. Writes the blocks' columns to
  // `words`: `whole` columns before block `split`, else `most`.
  void (*ribbon_solve)(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                       uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                       unsigned char* words);
};
inline constexpr unsigned kRibbonMostShards = 4;

extern const Kernels kPortableKernels;
// Defined where the build has them: use FindKernels.
extern const Kernels kAvx2Kernels;
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
