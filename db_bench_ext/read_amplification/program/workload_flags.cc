#include "db_bench_ext/read_amplification/program/workload_flags.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/keys/zipf.h"
#include "db_bench_ext/read_amplification/lookups/scans.h"
#include "src/cli/flags.h"

WINNOW_PROGRAM_FLAG(
    workloads, std::string, keys, "", TextValue("FILE"),
    "file with the keys to load, one per line, plain or as an LZ4 frame; - is standard input. "
    "Absent keys to look up are near misses of these: one byte changed, appended or removed");
WINNOW_PROGRAM_FLAG(
    workloads, std::string, from_db, "", TextValue("FOLDER"),
    "load the keys of the database in this folder, or of SST files with commas between them; "
    "they are opened read-only. A database also sets the size of values, by the mean of its "
    "own, and the options, by its OPTIONS file, unless flags do");
WINNOW_PROGRAM_FLAG(
    workloads, std::string, key_format, "line", TextValue("FORMAT", "line hex"),
    "form of a key in a line of --keys and --lookups: line, its bytes; hex, two hexadecimal "
    "digits for each byte, for keys with line feeds");
WINNOW_PROGRAM_FLAG(workloads, int64_t, num, 1'000'000, WholeValue("N", 2, 1e12),
                    "number of keys to generate, without --keys and --from_db");
WINNOW_PROGRAM_FLAG(workloads, std::string, key_shape, "numbers",
                    TextValue("SHAPE", "numbers integers events paths"),
                    absl::StrCat("what generated keys are: ", winnow::bench::kKeyShapeHelp));
WINNOW_PROGRAM_FLAG(workloads, int32_t, key_size, 16,
                    WholeValue("BYTES", winnow::bench::kMinGeneratedKey, 1 << 20),
                    "bytes of a generated key, at least 8");
WINNOW_PROGRAM_FLAG(workloads, int32_t, value_size, 100, WholeValue("BYTES", 0, 1 << 20),
                    "bytes of a value");
WINNOW_PROGRAM_FLAG(
    workloads, std::string, benchmarks, "filluniquerandom,readabsent,readpresent",
    TextValue("NAMES"),
    absl::StrCat("workloads: first those that write, then those that look up. Names that "
                 "db_bench has mean the same here. Writing: ",
                 winnow::bench::BenchmarksHelp(true),
                 "; without any, filluniquerandom. Looking up: ",
                 winnow::bench::BenchmarksHelp(false)));
WINNOW_PROGRAM_FLAG(workloads, int64_t, writes, 0, WholeValue("N", 0, 1e12),
                    "number of writes of fillrandom and of overwrite; 0: the number of keys");
WINNOW_PROGRAM_FLAG(workloads, int64_t, reads, 1'000'000, WholeValue("N", 1, 1e12),
                    "number of lookups to count, for each workload");
WINNOW_PROGRAM_FLAG(
    workloads, std::string, lookups, "", TextValue("FILE"),
    "file with recorded keys to look up: a list like that of --keys, or a RocksDB trace, of which "
    "the Gets and MultiGets of the column family default are taken");
WINNOW_PROGRAM_FLAG(
    workloads, std::string, record_lookups, "", TextValue("FILE"),
    "file that gets the keys of all counted lookups except seeks, one per line in hexadecimal "
    "digits, for 'winnow advise --hex --lookups=FILE'");
WINNOW_PROGRAM_FLAG(workloads, double, absent_lookups, winnow::bench::kShareOfMixed,
                    NumberValue("SHARE", 0, 1),
                    absl::StrCat("share of absent keys in ",
                                 winnow::bench::NamesOf(winnow::bench::IsMixed, " and "),
                                 "; if given, also in ",
                                 winnow::bench::NamesOf(winnow::bench::MayBeMixed, " and "),
                                 ", which otherwise ask for any key of the range"));
WINNOW_PROGRAM_FLAG(
    workloads, double, zipf, 0, NumberValue("EXPONENT", 0, winnow::bench::kMaxZipfExponent),
    "exponent of Zipf's distribution of lookups: the key of rank r is looked up in proportion "
    "to 1/r^zipf, and --seed shuffles the ranks. 0: all keys alike; YCSB has 0.99");
