#include "db_bench_ext/read_amplification/workload_flags.h"

#include <absl/flags/flag.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "db_bench_ext/read_amplification/check_range.h"
#include "db_bench_ext/read_amplification/zipf.h"
#include "src/inspect/key_list.h"

ABSL_FLAG(std::string, keys, "",
          "file with the keys to load, one a line, plain or an LZ4 frame; - is standard input. "
          "Looked-up absent keys are near misses of them: one byte changed, appended or removed");
ABSL_FLAG(std::string, key_format, "line",
          "how a line of --keys holds a key: line, its bytes themselves; hex, two hexadecimal "
          "digits a byte, for keys that have line feeds in them");
ABSL_FLAG(int64_t, num, 1'000'000, "number of keys to generate when there are no --keys");
ABSL_FLAG(int32_t, key_size, 16, "bytes of a generated key, at least 8");
ABSL_FLAG(int32_t, value_size, 100, "bytes of a value");
ABSL_FLAG(int64_t, reads, 1'000'000, "lookups to count, of present and of absent keys each");
ABSL_FLAG(int64_t, timed_reads, 100'000,
          "the first of these lookups to time, in rounds of their own that count nothing");
ABSL_FLAG(int32_t, timed_rounds, 5,
          "rounds of timed lookups, in each of which the policies take turns; the report is of "
          "the round whose speed is the median");
ABSL_FLAG(std::string, benchmarks, "readmissing,readrandom",
          "what to look up: readmissing is absent keys, readrandom present ones");
ABSL_FLAG(double, zipf, 0,
          "exponent of the skew of lookups: the key of rank r, by a shuffle of the seed, is asked "
          "as often as 1/r^zipf says; 0: all alike. 0.99 is YCSB's");
ABSL_FLAG(int64_t, seed, 1, "seed of the order of writes, the values and the lookups");

