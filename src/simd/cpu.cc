#include "src/simd/cpu.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace winnow::simd {

#if defined(__x86_64__)

namespace {

// Returns the register sets that the operating system saves on a context switch.
uint64_t SavedRegisters() {
  uint32_t low;
  uint32_t high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

}  // namespace

CpuFeatures DetectCpuFeatures() noexcept {
  CpuFeatures features;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return features;
  const bool popcnt = (c & bit_POPCNT) != 0;
  if ((c & bit_OSXSAVE) == 0) return features;
  const uint64_t saved = SavedRegisters();
  constexpr uint64_t kSseAndAvx = 0x06;
  constexpr uint64_t kAvx512 = 0xe6;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return features;
  features.avx2 = popcnt && (b & bit_AVX2) != 0 && (b & bit_BMI) != 0 && (b & bit_BMI2) != 0 &&
                  (saved & kSseAndAvx) == kSseAndAvx;
  features.gfni = features.avx2 && (c & bit_GFNI) != 0;
  constexpr uint32_t kNeeded = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
  constexpr uint32_t kNeededToo =
      bit_AVX512VPOPCNTDQ | bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512BITALG;
  features.avx512 = features.gfni && (b & kNeeded) == kNeeded && (c & kNeededToo) == kNeededToo &&
                    (saved & kAvx512) == kAvx512;
  return features;
}

#else

CpuFeatures DetectCpuFeatures() noexcept { return {}; }

#endif

}  // namespace winnow::simd
