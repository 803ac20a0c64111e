// A RocksDB program without knowledge of Winnow, which tools/roll_out.sh takes through a roll-out
// and a roll-back.
//
//   fill DB POLICY KEYS          makes the database anew
//   write DB POLICY KEYS         writes an eighth of the keys again
//   convert DB POLICY KEYS       compacts everything, then writes two eighths of the keys again
//   import DB POLICY KEYS        exports the column family, and imports it in the database
//                                DB.imported
//   look DB POLICY KEYS LOOKUPS  looks up this many keys, and as many absent ones
//   openings                     prints the prefixes, followed by @, that a DB may have for look:
//                                ways to read the database besides the writer's
//
// POLICY is the value of filter_policy in an options string; KEYS is a file with one key per line,
// sorted. The tree has the same shape after every writing verb, so that lookups of absent keys
// check equally many filters: all keys are in level 2, some rewritten ones in level 1, some in
// level 0. The verb "look" prints the keys found and the number of data blocks read for the absent
// keys.

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "third_party/rocksdb_abi/versions.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::Options;
using rocksdb::Status;
using Keys = std::vector<std::string>;

constexpr size_t kPart = 8;  // one in this many keys is written again
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
  options.write_buffer_size = size_t{1} << 30;  // flushes are manual and make one file each
  options.statistics = rocksdb::CreateDBStatistics();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// A database and its column families; the last one has the keys.
class Database {
 public:
  // `place` is OPENING@PATH or PATH.
  Database(const Options& options, const std::string& place) {
    const size_t at = place.find('@');
    const std::string opening = at == std::string::npos ? "" : place.substr(0, at);
    const std::string path = place.substr(at + 1);
    std::vector<std::string> names;
    if (!DB::ListColumnFamilies(options, path, &names).ok()) {
      names = {rocksdb::kDefaultColumnFamilyName};  // a new database
    }
    std::vector<rocksdb::ColumnFamilyDescriptor> all;
    all.reserve(names.size());
    for (const std::string& name : names) {
      all.emplace_back(name, options);
    }
    winnow::rocksdb_abi::OpenedDB opened{};
    if (opening.empty()) {
      Check(DB::Open(options, path, all, &families_, &opened));
    } else if (opening == "read-only") {
      Check(DB::OpenForReadOnly(options, path, all, &families_, &opened));
    } else if (opening == "secondary") {
      Check(DB::OpenAsSecondary(options, path, path + ".secondary", all, &families_, &opened));
#if WINNOW_ROCKSDB_AT_LEAST(9, 2)
    } else if (opening == "follower") {
      Check(DB::OpenAsFollower(options, path + ".follower", path, all, &families_, &owner_));
#endif
    } else {
      Fail("expected one of the openings before the @ of " + place);
    }
    if (owner_ == nullptr) {
      owner_ = winnow::rocksdb_abi::Own(std::move(opened));
    }
  }
  ~Database() {
    for (ColumnFamilyHandle* family : families_) {
      Check(owner_->DestroyColumnFamilyHandle(family));
    }
    Check(owner_->Close());
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  DB* operator->() const { return owner_.get(); }
  DB* get() const { return owner_.get(); }
  ColumnFamilyHandle* family() const { return families_.back(); }
  void Add(ColumnFamilyHandle* family) { families_.push_back(family); }

 private:
  std::unique_ptr<DB> owner_;
  std::vector<ColumnFamilyHandle*> families_;
};

void PrintOpenings() {
  std::puts("read-only\nsecondary");
#if WINNOW_ROCKSDB_AT_LEAST(9, 2)
  std::puts("follower");
#endif
}

void Flush(DB* database, const Keys& keys, size_t first, size_t stride) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (size_t i = first; i < keys.size(); i += stride) {
    Check(database->Put(write, keys[i], "value of " + keys[i]));
  }
  Check(database->Flush(rocksdb::FlushOptions()));
}

// Compacts all files of the levels up to `from` into the next level.
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

void Import(const Database& from, const Options& options, const std::string& path) {
  rocksdb::Checkpoint* made = nullptr;
  Check(rocksdb::Checkpoint::Create(from.get(), &made));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  rocksdb::ExportImportFilesMetaData* exported = nullptr;
  Check(checkpoint->ExportColumnFamily(from.family(), path + ".exported", &exported));
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(exported);
  Database to(options, path + ".imported");
  ColumnFamilyHandle* family = nullptr;
  Check(to->CreateColumnFamilyWithImport(options, "imported", {}, *files, &family));
  to.Add(family);
}

uint64_t DataBlocks(const Options& options) {
  return options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_HIT) +
         options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_MISS);
}

void Look(const Database& database, const Options& options, const Keys& keys, uint64_t lookups) {
  uint64_t missing = 0;
  uint64_t invented = 0;
  std::string value;
  for (uint64_t i = 0; i < lookups; ++i) {
    const std::string& key = keys[i * keys.size() / lookups];
    const Status status = database->Get(rocksdb::ReadOptions(), database.family(), key, &value);
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
    const Status status = database->Get(rocksdb::ReadOptions(), database.family(), key, &value);
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
  if (verb == "openings" && given.size() == 1) {
    PrintOpenings();
    return 0;
  }
  if (given.size() != (verb == "look" ? 5u : 4u)) {
    Fail(
        "usage: roll_out_client fill|write|convert|import DB POLICY KEYS, "
        "look [OPENING@]DB POLICY KEYS LOOKUPS, or openings");
  }
  const std::string& path = given[1];
  const Options options = MakeOptions(given[2]);
  const Keys keys = ReadKeys(given[3]);
  if (verb == "fill") {
    Check(rocksdb::DestroyDB(path, Options()));
  }
  const Database database(options, path);
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
  } else if (verb == "import") {
    Import(database, options, path);
  } else if (verb == "look") {
    Look(database, options, keys, std::strtoull(given[4].c_str(), nullptr, 10));
  } else {
    Fail("expected fill, write, convert, import or look, found " + verb);
  }
  return 0;
}
