// One line on a terminal that says how far several jobs are.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRESS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace winnow::bench {

// Draws on stderr if that is a terminal, and else does nothing. Safe from several threads.
class Progress {
 public:
  Progress();
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The job is at `done` of `total`; at the end it leaves the line.
  void Set(const std::string& job, uint64_t done, uint64_t total);

 private:
  void Draw();

  const bool enabled_;
  std::mutex mutex_;
  std::map<std::string, int> percents_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRESS_H_
