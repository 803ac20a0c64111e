// Lookups of one hash in the filters of many segments, in two steps: locating the places of its
// bits, and testing them.

#ifndef WINNOW_SRC_SIMD_SEGMENT_LOOKUPS_H_
#define WINNOW_SRC_SIMD_SEGMENT_LOOKUPS_H_

#include <cstddef>
#include <cstdint>

#include "src/simd/bloom_lookups.h"
#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_query.h"

namespace winnow::simd {
namespace {

// Locates a hash's blocks in n consecutive segments, n <= kMaxPlaces.
WINNOW_INLINE void PlacesOf(const BloomSegments& segments, size_t n, uint64_t hash,
                            const unsigned char** places) {
  for (size_t i = 0; i < n; ++i) {
    places[i] = segments.blocks[i] + BlockOffset(hash, segments.num_blocks[i]);
  }
}

// Tests each place with kHolds.
template <typename Mask, bool (*kHolds)(const unsigned char* block, const Mask& mask)>
WINNOW_INLINE uint64_t TestEach(const unsigned char* const* places, size_t n, const Mask& mask) {
  uint64_t answers = 0;
  for (size_t i = 0; i < n; ++i) answers |= uint64_t{kHolds(places[i], mask)} << i;
  return answers;
}

// Locates a hash in one Ribbon layer.
WINNOW_INLINE void SetPlace(const RibbonSegments& segments, size_t seat, uint64_t hash,
                            const RibbonPlaces& places, size_t i) {
  const RibbonLayer& layer = segments.layers[seat];
  const uint32_t start = StartOf(layer, hash);
  const RibbonQuery query = QueryOf(layer, start, hash);
  places.layers[i] = &layer;
  places.words[i] = query.low;
  places.thresholds[i] = layer.thresholds;
  places.start[i] = start;
  places.columns[i] = query.columns;
  places.shape[i] = segments.shape[seat];
}

WINNOW_INLINE void PlacesOf(const RibbonSegments& segments, size_t n, uint64_t hash,
                            const RibbonPlaces& places) {
  for (size_t i = 0; i < n; ++i) SetPlace(segments, i, hash, places, i);
}

// Inlined, since a compiler may drop calls of a function that only prefetches.
template <bool kStraddles, bool kIsFar>
WINNOW_INLINE void PrefetchPlaces(const unsigned char* const* places, size_t n) {
  constexpr int kLocality = kIsFar ? 2 : 3;
#pragma GCC unroll 8
  for (size_t i = 0; i < n; ++i) {
    __builtin_prefetch(places[i], 0, kLocality);
    if (kStraddles) __builtin_prefetch(places[i] + kBloomBlockBytes - 1, 0, kLocality);
  }
}

WINNOW_INLINE void PrefetchNone(const unsigned char* const* /*places*/, size_t /*n*/) {}

WINNOW_INLINE void PrefetchPlaces(const unsigned char* const* places, size_t n, Ahead ahead) {
  if (!ahead.asks) return;
  if (ahead.is_far) {
    ahead.straddles ? PrefetchPlaces<true, true>(places, n)
                    : PrefetchPlaces<false, true>(places, n);
  } else {
    ahead.straddles ? PrefetchPlaces<true, false>(places, n)
                    : PrefetchPlaces<false, false>(places, n);
  }
}

// Tests each of n Ribbons for the fingerprint and for bumping. Flattened, to inline kMatch and
// hoist what all places share.
template <bool (*kMatch)(const RibbonLayer& layer, const RibbonQuery& query)>
__attribute__((flatten)) uint64_t TestEachRibbon(const RibbonPlaces& places, size_t n,
                                                 uint64_t hash, uint64_t* bumped) {
  uint64_t matches = 0;
  uint64_t gone = 0;
  for (size_t i = 0; i < n; ++i) {
    // Computes both without a branch, since it is unpredictable which places bump a hash.
    gone |= uint64_t{IsBumped(*places.layers[i], places.start[i])} << i;
    const RibbonQuery query = QueryAt(places.words[i], places.columns[i], places.start[i],
                                      places.shape[i] >> kShapeFingerprint, hash);
    matches |= uint64_t{kMatch(*places.layers[i], query)} << i;
  }
  *bumped = gone;
  return matches & ~gone;
}

// Lookups in segments, parameterized by functions of the instruction set:
//   Mask          bits of a hash in a Bloom block, computed once and compared with many blocks
//   kMaskOf       computes the mask
//   kHolds        returns whether a block has all bits of the mask
//   kTest         tests n blocks; bit i is the answer of block i. Tests in the order of the places,
//                 so that blocks that have arrived free resources for the following ones
//   kPlacesOf     PlacesOf; may write places up to the next multiple of 8
//   kRibbonTest   Kernels::ribbon_test
//   kRibbonPlacesOf  PlacesOf for Ribbons; may write places up to the next multiple of 8
template <typename Mask, Mask (*kMaskOf)(const uint16_t* words, uint32_t x),
          bool (*kHolds)(const unsigned char* block, const Mask& mask),
          uint64_t (*kTest)(const unsigned char* const* places, size_t n, const Mask& mask),
          void (*kPlacesOf)(const BloomSegments& segments, size_t n, uint64_t hash,
                            const unsigned char** places),
          decltype(Kernels::ribbon_test) kRibbonTest,
          void (*kRibbonPlacesOf)(const RibbonSegments& segments, size_t n, uint64_t hash,
                                  const RibbonPlaces& places)>
struct SegmentLookups {
  static void BloomLocate(const BloomSegments& segments, const uint32_t* seats, size_t n,
                          uint64_t hash, Ahead ahead, const unsigned char** places) {
    if (seats == nullptr) {
      kPlacesOf(segments, n, hash, places);
    } else {
      for (size_t i = 0; i < n; ++i) {
        places[i] = segments.blocks[seats[i]] + BlockOffset(hash, segments.num_blocks[seats[i]]);
      }
    }
    PrefetchPlaces(places, n, ahead);
  }

