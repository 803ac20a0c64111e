// Lines in a database's own LOG, and a record of the lines written there.

#ifndef WINNOW_SRC_ROCKSDB_MESSAGES_INFO_LOG_H_
#define WINNOW_SRC_ROCKSDB_MESSAGES_INFO_LOG_H_

#include <rocksdb/env.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace winnow::plugin {

// Writes "[winnow] TEXT" to the log. `logger` may be null.
void WriteInLog(ROCKSDB_NAMESPACE::Logger* logger, ROCKSDB_NAMESPACE::InfoLogLevel level,
                const std::string& text);

// Returns whether this is the first call, by any caller, for this text and the log's database. May
// throw std::bad_alloc. Thread-safe.
bool IsNewInLog(const ROCKSDB_NAMESPACE::Logger& logger, const std::string& text);

// Writes a warning with WriteInLog, once per database for all callers. `logger` may be null. Never
// throws. Thread-safe.
void WarnOnceInLog(ROCKSDB_NAMESPACE::Logger* logger, const std::string& text) noexcept;

inline constexpr size_t kMaxLogs = 256;

// State per log. If a log became shorter, it is a new log, with a new State: it was rolled, or a
// database was reopened and its logger has the address of an earlier one. Loggers do not report
// their end, so only the last kMaxLogs visited ones are kept (LRU eviction). Thread-safe.
template <typename State>
class LogMemory {
 public:
  // Calls `use` with the log's State, which it may change, and returns its result.
  template <typename Use>
  bool Visit(const ROCKSDB_NAMESPACE::Logger& logger, const Use& use) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Read under the lock: after a later visit by another thread, an older size would look like
    // that of a new log.
    const size_t size = logger.GetLogFileSize();
    auto known = std::find_if(logs_.begin(), logs_.end(),
                              [&logger](const Log& log) { return log.logger == &logger; });
    if (known == logs_.end()) {
      if (logs_.size() == kMaxLogs) logs_.pop_back();
      known = logs_.insert(logs_.end(), {&logger, size, State()});
    }
    if (size < known->size) known->state = State();
    known->size = size;
    std::rotate(logs_.begin(), known, known + 1);
    return use(&logs_.front().state);
  }

 private:
  struct Log {
    const ROCKSDB_NAMESPACE::Logger* logger;  // never dereferenced
    size_t size;                              // size at the last visit
    State state;
  };
  std::mutex mutex_;
  std::vector<Log> logs_;  // most recently visited first
};

// Remembers per log when a repeated message was last written. Thread-safe.
class LogTimes {
 public:
  // Writes the line that `compose` returns with WriteInLog, if it is due: the last one is at least
  // `interval` old. `at_first` tells whether it is due in a log that was not seen yet, or is new.
  // If compose() throws or returns an empty line, nothing is written, and the line stays due.
  // Returns whether it was written. `logger` may be null. Never throws.
  bool Write(ROCKSDB_NAMESPACE::Logger* logger, ROCKSDB_NAMESPACE::InfoLogLevel level,
             std::chrono::seconds interval, bool at_first,
             std::chrono::steady_clock::time_point now,
             const std::function<std::string()>& compose) noexcept;

 private:
  LogMemory<std::optional<std::chrono::steady_clock::time_point>> times_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_INFO_LOG_H_
