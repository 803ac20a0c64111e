// Messages of the plugin and the interposer on stderr, and quoting of text from outside.

#ifndef WINNOW_SRC_ROCKSDB_MESSAGES_STDERR_LINE_H_
#define WINNOW_SRC_ROCKSDB_MESSAGES_STDERR_LINE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::plugin {

inline constexpr size_t kMaxStderrLines = 100;

// Writes "winnow: LINE" to stderr (src/base/stderr_line.h: only while descriptor 2 is unchanged). A
// process writes at most kMaxStderrLines lines; the last one says that further lines are left out.
// Never throws. Thread-safe.
void SayOnStderr(const std::string& line) noexcept;

// Writes the line with SayOnStderr, unless this process did before.
void SayOnceOnStderr(const std::string& line) noexcept;

// Returns whether WINNOW_LOG asks for more messages on stderr than errors: it is set, and neither
// empty nor 0. Read once, as the environment may change at any time.
bool IsLogging() noexcept;

// Quotes text from the environment or from options for a message: in quotation marks, truncated,
// and without unprintable characters.
std::string Quoted(std::string_view text);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_STDERR_LINE_H_
