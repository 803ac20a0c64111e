// A program that uses RocksDB and knows nothing of Winnow: what tools/roll_out.sh takes through a
// roll-out and back.
//
//   fill DB POLICY KEYS          makes the database anew
//   write DB POLICY KEYS         writes an eighth of the keys again
//   convert DB POLICY KEYS       compacts everything, then writes two eighths of the keys again
//   look DB POLICY KEYS LOOKUPS  looks up this many keys, and as many absent ones
//
// POLICY is the value of filter_policy in an options string; KEYS is a file with a sorted line for
// each key. The tree has the same shape after every verb that writes, so that lookups of absent
// keys ask as many filters: all keys in level 2, some written again since in level 1, some in level
// 0. The verb "look" prints what it found and how many data blocks it read for the absent keys.

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "third_party/rocksdb_abi/versions.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::DB;
using rocksdb::Options;
using rocksdb::Status;
using Keys = std::vector<std::string>;

constexpr size_t kPart = 8;  // of the keys are written again, one in this many
constexpr int kLastLevel = 2;

[[noreturn]] void Fail(const std::string& problem) {
  std::fprintf(stderr, "roll_out_client: %s\n", problem.c_str());
  std::exit(2);
}

void Check(const Status& status) {
  if (!status.ok()) {
    Fail(status.ToString());
  }
}

Keys ReadKeys(const std::string& path) {
  std::ifstream file(path);
  Keys keys;
  for (std::string line; std::getline(file, line);) {
    keys.push_back(line);
  }
  if (keys.size() < 2 * kPart || !std::is_sorted(keys.begin(), keys.end())) {
    Fail("expected " + path + " to have at least " + std::to_string(2 * kPart) +
         " keys, sorted by their bytes (LC_ALL=C sort -u), one in a line");
  }
  return keys;
}

Options MakeOptions(const std::string& policy) {
  BlockBasedTableOptions table;
  Check(rocksdb::GetBlockBasedTableOptionsFromString(
      rocksdb::ConfigOptions(), {}, "format_version=5;filter_policy=" + policy, &table));
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.level_compaction_dynamic_level_bytes = false;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = size_t{1} << 30;  // a flush is asked for, and makes one file
  options.statistics = rocksdb::CreateDBStatistics();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<DB> Open(const Options& options, const std::string& path) {
  winnow::rocksdb_abi::OpenedDB database{};
  Check(DB::Open(options, path, &database));
  return winnow::rocksdb_abi::Own(std::move(database));
}

void Flush(DB* database, const Keys& keys, size_t first, size_t stride) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (size_t i = first; i < keys.size(); i += stride) {
    Check(database->Put(write, keys[i], "value of " + keys[i]));
  }
  Check(database->Flush(rocksdb::FlushOptions()));
}

// All files of the levels up to `from`, into the next one.
void Compact(DB* database, int from) {
  rocksdb::ColumnFamilyMetaData tree;
  database->GetColumnFamilyMetaData(&tree);
  std::vector<std::string> files;
  for (const rocksdb::LevelMetaData& level : tree.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (level.level <= from || from + 1 == kLastLevel) {
        files.push_back(file.name);
      }
    }
  }
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kNoCompression;
  options.output_file_size_limit = 16 << 20;
  Check(database->CompactFiles(options, files, from + 1));
}

void WriteRecent(DB* database, const Keys& keys) {
  Flush(database, keys, 3, kPart);
  Compact(database, 0);
  Flush(database, keys, 5, kPart);
}

uint64_t DataBlocks(const Options& options) {
  return options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_HIT) +
         options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_MISS);
}

void Look(DB* database, const Options& options, const Keys& keys, uint64_t lookups) {
  uint64_t missing = 0;
  uint64_t invented = 0;
  std::string value;
  for (uint64_t i = 0; i < lookups; ++i) {
    const std::string& key = keys[i * keys.size() / lookups];
    const Status status = database->Get(rocksdb::ReadOptions(), key, &value);
    missing += status.ok() && value == "value of " + key ? 0 : 1;
  }
  const uint64_t before = DataBlocks(options);
  uint64_t absent = 0;
  for (uint64_t i = 0; absent < lookups; ++i) {
    const std::string key = keys[i % keys.size()] + "~" + std::to_string(i / keys.size());
    if (std::binary_search(keys.begin(), keys.end(), key)) {
      continue;
    }
    ++absent;
    const Status status = database->Get(rocksdb::ReadOptions(), key, &value);
    invented += status.IsNotFound() ? 0 : 1;
  }
  std::printf("missing=%llu invented=%llu absent_blocks=%llu useful=%llu\n",
              static_cast<unsigned long long>(missing), static_cast<unsigned long long>(invented),
              static_cast<unsigned long long>(DataBlocks(options) - before),
              static_cast<unsigned long long>(
                  options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL)));
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const std::string verb = given.empty() ? "" : given[0];
  if (given.size() != (verb == "look" ? 5u : 4u)) {
    Fail(
        "usage: roll_out_client fill|write|convert DB POLICY KEYS, or look DB POLICY KEYS LOOKUPS");
  }
  const std::string& path = given[1];
  const Options options = MakeOptions(given[2]);
  const Keys keys = ReadKeys(given[3]);
  if (verb == "fill") {
    Check(rocksdb::DestroyDB(path, Options()));
  }
  const std::unique_ptr<DB> database = Open(options, path);
  if (verb == "fill") {
    Flush(database.get(), keys, 0, 1);
    Compact(database.get(), 0);
    Compact(database.get(), kLastLevel - 1);
    WriteRecent(database.get(), keys);
  } else if (verb == "write") {
    Compact(database.get(), 0);
    Flush(database.get(), keys, 5, kPart);
  } else if (verb == "convert") {
    Compact(database.get(), kLastLevel - 1);
    WriteRecent(database.get(), keys);
  } else if (verb == "look") {
    Look(database.get(), options, keys, std::strtoull(given[4].c_str(), nullptr, 10));
  } else {
    Fail("expected fill, write, convert or look, found " + verb);
  }
  Check(database->Close());
  return 0;
}