WINNOW_PROGRAM_FLAG(
    workloads, std::string, heat, "mixgraph",
    TextValue("HEAT", "flat mixgraph zipf moving then_flat newest"),
    absl::StrCat("which key ranges readheat asks for, while the tree grows and afterwards. ",
                 winnow::bench::HeatHelp(),
                 ". Without --benchmarks, the tree is filled and then overwritten once; for "
                 "newest it is filled in the order of time"));
WINNOW_PROGRAM_FLAG(
    workloads, double, lookups_per_write, 2.5, NumberValue("N", 0, 1000),
    "lookups by --heat after each write while the tree grows; policies of Winnow learn from them");
WINNOW_PROGRAM_FLAG(workloads, int32_t, batch_size, 32, WholeValue("N", 1, 100'000),
                    "number of keys in a call of multireadrandom");
WINNOW_PROGRAM_FLAG(
    workloads, bool, multiread_batched, false, FlagValue(),
    "multireadrandom calls the MultiGet that takes arrays, and sorts and batches the keys, "
    "instead of the one that takes vectors");
WINNOW_PROGRAM_FLAG(workloads, int64_t, seek_nexts, 0, WholeValue("N", 0, 1e9),
                    "number of Next calls after each seek of seekrandom");
WINNOW_PROGRAM_FLAG(
    workloads, std::string, scan_length, "64", TextValue("N,..."),
    absl::StrCat("lengths of the ranges of ", winnow::bench::NamesOf(winnow::bench::Scans, " and "),
                 ", with commas between them: how far the bound is above the begin, the last "
                 "eight bytes of a key taken as a number"));
WINNOW_PROGRAM_FLAG(workloads, int32_t, threads, 1, WholeValue("N", 1, 1024),
                    "threads that share the lookups of a workload");
WINNOW_PROGRAM_FLAG(
    workloads, int64_t, timed_reads, 100'000, WholeValue("N", 0, 1e12),
    "number of lookups in a timed round, the first ones of --reads; timed rounds count "
    "no reads");
WINNOW_PROGRAM_FLAG(
    workloads, int32_t, duration, 0, WholeValue("SECONDS", 0, 1'000'000),
    "seconds of a timed round, instead of --timed_reads; its lookups are repeated as often as "
    "they fit. Reads are counted over the same --reads for every policy. 0: use "
    "--timed_reads");
WINNOW_PROGRAM_FLAG(
    workloads, int32_t, timed_rounds, 5, WholeValue("N", 1, 1000),
    "number of timed rounds; the policies take turns in each. The report has the round of "
    "median speed");
WINNOW_PROGRAM_FLAG(workloads, int64_t, seed, 1, WholeValue("N", -0x1p63, 0x1p63),
                    "seed of the order of writes, of the values and of the lookups");

namespace winnow::bench {
namespace {

// Minimum number of keys with heat, equal to the maximum number of ranges of a heat model.
constexpr uint64_t kMinHeatedKeys = 1000;

// Returns the list of benchmarks, by default those implied by other flags.
std::string BenchmarksOfFlags(const GivenFlags& given) {
  std::string list = absl::GetFlag(FLAGS_benchmarks);
  if (given.count("benchmarks") > 0) return list;
  if (given.count("lookups") > 0) return "readlist";
  if (given.count("heat") > 0) {
    return absl::GetFlag(FLAGS_heat) == "newest" ? "filltime,readheat"
                                                 : "filluniquerandom,overwrite,readheat";
  }
  if (given.count("absent_lookups") > 0) return "readmixed";
  if (given.count("use_existing_db") > 0) return "readabsent,readpresent";
  return list;
}

bool IsGenerated(const WorkloadRequest& request) {
  return request.keys.list.empty() && request.keys.from_db.empty();
}

// Checks the flags that affect how keys are drawn.
absl::Status CheckDraws(const WorkloadRequest& request, const GivenFlags& given) {
  const auto all = [&](BenchmarkTest test) {
    const auto& lookups = request.benchmarks.lookups;
    return std::all_of(lookups.begin(), lookups.end(), test);
  };
  const std::string heat = NamesOf(IsHeated, " and ");
  const std::string recorded = absl::StrCat(" has no meaning for ", NamesOf(IsRecorded, " and "),
                                            " alone, which asks for every key of --lookups");
  const bool heated = request.benchmarks.Find(IsHeated) != nullptr;
  return FirstOf({
      {given.count("reads") > 0 && all(IsRecorded), "--reads" + recorded},
      {given.count("zipf") > 0 && all(IsRecorded), "--zipf" + recorded},
      {given.count("zipf") > 0 && all(IsHeated),
       absl::StrCat("--zipf has no meaning for ", heat,
                    " alone, which asks key ranges as --heat says")},
      {heated && request.choices.heat == nullptr,
       absl::StrCat("--heat is '", absl::GetFlag(FLAGS_heat),
                    "', but has to be one of these: ", HeatHelp())},
      {heated && (!IsGenerated(request) || request.keys.shape != KeyShape::kNumbers ||
                  given.count("use_existing_db") > 0),
       absl::StrCat("--benchmarks: '", heat,
                    "' asks ranges of generated keys, and of no others: leave out --keys, "
                    "--from_db, --key_shape and --use_existing_db")},
      {heated && request.keys.num < kMinHeatedKeys,
       absl::StrCat("--num is ", request.keys.num, ", but ", heat, " has ranges of at least ",
                    kMinHeatedKeys, " keys: give more keys")},
  });
}

// Returns an error for flags that have no effect or require another flag.
absl::Status CheckMeanings(const WorkloadRequest& request, const GivenFlags& given) {
  const std::string generated = " is of generated keys, but --keys or --from_db gives others";
  absl::Status status = CheckDraws(request, given);
  status.Update(FirstOf({
      {given.count("num") > 0 && !IsGenerated(request), "--num" + generated},
      {given.count("key_size") > 0 && !IsGenerated(request), "--key_size" + generated},
      {given.count("key_shape") > 0 && !IsGenerated(request), "--key_shape" + generated},
      {given.count("key_size") > 0 && request.keys.shape != KeyShape::kNumbers,
       "--key_size is of the numbers of --key_shape=numbers: other shapes have their own sizes"},
      {given.count("use_existing_db") > 0 && request.benchmarks.Find(Scans) != nullptr,
       absl::StrCat("--benchmarks: '", NamesOf(Scans, "' and '"),
                    "' need to know all keys, and --use_existing_db reads a sample: use "
                    "--from_db=FOLDER")},
      {given.count("timed_reads") > 0 && request.timed_seconds > 0,
       "--timed_reads and --duration both say how long a timed round is: give one of them"},
  }));
  status.Update(CheckFollowed(given, request.benchmarks));
  const auto& lookups = request.benchmarks.lookups;
  status.Update(FirstOf({
      {request.benchmarks.Find(IsRecorded) != nullptr && request.keys.lookups.empty(),
       NamesOf(IsRecorded, " and ") + " needs the file of its keys: --lookups=FILE"},
      {!request.record_lookups.empty() &&
           std::all_of(lookups.begin(), lookups.end(),
                       [](const Benchmark& one) { return Seeks(one) || Scans(one); }),
       "--record_lookups has no meaning for seeks alone, which ask for no key"},
      {!request.keys.list.empty() && !request.keys.from_db.empty(),
       "--keys and --from_db both say which keys to load: give one of them"},
  }));
  return status;
}

KeysRequest KeysOfFlags() {
  KeysRequest keys;
  keys.list = absl::GetFlag(FLAGS_keys);
  keys.from_db = absl::GetFlag(FLAGS_from_db);
  keys.num = static_cast<uint64_t>(absl::GetFlag(FLAGS_num));
  keys.key_size = static_cast<uint64_t>(absl::GetFlag(FLAGS_key_size));
  keys.absent_draws = static_cast<uint64_t>(absl::GetFlag(FLAGS_reads));
  keys.seed = static_cast<uint64_t>(absl::GetFlag(FLAGS_seed));
  keys.lookups = absl::GetFlag(FLAGS_lookups);
  return keys;
}

absl::StatusOr<std::vector<uint64_t>> ScanLengthsOfFlag() {
  std::vector<uint64_t> lengths;
  for (const absl::string_view word : absl::StrSplit(absl::GetFlag(FLAGS_scan_length), ',')) {
    uint64_t length = 0;
    if (!absl::SimpleAtoi(word, &length) || length == 0 ||
        std::find(lengths.begin(), lengths.end(), length) != lengths.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--scan_length has '", word,
                       "', where a whole number from 1 on should be, and each only once"));
    }
    lengths.push_back(length);
  }
  return lengths;
}

LookupChoices ChoicesOfFlags(const GivenFlags& given) {
  LookupChoices choices;
  choices.reads = static_cast<uint64_t>(absl::GetFlag(FLAGS_reads));
  choices.zipf = absl::GetFlag(FLAGS_zipf);
  choices.heat = FindHeatModel(absl::GetFlag(FLAGS_heat));
  choices.lookups_per_write = absl::GetFlag(FLAGS_lookups_per_write);
  choices.seed = static_cast<uint64_t>(absl::GetFlag(FLAGS_seed));
  if (given.count("absent_lookups") > 0) choices.absent_share = absl::GetFlag(FLAGS_absent_lookups);
  choices.batch = static_cast<size_t>(absl::GetFlag(FLAGS_batch_size));
  choices.batched = absl::GetFlag(FLAGS_multiread_batched);
  choices.nexts = static_cast<uint64_t>(absl::GetFlag(FLAGS_seek_nexts));
  return choices;
}

}  // namespace

