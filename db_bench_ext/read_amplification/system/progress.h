// Progress of several jobs on one line.

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

// Returns, for example, "growing 34 % | counting 7 %", truncated to `width` bytes; 0: not
// truncated.
std::string ProgressLine(const std::map<std::string, int>& percents, size_t width);

// Displays progress. On a terminal, the line is redrawn; elsewhere, as in a log, a line is written
// at intervals, the first one after one interval, so that short jobs write nothing. Thread-safe.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // Writes to stderr; lines of a log begin with the program's name.
  explicit Progress(std::string program);
  // Constructor for tests, with a simulated clock. `out` is not owned.
  Progress(std::string program, std::FILE* out, bool terminal, std::chrono::milliseconds every,
           std::function<Clock::time_point()> now);
  ~Progress();  // erases the line on a terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets the progress of a job to `done` of `total`; a finished job is removed from the line.
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
  std::optional<Clock::time_point> drawn_;  // unset: nothing drawn yet, the next line is due
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_PROGRESS_H_
