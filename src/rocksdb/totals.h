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

// Writes the line to a database's LOG, for processes that run for months. Does not write if it
// wrote there less than kTotalsInterval ago, or if this is the logger's first call. To be called
// while RocksDB asks for a builder, when its logger is surely alive. Null is allowed. Never throws.
// Safe from any thread.
inline constexpr std::chrono::seconds kTotalsInterval{60};
void LogTotals(ROCKSDB_NAMESPACE::Logger* logger, std::chrono::steady_clock::time_point now =
                                                      std::chrono::steady_clock::now()) noexcept;

// From now on this process says its totals on stderr when it ends by exit() or by leaving main(). A
// forked process does so only if it calls this, too. Safe from any thread.
void SayTotalsAtExit() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TOTALS_H_
