#include "streams/dedup/line_sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

namespace winnow::dedup {
namespace {

constexpr size_t kKept = size_t{512} << 10;

}  // namespace

LineSink::LineSink(int file) : file_(file), kept_(kKept) {}

void LineSink::Add(std::string_view line) {
  if (line.size() + 1 > kept_.size() - size_) Flush();
  if (line.size() + 1 > kept_.size()) {
    Write(line);
    Write("\n");
    return;
  }
  memcpy(kept_.data() + size_, line.data(), line.size());
  size_ += line.size();
  kept_[size_++] = '\n';
}

bool LineSink::Flush() {
  Write({kept_.data(), size_});
  size_ = 0;
  return error_ == 0;
}

bool LineSink::Sync() {
  // Pipes and terminals do not support fdatasync().
  if (error_ == 0 && fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS) error_ = errno;
  return error_ == 0;
}

void LineSink::Write(std::string_view text) {
  while (!text.empty() && error_ == 0) {
    const ssize_t written = write(file_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  num_unwritten_ += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace winnow::dedup