namespace winnow::bench {
namespace {

constexpr uint64_t kAbsentSalt = 0x616273656e74;
constexpr uint64_t kPresentSalt = 0x70726573656e74;

// Numbers of keys to look up, as skewed as the flags say.
std::vector<uint32_t> PicksOfFlags(size_t below, uint64_t salt) {
  const size_t reads = static_cast<size_t>(absl::GetFlag(FLAGS_reads));
  const uint64_t seed = static_cast<uint64_t>(absl::GetFlag(FLAGS_seed)) ^ salt;
  const double zipf = absl::GetFlag(FLAGS_zipf);
  return zipf > 0 ? ZipfPicks(reads, static_cast<uint32_t>(below), zipf, seed)
                  : RandomPicks(reads, below, seed);
}

}  // namespace

absl::Status CheckWorkloadFlags() {
  constexpr double kMaxKeys = std::numeric_limits<uint32_t>::max();
  const absl::Status checks[] = {
      CheckRange("num", static_cast<double>(absl::GetFlag(FLAGS_num)), 2, kMaxKeys),
      CheckRange("key_size", absl::GetFlag(FLAGS_key_size), kMinGeneratedKey, 1 << 20),
      CheckRange("value_size", absl::GetFlag(FLAGS_value_size), 0, 1 << 20),
      CheckRange("reads", static_cast<double>(absl::GetFlag(FLAGS_reads)), 1, kMaxKeys),
      CheckRange("zipf", absl::GetFlag(FLAGS_zipf), 0, kMaxZipfExponent),
      CheckRange("timed_reads", static_cast<double>(absl::GetFlag(FLAGS_timed_reads)), 0, kMaxKeys),
      CheckRange("timed_rounds", absl::GetFlag(FLAGS_timed_rounds), 1, 1000),
  };
  for (const absl::Status& status : checks) {
    if (!status.ok()) return status;
  }
  return inspect::ParseKeyFormat(absl::GetFlag(FLAGS_key_format)).status();
}

absl::StatusOr<std::vector<Lookups>> WorkloadsOfFlags() {
  std::vector<Lookups> workloads;
  for (absl::string_view name : absl::StrSplit(absl::GetFlag(FLAGS_benchmarks), ',')) {
    Lookups lookups;
    lookups.name = std::string(name);
    lookups.present = name == "readrandom";
    if (!lookups.present && name != "readmissing") {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no benchmark '", name, "'; those of --benchmarks are readmissing, readrandom"));
    }
    workloads.push_back(std::move(lookups));
  }
  return workloads;
}

absl::StatusOr<Keys> KeysOfFlags() {
  const std::string path = absl::GetFlag(FLAGS_keys);
  const size_t reads = static_cast<size_t>(absl::GetFlag(FLAGS_reads));
  const uint64_t seed = static_cast<uint64_t>(absl::GetFlag(FLAGS_seed)) ^ kAbsentSalt;
  Keys keys;
  if (path.empty()) {
    const size_t n = static_cast<size_t>(absl::GetFlag(FLAGS_num));
    const size_t key_size = static_cast<size_t>(absl::GetFlag(FLAGS_key_size));
    keys.present = GenerateKeys(n, key_size);
    keys.absent = GenerateAbsentKeys(reads, n, key_size, seed);
    return keys;
  }
  const absl::StatusOr<inspect::KeyFormat> format =
      inspect::ParseKeyFormat(absl::GetFlag(FLAGS_key_format));
  if (!format.ok()) return format.status();
  KeyTable all;
  const absl::StatusOr<inspect::KeyListNotes> notes =
      inspect::ForEachKey(path, *format, [&](std::string_view key) { all.Add(key); });
  if (!notes.ok()) return notes.status();
  if (const std::string note = notes->Sentence(); !note.empty()) {
    std::fprintf(stderr, "db_bench_ext: %s: %s\n", path.c_str(), note.c_str());
  }
  keys.present = DropDuplicates(all);
  keys.duplicates = all.size() - keys.present.size();
  if (keys.present.size() > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has more than 2^32 - 1 keys"));
  }
  absl::StatusOr<KeyTable> absent = NearMisses(keys.present, reads, seed);
  if (!absent.ok()) return absent.status();
  keys.absent = *std::move(absent);
  return keys;
}

void FillWorkloads(const Keys& keys, std::vector<Lookups>* workloads) {
  for (Lookups& lookups : *workloads) {
    lookups.keys = lookups.present ? &keys.present : &keys.absent;
    if (lookups.present || absl::GetFlag(FLAGS_zipf) > 0) {
      lookups.order =
          PicksOfFlags(lookups.keys->size(), lookups.present ? kPresentSalt : kAbsentSalt + 1);
    } else {
      lookups.order.resize(keys.absent.size());
      std::iota(lookups.order.begin(), lookups.order.end(), 0u);
    }
  }
}

std::string LookupsDrawn() {
  const double zipf = absl::GetFlag(FLAGS_zipf);
  const std::string skew =
      zipf > 0 ? absl::StrCat("Zipf-skewed with exponent ", zipf, ", ranks scattered over the keys")
               : std::string("uniform");
  return absl::StrCat(
      "lookups: ", skew, ", drawn with replacement, seed ", absl::GetFlag(FLAGS_seed),
      "; absent keys: ",
      absl::GetFlag(FLAGS_keys).empty()
          ? "odd numbers between the smallest and the largest key, of which even ones are loaded"
          : "near misses of loaded keys, one byte changed, appended or removed");
}

WorkloadRequest WorkloadRequestOfFlags() {
  WorkloadRequest request;
  request.keys_from = absl::GetFlag(FLAGS_keys);
  request.num = static_cast<uint64_t>(absl::GetFlag(FLAGS_num));
  request.key_size = static_cast<uint64_t>(absl::GetFlag(FLAGS_key_size));
  request.value_size = static_cast<size_t>(absl::GetFlag(FLAGS_value_size));
  request.reads = static_cast<size_t>(absl::GetFlag(FLAGS_reads));
  request.timed_reads = static_cast<size_t>(absl::GetFlag(FLAGS_timed_reads));
  request.timed_rounds = static_cast<size_t>(absl::GetFlag(FLAGS_timed_rounds));
  request.seed = static_cast<uint64_t>(absl::GetFlag(FLAGS_seed));
  return request;
}

}  // namespace winnow::bench
