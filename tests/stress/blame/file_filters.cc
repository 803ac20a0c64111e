#include "tests/stress/blame/file_filters.h"

#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/utilities/debug.h>

#include <algorithm>
#include <memory>

#include "src/core/format.h"
#include "src/sst/sst_filters.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::KeyVersion;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Slice;

// Contents of a file, read without its filter.
struct Contents {
  bool holds_value = false;      // a value or operand; the file's iterator shows no tombstones
  bool has_whole_keys = false;   // true if its filter has them
  std::string prefix_extractor;  // extractor of the prefixes in its filter; empty: none
};

Contents ReadContents(const std::string& path, const std::string& key,
                      const FamilySettings& settings) {
  Contents contents;
  const ROCKSDB_NAMESPACE::Options options(ROCKSDB_NAMESPACE::DBOptions(), settings.With(nullptr));
  ROCKSDB_NAMESPACE::SstFileReader reader(options);
  if (!reader.Open(path).ok()) return contents;
  ROCKSDB_NAMESPACE::ReadOptions read;
  read.total_order_seek = true;
  const std::string now(8, '\xff');
  const Slice timestamp = now;
  if (settings.options.comparator->timestamp_size() > 0) read.timestamp = &timestamp;
  const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> at(reader.NewIterator(read));
  at->Seek(key);
  contents.holds_value = at->Valid() && at->key() == key;
  const auto properties = reader.GetTableProperties();
  const auto is_on = [&properties](const char* name) {
    const auto found = properties->user_collected_properties.find(name);
    return found != properties->user_collected_properties.end() && found->second == "1";
  };
  contents.has_whole_keys = is_on("rocksdb.block.based.table.whole.key.filtering");
  if (is_on("rocksdb.block.based.table.prefix.filtering")) {
    contents.prefix_extractor = properties->prefix_extractor_name;
  }
  return contents;
}

}  // namespace

bool BlockDenies(const std::string& block, const std::string& filter_key) {
  if (core::LooksOurs(block)) return !FilterView(block).MayContain(HashKey(filter_key));
  const auto policy = MakePolicy("rocksdb.BuiltinBloomFilter");
  const std::unique_ptr<FilterBitsReader> reader(policy->GetFilterBitsReader(block));
  return reader != nullptr && !reader->MayMatch(Slice(filter_key));
}

std::vector<FileAndKey> FilesWithKey(const ReadOnlyDatabase& database, size_t family,
                                     const std::string& key, const std::string& prefix,
                                     const Settings& settings) {
  const FamilySettings& of_family = settings.families[family];
  std::vector<KeyVersion> versions;
  ROCKSDB_NAMESPACE::GetAllKeyVersions(&database.db(), database.family(family), key, key, 10'000,
                                       &versions)
      .PermitUncheckedError();
  std::vector<LiveFileMetaData> all;
  database.db().GetLiveFilesMetaData(&all);
  std::vector<FileAndKey> files;
  for (const LiveFileMetaData& live : all) {
    if (live.column_family_name != FamilyName(family)) continue;
    // The range of a file has timestamps in this column family, so it is not compared.
    if (family != kTimedFamily && (key < live.smallestkey || live.largestkey < key)) continue;
    const std::string path = live.db_path + live.name;
    FileAndKey file;
    file.name = live.name;
    file.level = live.level;
    const Contents contents = ReadContents(path, key, of_family);
    file.holds_key =
        contents.holds_value ||
        std::any_of(versions.begin(), versions.end(), [&live, &key](const KeyVersion& version) {
          return version.user_key == key && version.sequence > 0 &&
                 version.sequence >= live.smallest_seqno && version.sequence <= live.largest_seqno;
        });
    std::string error;
    file.blocks = inspect::ReadFilterBlocks(path, &error);
    const inspect::SstReport report = inspect::ReadSst(path);
    file.kind = report.filter ? report.filter->kind : error;
    // RocksDB does not use a filter without whole keys, or with the prefixes of another extractor.
    const auto& extractor = of_family.options.prefix_extractor;
    const bool is_asked =
        prefix.empty() ? contents.has_whole_keys
                       : extractor != nullptr && contents.prefix_extractor == extractor->AsString();
    const std::string& filter_key = prefix.empty() ? key : prefix;
    file.is_denied = is_asked && !file.blocks.empty() &&
                     std::all_of(file.blocks.begin(), file.blocks.end(),
                                 [&filter_key](const std::string& block) {
                                   return BlockDenies(block, filter_key);
                                 });
    files.push_back(std::move(file));
  }
  return files;
}

std::string ToString(const FileAndKey& file) {
  return "file " + file.name + ", level " + std::to_string(file.level) + ", " + file.kind + " in " +
         std::to_string(file.blocks.size()) + " blocks, " +
         (file.holds_key ? "has an entry of the key" : "has no entry of the key") +
         ", its filter " + (file.is_denied ? "denies it" : "does not deny it");
}

}  // namespace winnow::stress
