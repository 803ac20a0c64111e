// The names of --benchmarks: db_bench's, with its meanings, and some of our own.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BENCHMARKS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BENCHMARKS_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/read_amplification/keys/write_sequence.h"

namespace winnow::bench {

// Which keys are asked for.
enum class AskedKeys {
  kRange,    // any of the range, whether it was written or not
  kLonger,   // such a key with a byte more
  kPresent,  // keys that were written
  kAbsent,   // keys that were not
  kMixed,    // an exact share of absent ones
  kRecorded  // those of a list, one after the other
};

// What a name stands for: something that is written, or something that is looked up.
struct Benchmark {
  const char* name;
  const char* meaning;  // a clause
  std::optional<WriteKind> writes{};
  AskedKeys asks = AskedKeys::kRange;  // of lookups
};

// All that there are, those of writes first.
const std::vector<Benchmark>& Benchmarks();

struct BenchmarkList {
  std::vector<Benchmark> writes;
  std::vector<Benchmark> lookups;  // at least one
};

// "fillrandom,compact,readrandom". What is written comes first, as the tree that is looked at is
// what all writes leave; readwhilewriting comes last, as it changes the tree. An error says what is
// wrong with a list.
absl::StatusOr<BenchmarkList> ParseBenchmarks(std::string_view list);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BENCHMARKS_H_
