// What advice has worker processes do with one file after the other.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORK_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/workers/worker_pool.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

struct AdviceWork {
  std::string step;  // for the progress
  size_t pieces = 0;
  std::vector<double> sizes;  // of the pieces, to judge the progress by; empty: all alike

  // In a worker; what it returns is the answer.
  std::function<std::string(size_t piece, const WorkerReport&)> work;

  // In this process. False for an answer that is not whole.
  std::function<bool(size_t piece, const std::string& answer)> take;

  // Where it is said that a piece has no answer that is whole.
  std::function<std::string&(size_t piece)> error_of;
};

// Returns when all pieces are answered. What RunInWorkers says of threads holds.
void DoAdviceWork(const AdviceWork& work, int jobs, const AdviceProgress& progress);

// A sign of life with the share of the piece that is done, so that a long file is not taken for a
// worker that hangs. `report` must outlive it.
std::function<void(uint64_t, double)> Beat(const WorkerReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORK_H_
