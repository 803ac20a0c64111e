#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"
#include "db_bench_ext/read_amplification/system/own_process.h"
#include "winnow/hash.h"

namespace winnow::bench {
namespace {

void PeakMemory(benchmark::State& state, const Subject& subject, uint64_t num_keys) {
  const std::string what = absl::StrCat("--peak_memory=", subject.name, ":", num_keys);
  uint64_t bytes = 0;
  uint64_t filter_bytes = 0;
  for (auto iteration : state) {
    const std::string output = OutputOfOwnProcess({"filter_bench", what}).value_or("");
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
  const uint64_t before = StatusBytes("VmRSS:").value_or(0);
  const BuiltFilter built = BuildFilter(*policy, 0, FilterShape{num_keys});
  const uint64_t peak = StatusBytes("VmHWM:").value_or(0);
  if (!built.status.ok() || built.contents.empty() || before == 0 || peak < before) {
    std::fprintf(stderr,
                 "filter_bench: no filter, or no VmRSS and VmHWM in /proc/self/status: %s\n",
                 built.status.ToString().c_str());
    return 1;
  }
  std::printf("%" PRIu64 " %zu\n", peak - before, built.contents.size());
  return 0;
}

void RegisterMemoryRows(const RowOptions& options) {
  static constexpr uint64_t kSizes[] = {100'000, 1'000'000, 10'000'000, 50'000'000, 100'000'000};
  for (const uint64_t keys : kSizes) {
    if (keys > 50'000'000 && !options.huge) {
      continue;
    }
    for (const Subject& subject : Subjects()) {
      AddRow(absl::StrCat("memory/", subject.name, "/", keys), PeakMemory, subject,
             options.KeysFor(keys))
          ->Iterations(1)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace winnow::bench
