// Threads that use an open database until each has done its operations.

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

  // Runs a thread for each part but the last. The last part is written before, and then read by
  // another thread that writes nothing. Returns the first difference found, which stops all
  // threads.
  std::optional<Finding> Run(const std::vector<std::unique_ptr<Part>>& parts);

 private:
  void Fill(Part* stable);
  void Work(Part* part, uint64_t seed);
  void ReadOnly(const std::vector<std::unique_ptr<Part>>& parts, uint64_t seed);
  template <typename Do>
  void UntilDifference(Do work);
  void GoWrong(Part* part);  // if a fault of the test itself is planted
  void OneOperation(Part* part, class Snapshots* snapshots, Random* random);

  Database* const database_;
  const LifePlan& plan_;
  Counts* const counts_;
  const uint64_t seed_;
  uint64_t operations_;
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> working_{0};
  std::mutex mutex_;  // guards the members below
  std::optional<Finding> finding_;
};

// Throws a difference if Watch has seen a wrong answer.
void ThrowIfWatchedReaderWasWrong();

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SESSION_H_
