// Micro-benchmarks of Winnow's filters and RocksDB's built-in ones in one run.
//
//   filter_bench --benchmark_filter=REGEX [--rounds=15] [--huge]
//
// rows.h lists the rows. tools/bench.sh runs them all and writes a page.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/strings/match.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/rounds.h"
#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"
#include "src/cli/flags.h"

ABSL_FLAG(int, rounds, 0,
          "Runs each row so often, with its rivals and a twin of it right behind it each time, and "
          "prints medians of "
          "the ratios, and which of them are not resolved: whose difference is within what the "
          "twin's ratios spread. "
          "0 runs the rows once, as Google Benchmark does.");
ABSL_FLAG(std::string, json, "",
          "With --rounds, the file for all runs, as Google Benchmark writes repetitions.");
ABSL_FLAG(bool, huge, false, "Also builds of 10^8 keys, which take 3 GB of memory and minutes.");
ABSL_FLAG(bool, rehearse, false,
          "Every filter with a thousandth of its keys: to see that all rows run. The figures mean "
          "nothing.");
ABSL_FLAG(int64_t, iterations, 0,
          "How often rows that build or ask one filter do so, whatever time that takes: for those "
          "who count instructions. 0: as Google Benchmark sees fit.");
ABSL_FLAG(
    std::vector<std::string>, library, {},
    "Libraries of the plugin (libwinnow_rocksdb.so) of several builds, as in "
    "1.2=DIR/libwinnow_rocksdb.so,now=DIR/libwinnow_rocksdb.so: rows of each, named now_bloom "
    "and so on, to be compared in one run. tools/build_release.sh builds that of a commit.");

namespace {

// Returns why the first flag that ended is refused; empty: there is none.
std::string WhyRefused(int argc, char** argv) {
  std::string why;
  for (int i = 1; i < argc && why.empty(); ++i) {
    absl::string_view name = argv[i];
    if (absl::ConsumePrefix(&name, "--")) {
      why = winnow::cli::WhyEnded("filter_bench", name.substr(0, name.find('=')));
    }
  }
  return why;
}

// Brings glibc's allocator into the state of a long-running program. Until a large block has been
// freed, it returns all freed memory to the system at once, and the first row that frees memory
// would be slowed down.
void AgeAllocator() {
  constexpr size_t kLargestThatCounts = size_t{32} << 20;
  std::unique_ptr<char[]> block(new char[kLargestThatCounts - 4096]);
  benchmark::DoNotOptimize(block.get());
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "measures Winnow's filters and RocksDB's built-in ones beside them.\n"
      "Flags that begin with --benchmark_ are Google Benchmark's; --benchmark_list_tests lists the "
      "rows.");
  const bool rows_are_chosen = std::any_of(argv, argv + argc, [](absl::string_view argument) {
    return absl::StartsWith(argument, "--benchmark_filter=") ||
           absl::StartsWith(argument, "--benchmark_list_tests");
  });
  if (argc == 2 && absl::string_view(argv[1]) == "--help") {
    benchmark::PrintDefaultHelp();  // Initialize() would print only this
  } else {
    benchmark::Initialize(&argc, argv);
  }
  if (const std::string why = WhyRefused(argc, argv); !why.empty()) {
    std::fprintf(stderr, "filter_bench: %s\n", why.c_str());
    return 2;
  }
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) {
    std::fprintf(stderr, "filter_bench: unknown argument '%s'\n", rest[1]);
    return 2;
  }
  for (const std::string& library : absl::GetFlag(FLAGS_library)) {
    winnow::bench::AddLibrary(library);
  }
  if (!rows_are_chosen && !absl::GetFlag(FLAGS_rehearse)) {
    std::fputs(
        "filter_bench: which rows? --benchmark_filter=REGEX, as in --benchmark_filter=^query/hot; "
        ". "
        "is all of\nthem, which takes hours. --benchmark_list_tests lists them.\n",
        stderr);
    return 2;
  }
  const int rounds = absl::GetFlag(FLAGS_rounds);
  if (rounds < 0 || (rounds == 0 && !absl::GetFlag(FLAGS_json).empty())) {
    std::fputs("filter_bench: --rounds is at least 1 (15 is usual), or 0 without --json\n", stderr);
    return 2;
  }
  if (rounds > 0) {
    winnow::bench::AddTwins();
  }
  AgeAllocator();
  winnow::bench::RowOptions options;
  options.huge = absl::GetFlag(FLAGS_huge);
  options.rehearse = absl::GetFlag(FLAGS_rehearse);
  options.iterations = absl::GetFlag(FLAGS_iterations);
  winnow::bench::AddContext(options);
  winnow::bench::RegisterBuildRows(options);
  winnow::bench::RegisterFileRows(options);
  winnow::bench::RegisterQueryRows(options);
  winnow::bench::RegisterReaderRows(options);
  winnow::bench::RegisterHugePageRows(options);
  winnow::bench::RegisterLibraryRows(options);
  winnow::bench::RegisterFilterSetRows(options);
  winnow::bench::RegisterSpaceRows(options);
  winnow::bench::RegisterRangeRows(options);
  if (rounds > 0) {
    return winnow::bench::RunInRounds(rounds, absl::GetFlag(FLAGS_json));
  }
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    std::fprintf(stderr, "filter_bench: no row has a name that --benchmark_filter matches\n");
    return 1;
  }
  return 0;
}
