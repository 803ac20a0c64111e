// Which set of instructions the filters are read with.

#ifndef WINNOW_SRC_TEXT_ACTIVE_KERNEL_H_
#define WINNOW_SRC_TEXT_ACTIVE_KERNEL_H_

#include <string>

namespace winnow::inspect {

// "portable", "avx2", …: what this machine, or WINNOW_KERNEL, has chosen.
std::string ActiveKernel();

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_ACTIVE_KERNEL_H_
