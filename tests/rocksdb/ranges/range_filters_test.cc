// Range filters in a database: how to enable and disable them, which scans they save reads for, and
// which files have none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/iterator.h>
#include <rocksdb/listener.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/rocksdb/listener/known_tree.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace range_filters_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PerfContext;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteBatch;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::TemporaryFolder;

constexpr char kPolicy[] = "{id=winnow;bits_per_key=10;range_bits=15}";
constexpr int kRows = 20'000;
constexpr int kGap = 100;  // difference between the numbers of adjacent keys
constexpr int kFiles = 5;  // each with keys over the whole range, on level 0
constexpr int kScans = 2000;

std::string Key(int number) {
  std::string digits = std::to_string(number);
  return "key" + std::string(10 - digits.size(), '0') + digits;
}

BlockBasedTableOptions Table(const std::string& policy = kPolicy) {
  EXPECT_EQ(winnow_rocksdb_register(), 0);
  BlockBasedTableOptions table;
  table.filter_policy = testing::MakePolicyFrom(policy);
  return table;
}

Options OptionsOf(const BlockBasedTableOptions& table) {
  Options options = testing::MakeOptions(table);
  options.prefix_extractor = NewRangeExtractor();
  return options;
}

void Fill(DB* database) {
  for (int file = 0; file < kFiles; ++file) {
    for (int i = file; i < kRows; i += kFiles) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), Key(i * kGap), "value"));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  }
}

struct Found {
  int rows = 0;
  double blocks = 0;  // blocks of any type read per scan
  int wrong = 0;      // scans that returned wrong rows
};

// Scans `width` numbers after a key, which have no row if `width` is less than kGap. Every second
// scan has `other_width` numbers, unless that is 0.
Found ScanBehindKeys(DB* database, int width, ReadOptions read = ReadOptions(),
                     int other_width = 0) {
  ROCKSDB_NAMESPACE::SetPerfLevel(ROCKSDB_NAMESPACE::PerfLevel::kEnableCount);
  PerfContext& context = *ROCKSDB_NAMESPACE::get_perf_context();
  context.Reset();
  Found found;
  for (int i = 0; i < kScans; ++i) {
    const int number = (i * 7919) % (kRows - 100) * kGap + 1;
    const int numbers = other_width != 0 && i % 2 != 0 ? other_width : width;
    const std::string end = Key(number + numbers);
    const Slice bound(end);
    read.iterate_upper_bound = &bound;
    const std::unique_ptr<Iterator> iterator(database->NewIterator(read));
    int rows = 0;
    for (iterator->Seek(Key(number)); iterator->Valid(); iterator->Next()) ++rows;
    EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    found.rows += rows;
    if (rows != (number + numbers - 1) / kGap - (number - 1) / kGap) ++found.wrong;
  }
  found.blocks = static_cast<double>(context.block_read_count + context.block_cache_hit_count -
                                     context.block_cache_filter_hit_count -
                                     context.block_cache_index_hit_count) /
                 kScans;
  ROCKSDB_NAMESPACE::SetPerfLevel(ROCKSDB_NAMESPACE::PerfLevel::kDisable);
  return found;
}

// Expects that nearly all scans read no data block. Without range filters each reads one per file.
void ExpectFiltered(DB* database) {
  const Found found = ScanBehindKeys(database, 50);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_EQ(found.rows, 0);
  EXPECT_LT(found.blocks, 0.1);
  // Wide and narrow scans alternate, since filters that reject nothing are consulted rarely.
  EXPECT_EQ(ScanBehindKeys(database, 1000, ReadOptions(), 50).wrong, 0);
}

void ExpectUnfiltered(DB* database) {
  const Found found = ScanBehindKeys(database, 50);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_GT(found.blocks, 0.9);
  EXPECT_EQ(ScanBehindKeys(database, 1000).wrong, 0);
}

int RowsOf(DB* database, ColumnFamilyHandle* family, const Slice& begin, const Slice& end) {
  ReadOptions read;
  read.iterate_upper_bound = &end;
  const std::unique_ptr<Iterator> iterator(database->NewIterator(read, family));
  int rows = 0;
  for (iterator->Seek(begin); iterator->Valid(); iterator->Next()) ++rows;
  EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
  return rows;
}

