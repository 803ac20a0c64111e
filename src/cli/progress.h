// Progress on stderr.

#ifndef WINNOW_SRC_CLI_PROGRESS_H_
#define WINNOW_SRC_CLI_PROGRESS_H_

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace winnow::cli {

// Returns the width of a terminal in columns; 0 if it is unknown, or the file is none.
size_t TerminalWidth(std::FILE* file);

// A line that is redrawn on a terminal, which the signal handler clears, too (interruption.h).
// Elsewhere, as in a log, a program that has a name writes a line at intervals, the first one after
// one interval, so that short jobs write nothing. Thread-safe.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  // Lines of a log begin with the name; without one there are none. Tests give the rest, with a
  // simulated clock. `out` is not owned.
  explicit ProgressLine(std::string program = "", std::FILE* out = stderr,
                        bool on_terminal = isatty(STDERR_FILENO) == 1,
                        std::function<Clock::time_point()> now = Clock::now);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces the line, unless the last update was a moment ago.
  void Show(const std::string& line);

  // Replaces the line at once: for a step that may take long.
  void ShowNow(const std::string& line);

  // Sets the progress of a job to `done` of `total`; a finished job is removed from the line, which
  // is "growing 34 % | counting 7 %".
  void Set(const std::string& job, uint64_t done, uint64_t total);

  // Erases the line on a terminal.
  void Clear();

 private:
  void Draw(const std::string& line);
  bool IsDue() const;

  const std::string program_;
  std::FILE* const out_;
  const bool on_terminal_;
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::map<std::string, int> percents_;     // by job
  std::optional<Clock::time_point> drawn_;  // unset: no line is shown, the next one is due
};

}  // namespace winnow::cli

#endif  // WINNOW_SRC_CLI_PROGRESS_H_
