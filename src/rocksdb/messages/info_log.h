// Writes lines into a database's own LOG, and remembers what was written there.

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

// Writes "[winnow] TEXT" into the log. Null is allowed.
void WriteInLog(ROCKSDB_NAMESPACE::Logger* logger, ROCKSDB_NAMESPACE::InfoLogLevel level,
                const std::string& text);

// Returns whether this is the first call for the text and the log's database, by any caller. May
// throw std::bad_alloc. Safe from any thread.
bool IsNewInLog(const ROCKSDB_NAMESPACE::Logger& logger, const std::string& text);

// WriteInLog as a warning, once for each database, by any caller. Null is allowed. Never throws.
// Safe from any thread.
void WarnOnceInLog(ROCKSDB_NAMESPACE::Logger* logger, const std::string& text) noexcept;

inline constexpr size_t kMaxLogs = 256;

// Remembers a State for each log. If a log became shorter, it is a new log, with a new State: it
// was rolled, or a database was opened again and its logger has the address of an earlier one.
// Loggers do not say when they end, so only the last kMaxLogs that were visited are known. Safe
// from any thread.
template <typename State>
class LogMemory {
 public:
  // Calls `use` with the log's State, which it may change, and returns what it returns.
  template <typename Use>
  bool Visit(const ROCKSDB_NAMESPACE::Logger& logger, const Use& use) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Read under the lock: after a later visit, an earlier size would look like that of a new log.
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
    const ROCKSDB_NAMESPACE::Logger* logger;  // only compared
    size_t size;                              // when it was visited last
    State state;
  };
  std::mutex mutex_;
  std::vector<Log> logs_;  // the last one visited is the first
};

// Remembers for each log when a repeated message was last written. Safe from any thread.
class LogTimes {
 public:
  // True if the message is due, and will be written now: it was not in the last `interval`.
  // `at_first` is the answer for a log that was not seen yet, or is new. `compose` is called if the
  // message is due; where it says that there is nothing to write, or throws, it stays due.
  bool IsDue(
      const ROCKSDB_NAMESPACE::Logger& logger, std::chrono::seconds interval, bool at_first,
      std::chrono::steady_clock::time_point now,
      const std::function<bool()>& compose = [] { return true; });

 private:
  LogMemory<std::optional<std::chrono::steady_clock::time_point>> times_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_INFO_LOG_H_
