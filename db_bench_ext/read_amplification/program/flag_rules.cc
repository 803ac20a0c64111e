#include "db_bench_ext/read_amplification/program/flag_rules.h"

#include <absl/strings/str_cat.h>

namespace winnow::bench {
namespace {

// Flags that mean something with --use_existing_db.
const GivenFlags& OnExisting() {
  static const auto* const names = new GivenFlags{"db",
                                                  "use_existing_db",
                                                  "key_format",
                                                  "benchmarks",
                                                  "reads",
                                                  "zipf",
                                                  "record_lookups",
                                                  "lookups",
                                                  "threads",
                                                  "absent_lookups",
                                                  "batch_size",
                                                  "multiread_batched",
                                                  "seek_nexts",
                                                  "duration",
                                                  "timed_reads",
                                                  "timed_rounds",
                                                  "seed",
                                                  "cache_size",
                                                  "json",
                                                  "html",
                                                  "summary"};
  return *names;
}

// A flag that requires such a benchmark in --benchmarks.
struct Follower {
  const char* flag;
  BenchmarkTest follows;
};

constexpr Follower kFollowers[] = {
    {"absent_lookups", TakesShare},  {"batch_size", GetsMany}, {"multiread_batched", GetsMany},
    {"seek_nexts", Seeks},           {"scan_length", Scans},   {"heat", IsHeated},
    {"lookups_per_write", IsHeated}, {"lookups", IsRecorded},  {"writes", WritesDrawn},
};

}  // namespace

absl::Status CheckOnExisting(const GivenFlags& given) {
  for (const std::string& flag : given) {
    if (OnExisting().count(flag) > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, " has no meaning with --use_existing_db, which measures a database as it is"));
  }
  return absl::OkStatus();
}

absl::Status CheckFollowed(const GivenFlags& given, const BenchmarkList& benchmarks) {
  for (const auto& [flag, follows] : kFollowers) {
    if (given.count(flag) == 0 || benchmarks.Find(follows) != nullptr) continue;
    // Benchmarks that always have a share come first.
    const std::string first = follows == TakesShare ? NamesOf(IsMixed, ", ") + ", " : "";
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, " has no meaning without ", first,
        NamesOf(follows == TakesShare ? MayBeMixed : follows, " or "), " in --benchmarks"));
  }
  return absl::OkStatus();
}

absl::Status FirstOf(std::initializer_list<Refusal> refusals) {
  for (const Refusal& refusal : refusals) {
    if (refusal.applies) return absl::InvalidArgumentError(refusal.why);
  }
  return absl::OkStatus();
}

}  // namespace winnow::bench
