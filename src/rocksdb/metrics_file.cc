#include "src/rocksdb/metrics_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/daemon_thread.h"
#include "src/rocksdb/file_of_process.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/prometheus_text.h"

// Defined by a program that opens databases only to look at them or to try policies.
extern "C" __attribute__((weak)) const char winnow_keeps_no_metrics;

namespace winnow::plugin {
namespace {

constexpr time_t kInterval = 15;  // seconds; Prometheus' usual scrape interval

// Id of the process that keeps the file, as a forked child has no writer thread; 0 if none does.
std::atomic<pid_t> g_process{0};
std::atomic<bool> g_is_writing{false};
std::atomic<bool> g_has_ended{false};

// Returns the absolute file name, or an empty string without WINNOW_METRICS. Read at load time, as
// programs overwrite their environment and change their working directory. Never destroyed: the
// last write comes after static destructors.
const std::string& Name() {
  static const std::string& name = *new std::string([]() -> std::string {
    const char* const value = ::secure_getenv("WINNOW_METRICS");
    if (&winnow_keeps_no_metrics != nullptr) return {};
    if (value == nullptr || *value == '\0') return {};
    std::error_code none;
    const std::filesystem::path path = std::filesystem::absolute(value, none);
    return none ? value : path.string();
  }());
  return name;
}
[[maybe_unused]] const bool is_read_at_load = [] {
  try {
    Name();
  } catch (...) {
    // Out of memory: the name is read again when the first policy is made.
  }
  return true;
}();

bool HasIdInName() { return Name().find("%p") != std::string::npos; }

// First line of this process's file, if its name has the process id. Never destroyed, as the name.
std::string& FirstLine() {
  static std::string& line = *new std::string;
  return line;
}

bool WriteAll(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Returns 0, or the errno of the first error.
int WriteFile(const std::string& name, const std::string& temporary, std::string_view text) {
  const int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return errno;
  int error = WriteAll(file, text) ? 0 : errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), name.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  return error;
}

void Write(pid_t process) noexcept {
  try {
    const std::string name = NameInProcess(Name(), process);
    // Files of several processes may go to one collector, which needs distinct samples.
    const std::string labels = HasIdInName() ? "pid=\"" + std::to_string(process) + "\"" : "";
    const int error = WriteFile(name, TemporaryName(name, process),
                                FirstLine() + ProcessAsPrometheusText(labels));
    if (error != 0) {
      char reason[128];
      // GNU's strerror_r may return a string other than its buffer.
      const char* const text = ::strerror_r(error, reason, sizeof reason);
      SayOnceOnStderr("WINNOW_METRICS: metrics can't be written to " + Quoted(name) + " (" + text +
                      "); expected a file in a folder in which this process may create files");
    }
  } catch (...) {
    // Out of memory: the next write may succeed.
  }
}

// Writer thread: rewrites the file until the process exits.
void* KeepWriting(void* /*none*/) noexcept {
  const pid_t process = ::getpid();
  for (time_t pause = 1; !g_has_ended; pause = std::min(2 * pause, kInterval)) {
    timespec left = {pause, 0};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    g_is_writing = true;
    if (!g_has_ended) Write(process);
    g_is_writing = false;
  }
  return nullptr;
}

// Removes the file if its name has the process id, or else writes it a last time. Destructors of
// libraries run after the static objects of the program are destroyed and after it closed its
// databases.
__attribute__((destructor)) void EndMetricsFile() {
  const pid_t process = ::getpid();
  if (g_process != process) return;
  g_has_ended = true;
  constexpr timespec kMillisecond = {0, 1'000'000};
  for (int i = 0; i < 1000 && g_is_writing; ++i) ::nanosleep(&kMillisecond, nullptr);
  if (!HasIdInName()) return Write(process);
  try {
    RemoveFileOfProcess(NameInProcess(Name(), process), FirstLine());
  } catch (...) {
    // Out of memory: the next process that starts removes the file.
  }
}

void Begin(pid_t process) {
  g_is_writing = false;
  if (HasIdInName()) {
    RemoveFilesOfEndedProcesses(Name());
    FirstLine() = LineOfProcess();
  }
  Write(process);
  if (!base::StartDaemonThread("winnow-metrics", KeepWriting)) {
    SayOnceOnStderr(
        "WINNOW_METRICS: there is no thread to rewrite the file; it is written now and "
        "when the process ends");
  }
}

}  // namespace

void KeepMetricsFile() noexcept {
  try {
    if (Name().empty()) return;
    const pid_t process = ::getpid();
    pid_t before = g_process;
    if (before != process && g_process.compare_exchange_strong(before, process)) Begin(process);
  } catch (...) {
    // Out of memory: the program goes on without metrics.
  }
}

}  // namespace winnow::plugin
