// Shortened keys for another process, without the runs of bytes that groups of keys share. Only the
// length and a hash of each run are sent. So keys that begin with tenants' names stay short and
// distinct, and nobody can read the names.
//
// Short keys, those without runs, have the order of the keys. If a key differs within a run, its
// position is unknown, as a hash has no order.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_SHARED_RUNS_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_SHARED_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::plugin {

// Returns the length of the common prefix.
inline size_t CommonBytes(std::string_view one, std::string_view other) noexcept {
  const auto most = static_cast<ptrdiff_t>(std::min(one.size(), other.size()));
  return static_cast<size_t>(std::mismatch(one.begin(), one.begin() + most, other.begin()).first -
                             one.begin());
}

// Shared runs of a set of keys. Immutable, and so thread-safe.
class SharedRuns {
 public:
  struct Run {
    std::string before;  // short key before the run
    uint64_t bytes = 0;
    uint64_t hash = 0;  // hash of the run's bytes, by HashKey
  };

  // Minimum length of a run: a hash of fewer bytes would hide nothing.
  static constexpr size_t kMinBytes = 8;
  // Minimum number of keys that share a run, unless all keys begin with it. If only two keys share
  // many bytes, such as the last key of a file and the first key of the next one, other keys are
  // around them.
  static constexpr size_t kMinKeys = 3;
  // Maximum length of short keys, which are truncated.
  static constexpr size_t kMaxKeyBytes = 48;

  // `runs` may be in any order. Each place has at most one run.
  explicit SharedRuns(std::vector<Run> runs);

  // Returns the runs of `keys`, which are distinct and sorted. *shortened gets each key without its
  // runs.
  static SharedRuns Of(const std::vector<std::string_view>& keys,
                       std::vector<std::string>* shortened);

  const std::vector<Run>& runs() const noexcept { return runs_; }

  static constexpr size_t kUnknown = std::numeric_limits<size_t>::max();
  // Writes the key without its runs to `shortened`, and returns its size, or kUnknown for a key
  // that differs within a run.
  size_t Shorten(std::string_view key, char (&shortened)[kMaxKeyBytes]) const noexcept;

 private:
  std::vector<Run> runs_;  // sorted by `before`
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_SHARED_RUNS_H_
