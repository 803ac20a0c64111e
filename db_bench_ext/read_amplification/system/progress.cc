#include "db_bench_ext/read_amplification/system/progress.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <utility>

namespace winnow::bench {
namespace {

constexpr char kWipe[] = "\r\x1b[K";
constexpr size_t kLineWidth = 79;  // a wrapped line could not be erased
constexpr std::chrono::milliseconds kOnTerminal{100};
constexpr std::chrono::milliseconds kElsewhere{10'000};

}  // namespace

std::string ProgressLine(const std::map<std::string, int>& percents, size_t width) {
  std::string line;
  for (const auto& [job, percent] : percents) {
    absl::StrAppend(&line, line.empty() ? "" : " | ", job, " ", percent, " %");
  }
  if (width > 2 && line.size() > width) line = line.substr(0, width - 2) + "..";
  return line;
}

Progress::Progress(std::string program)
    : Progress(std::move(program), stderr, isatty(STDERR_FILENO) == 1,
               isatty(STDERR_FILENO) == 1 ? kOnTerminal : kElsewhere, Clock::now) {}

Progress::Progress(std::string program, std::FILE* out, bool terminal,
                   std::chrono::milliseconds every, std::function<Clock::time_point()> now)
    : program_(std::move(program)),
      out_(out),
      terminal_(terminal),
      every_(every),
      now_(std::move(now)) {
  if (!terminal) drawn_ = now_();
}

Progress::~Progress() {
  if (terminal_) std::fputs(kWipe, out_);
}

void Progress::Set(const std::string& job, uint64_t done, uint64_t total) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (done < total) {
    percents_[job] =
        static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
  } else {
    percents_.erase(job);
  }
  const Clock::time_point now = now_();
  if (drawn_ && now - *drawn_ < every_) return;
  drawn_ = now;
  Draw();
}

void Progress::Draw() {
  if (terminal_) {
    std::fprintf(out_, "%s%s", kWipe, ProgressLine(percents_, kLineWidth).c_str());
  } else if (!percents_.empty()) {
    std::fprintf(out_, "%s: %s\n", program_.c_str(), ProgressLine(percents_, 0).c_str());
  }
  std::fflush(out_);
}

}  // namespace winnow::bench