uint64_t RangesAsked() { return CurrentLookupCounters().ranges_asked; }

std::string LogOf(const std::string& path) { return ReadFile(path + "/LOG"); }

class RangeFiltersTest : public ::testing::Test {
 protected:
  void OpenAndFill(const Options& options = OptionsOf(Table())) {
    database_ = OpenDatabase(options, path_);
    Fill(database_.get());
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  std::unique_ptr<DB> database_;
};

TEST_F(RangeFiltersTest, AnEmptyScanReadsNothingInWhicheverMode) {
  OpenAndFill();
  ExpectFiltered(database_.get());
  ReadOptions automatic;
  automatic.auto_prefix_mode = true;
  EXPECT_LT(ScanBehindKeys(database_.get(), 50, automatic).blocks, 0.1);
  ReadOptions total_order;
  total_order.total_order_seek = true;
  EXPECT_GT(ScanBehindKeys(database_.get(), 50, total_order).blocks, 0.9);
  EXPECT_THAT(LogOf(path_), ::testing::Not(::testing::HasSubstr("range_bits:")));
}

TEST_F(RangeFiltersTest, WithoutABoundRowsAreRight) {
  OpenAndFill();
  const std::unique_ptr<Iterator> iterator(database_->NewIterator(ReadOptions()));
  for (int i = 0; i + 1 < kRows; i += 37) {
    iterator->Seek(Key(i * kGap + 1));
    ASSERT_TRUE(iterator->Valid());
    ASSERT_EQ(iterator->key().ToString(), Key((i + 1) * kGap));
  }
}

TEST_F(RangeFiltersTest, AreSwitchedOnByAnOptionsStringAndStayInTheOptionsFile) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  Options options;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::GetOptionsFromString(
      testing::StrictConfig(), testing::MakeOptions(BlockBasedTableOptions()),
      "prefix_extractor=winnow.range;block_based_table_factory={filter_policy=" +
          std::string(kPolicy) + "}",
      &options));
  {
    const auto database = OpenDatabase(options, path_);
    Fill(database.get());
    ExpectFiltered(database.get());
  }
  DBOptions database_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::LoadLatestOptions(testing::StrictConfig(), path_,
                                                        &database_options, &families));
  ASSERT_NE(families[0].options.prefix_extractor, nullptr);
  EXPECT_STREQ(families[0].options.prefix_extractor->Name(), "winnow.range");
  ExpectFiltered(OpenDatabase(Options(database_options, families[0].options), path_).get());
}

// Files with filters of one extractor are read with another one.
TEST_F(RangeFiltersTest, FilesAreAskedUnderAnotherExtractorWhichKnowsItsOwn) {
  OpenAndFill();
  const auto asked_with = [&](const std::string& extractor) {
    EXPECT_TRUE(database_->SetOptions({{"prefix_extractor", extractor}}).ok());
    const uint64_t before = RangesAsked();
    EXPECT_EQ(ScanBehindKeys(database_.get(), 50).wrong, 0);
    return (RangesAsked() - before) / kScans;
  };
  EXPECT_EQ(asked_with("winnow.range"), uint64_t{kFiles});
  EXPECT_EQ(asked_with("nullptr"), 0u);
  EXPECT_EQ(asked_with("fixed:6"), uint64_t{kFiles});
  EXPECT_EQ(asked_with("winnow.range"), uint64_t{kFiles});
}

TEST_F(RangeFiltersTest, WithoutTheExtractorOrTheBitsTheLogSaysSo) {
  {
    Options options = OptionsOf(Table());
    options.prefix_extractor.reset();
    const auto database = OpenDatabase(options, path_);
    Fill(database.get());
    ExpectUnfiltered(database.get());
    EXPECT_THAT(LogOf(path_), ::testing::HasSubstr("does not have prefix_extractor=winnow.range"));
  }
  const std::string other = folder_ / "other";
  const auto database = OpenDatabase(OptionsOf(Table("winnow:10")), other);
  Fill(database.get());
  ExpectUnfiltered(database.get());
  EXPECT_THAT(LogOf(other), ::testing::HasSubstr("winnow.range has no effect"));
}