absl::StatusOr<WorkloadRequest> WorkloadRequestOfFlags(const GivenFlags& given) {
  WorkloadRequest request;
  request.keys = KeysOfFlags();
  absl::StatusOr<inspect::KeyFormat> format =
      inspect::ParseKeyFormat(absl::GetFlag(FLAGS_key_format));
  if (!format.ok()) return format.status();
  request.keys.format = *format;
  const std::optional<KeyShape> shape = FindKeyShape(absl::GetFlag(FLAGS_key_shape));
  if (!shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("--key_shape is '", absl::GetFlag(FLAGS_key_shape),
                     "', but has to be one of these: ", kKeyShapeHelp));
  }
  request.keys.shape = *shape;
  absl::StatusOr<std::vector<uint64_t>> lengths = ScanLengthsOfFlag();
  if (!lengths.ok()) return lengths.status();
  request.scan_lengths = *std::move(lengths);
  absl::StatusOr<BenchmarkList> benchmarks = ParseBenchmarks(BenchmarksOfFlags(given));
  if (!benchmarks.ok()) return benchmarks.status();
  request.benchmarks = *std::move(benchmarks);
  for (const Benchmark& benchmark : request.benchmarks.writes) {
    request.writes.push_back(
        {*benchmark.writes, static_cast<uint64_t>(absl::GetFlag(FLAGS_writes))});
    request.keys.ordered |=
        benchmark.writes == WriteKind::kInOrder || benchmark.writes == WriteKind::kInTime;
  }
  if (request.writes.empty()) request.writes.push_back({WriteKind::kOnce, 0});
  request.choices = ChoicesOfFlags(given);
  request.record_lookups = absl::GetFlag(FLAGS_record_lookups);
  request.value_size = static_cast<size_t>(absl::GetFlag(FLAGS_value_size));
  request.value_size_given = given.count("value_size") > 0;
  request.timed_reads = static_cast<uint64_t>(absl::GetFlag(FLAGS_timed_reads));
  request.timed_seconds = absl::GetFlag(FLAGS_duration);
  request.timed_rounds = static_cast<size_t>(absl::GetFlag(FLAGS_timed_rounds));
  request.threads = static_cast<size_t>(absl::GetFlag(FLAGS_threads));
  if (absl::Status status = CheckMeanings(request, given); !status.ok()) return status;
  return request;
}

