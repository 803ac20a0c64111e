// Lookups in a bumped Ribbon layer, single and batched.

#ifndef WINNOW_SRC_SIMD_RIBBON_LOOKUPS_H_
#define WINNOW_SRC_SIMD_RIBBON_LOOKUPS_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/prefetch.h"
#include "src/simd/ribbon_query.h"

namespace winnow::simd {
namespace {

// Place of a hash's bits: the part of a query that does not follow from the hash itself.
struct RibbonPlace {
  const unsigned char* low;
  uint32_t start;
  uint32_t columns;
};

// Prefetches the cache lines that a lookup may need.
WINNOW_INLINE RibbonPlace LocateAhead(const RibbonLayer& layer, uint64_t hash) {
  const uint32_t start = StartOf(layer, hash);
  const RibbonQuery query = QueryOf(layer, start, hash);
  PrefetchLine(query.low);
  PrefetchLine(query.low + 8 * query.columns);
  PrefetchLine(query.low + 16 * query.columns - 1);
  if (layer.columns > 8) {
    PrefetchLine(query.low + 4 * query.columns);
    PrefetchLine(query.low + 12 * query.columns);
  }
  PrefetchLine(layer.thresholds + formulas::ThresholdByte(start));
  return {query.low, start, query.columns};
}

// Lookups, parameterized by functions of the instruction set:
//   kParities      returns the parities of all columns that a block may have
//   kMatch         returns whether the columns have the parities of the query's fingerprint
//   kMatchNarrow   like kMatch, for at most 8 columns
template <uint32_t (*kParities)(const RibbonLayer& layer, const RibbonQuery& query),
          bool (*kMatch)(const RibbonLayer& layer, const RibbonQuery& query) =
              MatchParities<kParities>,
          bool (*kMatchNarrow)(const RibbonLayer& layer, const RibbonQuery& query) = kMatch>
struct RibbonLookups {
  template <bool (*kMatchColumns)(const RibbonLayer&, const RibbonQuery&)>
  static bool ProbeBy(const Layer& ribbon, uint64_t hash) noexcept {
    const auto& layer = static_cast<const RibbonLayer&>(ribbon);
    const uint32_t start = StartOf(layer, hash);
    if (__builtin_expect(IsBumped(layer, start), 0)) return layer.if_bumped(layer, hash);
    return kMatchColumns(layer, QueryOf(layer, start, hash));
  }

  static constexpr auto kProbe = ProbeBy<kMatch>;
  static constexpr auto kProbeNarrow = ProbeBy<kMatchNarrow>;

  static uint32_t Retrieve(const RibbonLayer& layer, uint64_t hash, unsigned* columns) noexcept {
    const RibbonQuery query = QueryOf(layer, StartOf(layer, hash), hash);
    *columns = query.columns;
    return kParities(layer, query);
  }

  static void RetrieveMany(const RibbonLayer& layer, const uint64_t* hashes, size_t n,
                           uint32_t* values, unsigned* columns) noexcept {
    RibbonPlace places[Kernels::kMostRetrieved];
    for (size_t i = 0; i < n; ++i) places[i] = LocateAhead(layer, hashes[i]);
    for (size_t i = 0; i < n; ++i) {
      const RibbonPlace& place = places[i];
      columns[i] = place.columns;
      values[i] = kParities(layer, QueryAt(place.low, place.columns, place.start,
                                           layer.fingerprint_shift, hashes[i]));
    }
  }

  static void ProbeMany(const RibbonLayer& layer, const RibbonLayer* next, const uint64_t* hashes,
                        size_t n, bool* results) {
    const auto size = static_cast<size_t>(layer.thresholds - layer.words);
    if (n < kAheadFromHashes || size < kAheadFromBytes) {
      for (size_t i = 0; i < n; ++i) results[i] = ProbeBy<kMatch>(layer, hashes[i]);
    } else {
      ProbeAhead(layer, next, hashes, n, results);
    }
  }

 private:
  static constexpr size_t kAhead = 32;
  // Minimum layer size for prefetching: the first cache levels are seldom used for one such layer
  // alone. By filter_bench's rows multiget/…/100000, prefetching cached data costs 2%, and
  // prefetching other data reduces the time to 0.6.
  static constexpr size_t kAheadFromBytes = size_t{1} << 16;
  // Minimum number of hashes for prefetching: fewer lookups overlap without prefetching.
  static constexpr size_t kAheadFromHashes = 5;

  // Bumped hashes of a group of kAhead consecutive hashes, by their index in the group.
  struct BumpedHashes {
    unsigned n = 0;
    unsigned char places[kAhead];
  };

  // Looks up the bumped hashes of a group, whose hashes and results are passed.
  WINNOW_INLINE static void AskBumped(const RibbonLayer& layer, const RibbonLayer* next,
                                      const BumpedHashes& bumped, const uint64_t* hashes,
                                      bool* results) {
    for (unsigned i = 0; i < bumped.n; ++i) {
      const unsigned place = bumped.places[i];
      results[place] = next != nullptr
                           ? ProbeBy<kMatch>(*next, formulas::NextLayerHash(hashes[place]))
                           : layer.if_bumped(layer, hashes[place]);
    }
  }

  // Locates each hash kAhead hashes before it is tested. A bumped hash is looked up in the next
  // layer one group later, so that its cache lines arrive in the meantime and stall no other hash.
  static void ProbeAhead(const RibbonLayer& asked, const RibbonLayer* next, const uint64_t* hashes,
                         size_t n, bool* results) {
    // A local copy, which stores can't change, stays in registers.
    const RibbonLayer layer = asked;
    RibbonPlace places[kAhead];
    BumpedHashes bumped[2];
    for (size_t i = 0; i < n && i < kAhead; ++i) places[i] = LocateAhead(layer, hashes[i]);
    size_t before = 0;  // begin of the previous group
    unsigned turn = 0;
    for (size_t begin = 0; begin < n; begin += kAhead) {
      BumpedHashes& bumped_here = bumped[turn];
      bumped_here.n = 0;
      const auto ask = [&](size_t i) __attribute__((always_inline)) {
        const uint64_t hash = hashes[begin + i];
        const RibbonPlace place = places[i];
        if (__builtin_expect(IsBumped(layer, place.start), 0)) {
          bumped_here.places[bumped_here.n++] = static_cast<unsigned char>(i);
          if (next != nullptr) LocateAhead(*next, formulas::NextLayerHash(hash));
        }
        // Bumped hashes are tested too, which saves a branch; their result is replaced.
        results[begin + i] = kMatch(
            layer, QueryAt(place.low, place.columns, place.start, layer.fingerprint_shift, hash));
      };
      const size_t here = n - begin < kAhead ? n - begin : kAhead;
      const size_t later = n - begin - here < kAhead ? n - begin - here : kAhead;
      for (size_t i = 0; i < later; ++i) {
        ask(i);
        places[i] = LocateAhead(layer, hashes[begin + kAhead + i]);
      }
      for (size_t i = later; i < here; ++i) ask(i);
      turn ^= 1;
      AskBumped(asked, next, bumped[turn], hashes + before, results + before);
      before = begin;
    }
    AskBumped(asked, next, bumped[turn ^ 1], hashes + before, results + before);
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_LOOKUPS_H_
