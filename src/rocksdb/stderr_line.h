// What the plugin says on stderr.

#ifndef WINNOW_SRC_ROCKSDB_STDERR_LINE_H_
#define WINNOW_SRC_ROCKSDB_STDERR_LINE_H_

#include <cstddef>
#include <string>

namespace winnow::plugin {

inline constexpr size_t kMostStderrLines = 100;

// Writes "winnow: LINE" in one write, so that lines of several threads or processes don't mix,
// unless this process did before or has written kMostStderrLines. And only if descriptor 2 is what
// it was when the library was loaded: where a program closed it, it may be a database's file by
// now. Never throws. Safe from any thread.
void SayOnceOnStderr(const std::string& line) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_STDERR_LINE_H_
