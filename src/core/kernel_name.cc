#include "src/simd/kernels.h"
#include "winnow/version.h"

namespace winnow {

const char* KernelName() noexcept { return simd::ActiveKernels().name; }

}  // namespace winnow
