// Atomic output of result files.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WHOLE_FILE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WHOLE_FILE_H_

#include <absl/status/status.h>

#include <string>

namespace winnow::bench {

// Creates or atomically replaces the file: writes the text to a temporary file in the same folder,
// and renames it. Permissions of a replaced file and symbolic links are preserved. Special files,
// such as terminals and pipes, are written directly. After an error, the path is unchanged, and no
// temporary file is left.
absl::Status WriteWhole(const std::string& path, const std::string& text);

// Checks whether WriteWhole() is likely to succeed, before work whose results would be lost. Leaves
// no files behind.
absl::Status CheckCanWrite(const std::string& path);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WHOLE_FILE_H_