#if WINNOW_ROCKSDB_AT_LEAST(9, 7)
// A policy of several databases, of which the last one that was validated lacks the option.
TEST_F(RangeFiltersTest, WhereOnlySomeScansAskTheLogSaysSo) {
  Options options = OptionsOf(Table());
  options.prefix_seek_opt_in_only = true;
  std::unique_ptr<DB> database = OpenDatabase(options, path_);
  options.prefix_seek_opt_in_only = false;
  std::unique_ptr<DB> other = OpenDatabase(options, path_ + ".other");
  Fill(database.get());
  EXPECT_THAT(LogOf(path_),
              ::testing::HasSubstr("only scans with auto_prefix_mode=true ask range filters"));
}
#endif

TEST_F(RangeFiltersTest, PartitionsFilterAsWellAsWholeFilters) {
  BlockBasedTableOptions table = Table();
  table.partition_filters = true;
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.metadata_block_size = 4096;
  for (const bool has_whole_keys : {true, false}) {
    SCOPED_TRACE(has_whole_keys);
    table.whole_key_filtering = has_whole_keys;
    const std::string path = folder_ / (has_whole_keys ? "whole" : "prefixes");
    const auto database = OpenDatabase(OptionsOf(table), path);
    Fill(database.get());
    ExpectFiltered(database.get());
  }
}

TEST_F(RangeFiltersTest, AFileWithAKeyThatIsTooLongOrEmptyHasNoneAndTheLogSaysSo) {
  for (const auto& [key, said] :
       {std::pair(std::string(5000, 'a'), "a key of more than 4096 bytes"),
        std::pair(std::string(), "it has the empty key")}) {
    SCOPED_TRACE(said);
    const std::string path = folder_ / std::to_string(key.size());
    const auto database = OpenDatabase(OptionsOf(Table()), path);
    ASSERT_STATUS_OK(database->Put(WriteOptions(), key, "value"));
    Fill(database.get());
    ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    ExpectUnfiltered(database.get());
    EXPECT_THAT(LogOf(path), ::testing::HasSubstr(said));
    EXPECT_EQ(RowsOf(database.get(), database->DefaultColumnFamily(), "", Key(1)), 2);
  }
}

// A key has so many versions that they take several filter partitions.
TEST_F(RangeFiltersTest, KeysOfSeveralPartitionsAreFoundInEach) {
  constexpr int kVersions = 80;
  for (const std::string key : {"", "a", "key"}) {
    for (const bool whole_keys : {true, false}) {
      for (const bool merges : {true, false}) {
        SCOPED_TRACE("key '" + key + "', whole keys " + std::to_string(whole_keys) + ", merges " +
                     std::to_string(merges));
        BlockBasedTableOptions table = Table();
        table.partition_filters = true;
        table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
        table.metadata_block_size = 512;
        table.whole_key_filtering = whole_keys;
        Options options = OptionsOf(table);
        options.compression = ROCKSDB_NAMESPACE::kNoCompression;
        ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString(
            ROCKSDB_NAMESPACE::ConfigOptions(), "stringappend", &options.merge_operator));
        TemporaryFolder folder;
        const auto database = OpenDatabase(options, folder / "database");
        std::vector<const ROCKSDB_NAMESPACE::Snapshot*> snapshots;
        for (int i = 0; i < kVersions; ++i) {
          const std::string value(4096, 'v');
          ASSERT_STATUS_OK(merges ? database->Merge(WriteOptions(), key, value)
                                  : database->Put(WriteOptions(), key, value));
          snapshots.push_back(database->GetSnapshot());
        }
        for (const char* other : {"m", "z"}) {
          ASSERT_STATUS_OK(database->Put(WriteOptions(), other, "value"));
        }
        ASSERT_STATUS_OK(database->Flush(FlushOptions()));
        for (const bool is_compacted : {false, true}) {
          if (is_compacted) {
            ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), nullptr, nullptr));
          }
          int missed = 0;
          for (const ROCKSDB_NAMESPACE::Snapshot* const snapshot : snapshots) {
            const std::string end = key + "b";
            const Slice bound(end);
            ReadOptions read;
            read.snapshot = snapshot;
            read.iterate_upper_bound = &bound;
            const std::unique_ptr<Iterator> iterator(database->NewIterator(read));
            iterator->Seek(key);
            ASSERT_STATUS_OK(iterator->status());
            missed += iterator->Valid() ? 0 : 1;
          }
          EXPECT_EQ(missed, 0) << "compacted: " << is_compacted;
        }
        for (const ROCKSDB_NAMESPACE::Snapshot* const snapshot : snapshots) {
          database->ReleaseSnapshot(snapshot);
        }
      }
    }
  }
}

