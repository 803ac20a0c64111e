// Work on files in worker processes, with progress.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORK_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORK_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/workers/wire.h"
#include "src/workers/worker_pool.h"
#include "tools/winnow/advise/advice.h"

namespace winnow::inspect {

struct AdviceWork {
  std::string step;           // name of the step in the progress
  std::vector<double> sizes;  // size of each file's work, for the progress
  int jobs = 1;
  const AdviceProgress& progress;
};

// Implementation of DoAdviceWork() for serialized answers.
void DoPackedWork(const AdviceWork& files,
                  const std::function<std::string(size_t file, const WorkerReport&)>& work,
                  const std::function<void(size_t file, const ChildAnswer& answer)>& take);

// Calls work(file, beat) for each file in a worker process, and take(file, answer) with its answer
// in this process. The answer has a type for src/workers/wire.h and a member `error`, a sentence
// that is set if it did not arrive. beat(share) reports the share of the work that is done, so that
// long work does not hit the timeout of hung workers. Returns when all work is done. The limits on
// threads are those of RunInWorkers().
template <typename Work, typename Take>
void DoAdviceWork(const AdviceWork& files, const Work& work, const Take& take) {
  using Beat = std::function<void(double)>;
  using Answer = std::invoke_result_t<Work, size_t, const Beat&>;
  DoPackedWork(
      files,
      [&](size_t file, const WorkerReport& report) {
        return Pack(work(file, Beat([&report](double share) { report(Pack(share)); })));
      },
      [&](size_t file, const ChildAnswer& packed) {
        std::string problem;
        std::optional<Answer> answer = Unpack<Answer>(packed, &problem);
        if (!answer) answer.emplace().error = LostFile(problem);
        take(file, std::move(*answer));
      });
}

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORK_H_
