#include "db_bench_ext/read_amplification/lookups/benchmarks.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/cli/closest_name.h"

namespace winnow::bench {
namespace {

// A benchmark of an earlier version.
constexpr absl::string_view kEnded = "readwhilewriting";

absl::Status Wrong(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--benchmarks: ", why));
}

const Benchmark* Find(absl::string_view name) {
  for (const Benchmark& benchmark : Benchmarks()) {
    if (name == benchmark.name) return &benchmark;
  }
  return nullptr;
}

std::string Names() {
  return absl::StrJoin(Benchmarks(), ", ", [](std::string* out, const Benchmark& benchmark) {
    out->append(benchmark.name);
  });
}

}  // namespace

const std::vector<Benchmark>& Benchmarks() {
  using Write = WriteKind;
  using Asks = AskedKeys;
  using Kind = LookupKind;
  constexpr std::nullopt_t kReads = std::nullopt;
  constexpr AbsentShare kIfGiven = {std::nullopt, true};
  constexpr AbsentShare kMixed = {kShareOfMixed, true};
  constexpr bool kOverKeys = true;
  static const auto* const all = new std::vector<Benchmark>{
      {"filluniquerandom", ", ", Write::kOnce},
      {"fillseq", ", ", Write::kInOrder},
      {"filltime", " (in order, but each fiftieth of the keys is shuffled), ", Write::kInTime},
      {"fillrandom", " (random keys, some of them repeatedly), ", Write::kDrawn},
      {"overwrite", ", ", Write::kDrawn, {}, {}, {}, kOverKeys},
      {"compact", "", Write::kCompact, {}, {}, {}, kOverKeys},
      {"readrandom", " (the whole range, written or not), ", kReads, Asks::kRange},
      {"readmissing", " (keys of that range with one more byte), ", kReads, Asks::kLonger},
      {"multireadrandom", ", ", kReads, Asks::kRange, Kind::kMultiGet, kIfGiven},
      {"seekrandom", " (asks filters of prefixes with a --prefix_size); ", kReads, Asks::kRange,
       Kind::kSeek, kIfGiven},
      {"readpresent", " and ", kReads, Asks::kPresent},
      {"readabsent", " (keys that were written, and keys that were not), ", kReads, Asks::kAbsent},
      {"readmixed", " (both, with the share of --absent_lookups), ", kReads, Asks::kRange,
       Kind::kGet, kMixed},
      {"readheat", " (the same, by key ranges that --heat makes hot or cold), ", kReads,
       Asks::kHeated, Kind::kGet, kMixed},
      {"readlist", " (the keys of --lookups), ", kReads, Asks::kRecorded},
      {"scanbehind", ", ", kReads, Asks::kBehindKeys, Kind::kScan},
      {"scanbetween",
       " (scans of --scan_length that find nothing, right behind a key or anywhere), ", kReads,
       Asks::kBetweenKeys, Kind::kScan},
      {"scanpresent", " (scans from a key on)", kReads, Asks::kAtKeys, Kind::kScan}};
  return *all;
}

std::string NamesOf(BenchmarkTest test, absl::string_view before_last) {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : Benchmarks()) {
    if (test(benchmark)) names.emplace_back(benchmark.name);
  }
  const std::string last = names.back();
  names.pop_back();
  return absl::StrCat(absl::StrJoin(names, ", "), names.empty() ? "" : before_last, last);
}

std::string BenchmarksHelp(bool writes) {
  std::string help;
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.writes.has_value() == writes) {
      absl::StrAppend(&help, benchmark.name, benchmark.help);
    }
  }
  return help;
}

const Benchmark* BenchmarkList::Find(BenchmarkTest test) const {
  for (const auto* const some : {&writes, &lookups}) {
    const auto found = std::find_if(some->begin(), some->end(), test);
    if (found != some->end()) return &*found;
  }
  return nullptr;
}

absl::StatusOr<BenchmarkList> ParseBenchmarks(std::string_view list) {
  BenchmarkList parsed;
  std::set<std::string> seen;
  for (const absl::string_view name :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    const Benchmark* const benchmark = Find(name);
    if (name == kEnded) {
      return Wrong(absl::StrCat("'", name,
                                "' ended with 2.0: RocksDB's db_bench has it, and runs "
                                "with Winnow under 'winnow run'"));
    }
    if (benchmark == nullptr) {
      std::vector<absl::string_view> names;
      for (const Benchmark& one : Benchmarks()) names.emplace_back(one.name);
      const std::string meant = cli::DidYouMean(name, names);
      return Wrong(absl::StrCat("there is no '", name, "'", meant,
                                meant.empty() ? ", but " : " There are ", Names()));
    }
    if (benchmark->writes) {
      if (!parsed.lookups.empty()) {
        return Wrong(absl::StrCat("'", name, "' comes after '", parsed.lookups.back().name,
                                  "', but what is written comes first: all lookups are of the tree "
                                  "that the writes leave"));
      }
      if (parsed.writes.empty() && benchmark->over_keys) {
        return Wrong(absl::StrCat("'", name, "' has nothing before it that writes keys"));
      }
      parsed.writes.push_back(*benchmark);
      continue;
    }
    if (!seen.insert(std::string(name)).second)
      return Wrong(absl::StrCat("'", name, "' comes twice"));
    parsed.lookups.push_back(*benchmark);
  }
  if (parsed.lookups.empty()) {
    return Wrong("nothing is looked up: add readabsent or readpresent, for instance");
  }
  return parsed;
}

}  // namespace winnow::bench
