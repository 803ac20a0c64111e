// Totals of this process, as a line of text.

#ifndef WINNOW_SRC_ROCKSDB_TOTALS_H_
#define WINNOW_SRC_ROCKSDB_TOTALS_H_

#include <rocksdb/env.h>

#include <chrono>
#include <string>

#include "src/rocksdb/counters.h"

namespace winnow::plugin {

// Returns the line, without a prefix and without a newline.
std::string TotalsLine(const Counters& totals);

// Writes the line to a database's LOG, for processes that run for months. Does not write if the
// last line in this log is less than kTotalsInterval old, or on the first call for this logger.
// The logger must be alive: while RocksDB asks for a builder it is. `logger` may be null. Never
// throws. Thread-safe.
inline constexpr std::chrono::seconds kTotalsInterval{60};
void LogTotals(ROCKSDB_NAMESPACE::Logger* logger, std::chrono::steady_clock::time_point now =
                                                      std::chrono::steady_clock::now()) noexcept;

// Makes this process report its totals on stderr when it ends by exit() or by returning from
// main(). A forked process does so only if it calls this, too. Thread-safe.
void SayTotalsAtExit() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TOTALS_H_
