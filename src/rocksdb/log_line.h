// The line in a database's own LOG that says which filters are built.

#ifndef WINNOW_SRC_ROCKSDB_LOG_LINE_H_
#define WINNOW_SRC_ROCKSDB_LOG_LINE_H_

#include <rocksdb/env.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
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

// When something was said in each log that is written again and again, for what has a pace. Safe
// from any thread.
class LogTimes {
 public:
  // Whether it is to be said now: it was not in the `interval` before. Where the log was not seen
  // yet, or is a new one as it became shorter, `at_first` says.
  bool IsDue(const ROCKSDB_NAMESPACE::Logger& logger, std::chrono::seconds interval, bool at_first,
             std::chrono::steady_clock::time_point now);

 private:
  struct Shown {
    const ROCKSDB_NAMESPACE::Logger* logger;  // only compared
    size_t size;                              // of the log, when it was shown last
    std::chrono::steady_clock::time_point time;
  };
  std::mutex mutex_;
  std::vector<Shown> all_;  // of LogLine::kMostLogs; the oldest first
};

// Writes one line to each log that it is shown. Owned by a policy; safe from any thread.
class LogLine {
 public:
  static constexpr size_t kMostLogs = 256;

  // Writes "[winnow] VERSION builds the filters of policy NAME: OPTIONS" to the logger, or, where
  // the options have RocksDB build its own, the line of WriteReadingOnce, unless it
  // was the last that this object wrote there. A log that became shorter is a new one: it was
  // rolled, or a database was opened again and its logger lies where an earlier one lay. Null is
  // allowed. Never throws.
  //
  // A complaint that is not empty comes before it, as a warning, and goes to stderr
  // (stderr_line.h): once for each database, whichever of its policies it is of.
  //
  // The logs of the last kMostLogs databases are remembered, as loggers don't say when they end. If
  // more than these are open at once, lines may be repeated.
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
  struct Seen {
    const ROCKSDB_NAMESPACE::Logger* logger;  // only compared
    size_t size;                              // of the log, when it was shown last
    std::string text;                         // what was written there
  };

  // Writes what is said if the text, by which it is known again, is due.
  void Write(ROCKSDB_NAMESPACE::Logger* logger, const std::string& text, const std::string& said);

  void WriteAdded(ROCKSDB_NAMESPACE::Logger* logger);

  // Whether the text is due.
  bool Note(const ROCKSDB_NAMESPACE::Logger& logger, const std::string& text);

  std::atomic<bool> has_complained_{false};
  std::atomic<bool> has_added_{false};
  std::string added_;
  bool added_is_warning_ = false;
  std::atomic<bool> was_said_without_log_{false};  // so the first log's database need not say it
  std::mutex mutex_;
  std::vector<Seen> seen_;  // the last one shown is the first
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOG_LINE_H_
