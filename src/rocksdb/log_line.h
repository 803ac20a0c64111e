// Line in a database's LOG that says which filters are built.

#ifndef WINNOW_SRC_ROCKSDB_LOG_LINE_H_
#define WINNOW_SRC_ROCKSDB_LOG_LINE_H_

#include <rocksdb/env.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "src/rocksdb/messages/info_log.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Writes one line to each log. Owned by a policy; thread-safe.
class LogLine {
 public:
  // `before` is the text of the options of the policy that this one replaces; empty if it replaces
  // none.
  explicit LogLine(std::string before = {}) : before_(std::move(before)) {}

  // Writes "[winnow] VERSION builds the filters of policy NAME: OPTIONS" to the logger, unless this
  // was the last line that this object wrote there. The policies of many column families that build
  // the same filters give one line: the first line of an object is written if it is new in the log
  // or if the options replace others; a later one, if it differs from the last line of any. If the
  // options have RocksDB build its own filters, writes the line of WriteReadingOnce; if there is a
  // HashProblem, writes the problem instead. `logger` may be null. Never throws.
  //
  // A complaint that is not empty is written before the line, as a warning, and to stderr
  // (messages/stderr_line.h), once per database, even if several of its policies have the
  // complaint.
  //
  // If more than kMaxLogs databases are open at once, lines may be repeated.
  void WriteOnce(ROCKSDB_NAMESPACE::Logger* logger, const char* name, const PolicyOptions& options,
                 const std::string& complaint = {}) noexcept;

  // Makes the first WriteOnce with a log add the line "[winnow] TEXT" there, as a warning or as
  // information.
  void AddToFirst(const std::string& text, bool is_warning);

  // Writes "[winnow] VERSION reads Winnow's and RocksDB's filters for policy NAME, which BUILDS",
  // for a policy that builds none of Winnow's filters. `builds` is, for example, "builds RocksDB's
  // bloomfilter:10". Repetitions, null and errors are handled as in WriteOnce.
  void WriteReadingOnce(ROCKSDB_NAMESPACE::Logger* logger, const char* name,
                        const std::string& builds) noexcept;

  // Writes a nonempty complaint to stderr, once per object. Used when RocksDB gives no log, because
  // it asks for a reader. Never throws.
  void ComplainOnce(const char* name, const PolicyOptions& options,
                    const std::string& complaint) noexcept;

 private:
  // Writes `said` unless `text`, its identity, is that of the last line in this log.
  void Write(ROCKSDB_NAMESPACE::Logger* logger, const std::string& text, const std::string& said);

  void WriteAdded(ROCKSDB_NAMESPACE::Logger* logger);

  const std::string before_;
  std::atomic<bool> has_complained_{false};
  std::atomic<bool> has_added_{false};
  std::string added_;
  bool added_is_warning_ = false;
  std::atomic<bool> was_said_without_log_{false};  // complaint went to stderr
  std::mutex mutex_;                               // guards added_ and added_is_warning_
  LogMemory<std::optional<std::string>> written_;  // identity of the last line in each log
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOG_LINE_H_
