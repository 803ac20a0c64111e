#include "tests/paired_trees/cells.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>

#include "src/base/random.h"

namespace winnow::paired_trees {
namespace {

using bench::Random;
using NextKey = std::function<uint64_t(uint64_t i)>;

const std::string kPrefix(64, 'p');

// Options strings.
constexpr char kStatic[] = "level_compaction_dynamic_level_bytes=false";
constexpr char kForHits[] = "optimize_filters_for_hits=true";
constexpr char kFifo[] =
    "compaction_style=kCompactionStyleFIFO;compaction_options_fifo={max_table_files_size=1t}";

void PutAll(Tree* tree, uint64_t n, const NextKey& next) {
  for (uint64_t i = 0; i < n; ++i) tree->Put(next(i));
}

void PutAndRest(Tree* tree, uint64_t n, const NextKey& next) {
  PutAll(tree, n, next);
  tree->Rest();
}

NextKey RandomKeys(uint64_t seed) {
  return [random = Random(bench::Mix(seed))](uint64_t) mutable { return random() % kKeysEnd; };
}

// Returns `n` ascending keys from the beginning of a range with room for all.
NextKey Ascending(uint64_t begin, uint64_t n, uint64_t width) {
  return [=](uint64_t i) { return begin + i * (width / n); };
}

void GrowRandom(Tree* tree, uint64_t keys, uint64_t seed) {
  PutAndRest(tree, keys, RandomKeys(seed));
}

// Returns growth by random keys, then a share of all keys in order, from `begin` on.
Grow ThenInOrder(double share, uint64_t begin = kKeysEnd, uint64_t width = kKeysEnd) {
  return [=](Tree* tree, uint64_t keys, uint64_t seed) {
    const auto ordered = static_cast<uint64_t>(share * static_cast<double>(keys));
    GrowRandom(tree, keys - ordered, seed);
    PutAndRest(tree, ordered, Ascending(begin, ordered, width));
  };
}

// Returns growth by several ascending sequences in turn.
Grow Streams(uint64_t streams) {
  return [=](Tree* tree, uint64_t keys, uint64_t) {
    const uint64_t width = kKeysEnd / streams;
    PutAndRest(tree, keys,
               [&](uint64_t i) { return i % streams * width + i / streams * (width / keys); });
  };
}

// Returns growth by alternating random keys and keys of several ascending sequences above them.
Grow Mixed(uint64_t streams) {
  return [=](Tree* tree, uint64_t keys, uint64_t seed) {
    const uint64_t width = kKeysEnd / (streams + 1);
    PutAndRest(tree, keys, [&, random = RandomKeys(seed)](uint64_t i) {
      if (i % 2 == 0) return random(i);
      return kKeysEnd + i / 2 % streams * width + i / 2 / streams * (width / keys);
    });
  };
}

// Leaves files on level 0 that are not compacted.
void GrowBacklog(Tree* tree, uint64_t keys, uint64_t seed) {
  constexpr uint64_t kFiles = 30;
  const uint64_t of_file = keys / 400;
  GrowRandom(tree, keys - kFiles * of_file, seed);
  Check(tree->db()->SetOptions({{"disable_auto_compactions", "true"}}));
  const NextKey random = RandomKeys(seed + 1);
  for (uint64_t file = 0; file < kFiles; ++file) {
    PutAll(tree, of_file, random);
    Check(tree->db()->Flush(rocksdb::FlushOptions()));
  }
}

void GrowReopened(Tree* tree, uint64_t keys, uint64_t seed) {
  GrowRandom(tree, keys / 2, seed);
  tree->Reopen();
  GrowRandom(tree, keys / 2, seed + 1);
}

// Alternates random writes and ingested files of ordered keys over the whole range.
void GrowIngested(Tree* tree, uint64_t keys, uint64_t seed) {
  constexpr uint64_t kFiles = 8;
  const uint64_t n = keys / 4 / kFiles;
  GrowRandom(tree, keys / 2, seed);
  const NextKey random = RandomKeys(seed + 1);
  for (uint64_t file = 0; file < kFiles; ++file) {
    const std::string path = tree->folder() + "/ingested.sst";
    rocksdb::SstFileWriter writer((rocksdb::EnvOptions()), tree->options());
    Check(writer.Open(path));
    for (uint64_t i = 0; i < n; ++i) Check(writer.Put(tree->KeyOf(i * (kKeysEnd / n) + file), ""));
    Check(writer.Finish());
    Check(tree->db()->IngestExternalFile({path}, rocksdb::IngestExternalFileOptions()));
    PutAll(tree, n, random);
  }
  tree->Rest();
}

// A time series with keys that are late by up to a hundredth of it.
void GrowSeries(Tree* tree, uint64_t keys, uint64_t seed) {
  PutAndRest(tree, keys, [&, late = RandomKeys(seed)](uint64_t i) {
    return kKeysEnd + i * (kKeysEnd / keys) - late(i) / 100;
  });
}

void GrowOverwritten(Tree* tree, uint64_t keys, uint64_t seed) {
  PutAll(tree, keys * 3 / 4, RandomKeys(seed));
  GrowRandom(tree, keys / 4, seed);
}

// A queue with cyclic numbers in four rounds, in which a tenth of the numbers exists at any time.
void GrowRing(Tree* tree, uint64_t keys, uint64_t) {
  const uint64_t numbers = keys / 4;
  const uint64_t step = kKeysEnd / numbers;
  for (uint64_t i = 0; i < keys; ++i) {
    tree->Put(i % numbers * step);
    if (i < numbers / 10) continue;
    const std::string oldest = tree->KeyOf((i - numbers / 10) % numbers * step);
    Check(tree->db()->Delete(rocksdb::WriteOptions(), oldest));
  }
  tree->Rest();
}

void DeleteRange(Tree* tree) {
  rocksdb::DB* const db = tree->db();
  const std::string end = tree->KeyOf(kKeysEnd);
  Check(db->DeleteRange(rocksdb::WriteOptions(), db->DefaultColumnFamily(), "", end));
  Check(db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
}

void DeleteFiles(Tree* tree) {
  rocksdb::ColumnFamilyHandle* const family = tree->db()->DefaultColumnFamily();
  Check(rocksdb::DeleteFilesInRange(tree->db(), family, nullptr, nullptr));
}

// Returns growth by random keys, which are removed, and as many in order.
Grow Removed(void (*remove)(Tree*)) {
  return [=](Tree* tree, uint64_t keys, uint64_t seed) {
    GrowRandom(tree, keys / 2, seed);
    remove(tree);
    PutAndRest(tree, keys / 2, Ascending(0, keys / 2, kKeysEnd));
  };
}

std::string Universal(int runs) {
  return absl::StrCat(
      "compaction_style=kCompactionStyleUniversal;level0_file_num_compaction_trigger=", runs,
      ";level0_slowdown_writes_trigger=", 4 * runs, ";level0_stop_writes_trigger=", 8 * runs);
}

Cell RandomCell(const std::string& name, const std::string& options = "", double share = 1,
                const std::string& prefix = "") {
  return {name, GrowRandom, options, share, prefix};
}

Cell SkewCell(const std::string& name, const char* heat, Writes writes = Writes::kRandom,
              uint64_t found_of_ten = 0, bool while_it_grows = true) {
  const Skew skew{*bench::FindHeatModel(heat), writes, found_of_ten, while_it_grows};
  return {name, nullptr, "", 1, "", skew};
}

// Groups of keys with 62 bytes in common, each with a hot twentieth.
Cell TenantsCell() {
  std::vector<double> shares;
  for (int tenant = 0; tenant < 4; ++tenant) {
    const std::vector<double> of_one = bench::HotShares(20, 7, 0.9);
    shares.insert(shares.end(), of_one.begin(), of_one.end());
  }
  Cell cell = SkewCell("tenants", "flat");
  cell.skew->heat.at = [shares](double, uint64_t end) { return bench::Heat(shares, end); };
  cell.prefix = std::string(62, 't');
  return cell;
}

}  // namespace

const std::vector<Cell>& Cells() {
  static const auto* const cells = new std::vector<Cell>{
      // Random writes: with dynamic level sizes; the same with fewer keys; and so on.
      RandomCell("random"),
      RandomCell("random_10th", "", 0.1),
      RandomCell("random_3rd", "", 0.33),
      RandomCell("random_60th", "", 0.6),
      RandomCell("static", kStatic),
      RandomCell("static_10th", kStatic, 0.1),
      RandomCell("static_3rd", kStatic, 0.33),
      RandomCell("static_60th", kStatic, 0.6),
      {"overwritten", GrowOverwritten},
      {"reopened", GrowReopened},
      {"ingested", GrowIngested},
      {"series", GrowSeries},
      {"moved_10", ThenInOrder(0.1)},
      {"moved_30", ThenInOrder(0.3)},
      {"moved_50", ThenInOrder(0.5)},
      // Between two of the random keys.
      {"moved_between", ThenInOrder(0.3, kKeysEnd / 2, kKeysEnd / 1'000'000'000)},
      {"in_order", ThenInOrder(1)},
      {"mixed", Mixed(1)},
      {"mixed_4", Mixed(4)},
      {"streams_4", Streams(4)},
      {"streams_1000", Streams(1000)},
      {"backlog", GrowBacklog},
      {"ring", GrowRing},
      {"range_deleted", Removed(DeleteRange)},
      {"files_deleted", Removed(DeleteFiles)},
      RandomCell("prefix", "", 1, kPrefix),
      RandomCell("prefix_static", kStatic, 1, kPrefix),
      RandomCell("for_hits", kForHits),
      RandomCell("for_hits_static", absl::StrCat(kStatic, ";", kForHits)),
      RandomCell("ratio_4", "max_bytes_for_level_multiplier=4"),
      RandomCell("ratio_20", "max_bytes_for_level_multiplier=20"),
      // Universal compaction from so many sorted runs on.
      RandomCell("universal", Universal(4)),
      RandomCell("universal_8", Universal(8)),
      RandomCell("universal_16", Universal(16)),
      RandomCell("universal_40", Universal(40)),
      RandomCell("fifo", kFifo, 0.1),
      // Absent keys, unless some are found; trees are overwritten once, except in time series.
      SkewCell("flat", "flat"),
      SkewCell("mixgraph", "mixgraph"),
      SkewCell("mixgraph_found", "mixgraph", Writes::kRandom, 9),
      SkewCell("zipf", "zipf"),
      SkewCell("moving", "moving"),
      SkewCell("then_flat", "then_flat"),
      SkewCell("no_lookups", "flat", Writes::kRandom, 0, false),
      SkewCell("skewed", "mixgraph", Writes::kByHeat),
      SkewCell("time_series", "newest", Writes::kInTime),
      TenantsCell(),
  };
  return *cells;
}

}  // namespace winnow::paired_trees
