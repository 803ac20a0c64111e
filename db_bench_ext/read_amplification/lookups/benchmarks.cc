#include "db_bench_ext/read_amplification/lookups/benchmarks.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/text/flag_words.h"

namespace winnow::bench {
namespace {

constexpr char kWhileWriting[] = "readwhilewriting";

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
  static const auto* const all = new std::vector<Benchmark>{
      {"filluniquerandom", "writes every key once, in random order", WriteKind::kOnce},
      {"fillseq", "writes every key once, in the order of keys", WriteKind::kInOrder},
      {"fillrandom", "writes --writes keys drawn with replacement, so that some are left out",
       WriteKind::kDrawn},
      {"overwrite", "the same once more, over what is there", WriteKind::kDrawn},
      {"compact", "merges all files into one level", WriteKind::kCompact},
      {"readrandom", "asks for keys of the whole range, written or not", {}, AskedKeys::kRange},
      {"readmissing", "asks for such keys with a byte more", {}, AskedKeys::kLonger},
      {"multireadrandom",
       "asks as readrandom does, by MultiGet, --batch_size keys at a time",
       {},
       AskedKeys::kRange},
      {"seekrandom",
       "seeks to keys as readrandom draws them; asks filters of prefixes only",
       {},
       AskedKeys::kRange},
      {kWhileWriting,
       "readrandom while another thread overwrites; needs --growth=rocksdb",
       {},
       AskedKeys::kRange},
      {"readpresent", "asks for keys that were written", {}, AskedKeys::kPresent},
      {"readabsent",
       "asks for keys that were not, between those that were",
       {},
       AskedKeys::kAbsent},
      {"readmixed", "both, in the share of --absent_lookups", {}, AskedKeys::kMixed},
      {"readlist",
       "asks for the keys of --lookups, one after the other",
       {},
       AskedKeys::kRecorded}};
  return *all;
}

absl::StatusOr<BenchmarkList> ParseBenchmarks(std::string_view list) {
  BenchmarkList parsed;
  std::set<std::string> seen;
  for (const absl::string_view name :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    const Benchmark* const benchmark = Find(name);
    if (benchmark == nullptr) {
      std::vector<absl::string_view> names;
      for (const Benchmark& one : Benchmarks()) names.emplace_back(one.name);
      const std::string meant = inspect::DidYouMean(name, names);
      return Wrong(absl::StrCat("there is no '", name, "'", meant,
                                meant.empty() ? ", but " : " There are ", Names()));
    }
    if (benchmark->writes) {
      if (!parsed.lookups.empty()) {
        return Wrong(absl::StrCat("'", name, "' comes after '", parsed.lookups.back().name,
                                  "', but what is written comes first: all lookups are of the tree "
                                  "that the writes leave"));
      }
      if (parsed.writes.empty() &&
          (*benchmark->writes == WriteKind::kCompact || name == "overwrite")) {
        return Wrong(absl::StrCat("'", name, "' has nothing before it that writes keys"));
      }
      parsed.writes.push_back(*benchmark);
      continue;
    }
    if (!seen.insert(std::string(name)).second)
      return Wrong(absl::StrCat("'", name, "' comes twice"));
    if (!parsed.lookups.empty() && parsed.lookups.back().name == std::string_view(kWhileWriting)) {
      return Wrong(absl::StrCat("'", name, "' comes after '", kWhileWriting,
                                "', which has to be the last, as it changes the tree"));
    }
    parsed.lookups.push_back(*benchmark);
  }
  if (parsed.lookups.empty()) {
    return Wrong("nothing is looked up: add readabsent or readpresent, for instance");
  }
  return parsed;
}

}  // namespace winnow::bench
