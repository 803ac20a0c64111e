#include "tools/winnow/cli/progress_line.h"

#include <absl/strings/str_format.h>
#include <unistd.h>

#include <cstdio>

namespace winnow::tools {

ProgressLine::ProgressLine() : on_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::Show(const std::string& line) {
  constexpr std::chrono::milliseconds kBetween(100);
  if (!shown_ || std::chrono::steady_clock::now() - *shown_ >= kBetween) {
    ShowNow(line);
  }
}

void ProgressLine::ShowNow(const std::string& line) {
  if (!on_terminal_) {
    return;
  }
  absl::FPrintF(stderr, "\r\033[K%s", line);
  std::fflush(stderr);
  shown_ = std::chrono::steady_clock::now();
}

void ProgressLine::Clear() {
  if (shown_) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    shown_.reset();
  }
}

}  // namespace winnow::tools
