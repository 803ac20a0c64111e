#include "src/base/stderr_line.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/without_sigpipe.h"

namespace winnow::base {
namespace {

constexpr char kBeginning[] = "winnow: ";
constexpr char kCut[] = "...\n";

// Initialized before all other static objects of the library, whose initializers may write lines.
__attribute__((init_priority(101))) StderrDescriptor at_start = StderrNow();
bool is_of_process_start = false;

// Returns the identity of descriptor 2. RocksDB's files are regular files, are closed on exec, and
// may get the inode of a deleted file.
StderrDescriptor Look(bool may_close_on_exec) noexcept {
  const int old_errno = errno;
  struct stat status;
  const int flags = ::fcntl(STDERR_FILENO, F_GETFD);
  const bool is_open =
      flags >= 0 && ::fstat(STDERR_FILENO, &status) == 0 &&
      ((flags & FD_CLOEXEC) == 0 || (may_close_on_exec && !S_ISREG(status.st_mode)));
  errno = old_errno;
  return is_open ? StderrDescriptor{status.st_dev, status.st_ino, true}
                 : StderrDescriptor{0, 0, false};
}

}  // namespace

StderrDescriptor StderrNow() noexcept { return Look(/*may_close_on_exec=*/false); }

StderrDescriptor StderrAtStart() noexcept { return at_start; }

void SetStderrAtStart(const StderrDescriptor& descriptor) noexcept {
  at_start = descriptor;
  is_of_process_start = true;
}

StderrLine::StderrLine() noexcept { Add(kBeginning); }

StderrLine& StderrLine::Add(const char* text) noexcept {
  for (; *text != '\0'; ++text) {
    AddByte(*text);
  }
  return *this;
}

StderrLine& StderrLine::AddQuoted(const char* text) noexcept {
  char quoted[kMaxQuotedSize + 1];
  quoted[Quote(text, std::strlen(text), quoted)] = '\0';
  return Add(quoted);
}

bool StderrLine::is_empty() const noexcept { return size_ == sizeof kBeginning - 1; }

void StderrLine::Write() noexcept {
  const StderrDescriptor now = Look(is_of_process_start);
  if (!now.is_open || !at_start.is_open || now.device != at_start.device ||
      now.inode != at_start.inode) {
    return;
  }
  const size_t room = kMaxBytes - (sizeof kCut - 1);
  const bool is_cut = size_ > room;
  const char* const end = is_cut ? kCut : kCut + 3;
  const size_t size = is_cut ? room : size_;
  std::memcpy(bytes_ + size, end, std::strlen(end));
  const int old_errno = errno;
  {
    const WithoutSigpipe without;
    // Errors are ignored: if stderr can't be written to, they can't be reported.
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, bytes_, size + std::strlen(end));
  }
  errno = old_errno;
}

void StderrLine::AddByte(char byte) noexcept {
  if (size_ < kMaxBytes) {
    bytes_[size_++] = byte;
  }
}

size_t Quote(const char* text, size_t size, char* output) noexcept {
  constexpr char kDigits[] = "0123456789abcdef";
  char* next = output;
  *next++ = '"';
  for (size_t i = 0; i < size && i < StderrLine::kMaxQuoted; ++i) {
    const char byte = text[i];
    const auto value = static_cast<unsigned char>(byte);
    if (byte >= ' ' && byte <= '~' && byte != '\\' && byte != '"') {
      *next++ = byte;
    } else if (byte == '\\' || byte == '"') {
      *next++ = '\\';
      *next++ = byte;
    } else {
      *next++ = '\\';
      *next++ = 'x';
      *next++ = kDigits[value >> 4];
      *next++ = kDigits[value & 15];
    }
  }
  if (size > StderrLine::kMaxQuoted) {
    std::memcpy(next, "...", 3);
    next += 3;
  }
  *next++ = '"';
  return static_cast<size_t>(next - output);
}

}  // namespace winnow::base
