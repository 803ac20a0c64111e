// Keys without the bytes that groups of them share, as they go to another process: what is told of
// such a run of bytes is its length and its hash. So keys of which each begins with a tenant's name
// are told apart by few bytes, and nobody reads the name.
//
// Short keys are in the order that the keys have. Of a key that leaves a run half-way nobody knows
// where it lies, as a hash has no order.

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

// That the two begin with.
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

  // Fewer bytes stay: a hash would hide nothing.
  static constexpr size_t kMinBytes = 8;
  // Of fewer keys a run is not left out, but for what all of them begin with: where just two share
  // much, as the last key of a file and the first one of the next, others lie around them.
  static constexpr size_t kMinKeys = 3;
  // Short keys are cut.
  static constexpr size_t kMaxKeyBytes = 48;

  // In any order; of one place there is one run.
  explicit SharedRuns(std::vector<Run> runs);

  // Of `keys`, which are different, increasing and come behind `prefix`. *shortened: each of them,
  // without the runs.
  static SharedRuns Of(std::string_view prefix, const std::vector<std::string_view>& keys,
                       std::vector<std::string>* shortened);

  const std::vector<Run>& runs() const noexcept { return runs_; }

  static constexpr size_t kUnknown = std::numeric_limits<size_t>::max();
  // The bytes of the key without runs, which go to `shortened`; kUnknown for a key that leaves one
  // half-way.
  size_t Shorten(std::string_view key, char (&shortened)[kMaxKeyBytes]) const noexcept;

 private:
  std::vector<Run> runs_;  // by `before`
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_RUNS_H_