std::vector<Lookups> MakeWorkloads(const WorkloadRequest& request, KeysOfRun keys) {
  if (request.benchmarks.Find(Scans) != nullptr) {
    keys.in_order = std::make_shared<KeyTable>(KeysInOrder(keys));
  }
  std::vector<Lookups> workloads;
  for (const Benchmark& benchmark : request.benchmarks.lookups) {
    LookupChoices choices = request.choices;
    if (!Scans(benchmark)) {
      workloads.push_back(MakeLookups(benchmark, keys, choices));
      continue;
    }
    for (const uint64_t length : request.scan_lengths) {
      choices.scan_length = length;
      workloads.push_back(MakeLookups(benchmark, keys, choices));
    }
  }
  return workloads;
}

std::string LookupsDrawn(const WorkloadRequest& request) {
  const std::string skew = request.choices.zipf > 0
                               ? absl::StrCat("Zipf-skewed with exponent ", request.choices.zipf,
                                              ", ranks scattered over the keys")
                               : std::string("uniform");
  const std::vector<Benchmark>& lookups = request.benchmarks.lookups;
  std::string text = "lookups: ";
  if (const Benchmark* const list = request.benchmarks.Find(IsRecorded); list != nullptr) {
    absl::StrAppend(&text, list->name, " as ", request.keys.lookups, " has them");
    if (lookups.size() == 1) return text;
    absl::StrAppend(&text, ", others ");
  }
  if (const Benchmark* const heated = request.benchmarks.Find(IsHeated); heated != nullptr) {
    absl::StrAppend(&text, heated->name, " asks for keys ", request.choices.heat->meaning);
    absl::StrAppend(&text, lookups.size() == 1 ? "" : ", others ");
  }
  absl::StrAppend(&text, lookups.size() == 1 && IsHeated(lookups.front()) ? "" : skew,
                  ", drawn with replacement, seed ", request.choices.seed);
  if (std::none_of(lookups.begin(), lookups.end(), [&](const Benchmark& benchmark) {
        return AsksForAbsentKeys(benchmark, request.choices);
      })) {
    return text;
  }
  return absl::StrCat(
      text, "; absent keys: ",
      IsGenerated(request) && request.keys.shape == KeyShape::kNumbers
          ? "odd numbers between the smallest and the largest key, of which even ones are loaded"
          : "near misses of loaded keys, one byte changed, appended or removed");
}

