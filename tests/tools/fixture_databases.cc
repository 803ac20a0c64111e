#include "tests/tools/fixture_databases.h"

#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/metadata.h>
#include <rocksdb/slice_transform.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>

#include "tests/support/inspect_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::testing {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;

constexpr uint64_t kKeys = 20'000;

void Check(const ROCKSDB_NAMESPACE::Status& status) {
  if (!status.ok()) {
    throw std::runtime_error(status.ToString());
  }
}

// Sets all options whose defaults depend on machine or version.
Options OptionsWith(ROCKSDB_NAMESPACE::BlockBasedTableOptions table) {
  table.format_version = 5;
  Options options = MakeOptions(table);
  options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  options.max_background_jobs = 1;
  return options;
}

Options OptionsWith(const std::string& policy, bool partitioned = false) {
  return OptionsWith(partitioned ? PartitionedTableWith(policy) : TableWith(policy));
}

// Opens or creates the database, calls `change`, and closes it.
void With(const Options& options, const std::string& path, const std::function<void(DB*)>& change) {
  const std::unique_ptr<DB> database = OpenDatabase(options, path);
  change(database.get());
  Check(database->Close());
}

void Flush(DB* database) { Check(database->Flush(ROCKSDB_NAMESPACE::FlushOptions())); }

// Flushes a file with the keys number first, first + step, ….
void PutFile(DB* database, uint64_t first, uint64_t count, uint64_t step = 1,
             ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr) {
  PutAndFlush(database, {first + count * step, first, step}, family);
}

// Compacts all files of level 0 to the level.
void CompactAll(DB* database, int level) {
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData metadata;
  database->GetColumnFamilyMetaData(&metadata);
  std::vector<std::string> files;
  for (const auto& file : metadata.levels.front().files) {
    files.push_back(file.name);
  }
  Check(database->CompactFiles(ROCKSDB_NAMESPACE::CompactionOptions(), files, level));
}

// Writes a file with most keys to level 1 and one with few to level 0.
void MakeTwoFiles(const Options& options, const std::string& path) {
  With(options, path, [](DB* database) {
    PutFile(database, 0, kKeys);
    CompactAll(database, 1);
    PutFile(database, 3, 500, 10);
  });
}

using Make = std::function<void(const std::string& path)>;

Make TwoFiles(const std::string& policy, bool partitioned = false) {
  return [=](const std::string& path) { MakeTwoFiles(OptionsWith(policy, partitioned), path); };
}

Make TwoFilesOfPrefixes(bool whole_keys, bool partitioned = false) {
  return [=](const std::string& path) {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table =
        partitioned ? PartitionedTableWith("winnow:10") : TableWith("winnow:10");
    table.whole_key_filtering = whole_keys;
    Options options = OptionsWith(table);
    options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
    MakeTwoFiles(options, path);
  };
}

// Makes a database with a file of each of these policies.
Make FileOfEach(const std::vector<std::string>& policies, uint64_t keys, bool partitioned = false) {
  return [=](const std::string& path) {
    for (const std::string& policy : policies) {
      With(OptionsWith(policy, partitioned), path,
           [&](DB* database) { PutFile(database, 0, keys); });
    }
  };
}

