#include "tools/winnow/verify/verify_progress.h"

#include <absl/strings/str_format.h>

#include <algorithm>

namespace winnow::tools {
namespace {

std::string Speed(double keys_per_second) {
  return keys_per_second >= 1e6   ? absl::StrFormat("%.1f M keys/s", keys_per_second / 1e6)
         : keys_per_second >= 1e3 ? absl::StrFormat("%.0f k keys/s", keys_per_second / 1e3)
                                  : absl::StrFormat("%.0f keys/s", keys_per_second);
}

std::string Duration(double seconds) {
  return seconds < 100 ? absl::StrFormat("%.0f s", seconds)
                       : absl::StrFormat("%.0f min", seconds / 60);
}

}  // namespace

VerifyProgress::VerifyProgress(std::vector<uint64_t> file_bytes, Clock::time_point start)
    : start_(start) {
  for (const uint64_t bytes : file_bytes) {
    files_.push_back({std::max<uint64_t>(bytes, 1), 0, 0, false});
  }
}

void VerifyProgress::File(size_t file, uint64_t keys, double share) {
  files_[file].keys = keys;
  files_[file].share = std::clamp(share, 0.0, 1.0);
}

void VerifyProgress::Done(size_t file, uint64_t keys) {
  File(file, keys, 1);
  files_[file].done = true;
}

std::string VerifyProgress::Line(Clock::time_point now) const {
  size_t done = 0;
  double keys = 0;
  double bytes = 0;
  double bytes_done = 0;
  for (const State& file : files_) {
    done += file.done ? 1 : 0;
    keys += static_cast<double>(file.keys);
    bytes += static_cast<double>(file.bytes);
    bytes_done += file.share * static_cast<double>(file.bytes);
  }
  const double share = bytes > 0 ? bytes_done / bytes : 1;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string line = absl::StrFormat("%d of %d files, %.0f %%", done, files_.size(), 100 * share);
  if (seconds > 0 && share > 0) {
    line += ", " + Speed(keys / seconds) + ", " + Duration(seconds * (1 - share) / share) + " left";
  }
  return line;
}

}  // namespace winnow::tools
