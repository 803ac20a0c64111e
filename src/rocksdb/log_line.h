// The line in a database's own LOG that says which filters are built.

#ifndef WINNOW_SRC_ROCKSDB_LOG_LINE_H_
#define WINNOW_SRC_ROCKSDB_LOG_LINE_H_

#include <rocksdb/env.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// "[winnow] TEXT" in the log. Null is allowed.
void WriteInLog(ROCKSDB_NAMESPACE::Logger* logger, ROCKSDB_NAMESPACE::InfoLogLevel level,
                const std::string& text);

// The same as a warning, once for each database, whoever asks. Null is allowed.
// Never throws. Safe from any thread.
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

// Writes one line to each log that it is shown. Owned by a policy; safe from any thread.
class LogLine {
 public:
  // Writes "[winnow] VERSION builds the filters of policy NAME: OPTIONS" to the logger, or, where
  // the options have RocksDB build its own, the line of WriteReadingOnce, unless it
  // was the last that this object wrote there. Null is allowed. Never throws.
  //
  // A complaint that is not empty comes before it, as a warning, and goes to stderr
  // (messages/stderr_line.h): once for each database, whichever of its policies it is of.
  //
  // If more than kMaxLogs databases are open at once, lines may be repeated.
  void WriteOnce(ROCKSDB_NAMESPACE::Logger* logger, const char* name, const PolicyOptions& options,
                 const std::string& complaint = {}) noexcept;

  // Writes "[winnow] TEXT" behind the line that WriteOnce writes first, in the first log that it is
  // shown; as a warning, or not.
  void AddToFirst(const std::string& text, bool is_warning);

  // Of a policy that builds none of Winnow's filters: "[winnow] VERSION reads Winnow's and
  // RocksDB's filters for policy NAME, which BUILDS", where `builds` is "builds RocksDB's
  // bloomfilter:10", say. Else as WriteOnce.
  void WriteReadingOnce(ROCKSDB_NAMESPACE::Logger* logger, const char* name,
                        const std::string& builds) noexcept;

  // Where RocksDB shows no log, as it asks for a reader: a complaint that is not empty goes to
  // stderr, unless this object did so before. Never throws.
  void ComplainOnce(const char* name, const PolicyOptions& options,
                    const std::string& complaint) noexcept;

 private:
  // Writes what is said if the text, by which it is known again, is due.
  void Write(ROCKSDB_NAMESPACE::Logger* logger, const std::string& text, const std::string& said);

  void WriteAdded(ROCKSDB_NAMESPACE::Logger* logger);

  std::atomic<bool> has_complained_{false};
  std::atomic<bool> has_added_{false};
  std::string added_;
  bool added_is_warning_ = false;
  std::atomic<bool> was_said_without_log_{false};  // so the first log's database need not say it
  std::mutex mutex_;                               // for what is added
  LogMemory<std::optional<std::string>> written_;  // the text of each one's last line
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOG_LINE_H_
