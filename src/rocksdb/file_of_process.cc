#include "src/rocksdb/file_of_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace winnow::plugin {
namespace {

// A process, as its files name it.
struct Process {
  pid_t id = 0;
  unsigned long long start = 0;  // in clock ticks since the boot
  std::string space;             // of process ids
  std::string boot;
};

// Returns the first bytes of a file, or nothing if it can't be read.
std::string BeginningOf(const std::string& path, struct stat* status) {
  // Without O_NONBLOCK, opening a fifo would wait.
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};
  char text[512];
  ssize_t size = -1;
  if (::fstat(file, status) == 0) size = ::read(file, text, sizeof text);
  ::close(file);
  return std::string(text, size > 0 ? static_cast<size_t>(size) : 0);
}

// Returns the start time of a process, or 0 if /proc does not tell it.
unsigned long long StartOf(const std::string& process) {
  struct stat status = {};
  const std::string text = BeginningOf("/proc/" + process + "/stat", &status);
  // The name in parentheses may have spaces and parentheses. The start is the 20th word behind it.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  const char* at = text.c_str() + name_end;
  for (int i = 0; i < 20; ++i) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return 0;
    ++at;
  }
  return std::strtoull(at, nullptr, 10);
}

std::string LinkAt(const char* path) {
  char text[64];
  const ssize_t size = ::readlink(path, text, sizeof text);
  return std::string(text, size > 0 ? static_cast<size_t>(size) : 0);
}

// Returns a process with the id 0 if /proc does not tell all.
Process ThisProcess() {
  Process here;
  const std::string id = std::to_string(::getpid());
  struct stat status = {};
  here.boot = BeginningOf("/proc/sys/kernel/random/boot_id", &status);
  here.boot.resize(std::min(here.boot.find('\n'), here.boot.size()));
  here.space = LinkAt("/proc/self/ns/pid");
  here.start = StartOf("self");
  // A /proc of another namespace has other ids.
  const bool is_known =
      LinkAt("/proc/self") == id && here.start != 0 && !here.space.empty() && !here.boot.empty();
  here.id = is_known ? ::getpid() : 0;
  return here;
}

std::string LineOf(const Process& process) {
  return "# This file is of process " + std::to_string(process.id) + ", which started at " +
         std::to_string(process.start) + " in " + process.space + " of boot " + process.boot + "\n";
}

// Returns a process with the id 0 unless the file is of this user and begins with such a line.
Process ProcessOf(const std::string& path, struct stat* status) {
  const std::string text = BeginningOf(path, status);
  if (!S_ISREG(status->st_mode) || status->st_uid != ::geteuid()) return {};
  Process process;
  char space[64] = {};
  char boot[64] = {};
  if (std::sscanf(text.c_str(),
                  "# This file is of process %d, which started at %llu in %63s of boot %63s",
                  &process.id, &process.start, space, boot) != 4) {
    return {};
  }
  process.space = space;
  process.boot = boot;
  const std::string line = LineOf(process);
  return text.compare(0, line.size(), line) == 0 ? process : Process();
}

time_t TimeOfBoot() noexcept {
  timespec since = {};
  if (::clock_gettime(CLOCK_BOOTTIME, &since) != 0) return 0;
  return ::time(nullptr) - since.tv_sec;
}

bool HasEnded(const Process& process, const struct stat& status, const Process& here) {
  if (process.boot != here.boot) return status.st_mtime < TimeOfBoot();
  if (process.space != here.space) return false;
  // /proc may hide the processes of other users, which kill() then tells.
  if (::kill(process.id, 0) != 0 && errno == ESRCH) return true;
  const unsigned long long start = StartOf(std::to_string(process.id));
  return start != 0 && start != process.start;
}

}  // namespace

std::string NameInProcess(const std::string& name, pid_t process) {
  std::string filled = name;
  const std::string id = std::to_string(process);
  for (size_t at = 0; (at = filled.find("%p", at)) != std::string::npos; at += id.size()) {
    filled.replace(at, 2, id);
  }
  return filled;
}

std::string TemporaryName(const std::string& file, pid_t process) {
  return file + "." + std::to_string(process) + ".tmp";
}

std::string LineOfProcess() {
  const Process here = ThisProcess();
  return here.id != 0 ? LineOf(here) : std::string();
}

void RemoveFileOfProcess(const std::string& file, const std::string& line) {
  struct stat status = {};
  if (!line.empty() && BeginningOf(file, &status).compare(0, line.size(), line) == 0) {
    ::unlink(file.c_str());
  }
}

void RemoveFilesOfEndedProcesses(const std::string& name) {
  const size_t folder_end = name.rfind('/') + 1;
  const size_t id_begin = name.find("%p");
  const Process here = ThisProcess();
  if (id_begin == std::string::npos || id_begin < folder_end || here.id == 0) return;
  std::error_code error;
  std::filesystem::directory_iterator entry(name.substr(0, folder_end), error);
  for (; entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (path.size() <= id_begin) continue;
    const auto id = static_cast<pid_t>(std::strtol(path.c_str() + id_begin, nullptr, 10));
    const std::string file = NameInProcess(name, id);
    if (id <= 0 || (path != file && path != TemporaryName(file, id))) continue;
    struct stat status = {};
    const Process process = ProcessOf(path, &status);
    if (process.id == id && HasEnded(process, status, here)) ::unlink(path.c_str());
  }
}

}  // namespace winnow::plugin
