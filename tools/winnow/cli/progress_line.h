// A progress line on the terminal.

#ifndef WINNOW_TOOLS_WINNOW_CLI_PROGRESS_LINE_H_
#define WINNOW_TOOLS_WINNOW_CLI_PROGRESS_LINE_H_

#include <chrono>
#include <optional>
#include <string>

namespace winnow::tools {

// Progress line on stderr; does nothing if stderr is no terminal. The signal handler clears it, too
// (interruption.h).
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces the line. Calls within 100 ms after the last update are ignored.
  void Show(const std::string& line);

  // Replaces the line at once: for a step that may take long.
  void ShowNow(const std::string& line);

  void Clear();

 private:
  const bool on_terminal_;
  // Time of the last update; unset if no line is shown.
  std::optional<std::chrono::steady_clock::time_point> shown_;
};

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_PROGRESS_LINE_H_
