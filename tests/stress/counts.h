// Counters of what was done and checked, in memory that another process sees too, so that they are
// known when this one is killed.

#ifndef WINNOW_TESTS_STRESS_COUNTS_H_
#define WINNOW_TESTS_STRESS_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace winnow::stress {

enum class Count : size_t {
  kOperations,     // reads, writes and what else was asked of a database
  kAnswers,        // compared with the model: keys, and entries of iterators
  kLookups,        // keys asked of Winnow filters
  kHashesShared,   // of these, those that needed no hash
  kSampled,        // lookups of trees whose plan learns from them
  kWatched,        // answers of Winnow's readers compared with the filter and a fresh hash
  kBloomFilters,   // built by Winnow
  kRibbonFilters,  // built by Winnow
  kLearned,        // filters whose rate follows from sampled lookups
  kReopenings,     // of databases, with other options
  kRecoveries,     // of these, after a kill
  kHappened,       // writes in doubt after a kill that had happened
  kDidNotHappen,   // and those that had not
  kFlushes,        // asked for; RocksDB does more by itself
  kCompactions,    // the same
  kPolicyChanges,  // by SetOptions
  kExtractorChanges,
  kIngestions,
  kTransactions,
  kSnapshots,
  kMerges,
  kRangeDeletions,
  kVersions,  // writes with a timestamp
  kPrefixSeeks,
  kRangeSeeks,      // forward from a key to a bound, where ranges are what filters are about
  kRangesAsked,     // of range filters
  kRangesDenied,    // of these, the answers that there is no key
  kFalseNegatives,  // differences that a filter of Winnow's caused
  kEnd
};
inline constexpr size_t kCounts = static_cast<size_t>(Count::kEnd);

// The name in summaries: words with underscores.
const char* Name(Count count);

using Sums = std::array<uint64_t, kCounts>;

// In a file that is mapped into each process that opens it.
class Counts {
 public:
  // Throws std::runtime_error if the file can't be made or mapped.
  explicit Counts(const std::string& path);
  ~Counts();
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;

  void Add(Count count, uint64_t n = 1) { At(count).fetch_add(n, std::memory_order_relaxed); }
  void Set(Count count, uint64_t n) { At(count).store(n, std::memory_order_relaxed); }
  uint64_t Get(Count count) const { return At(count).load(std::memory_order_relaxed); }
  Sums Take() const;
  void Clear();

  // Sets the counts that the plugin has of this process.
  void SetFromPlugin();

 private:
  struct Memory {
    std::atomic<uint64_t> counts[kCounts];
  };
  std::atomic<uint64_t>& At(Count count) const {
    return memory_->counts[static_cast<size_t>(count)];
  }

  Memory* memory_;
};

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_COUNTS_H_
