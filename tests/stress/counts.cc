#include "tests/stress/counts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/trees/filter_file_map.h"

namespace winnow::stress {

const char* Name(Count count) {
  static constexpr const char* kNames[] = {"operations",
                                           "answers_compared",
                                           "lookups_in_winnow_filters",
                                           "hashes_shared",
                                           "lookups_sampled",
                                           "answers_of_filters_watched",
                                           "keys_asked_by_single",
                                           "bloom_filters_built",
                                           "ribbon_filters_built",
                                           "filters_with_learned_rates",
                                           "reopenings",
                                           "recoveries",
                                           "in_doubt_happened",
                                           "in_doubt_did_not_happen",
                                           "flushes",
                                           "compactions",
                                           "policy_changes",
                                           "extractor_changes",
                                           "ingestions",
                                           "transactions",
                                           "snapshots",
                                           "merges",
                                           "range_deletions",
                                           "writes_with_timestamps",
                                           "prefix_seeks",
                                           "range_seeks",
                                           "ranges_asked",
                                           "ranges_denied",
                                           "false_negatives"};
  static_assert(std::size(kNames) == kCounts);
  return kNames[static_cast<size_t>(count)];
}

Counts::Counts(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  void* memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, sizeof(Memory)) == 0) {
    memory = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  const std::string reason = std::strerror(errno);
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) throw std::runtime_error("can't map " + path + ": " + reason);
  memory_ = static_cast<Memory*>(memory);
}

Counts::~Counts() { munmap(memory_, sizeof(Memory)); }

Sums Counts::Take() const {
  Sums sums{};
  for (size_t i = 0; i < kCounts; ++i) sums[i] = Get(static_cast<Count>(i));
  return sums;
}

void Counts::Clear() {
  for (size_t i = 0; i < kCounts; ++i) Set(static_cast<Count>(i), 0);
}

void Counts::SetFromPlugin() {
  const plugin::Counters counters = plugin::CurrentCounters();
  Set(Count::kLookups, counters.lookups);
  Set(Count::kHashesShared, counters.hashes_shared);
  Set(Count::kBloomFilters, counters.bloom_filters);
  Set(Count::kRibbonFilters, counters.ribbon_filters);
  Set(Count::kRangesAsked, counters.ranges_asked);
  Set(Count::kRangesDenied, counters.ranges_denied);
  Set(Count::kSampled, plugin::CurrentSampledLookups());
  Set(Count::kLearned, plugin::CurrentLearnedFilters());
}

}  // namespace winnow::stress
