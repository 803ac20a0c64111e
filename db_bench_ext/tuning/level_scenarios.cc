#include "db_bench_ext/tuning/level_scenarios.h"

#include <absl/strings/str_cat.h>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

// Upper bound of random keys, which leaves room for further keys above and between.
constexpr uint64_t kRandomEnd = kLevelKeysEnd;

using NextKey = std::function<uint64_t(uint64_t i)>;

absl::Status PutAll(LevelTree* tree, uint64_t n, const NextKey& next) {
  for (uint64_t i = 0; i < n; ++i) {
    if (absl::Status status = tree->Put(next(i)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status PutAndRest(LevelTree* tree, uint64_t n, const NextKey& next) {
  absl::Status status = PutAll(tree, n, next);
  return status.ok() ? tree->FlushAndWaitForCompactions() : status;
}

NextKey RandomKeys(uint64_t seed) {
  return [random = Random(seed)](uint64_t) mutable { return random() % kRandomEnd; };
}

// Returns `n` ascending keys from the beginning of a range with room for all.
NextKey Ascending(uint64_t begin, uint64_t n, uint64_t width) {
  return [=](uint64_t i) { return begin + i * (width / n); };
}

absl::Status GrowRandom(LevelTree* tree, uint64_t keys) {
  return PutAndRest(tree, keys, RandomKeys(1));
}

// Writes random keys, then a share of all keys in order, from `begin` on.
absl::Status ThenInOrder(LevelTree* tree, uint64_t keys, double share, uint64_t begin,
                         uint64_t width) {
  const auto ordered = static_cast<uint64_t>(share * static_cast<double>(keys));
  const absl::Status status = GrowRandom(tree, keys - ordered);
  return status.ok() ? PutAndRest(tree, ordered, Ascending(begin, ordered, width)) : status;
}

LevelScenario MovedScenario(int percent) {
  return {absl::StrCat("moved_", percent),
          absl::StrCat(percent, " % of the keys written in order after random writes, above them"),
          nullptr, [percent](LevelTree* tree, uint64_t keys) {
            return ThenInOrder(tree, keys, percent / 100.0, kRandomEnd, kRandomEnd);
          }};
}

// Alternates random keys and keys of several ascending sequences.
absl::Status GrowMixed(LevelTree* tree, uint64_t keys, uint64_t streams) {
  NextKey random = RandomKeys(2);
  const uint64_t width = kRandomEnd / (streams + 1);
  const auto mixed = [&](uint64_t i) {
    if (i % 2 == 0) return random(i);
    const uint64_t stream = i / 2 % streams;
    return kRandomEnd + stream * width + i / 2 / streams * (width / keys);
  };
  return PutAndRest(tree, keys, mixed);
}

absl::Status GrowStreams(LevelTree* tree, uint64_t keys, uint64_t streams) {
  const uint64_t width = kRandomEnd / streams;
  const auto next = [&](uint64_t i) { return i % streams * width + i / streams * (width / keys); };
  return PutAndRest(tree, keys, next);
}

// Leaves files on level 0 that are not compacted.
absl::Status GrowBacklog(LevelTree* tree, uint64_t keys) {
  absl::Status status = GrowRandom(tree, keys);
  if (status.ok()) status = tree->SetOption("disable_auto_compactions", "true");
  NextKey random = RandomKeys(3);
  for (int file = 0; status.ok() && file < 30; ++file) {
    status = PutAll(tree, keys / 400, random);
    if (status.ok()) status = tree->Flush();
  }
  return status;
}

absl::Status GrowReopened(LevelTree* tree, uint64_t keys) {
  absl::Status status = GrowRandom(tree, keys / 2);
  if (status.ok()) status = tree->Reopen();
  return status.ok() ? PutAndRest(tree, keys / 2, RandomKeys(4)) : status;
}

// Alternates random writes and ingested files of ordered keys over the whole range.
absl::Status GrowIngested(LevelTree* tree, uint64_t keys) {
  constexpr uint64_t kFiles = 8;
  absl::Status status = GrowRandom(tree, keys / 2);
  NextKey random = RandomKeys(5);
  for (uint64_t file = 0; status.ok() && file < kFiles; ++file) {
    const uint64_t n = keys / 4 / kFiles;
    std::vector<uint64_t> numbers;
    for (uint64_t i = 0; i < n; ++i) numbers.push_back(i * (kRandomEnd / n) + file);
    status = tree->Ingest(numbers);
    if (status.ok()) status = PutAll(tree, keys / 4 / kFiles, random);
  }
  return status.ok() ? tree->FlushAndWaitForCompactions() : status;
}

// A time series with keys that are late by up to a hundredth of it.
absl::Status GrowSeries(LevelTree* tree, uint64_t keys) {
  const uint64_t step = kRandomEnd / keys;
  return PutAndRest(tree, keys, [&, random = Random(6)](uint64_t i) mutable {
    return kRandomEnd + i * step - random() % (kRandomEnd / 100);
  });
}

// Every fourth key is overwritten later.
absl::Status GrowOverwritten(LevelTree* tree, uint64_t keys) {
  const absl::Status status = PutAll(tree, keys * 3 / 4, RandomKeys(1));
  return status.ok() ? GrowRandom(tree, keys / 4) : status;
}

// A queue with cyclic numbers in four rounds, in which a tenth of the numbers exists at any time.
absl::Status GrowRing(LevelTree* tree, uint64_t keys) {
  const uint64_t numbers = keys / 4;
  const uint64_t step = kRandomEnd / numbers;
  for (uint64_t i = 0; i < keys; ++i) {
    absl::Status status = tree->Put(i % numbers * step);
    if (status.ok() && i >= numbers / 10)
      status = tree->Delete((i - numbers / 10) % numbers * step);
    if (!status.ok()) return status;
  }
  return tree->FlushAndWaitForCompactions();
}

// Writes random keys, removes them, and writes as many in order.
using Remove = absl::Status (LevelTree::*)(uint64_t first, uint64_t last);
absl::Status GrowRemoved(LevelTree* tree, uint64_t keys, Remove remove) {
  absl::Status status = GrowRandom(tree, keys / 2);
  if (status.ok()) status = (tree->*remove)(0, kRandomEnd);
  return status.ok() ? PutAndRest(tree, keys / 2, Ascending(0, keys / 2, kRandomEnd)) : status;
}

void ForHits(rocksdb::Options* options) { options->optimize_filters_for_hits = true; }

void Static(rocksdb::Options* options) { options->level_compaction_dynamic_level_bytes = false; }

std::function<void(rocksdb::Options*)> Multiplier(double ratio) {
  return [ratio](rocksdb::Options* options) { options->max_bytes_for_level_multiplier = ratio; };
}

void Fifo(rocksdb::Options* options) {
  options->compaction_style = rocksdb::kCompactionStyleFIFO;
  options->compaction_options_fifo.max_table_files_size = uint64_t{1} << 40;
}

std::function<void(rocksdb::Options*)> Universal(int runs) {
  return [runs](rocksdb::Options* options) {
    options->compaction_style = rocksdb::kCompactionStyleUniversal;
    options->level0_file_num_compaction_trigger = runs;
    options->level0_slowdown_writes_trigger = 4 * runs;
    options->level0_stop_writes_trigger = 8 * runs;
  };
}

LevelScenario RandomScenario(const std::string& name, const std::string& meaning, double share,
                             std::function<void(rocksdb::Options*)> change) {
  return {name, meaning, std::move(change), [share](LevelTree* tree, uint64_t keys) {
            return GrowRandom(tree, static_cast<uint64_t>(share * static_cast<double>(keys)));
          }};
}

}  // namespace

const std::vector<LevelScenario>& LevelScenarios() {
  static const auto* const scenarios = new std::vector<LevelScenario>{
      RandomScenario("random", "random writes, dynamic level sizes", 1, nullptr),
      RandomScenario("random_10th", "the same while it grows: a tenth of the keys", 0.1, nullptr),
      RandomScenario("random_3rd", "a third", 0.33, nullptr),
      RandomScenario("random_60th", "six tenths", 0.6, nullptr),
      RandomScenario("static", "random writes, static level sizes", 1, Static),
      RandomScenario("static_10th", "a tenth of the keys", 0.1, Static),
      RandomScenario("static_3rd", "a third", 0.33, Static),
      RandomScenario("static_60th", "six tenths", 0.6, Static),
      {"overwritten", "random writes, a quarter of them of keys written before", nullptr,
       GrowOverwritten},
      {"reopened", "random writes, the database opened again half-way", nullptr, GrowReopened},
      {"ingested", "random writes, and a quarter of the keys ingested, as 8 files in order",
       nullptr, GrowIngested},
      {"series", "all keys written in order but for a hundredth of the range", nullptr, GrowSeries},
      MovedScenario(10),
      MovedScenario(30),
      MovedScenario(50),
      {"moved_between", "30 % written in order after random writes, between two of their keys",
       nullptr,
       [](LevelTree* tree, uint64_t keys) {
         return ThenInOrder(tree, keys, 0.3, kRandomEnd / 2, kRandomEnd / 1'000'000'000);
       }},
      {"in_order", "all keys written in order", nullptr,
       [](LevelTree* tree, uint64_t keys) {
         return ThenInOrder(tree, keys, 1, kRandomEnd, kRandomEnd);
       }},
      {"mixed", "by turns random keys, and such as ascend above them", nullptr,
       [](LevelTree* tree, uint64_t keys) { return GrowMixed(tree, keys, 1); }},
      {"mixed_4", "the same with four ascending streams", nullptr,
       [](LevelTree* tree, uint64_t keys) { return GrowMixed(tree, keys, 4); }},
      {"streams_4", "four ascending streams by turns", nullptr,
       [](LevelTree* tree, uint64_t keys) { return GrowStreams(tree, keys, 4); }},
      {"streams_1000", "a thousand", nullptr,
       [](LevelTree* tree, uint64_t keys) { return GrowStreams(tree, keys, 1000); }},
      {"backlog", "random writes, then 30 files on level 0", nullptr, GrowBacklog},
      {"ring", "numbers in order that begin again four times, a tenth of them alive", nullptr,
       GrowRing},
      {"range_deleted", "random writes, all of it deleted as a range, then written in order",
       nullptr,
       [](LevelTree* tree, uint64_t keys) {
         return GrowRemoved(tree, keys, &LevelTree::DeleteRange);
       }},
      {"files_deleted", "the same by DeleteFilesInRange", nullptr,
       [](LevelTree* tree, uint64_t keys) {
         return GrowRemoved(tree, keys, &LevelTree::DeleteFiles);
       }},
      {"prefix", "random writes of keys with 64 bytes in common", nullptr, GrowRandom,
       std::string(64, 'p')},
      {"prefix_static", "the same with static level sizes", Static, GrowRandom,
       std::string(64, 'p')},
      RandomScenario("for_hits", "random writes, no filters on the last level", 1, ForHits),
      RandomScenario("for_hits_static", "the same with static level sizes", 1,
                     [](rocksdb::Options* options) {
                       ForHits(options);
                       Static(options);
                     }),
      RandomScenario("ratio_4", "random writes, a size ratio of 4", 1, Multiplier(4)),
      RandomScenario("ratio_20", "a size ratio of 20", 1, Multiplier(20)),
      RandomScenario("universal", "random writes, universal compaction", 1, Universal(4)),
      RandomScenario("universal_8", "the same from 8 sorted runs on", 1, Universal(8)),
      RandomScenario("universal_16", "from 16", 1, Universal(16)),
      RandomScenario("universal_40", "from 40", 1, Universal(40)),
      RandomScenario("fifo", "random writes, FIFO compaction", 0.1, Fifo),
  };
  return *scenarios;
}

}  // namespace winnow::bench
