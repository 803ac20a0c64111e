// Kernels that this machine can use.

#ifndef WINNOW_TESTS_SUPPORT_USABLE_KERNELS_H_
#define WINNOW_TESTS_SUPPORT_USABLE_KERNELS_H_

#include <vector>

#include "src/simd/kernels.h"

namespace winnow::testing {

// Returns the usable kernels, best first. Cached, since asking the CPU is slow in a virtual
// machine.
inline const std::vector<const simd::Kernels*>& UsableKernels() {
  static const auto* const usable = [] {
    auto* const found = new std::vector<const simd::Kernels*>;
    for (const char* const* name = simd::kKernelNames; *name != nullptr; ++name) {
      if (const simd::Kernels* kernels = simd::FindKernels(*name, nullptr)) {
        found->push_back(kernels);
      }
    }
    return found;
  }();
  return *usable;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_USABLE_KERNELS_H_
