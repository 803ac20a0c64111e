// The totals of this process, in a line for people.

#ifndef WINNOW_SRC_ROCKSDB_TOTALS_H_
#define WINNOW_SRC_ROCKSDB_TOTALS_H_

#include <rocksdb/env.h>

#include <chrono>
#include <string>

#include "src/rocksdb/counters.h"

namespace winnow::plugin {

// The line, without a beginning and an end.
std::string TotalsLine(const Counters& totals);

// Writes the line to a database's LOG, unless it was written there less than kTotalsInterval ago or
// this is the first time that the logger is shown. For processes that run for months: to be called
// while RocksDB asks for a builder, when its logger is surely alive. Null is allowed. Never throws.
// Safe from any thread.
inline constexpr std::chrono::seconds kTotalsInterval{60};
void LogTotals(ROCKSDB_NAMESPACE::Logger* logger, std::chrono::steady_clock::time_point now =
                                                      std::chrono::steady_clock::now()) noexcept;

// From now on this process says its totals on stderr when it ends by exit() or by leaving main(). A
// process that it forks doesn't, unless it calls this as well. Safe from any thread.
void SayTotalsAtExit() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TOTALS_H_
