#include "src/cli/progress.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "src/text/printable.h"

namespace winnow::cli {
namespace {

constexpr char kWipe[] = "\r\033[K";

// Returns the greatest width of a line: one that wraps could not be erased.
size_t LineWidth(std::FILE* terminal) {
  constexpr size_t kMost = 79;
  const size_t columns = TerminalWidth(terminal);
  return columns > 1 ? std::min(kMost, columns - 1) : kMost;
}

}  // namespace

size_t TerminalWidth(std::FILE* file) {
  winsize size = {};
  return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

ProgressLine::ProgressLine(std::string program, std::FILE* out, bool on_terminal,
                           std::function<Clock::time_point()> now)
    : program_(std::move(program)), out_(out), on_terminal_(on_terminal), now_(std::move(now)) {
  if (!on_terminal) drawn_ = now_();
}

bool ProgressLine::IsDue() const {
  const std::chrono::milliseconds every(on_terminal_ ? 100 : 10'000);
  return !drawn_ || now_() - *drawn_ >= every;
}

void ProgressLine::Show(const std::string& line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (IsDue()) Draw(line);
}

void ProgressLine::ShowNow(const std::string& line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (on_terminal_) Draw(line);
}

void ProgressLine::Set(const std::string& job, uint64_t done, uint64_t total) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (done < total) {
    percents_[job] =
        static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
  } else {
    percents_.erase(job);
  }
  if (!IsDue()) return;
  std::string line;
  for (const auto& [name, percent] : percents_) {
    absl::StrAppend(&line, line.empty() ? "" : " | ", name, " ", percent, " %");
  }
  Draw(line);
}

void ProgressLine::Draw(const std::string& line) {
  drawn_ = now_();
  if (on_terminal_) {
    absl::FPrintF(out_, "%s%s", kWipe, inspect::ShortenedAtTheEnd(line, LineWidth(out_)));
  } else if (!program_.empty() && !line.empty()) {
    absl::FPrintF(out_, "%s: %s\n", program_, line);
  }
  std::fflush(out_);
}

void ProgressLine::Clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!on_terminal_ || !drawn_) return;
  std::fputs(kWipe, out_);
  std::fflush(out_);
  drawn_.reset();
}

}  // namespace winnow::cli
