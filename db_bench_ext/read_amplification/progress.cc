#include "db_bench_ext/read_amplification/progress.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <cstdio>

namespace winnow::bench {
namespace {

constexpr char kWipe[] = "\r\x1b[K";
constexpr size_t kWidth = 79;  // a line that wraps can't be wiped
constexpr auto kDrawEvery = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress() : enabled_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (enabled_) std::fputs(kWipe, stderr);
}

void Progress::Set(const std::string& job, uint64_t done, uint64_t total) {
  if (!enabled_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (done < total) {
    percents_[job] = static_cast<int>(100 * done / total);
  } else {
    percents_.erase(job);
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_ < kDrawEvery) return;
  drawn_ = now;
  Draw();
}

void Progress::Draw() {
  std::string line;
  for (const auto& [job, percent] : percents_) {
    absl::StrAppend(&line, line.empty() ? "" : " | ", job, " ", percent, " %");
  }
  if (line.size() > kWidth) line = line.substr(0, kWidth - 2) + "..";
  std::fprintf(stderr, "%s%s", kWipe, line.c_str());
  std::fflush(stderr);
}

}  // namespace winnow::bench