  static uint64_t BloomTest(const unsigned char* const* places, size_t n, const uint16_t* words,
                            uint64_t hash) {
    return kTest(places, n, kMaskOf(words, static_cast<uint32_t>(hash)));
  }

  // Selects the prefetching variant here, since otherwise the options would occupy registers during
  // the whole lookup.
  static void BloomProbeSegments(const BloomSegments& segments, size_t n, const uint16_t* words,
                                 uint64_t hash, Ahead ahead, uint64_t* answers) {
    if (n <= kOneByOne) return BloomProbeOneByOne(segments, n, words, hash, answers);
    if (n > kMaxPlaces) return BloomProbeMany(segments, n, words, hash, ahead, answers);
    if (!ahead.asks) return BloomProbeFew<PrefetchNone>(segments, n, words, hash, answers);
    if (ahead.is_far) {
      return ahead.straddles
                 ? BloomProbeFew<PrefetchPlaces<true, true>>(segments, n, words, hash, answers)
                 : BloomProbeFew<PrefetchPlaces<false, true>>(segments, n, words, hash, answers);
    }
    return ahead.straddles
               ? BloomProbeFew<PrefetchPlaces<true, false>>(segments, n, words, hash, answers)
               : BloomProbeFew<PrefetchPlaces<false, false>>(segments, n, words, hash, answers);
  }

  // Maximum number of segments that are tested one by one: storing so few places costs more than it
  // saves.
  static constexpr size_t kOneByOne = 8;
  WINNOW_INLINE static void BloomProbeOneByOne(const BloomSegments& segments, size_t n,
                                               const uint16_t* words, uint64_t hash,
                                               uint64_t* answers) {
    const Mask mask = kMaskOf(words, static_cast<uint32_t>(hash));
    uint64_t bits = 0;
    for (size_t i = 0; i < n; ++i) {
      const unsigned char* block = segments.blocks[i] + BlockOffset(hash, segments.num_blocks[i]);
      bits |= uint64_t{kHolds(block, mask)} << i;
    }
    *answers = bits;
  }

  template <void (*kPrefetch)(const unsigned char* const* places, size_t n)>
  __attribute__((noinline)) static void BloomProbeFew(const BloomSegments& segments, size_t n,
                                                      const uint16_t* words, uint64_t hash,
                                                      uint64_t* answers) {
    const unsigned char* places[kMaxPlaces];
    kPlacesOf(segments, n, hash, places);
    kPrefetch(places, n);
    *answers = kTest(places, n, kMaskOf(words, static_cast<uint32_t>(hash)));
  }

  // Locates the next places before testing the current ones.
  __attribute__((noinline)) static void BloomProbeMany(const BloomSegments& segments, size_t n,
                                                       const uint16_t* words, uint64_t hash,
                                                       Ahead ahead, uint64_t* answers) {
    const Mask mask = kMaskOf(words, static_cast<uint32_t>(hash));
    const unsigned char* places[2][kMaxPlaces];
    kPlacesOf(segments, kMaxPlaces, hash, places[0]);
    PrefetchPlaces(places[0], kMaxPlaces, ahead);
    size_t located = kMaxPlaces;
    for (size_t i = 0; located != 0; ++i) {
      const size_t next = i * kMaxPlaces + located;
      const size_t more = n - next < kMaxPlaces ? n - next : kMaxPlaces;
      const unsigned char** const more_places = places[(i + 1) % 2];
      kPlacesOf({segments.blocks + next, segments.num_blocks + next}, more, hash, more_places);
      PrefetchPlaces(more_places, more, ahead);
      answers[i] = kTest(places[i % 2], located, mask);
      located = more;
    }
  }

  static void RibbonLocate(const RibbonSegments& segments, const uint32_t* seats, size_t n,
                           uint64_t hash, Ahead ahead, const RibbonPlaces& places) {
    if (seats == nullptr) {
      kRibbonPlacesOf(segments, n, hash, places);
    } else {
      for (size_t i = 0; i < n; ++i) SetPlace(segments, seats[i], hash, places, i);
    }
    if (!ahead.asks) return;
    // Thresholds are a hundredth of all bytes and mostly cached.
    for (size_t i = 0; i < n; ++i) {
      __builtin_prefetch(places.words[i]);
      __builtin_prefetch(places.words[i] + 16 * places.columns[i] - 1);
    }
  }

  static constexpr Kernels AddTo(Kernels table) {
    table.bloom_locate = BloomLocate;
    table.bloom_test = BloomTest;
    table.bloom_probe_segments = BloomProbeSegments;
    table.ribbon_locate = RibbonLocate;
    table.ribbon_test = kRibbonTest;
    return table;
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_SEGMENT_LOOKUPS_H_
