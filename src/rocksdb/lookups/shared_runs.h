// Keys for another process, without the runs of bytes that groups of them share. Of such a run only
// the length and a hash are told. So keys that begin with tenants' names need few bytes to be told
// apart, and nobody reads the names.
//
// Short keys, those without runs, have the same order as the keys. If a key leaves a run half-way,
// its place is unknown, as a hash has no order.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_RUNS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::plugin {

// The number of bytes that both begin with.
inline size_t CommonBytes(std::string_view one, std::string_view other) noexcept {
  const auto most = static_cast<ptrdiff_t>(std::min(one.size(), other.size()));
  return static_cast<size_t>(std::mismatch(one.begin(), one.begin() + most, other.begin()).first -
                             one.begin());
}

// Never changes: safe from any number of threads.
class SharedRuns {
 public:
  struct Run {
    std::string before;  // the short key up to here
    uint64_t bytes = 0;
    uint64_t hash = 0;  // of these bytes, by HashKey
  };

  // Shorter runs stay in the keys: a hash of so few bytes would hide nothing.
  static constexpr size_t kMinBytes = 8;
  // A run that fewer keys share stays in them, unless all keys begin with it. If just two keys
  // share much, as the last key of a file and the first key of the next, other keys lie around
  // them.
  static constexpr size_t kMinKeys = 3;
  // Short keys are cut.
  static constexpr size_t kMaxKeyBytes = 48;

  // Runs in any order. Each place has at most one run.
  explicit SharedRuns(std::vector<Run> runs);

  // The runs of `keys`, which are different, increasing, and without `prefix`. *shortened gets each
  // key without its runs.
  static SharedRuns Of(std::string_view prefix, const std::vector<std::string_view>& keys,
                       std::vector<std::string>* shortened);

  const std::vector<Run>& runs() const noexcept { return runs_; }

  static constexpr size_t kUnknown = std::numeric_limits<size_t>::max();
  // Writes the key without runs to `shortened`, and returns its size; kUnknown for a key that
  // leaves a run half-way.
  size_t Shorten(std::string_view key, char (&shortened)[kMaxKeyBytes]) const noexcept;

 private:
  std::vector<Run> runs_;  // by `before`
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_RUNS_H_
