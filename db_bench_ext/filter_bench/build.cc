#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"
#include "src/base/thread_time.h"
#include "src/core/build_phases.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

void Build(benchmark::State& state, const Subject& subject, uint64_t num_keys) {
  const auto policy = NewPolicy(subject, 10);
  uint64_t collecting = 0;  // nanoseconds
  double bits_per_key = 0;
  // Each iteration has other keys: branch predictors would learn the branches of a small filter.
  uint64_t filter = 0;
  for (auto iteration : state) {
    const uint64_t begin = ThreadNanoseconds();
    auto builder = NewBuilder(*policy);
    AddKeys(filter++, num_keys, KeyGroup::kUsualLength, builder.get());
    collecting += ThreadNanoseconds() - begin;
    std::unique_ptr<const char[]> buffer;
    Status status;
    const Slice contents = builder->Finish(&buffer, &status);
    benchmark::DoNotOptimize(contents.data());
    if (!status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      break;
    }
    bits_per_key = static_cast<double>(contents.size()) * 8 / static_cast<double>(num_keys);
    builder.reset();
    buffer.reset();
  }
  const double keys = static_cast<double>(state.iterations()) * static_cast<double>(num_keys);
  ReportPerKey(state, num_keys);
  state.counters["collecting_per_key"] = static_cast<double>(collecting) * 1e-9 / keys;
  state.counters["bits_per_key"] = bits_per_key;
}

// Measures a build with separate times of the phases of Finish(). A separate row, since the
// additional clock reads take time.
void BuildInPhases(benchmark::State& state, const Subject& subject, uint64_t num_keys) {
  const core::BuildPhaseTimes times;
  Build(state, subject, num_keys);
  const double keys = static_cast<double>(state.iterations()) * static_cast<double>(num_keys);
  const auto report = [&](const char* name, core::BuildPhase phase) {
    state.counters[name] = static_cast<double>(times.nanoseconds(phase)) * 1e-9 / keys;
  };
  report("sorting_per_key", core::BuildPhase::kSorting);
  report("elimination_per_key", core::BuildPhase::kElimination);
  report("back_substitution_per_key", core::BuildPhase::kSolving);
  report("rest_per_key", core::BuildPhase::kRest);
}

}  // namespace

void RegisterBuildRows(const RowOptions& options) {
  static constexpr uint64_t kSizes[] = {10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  for (const uint64_t keys : kSizes) {
    if (keys > 10'000'000 && !options.huge) {
      continue;
    }
    const auto unit = keys >= 1'000'000 ? benchmark::kMillisecond : benchmark::kMicrosecond;
    for (const Subject& subject : Subjects()) {
      const std::string row = absl::StrCat(subject.name, "/", keys);
      const uint64_t n = options.KeysFor(keys);
      options.SetIterations(AddRow("build/" + row, Build, subject, n)->Unit(unit));
      if (subject.is_ours && subject.is_ribbon) {
        AddRow("build_phases/" + row, BuildInPhases, subject, n)->Unit(unit);
      }
    }
  }
}

}  // namespace winnow::bench
