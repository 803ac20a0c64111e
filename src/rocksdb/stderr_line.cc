#include "src/rocksdb/stderr_line.h"

#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <set>

namespace winnow::plugin {
namespace {

struct File {
  dev_t device;
  ino_t inode;
  bool is_open;
};

File StderrNow() noexcept {
  struct stat status;
  if (::fstat(STDERR_FILENO, &status) != 0) {
    return {0, 0, false};
  }
  return {status.st_dev, status.st_ino, true};
}

const File stderr_at_load = StderrNow();

}  // namespace

void SayOnceOnStderr(const std::string& line) noexcept {
  const File now = StderrNow();
  if (!now.is_open || !stderr_at_load.is_open || now.device != stderr_at_load.device ||
      now.inode != stderr_at_load.inode) {
    return;
  }
  try {
    // Never destroyed: policies live as long as the databases that a program forgets to close.
    static std::mutex& mutex = *new std::mutex;
    static std::set<std::string>& said = *new std::set<std::string>;
    const std::lock_guard<std::mutex> lock(mutex);
    if (said.size() < kMostStderrLines && said.insert(line).second) {
      const std::string whole = "winnow: " + line + "\n";
      // Where stderr can't be written to, nobody is there to be told.
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
    }
  } catch (...) {
  }
}

}  // namespace winnow::plugin