inspect::Settings WorkloadSettings(const WorkloadRequest& request, bool existing) {
  const auto names = [](const std::vector<Benchmark>& benchmarks) {
    return absl::StrJoin(benchmarks, ",", [](std::string* out, const Benchmark& benchmark) {
      out->append(benchmark.name);
    });
  };
  const auto has = [&](BenchmarkTest test) { return request.benchmarks.Find(test) != nullptr; };
  std::string writes = names(request.benchmarks.writes);
  if (writes.empty() && !existing) writes = "filluniquerandom";
  inspect::Settings settings = {{"benchmarks", absl::StrCat(writes, writes.empty() ? "" : ",",
                                                            names(request.benchmarks.lookups))},
                                {"threads", static_cast<int64_t>(request.threads)}};
  if (has(IsMixed) || request.choices.absent_share) {
    settings.emplace_back("absent_lookups", request.choices.absent_share.value_or(kShareOfMixed));
  }
  if (has(IsHeated)) {
    settings.emplace_back("heat", request.choices.heat->name);
    settings.emplace_back("lookups_per_write", request.choices.lookups_per_write);
  }
  if (has(WritesDrawn)) {
    settings.emplace_back("writes", absl::GetFlag(FLAGS_writes));
  }
  if (has(GetsMany)) {
    settings.emplace_back("batch_size", static_cast<int64_t>(request.choices.batch));
    settings.emplace_back("multiread_batched", request.choices.batched);
  }
  if (has(Seeks)) {
    settings.emplace_back("seek_nexts", static_cast<int64_t>(request.choices.nexts));
  }
  if (has(Scans)) settings.emplace_back("scan_length", absl::StrJoin(request.scan_lengths, ","));
  if (absl::GetFlag(FLAGS_key_shape) != "numbers") {
    settings.emplace_back("key_shape", absl::GetFlag(FLAGS_key_shape));
  }
  if (request.timed_seconds > 0) settings.emplace_back("duration", request.timed_seconds);
  return settings;
}

}  // namespace winnow::bench
