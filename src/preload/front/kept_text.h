// Sentences that are kept until the process ends, as they may be printed then.

#ifndef WINNOW_SRC_PRELOAD_FRONT_KEPT_TEXT_H_
#define WINNOW_SRC_PRELOAD_FRONT_KEPT_TEXT_H_

namespace winnow::preload {

// As printf; never freed. Another sentence if memory is short.
__attribute__((format(printf, 1, 2))) const char* KeepText(const char* format, ...) noexcept;

// Returns what the linker says of its last error.
const char* LastLinkerError() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_KEPT_TEXT_H_
