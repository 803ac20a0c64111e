// Lookups in a bumped Ribbon layer, one by one and many at once.

#ifndef WINNOW_SRC_SIMD_RIBBON_LOOKUPS_H_
#define WINNOW_SRC_SIMD_RIBBON_LOOKUPS_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/ribbon_layer.h"
#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/prefetch.h"
#include "src/simd/ribbon_query.h"

namespace winnow::simd {
namespace {

// The lines that a lookup may need.
WINNOW_INLINE void PrefetchRibbon(const RibbonLayer& layer, uint64_t hash) {
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
}

// Made of what differs between instruction sets:
//   kMatch         whether the columns have the parities of the query's fingerprint
//   kMatchNarrow   the same where there are at most 8 columns
template <bool (*kMatch)(const RibbonLayer& layer, const RibbonQuery& query),
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

  static void ProbeMany(const RibbonLayer& layer, const uint64_t* hashes, size_t n, bool* results) {
    if (static_cast<size_t>(layer.thresholds - layer.words) < kPrefetchFromBytes) {
      for (size_t i = 0; i < n; ++i) results[i] = ProbeBy<kMatch>(layer, hashes[i]);
      return;
    }
    constexpr size_t kAhead = 32;
    for (size_t i = 0; i < n && i < kAhead; ++i) PrefetchRibbon(layer, hashes[i]);
    for (size_t begin = 0; begin < n; begin += kAhead) {
      // Another layer's misses would hold up those after it: bumped hashes come last.
      unsigned char bumped[kAhead];
      unsigned num_bumped = 0;
      for (size_t i = begin; i < n && i < begin + kAhead; ++i) {
        if (i + kAhead < n) PrefetchRibbon(layer, hashes[i + kAhead]);
        const uint32_t start = StartOf(layer, hashes[i]);
        bumped[num_bumped] = static_cast<unsigned char>(i - begin);
        num_bumped += IsBumped(layer, start) ? 1 : 0;
        results[i] = kMatch(layer, QueryOf(layer, start, hashes[i]));
      }
      for (unsigned i = 0; i < num_bumped; ++i) {
        results[begin + bumped[i]] = layer.if_bumped(layer, hashes[begin + bumped[i]]);
      }
    }
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_LOOKUPS_H_
