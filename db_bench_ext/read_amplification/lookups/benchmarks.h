// Names in --benchmarks: db_bench's, with their meanings, and some additional ones. A table row has
// all properties of a name; no other code compares names.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BENCHMARKS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BENCHMARKS_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/read_amplification/keys/write_sequence.h"

namespace winnow::bench {

// Keys that a benchmark looks up.
enum class AskedKeys {
  kRange,        // any key of the range, written or not
  kLonger,       // a key of the range with an additional byte
  kPresent,      // written keys
  kAbsent,       // keys that were not written
  kHeated,       // written and absent keys, by the heat of key ranges
  kRecorded,     // keys of a list, in order
  kBehindKeys,   // empty ranges that begin right behind keys
  kBetweenKeys,  // ranges at random positions between two keys
  kAtKeys        // ranges that begin at a key
};

enum class LookupKind { kGet, kMultiGet, kSeek, kScan };

// Exact share of absent keys among lookups in the range. Without a share, absent keys occur by
// chance.
struct AbsentShare {
  std::optional<double> share{};
  bool by_flag = false;  // --absent_lookups, if given, overrides the share

  std::optional<double> Given(std::optional<double> flag) const {
    return by_flag && flag ? flag : share;
  }
};

// Benchmark of --benchmarks: writes or lookups.
struct Benchmark {
  const char* name;
  const char* help;  // text behind the name in the help of --benchmarks
  std::optional<WriteKind> writes{};
  AskedKeys asks = AskedKeys::kRange;
  LookupKind kind = LookupKind::kGet;
  AbsentShare absent{};
  bool over_keys = false;  // writes; requires earlier writes
};

// Share of absent keys in readmixed and readheat, and default of --absent_lookups.
inline constexpr double kShareOfMixed = 0.5;

// Returns all benchmarks, writes first.
const std::vector<Benchmark>& Benchmarks();

// Predicates for groups of benchmarks.
using BenchmarkTest = bool (*)(const Benchmark&);
inline bool IsRecorded(const Benchmark& one) { return one.asks == AskedKeys::kRecorded; }
inline bool IsHeated(const Benchmark& one) { return one.asks == AskedKeys::kHeated; }
inline bool IsMixed(const Benchmark& one) { return one.absent.by_flag && one.absent.share; }
inline bool MayBeMixed(const Benchmark& one) { return one.absent.by_flag && !one.absent.share; }
inline bool TakesShare(const Benchmark& one) { return one.absent.by_flag; }
inline bool GetsMany(const Benchmark& one) { return one.kind == LookupKind::kMultiGet; }
inline bool Seeks(const Benchmark& one) { return one.kind == LookupKind::kSeek; }
inline bool Scans(const Benchmark& one) { return one.kind == LookupKind::kScan; }
inline bool WritesDrawn(const Benchmark& one) { return one.writes == WriteKind::kDrawn; }

// Returns the names of matching benchmarks: "readpresent, readabsent or readmixed" for before_last
// " or ". At least one must match.
std::string NamesOf(BenchmarkTest test, absl::string_view before_last);

// Returns the part of the help of --benchmarks about writes, or about lookups.
std::string BenchmarksHelp(bool writes);

struct BenchmarkList {
  std::vector<Benchmark> writes;
  std::vector<Benchmark> lookups;  // never empty

  // Returns the first matching benchmark, or null.
  const Benchmark* Find(BenchmarkTest test) const;
};

// Parses a list such as "fillrandom,compact,readrandom". Writes must come first, since lookups see
// the tree after all writes. Returns an error that describes the problem.
absl::StatusOr<BenchmarkList> ParseBenchmarks(std::string_view list);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BENCHMARKS_H_