// ---- PlainTable

Options OfPlainTable() {
  EXPECT_EQ(winnow_rocksdb_register(), 0);
  ROCKSDB_NAMESPACE::PlainTableOptions plain;
  plain.hash_table_ratio = 0;
  Options options;
  options.create_if_missing = true;
  options.allow_mmap_reads = true;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewPlainTableFactory(plain));
  options.prefix_extractor = NewRangeExtractor();
  return options;
}

TEST_F(RangeFiltersTest, ADatabaseOfPlainTablesDoesNotOpen) {
  rocksdb_abi::OpenedDB opened{};
  const ROCKSDB_NAMESPACE::Status status = DB::Open(OfPlainTable(), path_, &opened);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_THAT(status.ToString(), ::testing::HasSubstr("needs block-based tables"));
}

// RocksDB does not pass a later column family's options to the extractor. The family's flushes
// then fail, and the WAL keeps its rows.
TEST_F(RangeFiltersTest, AFamilyOfPlainTablesThatIsMadeLaterKeepsItsRows) {
  Options options;
  options.create_if_missing = true;
  options.allow_mmap_reads = true;
  ColumnFamilyOptions plain = OfPlainTable();
  {
    const auto database = OpenDatabase(options, path_);
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(plain, "plain", &family));
    ASSERT_STATUS_OK(database->Put(WriteOptions(), family, "a", "1"));
    const ROCKSDB_NAMESPACE::Status status = database->Flush(FlushOptions(), family);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_THAT(status.ToString(), ::testing::HasSubstr("Prefix extractor given doesn't match"));
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  }
  plain.prefix_extractor.reset();
  testing::OpenFamilies again;
  again.Open(options, path_, {{"default", options}, {"plain", plain}});
  std::string value;
  ASSERT_STATUS_OK(again.database->Get(ReadOptions(), again.handles[1], "a", &value));
  EXPECT_EQ(value, "1");
}

TEST_F(RangeFiltersTest, AFileOfOneKeyHasOneAndOneOfDeletedRangesNeedsNone) {
  const auto database = OpenDatabase(OptionsOf(Table()), path_);
  ASSERT_STATUS_OK(database->Put(WriteOptions(), Key(500), "value"));
  ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  ColumnFamilyHandle* const family = database->DefaultColumnFamily();
  const uint64_t before = CurrentLookupCounters().ranges_denied;
  EXPECT_EQ(RowsOf(database.get(), family, Key(100), Key(200)), 0);
  EXPECT_EQ(CurrentLookupCounters().ranges_denied, before + 1);
  EXPECT_EQ(RowsOf(database.get(), family, Key(500), Key(501)), 1);
  ASSERT_STATUS_OK(database->DeleteRange(WriteOptions(), family, Key(400), Key(600)));
  ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  EXPECT_EQ(RowsOf(database.get(), family, Key(500), Key(501)), 0);
  EXPECT_THAT(LogOf(path_), ::testing::Not(::testing::HasSubstr("range_bits:")));
}

