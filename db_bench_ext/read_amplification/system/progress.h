// How far several jobs are, on one line.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_PROGRESS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace winnow::bench {

// "growing 34 % | counting 7 %", cut to `width` bytes; 0: not cut.
std::string ProgressLine(const std::map<std::string, int>& percents, size_t width);

// On a terminal the line is drawn again and again; elsewhere, as in a log, a line is written now
// and then, the first one only when that time has passed: what is over soon says nothing. Safe from
// several threads.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // Writes to stderr, a log's lines behind the program's name.
  explicit Progress(std::string program);
  // For tests, which set the time. `out` is not owned.
  Progress(std::string program, std::FILE* out, bool terminal, std::chrono::milliseconds every,
           std::function<Clock::time_point()> now);
  ~Progress();  // wipes the line of a terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The job is at `done` of `total`; at the end it leaves the line.
  void Set(const std::string& job, uint64_t done, uint64_t total);

 private:
  void Draw();

  const std::string program_;
  std::FILE* const out_;
  const bool terminal_;
  const std::chrono::milliseconds every_;
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::map<std::string, int> percents_;
  std::optional<Clock::time_point> drawn_;  // unset: never, so that the next line is due
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_PROGRESS_H_
