// One hash in the filters of many segments, in two steps: where its bits lie, and whether they are
// set. Internal linkage throughout, as in probe.h.

#ifndef WINNOW_SRC_SIMD_SEGMENTS_H_
#define WINNOW_SRC_SIMD_SEGMENTS_H_

#include <cstddef>
#include <cstdint>

#include "src/simd/kernels.h"
#include "src/simd/probe.h"

namespace winnow::simd {
namespace {

// All lookups in segments, made of what differs between instruction sets:
//   Mask      the bits of a hash in a Bloom block: made once, compared with many blocks
//   kMaskOf   makes it
//   kHolds    whether a block has all of them
//   kMatch    compares the columns of a Ribbon with the fingerprint
template <typename Mask, Mask (*kMaskOf)(const uint16_t* patterns, uint32_t x),
          bool (*kHolds)(const unsigned char* block, const Mask& mask),
          bool (*kMatch)(const RibbonBlock& block, const RibbonMasks& masks)>
struct SegmentLookups {
  template <Ahead kAhead, bool kListed>
  static void LocateBlooms(const BloomSegments& segments, const uint32_t* slots, size_t n,
                           uint64_t hash, const unsigned char** places) {
    for (size_t i = 0; i < n; ++i) {
      const size_t slot = kListed ? slots[i] : i;
      places[i] = segments.blocks[slot] + BlockOffset(hash, segments.num_blocks[slot]);
      if (kAhead != Ahead::kNothing) __builtin_prefetch(places[i]);
      if (kAhead == Ahead::kAll) __builtin_prefetch(places[i] + kBloomBlockBytes - 1);
    }
  }

  template <Ahead kAhead>
  static void LocateBlooms(const BloomSegments& segments, const uint32_t* slots, size_t n,
                           uint64_t hash, const unsigned char** places) {
    if (slots == nullptr) {
      LocateBlooms<kAhead, false>(segments, slots, n, hash, places);
    } else {
      LocateBlooms<kAhead, true>(segments, slots, n, hash, places);
    }
  }

  static void BloomLocate(const BloomSegments& segments, const uint32_t* slots, size_t n,
                          uint64_t hash, Ahead ahead, const unsigned char** places) {
    if (ahead == Ahead::kNothing) {
      LocateBlooms<Ahead::kNothing>(segments, slots, n, hash, places);
    } else if (ahead == Ahead::kOneLine) {
      LocateBlooms<Ahead::kOneLine>(segments, slots, n, hash, places);
    } else {
      LocateBlooms<Ahead::kAll>(segments, slots, n, hash, places);
    }
  }

  static uint64_t BloomTest(const unsigned char* const* places, size_t n, const uint16_t* patterns,
                            uint64_t hash) {
    const Mask mask = kMaskOf(patterns, static_cast<uint32_t>(hash));
    uint64_t answers = 0;
    for (size_t i = 0; i < n; ++i) answers |= uint64_t{kHolds(places[i], mask)} << i;
    return answers;
  }

  static void RibbonLocate(const RibbonSegments& segments, const uint32_t* slots, size_t n,
                           uint64_t hash, Ahead ahead, RibbonPlace* places) {
    for (size_t i = 0; i < n; ++i) {
      const size_t slot = slots != nullptr ? slots[i] : i;
      const RibbonLayer layer{segments.words[slot], segments.thresholds[slot],
                              segments.starts[slot], segments.split[slot], segments.shape[slot]};
      const RibbonBlock block = FindBlock(layer, hash);
      places[i] = {block.low, layer.thresholds, block.start, block.columns, layer.shape};
      if (ahead != Ahead::kNothing) {
        __builtin_prefetch(block.low);
        __builtin_prefetch(block.low + 16 * block.columns - 1);
        __builtin_prefetch(layer.thresholds + block.start / kRibbonBucketSlots / 4);
      }
    }
  }

  static uint64_t RibbonTest(const RibbonPlace* places, size_t n, uint64_t hash, uint64_t* bumped) {
    uint64_t answers = 0;
    uint64_t gone = 0;
    for (size_t i = 0; i < n; ++i) {
      const RibbonPlace& place = places[i];
      // Both without a branch: which places bump a hash can't be predicted.
      gone |= uint64_t{IsBumped(place.thresholds, place.start)} << i;
      answers |= uint64_t{kMatch({place.words, place.start, place.columns},
                                 MasksOf(place.shape, place.start, hash))}
                 << i;
    }
    *bumped = gone;
    return answers & ~gone;
  }

  static constexpr Kernels AddTo(Kernels table) {
    table.bloom_locate = BloomLocate;
    table.bloom_test = BloomTest;
    table.ribbon_locate = RibbonLocate;
    table.ribbon_test = RibbonTest;
    return table;
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_SEGMENTS_H_