void MakeWinnowSmall(const std::string& path) {
  With(OptionsWith("winnow:10"), path, [](DB* database) {
    for (const uint64_t keys : {1, 2, 10, 63, 64, 100, 300, 1'000}) {
      PutFile(database, 0, keys);
    }
  });
}

void MakeWinnowLevels(const std::string& path) {
  With(OptionsWith("{id=winnow;bits_per_key=10;level_plan=auto}"), path, [](DB* database) {
    PutFile(database, 0, kKeys);
    CompactAll(database, 3);
    PutFile(database, 3, 2'000, 10);
    CompactAll(database, 2);
    PutFile(database, 6, 500, 40);
    CompactAll(database, 1);
    PutFile(database, 7, 100, 200);
  });
}

// Changes from no filters to RocksDB's, and then to Winnow's.
void MakeMixed(const std::string& path) {
  With(OptionsWith(""), path, [](DB* database) {
    PutFile(database, 0, 1'000);
    CompactAll(database, 2);
  });
  With(OptionsWith("bloomfilter:10"), path, [](DB* database) {
    for (uint64_t file = 0; file < 3; ++file) {
      PutFile(database, 1 + file, 3'000, 6);
    }
  });
  With(OptionsWith("winnow:10"), path, [](DB* database) {
    PutFile(database, 4, 3'000, 6);
    PutFile(database, 5, 3'000, 6);
  });
}

void MakeColumnFamilies(const std::string& path) {
  const std::vector<std::pair<std::string, std::string>> families = {
      {"bloom", "bloomfilter:10"}, {"no filter", ""}, {"ünder\tway", "winnow:14"}};
  With(OptionsWith("winnow:10"), path, [&families](DB* database) {
    PutFile(database, 0, 2'000);
    for (const auto& [name, policy] : families) {
      ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
      Check(database->CreateColumnFamily(OptionsWith(policy), name, &family));
      PutFile(database, 0, 3'000, 2, family);
      PutFile(database, 1, 100, 2, family);
      Check(database->DestroyColumnFamilyHandle(family));
    }
  });
}

void MakeTimestamps(const std::string& path) {
  const ROCKSDB_NAMESPACE::Comparator* comparator = nullptr;
  Check(ROCKSDB_NAMESPACE::Comparator::CreateFromString(
      StrictConfig(), "leveldb.BytewiseComparator.u64ts", &comparator));
  for (const bool partitioned : {false, true}) {
    Options options = OptionsWith("winnow:10", partitioned);
    options.comparator = comparator;
    With(options, path, [](DB* database) {
      for (uint64_t i = 0; i < 5'000; ++i) {
        for (const char* timestamp : {"\1\0\0\0\0\0\0", "\2\0\0\0\0\0\0"}) {
          Check(database->Put(WriteOptions(), KeyOf(i), Slice(timestamp, 8), "value"));
        }
      }
      Flush(database);
    });
  }
}

// Writes versions that snapshots keep, merges, and deletions of all types.
void MakeOperations(const std::string& path) {
  Options options = OptionsWith("winnow:10");
  Check(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString(StrictConfig(), "stringappend",
                                                           &options.merge_operator));
  With(options, path, [](DB* database) {
    PutFile(database, 0, 2'000);
    std::vector<const ROCKSDB_NAMESPACE::Snapshot*> snapshots;
    for (uint64_t i = 0; i < 2'000; i += 2) {
      const std::string key = KeyOf(i);
      if (i % 200 == 0) {
        snapshots.push_back(database->GetSnapshot());
      }
      Check(i % 5 == 0   ? database->Delete(WriteOptions(), key)
            : i % 7 == 0 ? database->SingleDelete(WriteOptions(), key)
                         : database->Merge(WriteOptions(), key, "more"));
      if (i % 3 == 0) {
        Check(database->Merge(WriteOptions(), key, "again"));
      }
    }
    for (uint64_t i = 0; i < 10; ++i) {
      Check(database->Put(WriteOptions(), KeyOf(4), std::to_string(i)));
      snapshots.push_back(database->GetSnapshot());
    }
    Check(database->DeleteRange(WriteOptions(), database->DefaultColumnFamily(), KeyOf(100),
                                KeyOf(300)));
    Flush(database);
    Check(database->DeleteRange(WriteOptions(), database->DefaultColumnFamily(), KeyOf(1'000),
                                KeyOf(1'100)));
    Flush(database);
    for (const auto* snapshot : snapshots) {
      database->ReleaseSnapshot(snapshot);
    }
  });
}

void MakeDbPaths(const std::string& path) {
  Options options = OptionsWith("winnow:10");
  options.db_paths = {{path + ".fast", 1 << 30}, {path + ".slow", 1 << 30}};
  With(options, path, [](DB* database) {
    PutFile(database, 0, 5'000);
    ROCKSDB_NAMESPACE::CompactRangeOptions rewrite;
    rewrite.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    rewrite.target_path_id = 1;
    Check(database->CompactRange(rewrite, nullptr, nullptr));
    PutFile(database, 1, 500, 3);
  });
}

// Writes a file of few keys, and one with range filters in partitions.
void MakeRanges(const std::string& path) {
  for (const bool partitioned : {false, true}) {
    Options options = OptionsWith(kRangePolicy, partitioned);
    options.prefix_extractor = NewRangeExtractor();
    With(options, path, [&](DB* database) {
      PutFile(database, partitioned ? 1 : 0, partitioned ? 10'000 : 500, 3);
    });
  }
}

void MakeReverse(const std::string& path) {
  Options options = OptionsWith("winnow:10", true);
  options.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
  MakeTwoFiles(options, path);
}

void MakeUnknownComparator(const std::string& path) {
  const ShorterFirst comparator(/*timestamp_bytes=*/0);
  for (const bool partitioned : {false, true}) {
    Options options = OptionsWith("winnow:10", partitioned);
    options.comparator = &comparator;
    With(options, path, [](DB* database) {
      for (uint64_t i = 0; i < 3'000; ++i) {
        Check(database->Put(WriteOptions(), std::to_string(i), "value"));
      }
      Flush(database);
    });
  }
}

void MakeFiles(const std::string& path) {
  std::filesystem::create_directory(path);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"bloom", "bloomfilter:10"}, {"none", ""}, {"ribbon", "winnow:10"}};
  for (const auto& [name, policy] : files) {
    WriteSst(OptionsWith(policy), 2'000, path + "/" + name + ".sst");
  }
}

void MakeEmpty(const std::string& path) {
  With(OptionsWith("winnow:10"), path, [](DB*) {});
}

}  // namespace

const std::vector<Fixture>& Fixtures() {
  static const auto* const fixtures = new std::vector<Fixture>{
      {"builtin_bloom", TwoFiles("bloomfilter:10")},
      {"builtin_ribbon", TwoFiles("ribbonfilter:10:-1")},
      {"column_families", MakeColumnFamilies},
      {"db_paths", MakeDbPaths},
      {"empty", MakeEmpty},
      {"files", MakeFiles},
      {"mixed", MakeMixed},
      {"none", TwoFiles("")},
      {"operations", MakeOperations},
      {"partitioned", TwoFiles("winnow:10", true)},
      {"partitioned_builtin", FileOfEach({"bloomfilter:10", "ribbonfilter:10:-1"}, 10'000, true)},
      {"prefix", TwoFilesOfPrefixes(false)},
      {"prefix_and_whole", TwoFilesOfPrefixes(true)},
      {"prefix_partitioned", TwoFilesOfPrefixes(true, true)},
      {"ranges", MakeRanges},
      {"reverse", MakeReverse},
      {"timestamps", MakeTimestamps},
      {"unknown_comparator", MakeUnknownComparator},
      {"winnow_bloom", TwoFiles("{id=winnow;bloom_before_level=2147483647}")},
      {"winnow_levels", MakeWinnowLevels},
      {"winnow_rates",
       FileOfEach({"winnow:4", "winnow:7.5", "winnow:10", "winnow:16", "winnow:20"}, 5'000)},
      {"winnow_ribbon", TwoFiles("winnow:10")},
      {"winnow_small", MakeWinnowSmall},
  };
  return *fixtures;
}

}  // namespace winnow::testing
