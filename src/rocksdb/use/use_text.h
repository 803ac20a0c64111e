// Counters of filter checks and answers as a table and as JSON (winnow/rocksdb_filter_use.h).

#ifndef WINNOW_SRC_ROCKSDB_USE_USE_TEXT_H_
#define WINNOW_SRC_ROCKSDB_USE_USE_TEXT_H_

#include <rocksdb/env.h>

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/rocksdb/use/use_meter.h"
#include "winnow/rocksdb_filter_use.h"

namespace winnow::plugin {

FilterUse AsFilterUse(const UseRow& row);

// Returns the names joined by ", "; invalid UTF-8, and control characters, become "?". Text of more
// than `most` characters is truncated and ends with "...".
inline constexpr size_t kAllCharacters = SIZE_MAX;
std::string Joined(const std::set<std::string>& names, size_t most = kAllCharacters);

// Returns JSON of the schema winnow.filter_use/1.
std::string UseAsJson(const std::vector<UseRow>& rows);

// Returns a table with a line per row that has checks, after a line that describes it. Rows are
// sorted by false positives, most first, and limited to kRowsInLog. Empty if no row has checks.
inline constexpr size_t kRowsInLog = 40;
std::string UseTable(const std::vector<UseRow>& rows);

// Writes the table of a database's policies to its LOG. Does not write if the last table in this
// log is less than kUseInterval old, or on the first call for this logger. While there are no
// checks, the table stays due. The logger must be alive: while RocksDB asks for a builder it is.
// `logger` may be null. Never throws. Thread-safe.
inline constexpr std::chrono::minutes kUseInterval{10};
void LogUse(ROCKSDB_NAMESPACE::Logger* logger,
            std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now()) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_USE_USE_TEXT_H_