// The policy does not learn the comparator of a column family created later.
TEST_F(RangeFiltersTest, AFamilyThatIsMadeLaterHasNoneAndTheLogSaysWhatToAdd) {
  const auto database = OpenDatabase(OptionsOf(Table()), path_);
  ColumnFamilyOptions other{OptionsOf(Table())};
  other.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(
      *database->GetOptions().table_factory->GetOptions<BlockBasedTableOptions>()));
  other.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(database->CreateColumnFamily(other, "other", &family));
  for (int i = 0; i < 100; ++i) {
    ASSERT_STATUS_OK(database->Put(WriteOptions(), family, Key(i * kGap), "value"));
  }
  ASSERT_STATUS_OK(database->Flush(FlushOptions(), family));
  EXPECT_EQ(RowsOf(database.get(), family, Key(50 * kGap), Key(40 * kGap)), 10);
  EXPECT_THAT(LogOf(path_), ::testing::HasSubstr("add listeners=winnow to the DBOptions"));
  ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
}

// RocksDB then adds empty prefixes alone, and in partitions a copy of one.
TEST_F(RangeFiltersTest, FilesHaveTheRangeOfTheirKeysWhateverIsAddedToTheirFilters) {
  for (const bool whole_keys : {true, false}) {
    for (const bool partitions : {true, false}) {
      SCOPED_TRACE("whole keys " + std::to_string(whole_keys) + ", partitions " +
                   std::to_string(partitions));
      BlockBasedTableOptions table = Table();
      table.whole_key_filtering = whole_keys;
      table.partition_filters = partitions;
      if (partitions) table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 1024;
      const TemporaryFolder folder;
      Options options = OptionsOf(table);
      options.listeners.push_back(NewListener(table.filter_policy));
      const auto database = OpenDatabase(options, folder / "database");
      Fill(database.get());
      const auto record = RecordOf(*table.filter_policy, database.get(), "default");
      ASSERT_NE(record, nullptr);
      size_t files = 0;
      for (const family::Shape::Placed& placed : record->family.Look()->files()) {
        ++files;
        EXPECT_GE(placed.file->range.first, Key(0));
        EXPECT_LE(placed.file->range.last, Key(kRows * kGap));
        EXPECT_GT(placed.file->range.last, placed.file->range.first);
      }
      EXPECT_GT(files, 0u);
    }
  }
}

// SstFileWriter does not pass a key order to the policy, and RocksDB passes options only when a
// database is opened. This holds even if the writer uses an open database's policy.
TEST_F(RangeFiltersTest, FilesOfAnSstFileWriterHaveNoneUntilTheyAreCompacted) {
  const Options options = OptionsOf(Table());
  const auto database = OpenDatabase(options, path_);
  const std::string file = folder_ / "ingested.sst";
  ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
  ASSERT_STATUS_OK(writer.Open(file));
  for (int i = 0; i < kRows; ++i) ASSERT_STATUS_OK(writer.Put(Key(i * kGap), "value"));
  ASSERT_STATUS_OK(writer.Finish());
  ASSERT_STATUS_OK(
      database->IngestExternalFile({file}, ROCKSDB_NAMESPACE::IngestExternalFileOptions()));
  ExpectUnfiltered(database.get());
  CompactRangeOptions all;
  all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_STATUS_OK(database->CompactRange(all, nullptr, nullptr));
  ExpectFiltered(database.get());
}

// ---- Other orders

