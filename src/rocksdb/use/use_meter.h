// Counts what a policy's filters are asked, and what they answer, by the level that a filter states
// (winnow/rocksdb_filter_use.h is for users).

#ifndef WINNOW_SRC_ROCKSDB_USE_USE_METER_H_
#define WINNOW_SRC_ROCKSDB_USE_USE_METER_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "src/rocksdb/use/use_cell.h"

namespace winnow::plugin {

// One policy and one level.
struct UseRow {
  std::string policy;               // in an options string's words
  std::set<std::string> databases;  // folders, as far as they are known
  std::set<std::string> families;   // the same
  int level = -1;                   // that the filters state; -1: none
  double seconds = 0;               // since the policy, or the one before it, was made
  UseSums sums;
};

// For one policy and its predecessors (SetOptions may replace a policy). Safe from any number of
// threads. Throws nothing unless said otherwise; if memory is short, it knows less.
class UseMeter {
 public:
  using Clock = std::chrono::steady_clock;

  UseMeter();
  ~UseMeter();
  UseMeter(const UseMeter&) = delete;
  UseMeter& operator=(const UseMeter&) = delete;

  // The cell of a filter that states this level, kept for a reader: it is to be given back. Null if
  // memory is short.
  UseCell* Keep(int level) noexcept;

  // The policy, in an options string's words.
  void SetPolicy(std::string text) noexcept;

  // ---- What is known of column families. `log` is a name for the database that has this log.

  // RocksDB asks for a builder of this family's filters.
  void NoteFamily(const void* log, const std::string& family) noexcept;
  // A database is open: a listener of the policy tells. `database` is a name for it.
  void Opened(const void* database, const std::string& folder, const void* log) noexcept;
  // Its log is gone. Its folder and its families stay, as their figures do.
  void Closed(const void* database) noexcept;

  // Returns the rows of all policies of the process, those without any filter or ask left out.
  // `log`: of those alone that have a family in the database that has this log; null: of all. May
  // throw std::bad_alloc.
  static std::vector<UseRow> ReadAll(const void* log = nullptr);

 private:
  // Levels from -1 on: as many as a filter can state.
  static constexpr size_t kLevels = 129;

  bool IsOf(const void* log) const;
  void Read(std::vector<UseRow>* rows) const;

  std::array<std::atomic<UseCell*>, kLevels> cells_ = {};
  const Clock::time_point made_ = Clock::now();

  mutable std::mutex mutex_;  // for all that follows
  std::string policy_;
  std::set<std::string> families_;
  std::set<std::string> folders_;
  std::set<const void*> logs_;                    // of databases with a family of this policy
  std::map<const void*, const void*> databases_;  // open ones, with their logs

  // All meters, in a list.
  UseMeter* next_ = nullptr;
  UseMeter* previous_ = nullptr;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_USE_USE_METER_H_
