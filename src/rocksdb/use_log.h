// Tables of filter use in the LOGs of databases that only read. Builders write the table while a
// database flushes and compacts (use_text.h); here lookups have it written.

#ifndef WINNOW_SRC_ROCKSDB_USE_LOG_H_
#define WINNOW_SRC_ROCKSDB_USE_LOG_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace winnow::plugin {

// Time of the steady clock from which on a counted lookup has the tables written; at most once per
// kUseInterval.
extern std::atomic<std::chrono::steady_clock::rep> next_use_log;

// Wakes the thread that writes the tables (LoadMeter::WriteUse). Never waits, allocates or throws.
void WakeUseLog() noexcept;

// Called for each counted lookup.
inline void NoteCountedLookup() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (__builtin_expect(now >= next_use_log.load(std::memory_order_relaxed), 0)) WakeUseLog();
}

// Called when a policy learns the log of an open database. Starts the thread, unless this process
// has it; without a thread, only builders write tables. Never throws. Thread-safe.
void KeepUseLog() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_USE_LOG_H_