// Case-insensitive comparator: "b" is between "Ba" and "Bz".
class CaseBlind final : public ROCKSDB_NAMESPACE::Comparator {
 public:
  const char* Name() const override { return "case_blind"; }
  int Compare(const Slice& a, const Slice& b) const override { return Lower(a).compare(Lower(b)); }
  void FindShortestSeparator(std::string* /*start*/, const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  static std::string Lower(const Slice& text) {
    std::string lower = text.ToString();
    for (char& letter : lower) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return lower;
  }
};

void FillCaseBlind(DB* database, ColumnFamilyHandle* family) {
  for (const char* key : {"Ba", "Bz", "dd"}) {
    ASSERT_STATUS_OK(database->Put(WriteOptions(), family, key, "value"));
  }
  ASSERT_STATUS_OK(database->Flush(FlushOptions(), family));
}

TEST_F(RangeFiltersTest, AnotherOrderOfKeysHasNoneAndTheLogSaysSo) {
  const CaseBlind comparator;
  Options options = OptionsOf(Table());
  options.comparator = &comparator;
  const auto database = OpenDatabase(options, path_);
  FillCaseBlind(database.get(), database->DefaultColumnFamily());
  EXPECT_EQ(RowsOf(database.get(), database->DefaultColumnFamily(), "b", "c"), 2);
  EXPECT_THAT(LogOf(path_), ::testing::HasSubstr("a comparator other than the bytewise one"));
}

// The first file of a column family created later gives the order of its keys.
TEST_F(RangeFiltersTest, AListenerProvesTheOrderOfFamiliesThatAreMadeLater) {
  const CaseBlind comparator;
  Options options = OptionsOf(Table());
  options.listeners.push_back(
      NewListener(options.table_factory->GetOptions<BlockBasedTableOptions>()->filter_policy));
  const auto database = OpenDatabase(options, path_);
  ColumnFamilyOptions other(options);
  other.comparator = &comparator;
  ColumnFamilyHandle* case_blind = nullptr;
  ASSERT_STATUS_OK(database->CreateColumnFamily(other, "case blind", &case_blind));
  ColumnFamilyHandle* bytewise = nullptr;
  ASSERT_STATUS_OK(database->CreateColumnFamily(options, "bytewise", &bytewise));
  uint64_t asked = RangesAsked();
  for (int i = 0; i < 2; ++i) {
    FillCaseBlind(database.get(), case_blind);
    EXPECT_EQ(RowsOf(database.get(), case_blind, "b", "c"), 2);
    EXPECT_EQ(RangesAsked(), asked);
  }
  for (const int files_with_one : {0, 1, 2}) {
    ASSERT_STATUS_OK(database->Put(WriteOptions(), bytewise, "Ba", "value"));
    ASSERT_STATUS_OK(database->Put(WriteOptions(), bytewise, "dd", "value"));
    ASSERT_STATUS_OK(database->Flush(FlushOptions(), bytewise));
    asked = RangesAsked();
    EXPECT_EQ(RowsOf(database.get(), bytewise, "b", "c"), 0);
    EXPECT_EQ(RangesAsked() - asked, static_cast<uint64_t>(files_with_one));
  }
  EXPECT_THAT(LogOf(path_), ::testing::HasSubstr("the listener learns the order"));
  Fill(database.get());
  ExpectFiltered(database.get());  // whatever other families of its policy have
  ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(case_blind));
  ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(bytewise));
}

// ---- Code that runs within a seek

// Writes to another database, whose memtable has a prefix filter, whenever a file is read.
class WritesElsewhere final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  explicit WritesElsewhere(DB* other) : other_(other) {}
  bool ShouldBeNotifiedOnFileIO() override { return true; }
  void OnFileReadFinish(const ROCKSDB_NAMESPACE::FileOperationInfo& /*info*/) override {
    if (!is_on) return;
    EXPECT_TRUE(other_->Write(WriteOptions(), &batch).ok());
    ++writes;
  }

  std::atomic<bool> is_on{false};
  WriteBatch batch;  // owns the bytes of its key
  std::atomic<int> writes{0};

 private:
  DB* const other_;
};

// winnow.range with a constant AsString(), so that RocksDB checks no bound in default mode.
class UnchangingText final : public ROCKSDB_NAMESPACE::SliceTransform {
 public:
  const char* Name() const override { return "winnow.range"; }
  Slice Transform(const Slice& key) const override { return changing_->Transform(key); }
  bool InDomain(const Slice& /*key*/) const override { return true; }

 private:
  const std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> changing_ = NewRangeExtractor();
};

