// A line on a terminal that says how far a verb is.

#ifndef WINNOW_TOOLS_WINNOW_CLI_PROGRESS_LINE_H_
#define WINNOW_TOOLS_WINNOW_CLI_PROGRESS_LINE_H_

#include <chrono>
#include <optional>
#include <string>

namespace winnow::tools {

// On stderr, if that is a terminal; else it does nothing. Whoever interrupts the program sees it go
// as well (interruption.h).
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // In place of the line before, at most some times a second: what comes sooner is not shown.
  void Show(const std::string& line);

  // As soon as it comes: what a long silence may follow.
  void ShowNow(const std::string& line);

  void Clear();

 private:
  const bool on_terminal_;
  std::optional<std::chrono::steady_clock::time_point> shown_;  // unset: there is no line
};

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_PROGRESS_LINE_H_
