// The constants of the bumped Ribbon, as src/core/FORMAT.md gives them.

#ifndef WINNOW_SRC_SIMD_RIBBON_CONSTANTS_H_
#define WINNOW_SRC_SIMD_RIBBON_CONSTANTS_H_

#include <cstdint>

namespace winnow::simd {

inline constexpr uint64_t kCoefficientMultiplier = 0x9e3779b97f4a7c15u;
inline constexpr uint64_t kFingerprintMultiplier = 0xd6e8feb86659fd93u;
inline constexpr unsigned kRibbonWidth = 48;         // bits of a coefficient
inline constexpr unsigned kRibbonMaxColumns = 16;    // a coefficient and a fingerprint fill 64 bits
inline constexpr unsigned kRibbonBucketSlots = 128;  // start positions that share a threshold
inline constexpr unsigned kRibbonClass2Slots = 16;   // offsets below this are of class 2,
inline constexpr unsigned kRibbonClass1Slots = 36;   // below this of class 1, others of class 0

}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_CONSTANTS_H_
