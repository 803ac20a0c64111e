#include "src/core/kernel_name.h"

#include "src/simd/kernels.h"

namespace winnow::core {

const char* ActiveKernelName() noexcept { return simd::ActiveKernels().name; }

}  // namespace winnow::core
