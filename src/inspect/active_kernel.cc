#include "src/inspect/active_kernel.h"

#include "src/core/kernel_name.h"

namespace winnow::inspect {

std::string ActiveKernel() { return std::string(core::ActiveKernelName()); }

}  // namespace winnow::inspect
