// Files of results that are there whole or not at all.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WHOLE_FILE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WHOLE_FILE_H_

#include <absl/status/status.h>

#include <string>

namespace winnow::bench {

// Makes the file, or replaces it in one step, by a file beside it that is renamed once all of the
// text is in it. Its permissions stay those of the file replaced, and a symbolic link stays one.
// What is no file, as a terminal or a pipe, is written to directly. On an error the path is as it
// was before, and nothing is left beside it.
absl::Status WriteWhole(const std::string& path, const std::string& text);

// Checks whether WriteWhole is likely to work, before work whose results would be lost. Leaves
// nothing behind.
absl::Status CheckCanWrite(const std::string& path);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WHOLE_FILE_H_
