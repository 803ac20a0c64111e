// The line in a database's own LOG that says which filters are built.

#ifndef WINNOW_SRC_ROCKSDB_LOG_LINE_H_
#define WINNOW_SRC_ROCKSDB_LOG_LINE_H_

#include <rocksdb/env.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "src/rocksdb/messages/info_log.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Writes one line to each log that it is given. Owned by a policy; safe from any thread.
class LogLine {
 public:
  // Writes "[winnow] VERSION builds the filters of policy NAME: OPTIONS" to the logger, unless this
  // was the last line that this object wrote there. If the options have RocksDB build its own
  // filters, writes the line of WriteReadingOnce; if there is a HashProblem, that instead. Null is
  // allowed. Never throws.
  //
  // A complaint that is not empty comes before the line, as a warning, and goes to stderr
  // (messages/stderr_line.h), once for each database, even if several of its policies have it.
  //
  // If more than kMaxLogs databases are open at once, lines may be repeated.
  void WriteOnce(ROCKSDB_NAMESPACE::Logger* logger, const char* name, const PolicyOptions& options,
                 const std::string& complaint = {}) noexcept;

  // Adds "[winnow] TEXT" behind the first line that WriteOnce writes, in the first log that it is
  // given; as a warning, or not.
  void AddToFirst(const std::string& text, bool is_warning);

  // For a policy that builds none of Winnow's filters: writes "[winnow] VERSION reads Winnow's and
  // RocksDB's filters for policy NAME, which BUILDS", where `builds` is, for example, "builds
  // RocksDB's bloomfilter:10". Otherwise as WriteOnce.
  void WriteReadingOnce(ROCKSDB_NAMESPACE::Logger* logger, const char* name,
                        const std::string& builds) noexcept;

  // For when RocksDB gives no log, because it asks for a reader. Writes a complaint that is not
  // empty to stderr, once for this object. Never throws.
  void ComplainOnce(const char* name, const PolicyOptions& options,
                    const std::string& complaint) noexcept;

 private:
  // Writes `said` if `text`, by which it is recognized, is due.
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
