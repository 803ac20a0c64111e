#include "streams/dedup/state/state_file.h"

#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace winnow::dedup {
namespace {

constexpr uint64_t kZeros = 64 << 10;

}  // namespace

StateFile::StateFile(std::string path) : path_(std::move(path)) {}

StateFile::~StateFile() {
  if (file_ >= 0) close(file_);
}

absl::Status StateFile::Fault(absl::string_view what) const {
  return absl::FailedPreconditionError(absl::StrCat("the state ", path_, " ", what));
}

absl::Status StateFile::ErrorOf(absl::string_view what) const {
  return Fault(absl::StrCat(what, ": ", strerror(errno)));
}

absl::Status StateFile::Take(int file) {
  file_ = file;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  return errno == EWOULDBLOCK
             ? Fault("is in use by another run: wait for its end, or give another file")
             : ErrorOf("can't be locked");
}

absl::Status StateFile::TakeRoom(uint64_t size) const {
  const int error = posix_fallocate(file_, 0, static_cast<off_t>(size));
  if (error == 0) return absl::OkStatus();
  return Fault(absl::StrCat("has no room: it takes ", size, " bytes: ", strerror(error)));
}

absl::Status StateFile::Read(uint64_t at, void* bytes, size_t n) const {
  for (auto* to = static_cast<char*>(bytes); n > 0;) {
    const ssize_t got = pread(file_, to, n, static_cast<off_t>(at));
    if (got == 0) return Fault("was cut off while it was read");
    if (got < 0 && errno != EINTR) return ErrorOf("can't be read");
    if (got < 0) continue;
    to += got;
    at += static_cast<size_t>(got);
    n -= static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

absl::Status StateFile::Write(uint64_t at, const void* bytes, size_t n) const {
  for (const auto* from = static_cast<const char*>(bytes); n > 0;) {
    const ssize_t put = pwrite(file_, from, n, static_cast<off_t>(at));
    if (put < 0 && errno != EINTR) return ErrorOf("could not be written in full");
    if (put < 0) continue;
    from += put;
    at += static_cast<size_t>(put);
    n -= static_cast<size_t>(put);
  }
  return absl::OkStatus();
}

absl::Status StateFile::WriteZeros(uint64_t at, uint64_t n) const {
  const std::vector<char> zeros(std::min(n, kZeros));
  while (n > 0) {
    const uint64_t part = std::min(n, kZeros);
    if (absl::Status status = Write(at, zeros.data(), part); !status.ok()) return status;
    at += part;
    n -= part;
  }
  return absl::OkStatus();
}

absl::Status StateFile::Sync() const {
  return fdatasync(file_) == 0 ? absl::OkStatus() : ErrorOf("could not be written in full");
}

}  // namespace winnow::dedup
