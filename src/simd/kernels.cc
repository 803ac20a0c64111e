#include "src/simd/kernels.h"

#include <cstdlib>
#include <cstring>

#include "src/base/stderr_line.h"
#include "src/simd/cpu.h"

namespace winnow::simd {
namespace {

const Kernels& ChooseKernels() noexcept {
  if (const char* wanted = std::getenv("WINNOW_KERNEL"); wanted != nullptr && *wanted != '\0') {
    const char* reason = nullptr;
    if (const Kernels* found = FindKernels(wanted, &reason)) return *found;
    base::StderrLine line;
    line.Add("WINNOW_KERNEL=").AddQuoted(wanted).Add(" can't be used: ").Add(reason);
    line.Add("; using portable").Write();
    return kPortableKernels;
  }
  for (const char* const* name = kKernelNames; *name != nullptr; ++name) {
    if (const Kernels* found = FindKernels(*name, nullptr)) return *found;
  }
  return kPortableKernels;
}

}  // namespace

alignas(64) const uint32_t kOnes32[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
alignas(64) const uint64_t kOnes64[8] = {1, 1, 1, 1, 1, 1, 1, 1};
const uint64_t kMultipliers[2] = {kCoefficientMultiplier, kFingerprintMultiplier};

const char* const kKernelNames[] = {"avx512", "gfni", "avx2", "neon", "portable", nullptr};

const Kernels* FindKernels(const char* name, const char** reason) noexcept {
  const char* ignored = nullptr;
  if (reason == nullptr) reason = &ignored;
  if (std::strcmp(name, "portable") == 0) return &kPortableKernels;
#if defined(WINNOW_X86)
  const CpuFeatures cpu = DetectCpuFeatures();
  const struct {
    const Kernels& kernels;
    bool is_supported;
  } all[] = {{kAvx2Kernels, cpu.avx2}, {kGfniKernels, cpu.gfni}, {kAvx512Kernels, cpu.avx512}};
  for (const auto& one : all) {
    if (std::strcmp(name, one.kernels.name) != 0) continue;
    if (one.is_supported) return &one.kernels;
    *reason = "this CPU or this system does not support it";
    return nullptr;
  }
#elif defined(WINNOW_ARM64)
  // All 64-bit ARM CPUs have NEON.
  if (std::strcmp(name, "neon") == 0) return &kNeonKernels;
#endif
  for (const char* const* known = kKernelNames; *known != nullptr; ++known) {
    if (std::strcmp(name, *known) == 0) {
      *reason = "this build does not contain it";
      return nullptr;
    }
  }
  *reason = "there is no such kernel (portable, avx2, gfni, avx512, neon)";
  return nullptr;
}

const Kernels& ActiveKernels() noexcept {
  static const Kernels& active = ChooseKernels();
  return active;
}

}  // namespace winnow::simd
