// Messages of the plugin and the interposer on stderr, and how they quote what others wrote.

#ifndef WINNOW_SRC_ROCKSDB_MESSAGES_STDERR_LINE_H_
#define WINNOW_SRC_ROCKSDB_MESSAGES_STDERR_LINE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::plugin {

inline constexpr size_t kMaxStderrLines = 100;

// Writes "winnow: LINE" (src/base/stderr_line.h: only while descriptor 2 is what it was). Of more
// than kMaxStderrLines lines of a process the rest is left out, which the last one tells. Never
// throws. Safe from any thread.
void SayOnStderr(const std::string& line) noexcept;

// The same, unless this process did before.
void SayOnceOnStderr(const std::string& line) noexcept;

// Returns whether WINNOW_LOG asks for more on stderr than faults: it is set, and neither empty nor
// 0. Read once, as the environment may change at any time.
bool IsLogging() noexcept;

// A text from the environment or from options, for a message: in quotation marks, cut, and without
// what can't be printed.
std::string Quoted(std::string_view text);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_STDERR_LINE_H_
