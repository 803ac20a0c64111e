// Counters of operations and checks, in shared memory, so that they survive a kill of this process.

#ifndef WINNOW_TESTS_STRESS_COUNTS_H_
#define WINNOW_TESTS_STRESS_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace winnow::stress {

enum class Count : size_t {
  kOperations,     // reads, writes and other operations on a database
  kAnswers,        // compared with the model: keys, and entries of iterators
  kLookups,        // keys checked in Winnow filters
  kHashesShared,   // lookups that needed no hash
  kSampled,        // lookups sampled for level plans
  kWatched,        // Winnow readers' answers compared with the filter and a new hash
  kBySingle,       // of these, lookups of keys in range filters (range_kind=single)
  kBloomFilters,   // built by Winnow
  kRibbonFilters,  // built by Winnow
  kLearned,        // filters whose rate follows from sampled lookups
  kReopenings,     // reopenings of databases, with other options
  kRecoveries,     // reopenings after a kill
  kHappened,       // writes in doubt after a kill that had happened
  kDidNotHappen,   // writes in doubt after a kill that had not happened
  kFlushes,        // explicit flushes; RocksDB's own are not counted
  kCompactions,    // explicit compactions
  kPolicyChanges,  // changes by SetOptions
  kExtractorChanges,
  kIngestions,
  kTransactions,
  kSnapshots,
  kMerges,
  kRangeDeletions,
  kVersions,  // writes with a timestamp
  kPrefixSeeks,
  kRangeSeeks,      // forward to a bound, with the range extractor
  kRangesAsked,     // lookups in range filters
  kRangesDenied,    // lookups in range filters that found no key
  kFalseNegatives,  // differences caused by a Winnow filter
  kEnd
};
inline constexpr size_t kCounts = static_cast<size_t>(Count::kEnd);

// Returns the count's name in summaries: words with underscores.
const char* Name(Count count);

using Sums = std::array<uint64_t, kCounts>;

// Counters in a file that is mapped by each process that opens it.
class Counts {
 public:
  // Throws std::runtime_error if the file can't be created or mapped.
  explicit Counts(const std::string& path);
  ~Counts();
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;

  void Add(Count count, uint64_t n = 1) { At(count).fetch_add(n, std::memory_order_relaxed); }
  void Set(Count count, uint64_t n) { At(count).store(n, std::memory_order_relaxed); }
  uint64_t Get(Count count) const { return At(count).load(std::memory_order_relaxed); }
  Sums Take() const;
  void Clear();

  // Sets the counts that the plugin keeps for this process.
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
