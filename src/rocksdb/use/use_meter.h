// Counters of filter checks and answers of policies, by column family and by the level that a
// filter states (winnow/rocksdb_filter_use.h is for users).

#ifndef WINNOW_SRC_ROCKSDB_USE_USE_METER_H_
#define WINNOW_SRC_ROCKSDB_USE_USE_METER_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/family/family_name.h"
#include "src/rocksdb/use/use_cell.h"

namespace winnow::plugin {

// Counters of one policy, column family and level.
struct UseRow {
  std::string policy;               // as an options string, when the filters were read
  std::set<std::string> databases;  // known folders
  std::set<std::string> families;   // the family; if unknown, all known ones of the policy
  int level = -1;                   // level that the filters state; -1 if none
  double seconds = 0;               // since the policy or its first predecessor was made
  UseSums sums;
};

// Counters of the filters that were read while the policy had one name. Thread-safe.
class NamedUse {
 public:
  explicit NamedUse(std::string policy) : policy_(std::move(policy)) {}
  ~NamedUse();
  NamedUse(const NamedUse&) = delete;
  NamedUse& operator=(const NamedUse&) = delete;

  const std::string& policy() const noexcept { return policy_; }

  // Returns the cell of filters of this family, null if unknown, that state this level, with a
  // reference for a reader, which must give it back. Null if out of memory.
  UseCell* Keep(int level, std::shared_ptr<family::FamilyName> family = nullptr) noexcept;

  // Returns whether any of the filters is in memory.
  bool has_filters() const noexcept;

  // Returns the sums by level and, if `by_family`, by family; the name is empty if unknown. May
  // throw std::bad_alloc.
  using Sums = std::map<std::pair<std::string, int>, UseSums>;
  Sums Read(bool by_family) const;

 private:
  // Maximum level that a filter can state.
  static constexpr int kMaxLevel = 127;
  using Cells = std::map<std::pair<std::shared_ptr<family::FamilyName>, int>, UseCell*>;

  void SumUpEnded();

  const std::string policy_;
  mutable std::mutex mutex_;  // guards the following members
  Cells cells_;
  Sums ended_;          // sums of cells whose trees are forgotten
  size_t sum_at_ = 64;  // number of cells at which those are looked for
};

// Meter of one policy and its predecessors (SetOptions may replace a policy), each of which has a
// name of its own. Thread-safe. Functions do not throw unless they say so; if out of memory, names
// of families or databases are missing.
class UseMeter {
 public:
  using Clock = std::chrono::steady_clock;

  // Maximum number of names whose counters stay without a filter in memory.
  static constexpr size_t kMostNames = 64;

  UseMeter();
  ~UseMeter();
  UseMeter(const UseMeter&) = delete;
  UseMeter& operator=(const UseMeter&) = delete;

  // Returns the counters of the policy with this name, which is an options string. May throw
  // std::bad_alloc.
  std::shared_ptr<NamedUse> Named(const std::string& policy);

  // Records that a database is opened, or files are, with the policy.
  void NoteDatabase() noexcept { is_in_database_ = true; }

  // ---- Column families that use the policy. `log` identifies the database that has this log.

  // Records that RocksDB asks for a builder of this family's filters.
  void NoteFamily(const void* log, const std::string& family) noexcept;
  // Records an open database. `database` identifies it in Closed(). `folder` is empty if unknown.
  void Opened(const void* database, const std::string& folder, const void* log) noexcept;
  // Forgets the database's log. Its folder and its families stay, as their counters do.
  void Closed(const void* database) noexcept;

  // Returns the rows of all policies of the process, without those that have no filters and no
  // checks. If `log` is not null, only policies with a family in the database of this log count.
  // May throw std::bad_alloc.
  static std::vector<UseRow> ReadAll(const void* log = nullptr);

  // Returns the rows for metrics, whose series end with their policy, over all of its families:
  // also those without filters and checks, and a row of level -1 for a policy of a database that
  // had no filters yet. May throw std::bad_alloc.
  static std::vector<UseRow> ReadWithIdle();

 private:
  bool IsOf(const void* log) const;
  void Read(bool with_idle, std::vector<UseRow>* rows) const;

  const Clock::time_point made_ = Clock::now();
  std::atomic<bool> is_in_database_{false};

  mutable std::mutex mutex_;                      // guards the following members
  std::vector<std::shared_ptr<NamedUse>> named_;  // the last one asked for comes last
  std::set<std::string> families_;
  std::set<std::string> folders_;
  std::set<const void*> logs_;                    // logs of databases with a family of this policy
  std::map<const void*, const void*> databases_;  // open databases, with their logs
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_USE_USE_METER_H_
