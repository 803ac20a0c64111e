// Threads that use an open database until each has done its share.

#ifndef WINNOW_TESTS_STRESS_SESSION_H_
#define WINNOW_TESTS_STRESS_SESSION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tests/stress/blame/blame.h"
#include "tests/stress/counts.h"
#include "tests/stress/database.h"
#include "tests/stress/life.h"
#include "tests/stress/part.h"

namespace winnow::stress {

class Session {
 public:
  Session(Database* database, const LifePlan& plan, Counts* counts, uint64_t seed);

  // A thread for each part but the last, which is written before the threads begin, and then read
  // by one that writes nothing. What the first of them found that differs; the others then stop.
  std::optional<Finding> Run(const std::vector<std::unique_ptr<Part>>& parts);

 private:
  void Fill(Part* stable);
  void Work(Part* part, uint64_t seed);
  void ReadOnly(const std::vector<std::unique_ptr<Part>>& parts, uint64_t seed);
  template <typename Do>
  void UntilDifference(Do work);
  void GoWrong(Part* part);  // if a fault of the harness's own is planted
  void OneOperation(Part* part, class Snapshots* snapshots, Random* random);

  Database* const database_;
  const LifePlan& plan_;
  Counts* const counts_;
  const uint64_t seed_;
  uint64_t operations_;
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> working_{0};
  std::mutex mutex_;  // of what follows
  std::optional<Finding> finding_;
};

// As a difference, if there is one in Watch.
void ThrowIfWatchedReaderWasWrong();

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SESSION_H_
