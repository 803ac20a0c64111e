// A RocksDB program without knowledge of Winnow, which makes a database of a shape and counts what
// its filters take and cost.
//
//   write SHAPE DB POLICY KEYS [DBOPTIONS]         makes the database anew
//   compact SHAPE DB POLICY KEYS [DBOPTIONS]       compacts all of it into one sorted run
//   look SHAPE DB POLICY KEYS LOOKUPS [DBOPTIONS]  prints the bits per key of all filters; of
//   LOOKUPS
//                                                  lookups of absent keys, in the range of the
//                                                  others, how often a filter passed and how many
//                                                  data blocks were read; and the number of keys
//                                                  (files) on each level
//
// SHAPE is a row of kShapes. POLICY is the value of filter_policy in an options string; DBOPTIONS
// is one of DBOptions, such as listeners=winnow. Compactions run one at a time, and writes wait for
// them, so that a shape has nearly the same tree with every policy.

#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "third_party/rocksdb_abi/versions.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::DB;
using rocksdb::Options;
using rocksdb::Slice;
using rocksdb::Status;

// A comparator with a name that nobody knows, though its order is the bytewise one.
class OwnComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "shape_client.OwnComparator"; }
  int Compare(const Slice& a, const Slice& b) const override { return a.compare(b); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

struct Shape {
  const char* name;
  const char* options = "";  // of the column family
  const char* table = "";    // of the table
  const rocksdb::Comparator* comparator = rocksdb::BytewiseComparator();
  double part = 1;        // of KEYS
  int flushes = 100;      // the load is written by so many
  bool in_order = false;  // keys come in their order, so that files are moved down as they are
};

const OwnComparator own_comparator;

// A level has ten times the size of that above it, and the last one has most keys.
constexpr char kFull[] = "level_compaction_dynamic_level_bytes=true;";

const Shape kShapes[] = {
    {"full", kFull},
    {"growing"},
    {"one_file", "target_file_size_base=1073741824;", "", rocksdb::BytewiseComparator(), 1, 1},
    {"reverse", kFull, "", rocksdb::ReverseBytewiseComparator()},
    {"own", kFull, "", &own_comparator},
    {"universal", "compaction_style=kCompactionStyleUniversal;"},
    {"in_order", "", "", rocksdb::BytewiseComparator(), 1, 100, true},
    {"few_small_files", "", "", rocksdb::BytewiseComparator(), 0.02, 7},
    {"partitions", kFull, "index_type=kTwoLevelIndexSearch;partition_filters=true;"},
    {"block_cache", kFull, "cache_index_and_filter_blocks=true;"},
    {"fifo", "compaction_style=kCompactionStyleFIFO;", "", rocksdb::BytewiseComparator(), 1, 10},
};

[[noreturn]] void Fail(const std::string& problem) {
  std::fprintf(stderr, "shape_client: %s\n", problem.c_str());
  std::exit(2);
}

void Check(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// Returns the i-th key: a one-to-one hash, or its number.
std::string Key(const Shape& shape, uint64_t i) {
  uint64_t number = i;
  if (!shape.in_order) {
    number ^= number >> 31;
    number *= 0x9e3779b97f4a7c15;
    number ^= number >> 29;
    number *= 0xbf58476d1ce4e5b9;
    number ^= number >> 32;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

Options OptionsOf(const Shape& shape, const std::string& policy, uint64_t bytes_a_flush) {
  const rocksdb::ConfigOptions config;
  BlockBasedTableOptions table;
  Check(GetBlockBasedTableOptionsFromString(
      config, table, std::string("format_version=5;") + shape.table + "filter_policy=" + policy,
      &table));
  Options options;
  options.target_file_size_base = bytes_a_flush;
  options.max_bytes_for_level_base = 4 * bytes_a_flush;
  options.level_compaction_dynamic_level_bytes = false;
  options.compression = rocksdb::kNoCompression;
  Check(GetColumnFamilyOptionsFromString(config, options, shape.options, &options));
  options.comparator = shape.comparator;
  options.create_if_missing = true;
  options.max_open_files = -1;
  options.max_background_compactions = 1;
  options.write_buffer_size = size_t{1} << 30;  // flushes are called
  options.compaction_options_fifo.max_table_files_size = uint64_t{1} << 40;
  options.statistics = rocksdb::CreateDBStatistics();
  table.block_cache = rocksdb::NewLRUCache(size_t{1} << 30);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

uint64_t NumberOf(DB* database, const char* property) {
  uint64_t number = 0;
  database->GetIntProperty(property, &number);
  return number;
}

// Returns when no compaction runs, and none is begun any more: in universal compaction, some stay
// pending.
void WaitForCompactions(DB* database) {
  constexpr int kPolls = 100;
  const auto style = database->GetOptions().compaction_style;
  const bool all_are_begun = style == rocksdb::kCompactionStyleLevel;
  for (int idle = 0; all_are_begun || idle < kPolls; ++idle) {
    if (NumberOf(database, "rocksdb.num-running-compactions") > 0) {
      idle = 0;
    } else if (NumberOf(database, "rocksdb.compaction-pending") == 0) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void Write(DB* database, const Shape& shape, uint64_t keys) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  uint64_t next = 0;
  for (int flush = 1; flush <= shape.flushes; ++flush) {
    for (; next < keys * flush / shape.flushes; ++next) {
      const std::string key = Key(shape, next);
      Check(database->Put(write, key, key));
    }
    Check(database->Flush(rocksdb::FlushOptions()));
    WaitForCompactions(database);
  }
}

void Compact(DB* database) {
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  Check(database->CompactRange(all, nullptr, nullptr));
}

double FilterBitsPerKey(DB* database) {
  rocksdb::TablePropertiesCollection files;
  Check(database->GetPropertiesOfAllTables(&files));
  double bytes = 0;
  double keys = 0;
  for (const auto& [name, file] : files) {
    bytes += static_cast<double>(file->filter_size);
    keys += static_cast<double>(file->num_entries);
  }
  return bytes * 8 / keys;
}

uint64_t DataBlocks(const Options& options) {
  return options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_HIT) +
         options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_MISS);
}

void Look(DB* database, const Options& options, const Shape& shape, uint64_t keys,
          uint64_t lookups) {
  std::string value;
  for (uint64_t i = 0; i < keys; i += 97) {
    const std::string key = Key(shape, i);
    Check(database->Get(rocksdb::ReadOptions(), key, &value));
  }
  Check(options.statistics->Reset());
  for (uint64_t i = 0; i < lookups; ++i) {
    const std::string key = Key(shape, i % keys) + "~" + std::to_string(i / keys);
    if (!database->Get(rocksdb::ReadOptions(), key, &value).IsNotFound()) Fail(key + " is found");
  }
  std::printf("passed=%llu blocks=%llu",
              static_cast<unsigned long long>(
                  options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE)),
              static_cast<unsigned long long>(DataBlocks(options)));
}

void PrintLevels(DB* database) {
  std::vector<rocksdb::LiveFileMetaData> files;
  database->GetLiveFilesMetaData(&files);
  std::map<int, std::pair<uint64_t, int>> levels;
  for (const rocksdb::LiveFileMetaData& file : files) {
    levels[file.level].first += file.num_entries;
    ++levels[file.level].second;
  }
  for (const auto& [level, sums] : levels) {
    std::printf(" %d:%llu(%d)", level, static_cast<unsigned long long>(sums.first), sums.second);
  }
  std::puts("");
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> given(arguments + 1, arguments + count);
  const std::string verb = given.empty() ? "" : given[0];
  const size_t least = verb == "look" ? 6 : 5;
  if (given.size() < least || given.size() > least + 1) {
    Fail("usage: shape_client write|compact|look SHAPE DB POLICY KEYS [LOOKUPS] [DBOPTIONS]");
  }
  const auto* const shape = std::find_if(std::begin(kShapes), std::end(kShapes),
                                         [&](const Shape& one) { return given[1] == one.name; });
  if (shape == std::end(kShapes)) Fail("expected a shape, found " + given[1]);
  const auto keys = static_cast<uint64_t>(
      static_cast<double>(std::strtoull(given[4].c_str(), nullptr, 10)) * shape->part);
  constexpr uint64_t kBytesOfKey = 45;  // in a file, with its value
  Options options = OptionsOf(*shape, given[3], keys * kBytesOfKey / shape->flushes);
  if (given.size() > least) {
    Check(GetDBOptionsFromString(rocksdb::ConfigOptions(), options, given.back(), &options));
  }
  if (verb == "write") Check(rocksdb::DestroyDB(given[2], Options()));
  winnow::rocksdb_abi::OpenedDB opened{};
  Check(DB::Open(options, given[2], &opened));
  const std::unique_ptr<DB> database = winnow::rocksdb_abi::Own(std::move(opened));
  if (verb == "write") {
    Write(database.get(), *shape, keys);
  } else if (verb == "compact") {
    Compact(database.get());
  } else if (verb == "look") {
    std::printf("bits_per_key=%.4f ", FilterBitsPerKey(database.get()));
    Look(database.get(), options, *shape, keys, std::strtoull(given[5].c_str(), nullptr, 10));
    PrintLevels(database.get());
  } else {
    Fail("expected write, compact or look, found " + verb);
  }
  return 0;
}
