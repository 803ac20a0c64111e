// CPU features that the operating system supports.

#ifndef WINNOW_SRC_SIMD_CPU_H_
#define WINNOW_SRC_SIMD_CPU_H_

namespace winnow::simd {

// True if the CPU has the instructions and the operating system saves the registers they use.
struct CpuFeatures {
  bool avx2 = false;  // AVX2, BMI2, POPCNT
  bool gfni = false;  // GFNI, and AVX2
  // AVX-512 F, DQ, BW, VL, VPOPCNTDQ, VBMI, VBMI2, BITALG; and GFNI and AVX2.
  bool avx512 = false;
};

CpuFeatures DetectCpuFeatures() noexcept;

}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_CPU_H_
