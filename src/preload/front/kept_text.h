// Sentences that are kept until the process ends, when they may be printed.

#ifndef WINNOW_SRC_PRELOAD_FRONT_KEPT_TEXT_H_
#define WINNOW_SRC_PRELOAD_FRONT_KEPT_TEXT_H_

namespace winnow::preload {

// Formats text like printf. The result is never freed. Returns another sentence if out of memory.
__attribute__((format(printf, 1, 2))) const char* KeepText(const char* format, ...) noexcept;

// Returns the linker's last error message.
const char* LastLinkerError() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_KEPT_TEXT_H_
