// Which kernels run, for tools that report it.

#ifndef WINNOW_SRC_CORE_KERNEL_NAME_H_
#define WINNOW_SRC_CORE_KERNEL_NAME_H_

namespace winnow::core {

// "portable", "avx2", "avx512" or "neon". A static string; see WINNOW_KERNEL.
const char* ActiveKernelName() noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_KERNEL_NAME_H_
