#include "tools/winnow/advise/advice_work.h"

#include <absl/algorithm/container.h>

#include <algorithm>
#include <string_view>

namespace winnow::inspect {

void DoPackedWork(const AdviceWork& files,
                  const std::function<std::string(size_t file, const WorkerReport&)>& work,
                  const std::function<void(size_t file, const ChildAnswer& answer)>& take) {
  size_t answered = 0;
  double done = 0;
  std::vector<double> shares(files.sizes.size());
  const double all = absl::c_accumulate(files.sizes, 0.0);
  const auto tell = [&](size_t file, double share) {
    done += (share - shares[file]) * files.sizes[file];
    shares[file] = share;
    files.progress(
        {files.step, answered, files.sizes.size(), all > 0 ? std::clamp(done / all, 0.0, 1.0) : 1});
  };
  PooledWork pooled;
  pooled.work = work;
  pooled.on_report = [&](size_t file, std::string_view report) {
    if (const std::optional<double> share = Unpack<double>(report)) tell(file, *share);
  };
  pooled.on_answer = [&](size_t file, const ChildAnswer& answer) {
    take(file, answer);
    ++answered;
    tell(file, 1);
  };
  pooled.workers = files.jobs;
  pooled.longest_silence = kLongestSilence;
  files.progress({files.step, 0, files.sizes.size(), 0});
  RunInWorkers(files.sizes.size(), pooled);
}

}  // namespace winnow::inspect
