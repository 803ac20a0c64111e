// The names of --benchmarks: db_bench's, with its meanings, and some of our own. All that is known
// of one is in its row; nothing else asks for a name.

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

// Which keys are asked for.
enum class AskedKeys {
  kRange,        // any of the range, whether it was written or not
  kLonger,       // such a key with a byte more
  kPresent,      // keys that were written
  kAbsent,       // keys that were not
  kHeated,       // of both, by the heat of key ranges
  kRecorded,     // those of a list, one after the other
  kBehindKeys,   // ranges that begin right behind keys, and have none
  kBetweenKeys,  // ranges anywhere between two keys
  kAtKeys        // ranges from a key on
};

enum class LookupKind { kGet, kMultiGet, kSeek, kScan };

// Exact share of absent keys among lookups in the range. Without one it is as many as there happen
// to be.
struct AbsentShare {
  std::optional<double> share{};
  bool by_flag = false;  // --absent_lookups, where it is given, is the share instead

  std::optional<double> Given(std::optional<double> flag) const {
    return by_flag && flag ? flag : share;
  }
};

// Benchmark that a name stands for: something that is written, or something that is looked up.
struct Benchmark {
  const char* name;
  const char* help;  // what follows the name in the help of --benchmarks
  std::optional<WriteKind> writes{};
  AskedKeys asks = AskedKeys::kRange;
  LookupKind kind = LookupKind::kGet;
  AbsentShare absent{};
  bool beside_writes = false;  // asks while another thread writes, and comes last
  bool over_keys = false;      // writes where there have to be keys before
};

// Absent share of readmixed and readheat, and the default of --absent_lookups.
inline constexpr double kShareOfMixed = 0.5;

// All that there are, those of writes first.
const std::vector<Benchmark>& Benchmarks();

// Some that have something in common.
using BenchmarkTest = bool (*)(const Benchmark&);
inline bool IsRecorded(const Benchmark& one) { return one.asks == AskedKeys::kRecorded; }
inline bool IsHeated(const Benchmark& one) { return one.asks == AskedKeys::kHeated; }
inline bool IsMixed(const Benchmark& one) { return one.absent.by_flag && one.absent.share; }
inline bool MayBeMixed(const Benchmark& one) { return one.absent.by_flag && !one.absent.share; }
inline bool TakesShare(const Benchmark& one) { return one.absent.by_flag; }
inline bool GetsMany(const Benchmark& one) { return one.kind == LookupKind::kMultiGet; }
inline bool Seeks(const Benchmark& one) { return one.kind == LookupKind::kSeek; }
inline bool Scans(const Benchmark& one) { return one.kind == LookupKind::kScan; }
inline bool IsBesideWrites(const Benchmark& one) { return one.beside_writes; }
inline bool WritesDrawn(const Benchmark& one) { return one.writes == WriteKind::kDrawn; }

// "readpresent, readabsent or readmixed", if " or " is before the last. There is one.
std::string NamesOf(BenchmarkTest test, absl::string_view before_last);

// Returns what the help of --benchmarks says of those that write, or of those that look up.
std::string BenchmarksHelp(bool writes);

struct BenchmarkList {
  std::vector<Benchmark> writes;
  std::vector<Benchmark> lookups;  // at least one

  // The first that is such a one; null if none is.
  const Benchmark* Find(BenchmarkTest test) const;
};

// "fillrandom,compact,readrandom". What is written comes first, as the tree that is looked at is
// what all writes leave; what changes the tree as it asks comes last. An error says what is
// wrong with a list.
absl::StatusOr<BenchmarkList> ParseBenchmarks(std::string_view list);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BENCHMARKS_H_
