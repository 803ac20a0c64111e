// What is written in a database's own LOG, and what was written there before.

#ifndef WINNOW_SRC_ROCKSDB_MESSAGES_INFO_LOG_H_
#define WINNOW_SRC_ROCKSDB_MESSAGES_INFO_LOG_H_

#include <rocksdb/env.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace winnow::plugin {

// "[winnow] TEXT" in the log. Null is allowed.
void WriteInLog(ROCKSDB_NAMESPACE::Logger* logger, ROCKSDB_NAMESPACE::InfoLogLevel level,
                const std::string& text);

// Whether it is the first time that this is asked of the text and the log's database, whoever asks.
// May throw std::bad_alloc. Safe from any thread.
bool IsNewInLog(const ROCKSDB_NAMESPACE::Logger& logger, const std::string& text);

// WriteInLog as a warning, once for each database, whoever asks. Null is allowed. Never throws.
// Safe from any thread.
void WarnOnceInLog(ROCKSDB_NAMESPACE::Logger* logger, const std::string& text) noexcept;

inline constexpr size_t kMaxLogs = 256;

// What is remembered of each log: a State, which begins anew with a log that became shorter. That
// is a new one: it was rolled, or a database was opened again and its logger lies where an earlier
// one lay. As loggers don't say when they end, only the last kMaxLogs that were visited are known.
// Safe from any thread.
template <typename State>
class LogMemory {
 public:
  // What `use` says of this log's state, which it may change.
  template <typename Use>
  bool Visit(const ROCKSDB_NAMESPACE::Logger& logger, const Use& use) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // With the lock: behind a later visit an earlier size would look like that of a new log.
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

// When something was said in each log that is written again and again, for what has a pace. Safe
// from any thread.
class LogTimes {
 public:
  // Whether it is to be said now: it was not in the `interval` before. Where the log was not seen
  // yet, or is a new one, `at_first` says.
  bool IsDue(const ROCKSDB_NAMESPACE::Logger& logger, std::chrono::seconds interval, bool at_first,
             std::chrono::steady_clock::time_point now);

 private:
  LogMemory<std::optional<std::chrono::steady_clock::time_point>> times_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_INFO_LOG_H_
