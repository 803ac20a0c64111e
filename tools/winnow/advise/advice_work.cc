#include "tools/winnow/advise/advice_work.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string_view>
#include <vector>

namespace winnow::inspect {

namespace {

// How much of some pieces is done.
class Shares {
 public:
  explicit Shares(const AdviceWork& work)
      : sizes_(work.sizes.empty() ? std::vector<double>(work.pieces, 1) : work.sizes),
        shares_(work.pieces),
        all_(std::accumulate(sizes_.begin(), sizes_.end(), 0.0)) {}

  void Set(size_t piece, double share) {
    done_ += (share - shares_[piece]) * sizes_[piece];
    shares_[piece] = share;
  }

  double OfAll() const { return all_ > 0 ? std::clamp(done_ / all_, 0.0, 1.0) : 1; }

 private:
  const std::vector<double> sizes_;
  std::vector<double> shares_;
  const double all_;
  double done_ = 0;
};

}  // namespace

void DoAdviceWork(const AdviceWork& work, int jobs, const AdviceProgress& progress) {
  size_t done = 0;
  Shares shares(work);
  PooledWork pooled;
  pooled.work = work.work;
  pooled.on_report = [&](size_t piece, std::string_view report) {
    double share = 0;
    if (absl::SimpleAtod({report.data(), report.size()}, &share)) {
      shares.Set(piece, share);
      progress({work.step, done, work.pieces, shares.OfAll()});
    }
  };
  pooled.on_answer = [&](size_t piece, const ChildAnswer& answer) {
    if (!answer.text) {
      work.error_of(piece) =
          absl::StrCat("the process that read the file did not get through: ", answer.problem);
    } else if (!work.take(piece, *answer.text)) {
      work.error_of(piece) = "the answer of the process that read the file is not whole";
    }
    shares.Set(piece, 1);
    progress({work.step, ++done, work.pieces, shares.OfAll()});
  };
  pooled.workers = jobs;
  pooled.longest_silence = kLongestSilence;
  progress({work.step, 0, work.pieces, 0});
  RunInWorkers(work.pieces, pooled);
}

std::function<void(uint64_t, double)> Beat(const WorkerReport& report) {
  return [&report](uint64_t, double share) { report(absl::StrCat(share)); };
}

}  // namespace winnow::inspect
