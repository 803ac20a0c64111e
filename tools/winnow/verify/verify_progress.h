// Progress line of `winnow verify`.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_PROGRESS_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace winnow::tools {

// Estimates the progress: "3 of 12 files, 41 %, 3.1 M keys/s, 12 s left". Not thread-safe.
class VerifyProgress {
 public:
  using Clock = std::chrono::steady_clock;

  // `file_bytes` are the sizes of the files, by which the remaining work is estimated.
  VerifyProgress(std::vector<uint64_t> file_bytes, Clock::time_point start);

  void File(size_t file, uint64_t keys, double share);
  void Done(size_t file, uint64_t keys);

  // Returns the line, without the remaining time until some work is done.
  std::string Line(Clock::time_point now) const;

 private:
  struct State {
    uint64_t bytes = 0;
    uint64_t keys = 0;
    double share = 0;  // 0 to 1
    bool done = false;
  };
  std::vector<State> files_;
  Clock::time_point start_;
};

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_PROGRESS_H_
