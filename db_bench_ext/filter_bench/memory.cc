#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"
#include "winnow/hash.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// A line of /proc/self/status such as "VmHWM:  1234 kB", in bytes. 0 if there is none.
uint64_t StatusBytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.compare(0, field.size(), field) == 0) {
      return std::strtoull(line.c_str() + field.size(), nullptr, 10) * 1024;
    }
  }
  return 0;
}

// What the program prints, run with these arguments; empty if it can't be run or fails.
std::string OutputOf(const char* const* arguments) {
  int ends[2];
  if (pipe(ends) != 0) {
    return "";
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  const int problem = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                  const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char buffer[256];
  ssize_t n = 0;
  while (problem == 0 &&
         ((n = read(ends[0], buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))) {
    output.append(buffer, n > 0 ? static_cast<size_t>(n) : 0);
  }
  close(ends[0]);
  int exited = 0;
  if (problem != 0 || waitpid(child, &exited, 0) != child || exited != 0) {
    return "";
  }
  return output;
}

void PeakMemory(benchmark::State& state, const Subject& subject, uint64_t num_keys) {
  const std::string what =
      "--peak_memory=" + std::string(subject.name) + ":" + std::to_string(num_keys);
  const char* const arguments[] = {"filter_bench", what.c_str(), nullptr};
  uint64_t bytes = 0;
  uint64_t filter_bytes = 0;
  for (auto iteration : state) {
    const std::string output = OutputOf(arguments);
    if (std::sscanf(output.c_str(), "%" SCNu64 " %" SCNu64, &bytes, &filter_bytes) != 2) {
      state.SkipWithError(("a process of its own with " + what + " failed").c_str());
      return;
    }
  }
  state.counters["peak_bytes"] = static_cast<double>(bytes);
  state.counters["peak_bytes_per_key"] = static_cast<double>(bytes) / static_cast<double>(num_keys);
  state.counters["temporary_bytes"] = static_cast<double>(bytes) -
                                      static_cast<double>(num_keys * sizeof(KeyHash)) -
                                      static_cast<double>(filter_bytes);
}

}  // namespace

int MeasurePeakMemory(const char* what) {
  const char* const colon = std::strchr(what, ':');
  const Subject* subject = nullptr;
  uint64_t num_keys = 0;
  if (colon != nullptr) {
    subject = FindSubject(std::string_view(what, static_cast<size_t>(colon - what)));
    num_keys = std::strtoull(colon + 1, nullptr, 10);
  }
  if (subject == nullptr || num_keys == 0) {
    std::fprintf(stderr,
                 "filter_bench: --peak_memory is '%s', but must be SUBJECT:KEYS, the subject being "
                 "winnow_bloom, winnow_ribbon, builtin_bloom or builtin_ribbon\n",
                 what);
    return 2;
  }
  const auto policy = NewPolicy(*subject, 10);
  const uint64_t before = StatusBytes("VmRSS:");
  const auto builder = NewBuilder(*policy);
  AddKeys(0, num_keys, KeyGroup::kUsualLength, builder.get());
  std::unique_ptr<const char[]> buffer;
  Status status;
  const Slice contents = builder->Finish(&buffer, &status);
  const uint64_t peak = StatusBytes("VmHWM:");
  if (!status.ok() || contents.empty() || before == 0 || peak < before) {
    std::fprintf(stderr,
                 "filter_bench: no filter, or no VmRSS and VmHWM in /proc/self/status: %s\n",
                 status.ToString().c_str());
    return 1;
  }
  std::printf("%" PRIu64 " %zu\n", peak - before, contents.size());
  return 0;
}

void RegisterMemoryRows(const RowOptions& options) {
  static constexpr uint64_t kSizes[] = {100'000, 1'000'000, 10'000'000, 50'000'000, 100'000'000};
  for (const uint64_t keys : kSizes) {
    if (keys > 50'000'000 && !options.huge) {
      continue;
    }
    for (const Subject& subject : Subjects()) {
      const std::string name = std::string("memory/") + subject.name + "/" + std::to_string(keys);
      AddRow(name, PeakMemory, subject, options.KeysFor(keys))
          ->Iterations(1)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace winnow::bench
