#include "tools/winnow/cli/print.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "src/cli/interruption.h"
#include "src/text/printable.h"
#include "tools/winnow/cli/terminal.h"

namespace winnow::tools {
namespace {

namespace fs = std::filesystem;

// Signal dispositions and closed standard streams at the start of the process.
struct StreamsBefore {
  sighandler_t pipe_closed = SIG_DFL;
  sighandler_t file_too_large = SIG_DFL;
  std::vector<int> closed;  // file descriptors of closed standard streams
};

StreamsBefore& Before() {
  static auto* const before = new StreamsBefore;
  return *before;
}

bool WriteAll(int file, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

// Some devices and network file systems report write errors only in close().
bool WriteAndClose(int file, absl::string_view text) {
  const bool written = WriteAll(file, text);
  const int error = errno;
  const bool closed = close(file) == 0;
  errno = written ? errno : error;
  return written && closed;
}

bool WriteInPlace(const std::string& path, absl::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return file >= 0 && WriteAndClose(file, text);
}

bool WriteAnew(const std::string& path, absl::string_view text) {
  const std::string unfinished_path = absl::StrCat(path, ".", getpid(), ".unfinished");
  cli::UnfinishedFile unfinished(unfinished_path);
  constexpr mode_t kAsTheUserSays = 0666;
  const int file =
      open(unfinished_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAsTheUserSays);
  if (file < 0 || !WriteAndClose(file, text) ||
      rename(unfinished_path.c_str(), path.c_str()) != 0) {
    return false;
  }
  unfinished.Keep();
  return true;
}

}  // namespace

void PrepareStandardStreams() {
  StreamsBefore& before = Before();
  before.pipe_closed = signal(SIGPIPE, SIG_DFL);
  before.file_too_large = signal(SIGXFSZ, SIG_IGN);  // write() then fails beyond ulimit -f
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) {
      before.closed.push_back(stream);
      // open() takes the lowest free descriptor, which is `stream`. The wrong access mode makes
      // reads and writes fail as on a closed stream; output to stderr is discarded instead.
      open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
    }
  }
}

void RestoreStandardStreams() {
  const StreamsBefore& before = Before();
  signal(SIGPIPE, before.pipe_closed);
  signal(SIGXFSZ, before.file_too_large);
  for (const int stream : before.closed) close(stream);
}

bool Print(absl::string_view verb, absl::string_view text) {
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) {
    absl::FPrintF(stderr, "winnow %s: the output could not be written in full: %s\n", verb,
                  strerror(errno));
  }
  return written;
}

void SayWarnings(absl::string_view verb, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    absl::FPrintF(stderr, "winnow %s: %s\n", verb, warning);
  }
}

void SayUnreadLines(absl::string_view verb, const std::vector<std::string>& lines) {
  const size_t shown =
      isatty(STDERR_FILENO) != 0 ? std::min(lines.size(), kRowsOnTerminal) : lines.size();
  for (size_t i = 0; i < shown; ++i) {
    absl::FPrintF(stderr, "winnow %s: %s\n", verb, inspect::Printable(lines[i]));
  }
  if (shown < lines.size()) {
    absl::FPrintF(stderr, "winnow %s: %d more could not be read; --json names all\n", verb,
                  lines.size() - shown);
  }
}

bool PrintToFile(absl::string_view verb, const std::string& path, absl::string_view text) {
  std::error_code code;
  const fs::path real = fs::canonical(path, code);  // without symbolic links, if it exists
  const std::string name = code ? path : real.string();
  errno = 0;
  const bool written =
      code || fs::is_regular_file(real, code) ? WriteAnew(name, text) : WriteInPlace(name, text);
  if (!written) {
    absl::FPrintF(stderr, "winnow %s: %s could not be written in full: %s\n", verb, path,
                  strerror(errno));
  }
  return written;
}

}  // namespace winnow::tools
