#include "src/inspect/advice_work.h"

#include <absl/strings/str_cat.h>

#include <chrono>

namespace winnow::inspect {

void DoAdviceWork(const AdviceWork& work, int jobs, const AdviceProgress& progress) {
  constexpr std::chrono::seconds kLongestSilence(900);
  size_t done = 0;
  PooledWork pooled;
  pooled.work = work.work;
  pooled.on_answer = [&](size_t piece, const ChildAnswer& answer) {
    if (!answer.text) {
      work.error_of(piece) =
          absl::StrCat("the process that read the file did not get through: ", answer.problem);
    } else if (!work.take(piece, *answer.text)) {
      work.error_of(piece) = "the answer of the process that read the file is not whole";
    }
    progress(work.step, ++done, work.pieces);
  };
  pooled.workers = jobs;
  pooled.longest_silence = kLongestSilence;
  progress(work.step, 0, work.pieces);
  RunInWorkers(work.pieces, pooled);
}

std::function<void(uint64_t, double)> Beat(const WorkerReport& report) {
  return [&report](uint64_t, double) { report(""); };
}

}  // namespace winnow::inspect
