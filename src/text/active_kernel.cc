#include "src/text/active_kernel.h"

#include "winnow/version.h"

namespace winnow::inspect {

std::string ActiveKernel() { return std::string(KernelName()); }

}  // namespace winnow::inspect