TEST_F(RangeFiltersTest, WhatIsWrittenWithinTheReadOfAFilterIsNoBound) {
  Options elsewhere = OptionsOf(Table());
  elsewhere.memtable_prefix_bloom_size_ratio = 0.1;
  const auto other = OpenDatabase(elsewhere, folder_ / "other");
  const auto listener = std::make_shared<WritesElsewhere>(other.get());
  // The cache has no capacity, so each seek reads the filter block from the file.
  BlockBasedTableOptions table = Table();
  table.cache_index_and_filter_blocks = true;
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(1);
  Options options = OptionsOf(table);
  options.prefix_extractor = std::make_shared<UnchangingText>();
  options.listeners.push_back(listener);
  {
    const auto database = OpenDatabase(options, path_);
    Fill(database.get());
  }
  const auto database = OpenDatabase(options, path_);
  listener->is_on = true;
  int rows = 0;
  for (int i = 0; i < 200; ++i) {
    const int number = i * 97 * kGap;
    // A scan would be empty if the written key were its bound.
    listener->batch.Clear();
    ASSERT_STATUS_OK(listener->batch.Put(Key(number + 2), "value"));
    for (const bool has_bound : {false, true}) {
      const std::string end = Key(number + 10 * kGap);
      const Slice bound(end);
      ReadOptions read;
      if (has_bound) read.iterate_upper_bound = &bound;
      const std::unique_ptr<Iterator> iterator(database->NewIterator(read));
      iterator->Seek(Key(number + 1));
      ASSERT_TRUE(iterator->Valid());
      ASSERT_EQ(iterator->key().ToString(), Key(number + kGap));
      ++rows;
    }
  }
  EXPECT_EQ(rows, 400);
  EXPECT_GT(listener->writes, 0);
}

// ---- Threads

// Counts include exited threads, and a thread that reuses their state adds to them.
TEST_F(RangeFiltersTest, QuestionsAndAnswersAreCounted) {
  OpenAndFill();
  const LookupCounters before = CurrentLookupCounters();
  constexpr int kThreads = 3;
  constexpr int kScansOfThread = 50;
  const auto scan = [&](int rows) {
    for (int i = 0; i < kScansOfThread; ++i) {
      const int first = i * 20 * kGap;
      EXPECT_EQ(RowsOf(database_.get(), database_->DefaultColumnFamily(),
                       Key(first + (rows == 0 ? 1 : 0)), Key(first + kGap - 1)),
                rows);
    }
  };
  for (int i = 0; i < kThreads; ++i) std::thread(scan, 0).join();
  const LookupCounters empty = CurrentLookupCounters();
  EXPECT_EQ(empty.ranges_asked - before.ranges_asked, uint64_t{kThreads * kScansOfThread * kFiles});
  const uint64_t denied = empty.ranges_denied - before.ranges_denied;
  EXPECT_LE(denied, uint64_t{kThreads * kScansOfThread * kFiles});
  EXPECT_GE(denied, uint64_t{kThreads * kScansOfThread * kFiles} * 9 / 10);
  scan(1);
  const LookupCounters full = CurrentLookupCounters();
  EXPECT_EQ(full.ranges_asked - empty.ranges_asked, uint64_t{kScansOfThread * kFiles});
  EXPECT_LE(full.ranges_denied - empty.ranges_denied, uint64_t{kScansOfThread * (kFiles - 1)});
  EXPECT_EQ(full.lookups, before.lookups);
}

// A filter that rejects nothing is consulted rarely, until it rejects a scan.
TEST_F(RangeFiltersTest, AreAskedSeldomWhereTheyDenyNothing) {
  const auto database = OpenDatabase(OptionsOf(Table()), path_);
  for (int i = 0; i < kRows; ++i) {
    ASSERT_STATUS_OK(database->Put(WriteOptions(), Key(i * kGap), "value"));
  }
  ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  for (int round = 0; round < 3; ++round) {
    const LookupCounters before = CurrentLookupCounters();
    EXPECT_EQ(ScanBehindKeys(database.get(), 1000).wrong, 0);
    const LookupCounters passed = CurrentLookupCounters();
    EXPECT_EQ(passed.ranges_denied, before.ranges_denied);
    // About 560, at random.
    EXPECT_GT(passed.ranges_asked - before.ranges_asked, 200u);
    EXPECT_LT(passed.ranges_asked - before.ranges_asked, 1200u);
    EXPECT_EQ(ScanBehindKeys(database.get(), 50).wrong, 0);
    const LookupCounters denied = CurrentLookupCounters();
    EXPECT_GT(denied.ranges_denied - passed.ranges_denied, uint64_t{kScans} * 9 / 10);
  }
}

}  // namespace range_filters_test
}  // namespace winnow::plugin
