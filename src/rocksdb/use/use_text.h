// Text of what filters were asked and answered, for people and programs
// (winnow/rocksdb_filter_use.h).

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

// Names with ", " between them; invalid UTF-8, and control characters, become "?".
// More than `most` characters end with "...".
inline constexpr size_t kAllCharacters = SIZE_MAX;
std::string Joined(const std::set<std::string>& names, size_t most = kAllCharacters);

// JSON of the schema winnow.filter_use/1.
std::string UseAsJson(const std::vector<UseRow>& rows);

// A table with a line for each row that was asked, and one that says what is in it. Those with the
// most false positives first, of at most kRowsInLog. Empty where none was asked.
inline constexpr size_t kRowsInLog = 40;
std::string UseTable(const std::vector<UseRow>& rows);

// Writes the table of a database's policies to its LOG. Does not write if it wrote there less than
// kUseInterval ago, or if this is the logger's first call. While nothing was asked, the table stays
// due. To be called while RocksDB asks for a builder, when its logger is surely alive. Null is
// allowed. Never throws. Safe from any thread.
inline constexpr std::chrono::minutes kUseInterval{10};
void LogUse(ROCKSDB_NAMESPACE::Logger* logger,
            std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now()) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_USE_USE_TEXT_H_
