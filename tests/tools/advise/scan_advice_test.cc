// Advice on range filters by RocksDB's traces, compared with RocksDB's reads afterwards.

#include "tools/winnow/advise/scans/scan_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/recorded_trace.h"
#include "tests/tools/tool_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {
namespace scan_advice_test {

using nlohmann::json;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::HasSubstr;
using testing::JsonOf;
using testing::MakeOptions;
using testing::RunTool;
using testing::TableOf;
using testing::TableWith;

constexpr int kFiles = 6;
constexpr int kKeysOfFile = 5'000;
constexpr int kScans = 2'000;

std::string KeyOfNumber(uint64_t number) {
  std::string key(8, '\0');
  for (int byte = 8; byte-- > 0; number >>= 8) key[byte] = static_cast<char>(number);
  return key;
}

class ScanAdviceTest : public ::testing::Test {
 protected:
  // Writes files of random numbers: one on level 2 with twice as many, the others on level 0.
  void MakeDatabase(const Options& options) {
    database_.reset();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options()));
    keys_.clear();
    database_ = testing::OpenDatabase(options, path_);
    std::mt19937_64 random(kSeed);
    for (int file = 0; file < kFiles; ++file) {
      for (int i = 0; i < kKeysOfFile; ++i) {
        keys_.push_back(random());
        ASSERT_STATUS_OK(database_->Put(WriteOptions(), KeyOfNumber(keys_.back()), "value"));
      }
      ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
      if (file == 1) {
        ROCKSDB_NAMESPACE::CompactRangeOptions compact;
        compact.change_level = true;
        compact.target_level = 2;
        ASSERT_STATUS_OK(database_->CompactRange(compact, nullptr, nullptr));
      }
    }
  }

  static Options WithExtractor(Options options) {
    options.prefix_extractor = NewRangeExtractor();
    return options;
  }

  struct Scans {
    uint64_t width = 64;
    bool finds = false;  // begin at a key, else after it
    bool has_bound = true;
    bool of_prefixes = false;  // scans of seven-byte prefixes of keys that may be absent
  };

  // Scans with RocksDB's trace on. Returns the number of data blocks read.
  uint64_t Record(const Scans& scans) {
    uint64_t blocks = 0;
    testing::RecordTrace(database_.get(), trace_, [&] { blocks = Scan(scans); });
    return blocks;
  }

  // Returns the number of data blocks that RocksDB reads for the scans, none of which is cached.
  uint64_t Scan(const Scans& scans) {
    std::mt19937_64 random(kSeed + 1);
    ROCKSDB_NAMESPACE::SetPerfLevel(ROCKSDB_NAMESPACE::kEnableCount);
    uint64_t blocks = 0;
    for (int i = 0; i < kScans; ++i) {
      const uint64_t begin = scans.of_prefixes
                                 ? random() / 256 * 256
                                 : keys_[random() % keys_.size()] + (scans.finds ? 0 : 1);
      const std::string low = KeyOfNumber(begin);
      const std::string high = KeyOfNumber(begin + std::min(scans.width, ~begin));
      const ROCKSDB_NAMESPACE::Slice bound = high;
      ROCKSDB_NAMESPACE::ReadOptions read;
      read.fill_cache = false;
      read.auto_prefix_mode = scans.of_prefixes;
      if (scans.has_bound) read.iterate_upper_bound = &bound;
      const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> rows(database_->NewIterator(read));
      ROCKSDB_NAMESPACE::get_perf_context()->Reset();
      rows->Seek(low);
      EXPECT_TRUE(rows->status().ok());
      const ROCKSDB_NAMESPACE::PerfContext& read_now = *ROCKSDB_NAMESPACE::get_perf_context();
      blocks += read_now.block_read_count - read_now.filter_block_read_count -
                read_now.index_block_read_count;
    }
    ROCKSDB_NAMESPACE::SetPerfLevel(ROCKSDB_NAMESPACE::kDisable);
    return blocks;
  }

  testing::ChildResult Run(const std::string& flags = "") {
    return RunTool("advise '" + path_ + "' --draws=2000 " + flags);
  }
  testing::ChildResult RunTraced(const std::string& flags = "") {
    return RunTool("advise '" + path_ + "' --lookups='" + trace_ + "' " + flags);
  }
  json ScansOf(const std::string& flags = "") {
    return JsonOf(RunTraced(flags + " --json"), 0).at("scans");
  }

  static double BlocksWith(const json& row, double range_bits) {
    for (const json& step : row.at("range_filters")) {
      if (step.at("range_bits") == range_bits) return step.at("blocks_per_scan");
    }
    ADD_FAILURE() << "no step of " << range_bits;
    return -1;
  }

  static constexpr uint64_t kSeed = 41;
  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "db";
  const std::string trace_ = folder_ / "trace";
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> database_;
  std::vector<uint64_t> keys_;
};

TEST_F(ScanAdviceTest, SaysWhatRocksDBReadsAndWhatItWouldReadWithRangeFilters) {
  for (const auto& [policy, partitioned] :
       {std::pair("winnow:10", false), {"", false}, {"", true}}) {
    SCOPED_TRACE(policy);
    ASSERT_NO_FATAL_FAILURE(MakeDatabase(MakeOptions(TableOf(policy, partitioned))));
    const uint64_t blocks = Record({});
    const json scans = ScansOf();
    const json all = scans.at("all");
    for (const char* number : {"seeks", "with_bound", "followed", "empty"}) {
      EXPECT_EQ(scans.at(number), kScans) << number;
    }
    EXPECT_EQ(scans.at("tried_files"), scans.at("of_files"));
    for (const char* number : {"blocks_per_scan", "in_vain_per_scan", "blocks_per_scan_now"}) {
      EXPECT_DOUBLE_EQ(all.at(number), static_cast<double>(blocks) / kScans) << number;
    }
    EXPECT_LT(BlocksWith(all, 15), 0.05);
    EXPECT_EQ(all.at("keys"), kFiles * kKeysOfFile);
    EXPECT_EQ(scans.at("levels").size(), 2u);
    EXPECT_EQ(scans.at("prefix_extractor"), "winnow.range");
    EXPECT_EQ(scans.at("filter_policy"), "{id=winnow;bits_per_key=10;range_bits=15}");
  }
}

// CountedScansTest has the blocks that are read with each of the advised filters.
TEST_F(ScanAdviceTest, CountsRangeFiltersThatFilesHave) {
  for (const bool partitioned : {false, true}) {
    const std::string policy = testing::kRangePolicy;
    ASSERT_NO_FATAL_FAILURE(MakeDatabase(WithExtractor(MakeOptions(TableOf(policy, partitioned)))));
    const double blocks = static_cast<double>(Record({})) / kScans;
    const json document = JsonOf(RunTraced("--json"), 0);
    const json all = document.at("scans").at("all");
    const json family = document.at("families").at(0);
    EXPECT_DOUBLE_EQ(all.at("blocks_per_scan_now"), blocks) << partitioned;
    // The keys are equal, and bits depend on the actual files. If RocksDB cuts partitions
    // differently, positions hash differently: both counts are then random, within four standard
    // deviations.
    const double advised = BlocksWith(all, 15);
    EXPECT_NEAR(advised, blocks, 4 * std::sqrt((advised + blocks) / kScans)) << partitioned;
    EXPECT_LT(blocks, 0.1) << partitioned;
    EXPECT_GT(all.at("blocks_per_scan"), 4) << partitioned;
    EXPECT_EQ(family.at("range_bytes"), all.at("range_bytes"));
    const double bits =
        8 * family.at("range_bytes").get<double>() / family.at("keys").get<double>();
    // Each partition has a header: RocksDB 7.8 cuts about 60 partitions, 9.10 about 90.
    EXPECT_NEAR(bits, partitioned ? 19.5 : 15.9, 1) << partitioned;
    EXPECT_LT(family.at("filter_bytes"), family.at("range_bytes"));
    EXPECT_EQ(document.at("rows").at(0).at("filter_bytes"), family.at("filter_bytes"));
    EXPECT_EQ(document.at("scans").at("filter_policy"), nullptr);
    EXPECT_THAT(Run().output, ::testing::Not(HasSubstr("Scans:")));
  }
}

TEST_F(ScanAdviceTest, AnAdvisedPolicyKeepsRangeBits) {
  ASSERT_NO_FATAL_FAILURE(MakeDatabase(
      WithExtractor(MakeOptions(TableWith("{id=winnow;bits_per_key=16;range_bits=12}")))));
  const json document = JsonOf(Run("--budget=30KiB --json"), 0);
  ASSERT_THAT(document.at("choice"), HasSubstr("range_bits=12"));
  EXPECT_THAT(document.at("recommendation"),
              HasSubstr("filter_policy=" + document.at("choice").get<std::string>()));
}

TEST_F(ScanAdviceTest, ScansThatRangeFiltersDoNotServeAreNotWorthThem) {
  ASSERT_NO_FATAL_FAILURE(MakeDatabase(MakeOptions(TableWith("winnow:10"))));
  Record({~uint64_t{0} >> 4, true, true});
  const json finding = ScansOf();
  EXPECT_EQ(finding.at("empty"), 0);
  EXPECT_EQ(finding.at("filter_policy"), nullptr);
  Record({64, false, false});
  const json without_bound = ScansOf();
  EXPECT_EQ(without_bound.at("seeks"), kScans);
  EXPECT_EQ(without_bound.at("with_bound"), 0);
  EXPECT_EQ(without_bound.at("all"), nullptr);
  EXPECT_EQ(without_bound.at("filter_policy"), nullptr);
  // Scans of more possible keys than filters tell apart. All keys are in one file, so each scan
  // begins close after a key of the file.
  ASSERT_STATUS_OK(database_->CompactRange({}, nullptr, nullptr));
  Record({uint64_t{1} << 32, false, true});
  const json wide = ScansOf();
  EXPECT_GT(wide.at("empty"), kScans / 2);
  EXPECT_EQ(wide.at("filter_policy"), nullptr);
}

// Scans that use prefix filters read almost nothing. Range filters would take more memory for as
// many reads.
TEST_F(ScanAdviceTest, WhereScansHaveFiltersOfPrefixesTheyAreToBeKept) {
  for (const bool whole_keys : {true, false}) {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table = TableWith("bloomfilter:10");
    table.whole_key_filtering = whole_keys;
    Options options = MakeOptions(table);
    options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(7));
    ASSERT_NO_FATAL_FAILURE(MakeDatabase(options));
    Scans scans;
    scans.of_prefixes = true;
    const auto blocks = static_cast<double>(Record(scans));
    EXPECT_LT(blocks / kScans, 0.2);
    const json found = ScansOf();
    EXPECT_EQ(found.at("filter_policy"), nullptr);
    EXPECT_EQ(found.at("prefix_extractor"), nullptr);
    EXPECT_DOUBLE_EQ(found.at("all").at("blocks_per_scan_now"), blocks / kScans);
    EXPECT_GT(found.at("all").at("blocks_per_scan"), 4);
    EXPECT_THAT(found.at("recommendation"),
                HasSubstr("Keep prefix_extractor=rocksdb.FixedPrefix.7"));
    // Files without a database, whose options are unknown.
    std::string files;
    for (const std::string& file : testing::SstFilesIn(path_)) files += " '" + file + "'";
    const json of_files =
        JsonOf(RunTool("advise" + files + " --lookups='" + trace_ + "' --json"), 0).at("scans");
    EXPECT_EQ(of_files.at("filter_policy"), nullptr);
    EXPECT_THAT(of_files.at("recommendation"), HasSubstr("rocksdb.FixedPrefix.7"));
  }
}

TEST_F(ScanAdviceTest, ScansOverManyDeletionsAreToldTheirMode) {
  for (const int deletions : {100, 101}) {
    ASSERT_NO_FATAL_FAILURE(MakeDatabase(MakeOptions(TableWith("winnow:10"))));
    // One of the keys is the upper bound and thus outside the scan.
    const uint64_t first = keys_.front();
    const uint64_t last = first + deletions;
    for (uint64_t key = first; key <= last; ++key) {
      ASSERT_STATUS_OK(key % 2 == 0 ? database_->Delete(WriteOptions(), KeyOfNumber(key))
                                    : database_->SingleDelete(WriteOptions(), KeyOfNumber(key)));
    }
    ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    testing::RecordTrace(database_.get(), trace_, [&] {
      Scan({});
      const std::string low = KeyOfNumber(first);
      const std::string high = KeyOfNumber(last);
      const ROCKSDB_NAMESPACE::Slice bound = high;
      ROCKSDB_NAMESPACE::ReadOptions read;
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> rows(database_->NewIterator(read));
      rows->Seek(low);
    });
    const json scans = ScansOf();
    EXPECT_EQ(scans.at("cross_deletions"), deletions == 100 ? 0 : 1);
    EXPECT_EQ(scans.at("prefix_extractor"), "winnow.range");
    const std::string notes = scans.at("notes").dump();
    if (deletions == 100) {
      EXPECT_THAT(notes, ::testing::Not(HasSubstr("deletions")));
    } else {
      EXPECT_THAT(notes, HasSubstr("1 of the 2001 scans cross more than 100 deletions of a file. "
                                   "Give them auto_prefix_mode=true"));
    }
  }
}

// The readable files are not enough for a verdict.
TEST_F(ScanAdviceTest, WhereAFileCanNotBeReadThereIsNoVerdict) {
  ASSERT_NO_FATAL_FAILURE(MakeDatabase(MakeOptions(TableWith("winnow:10"))));
  Record({});
  database_.reset();
  const std::string file = testing::SstFilesIn(path_).at(0);
  testing::FlipBits(file, std::filesystem::file_size(file) / 3);
  const json document = JsonOf(RunTraced("--json"), 2);
  const json scans = document.at("scans");
  for (const json& said : {document.at("recommendation"), scans.at("recommendation")}) {
    EXPECT_EQ(said,
              "There is no verdict: 1 file could not be read, and the figures are without it. "
              "stderr says why.");
  }
  EXPECT_EQ(scans.at("filter_policy"), nullptr);
  EXPECT_EQ(scans.at("prefix_extractor"), nullptr);
}

// Files outside of a sample are assumed to be like those in it.
TEST_F(ScanAdviceTest, ASampleStandsForAllFiles) {
  ASSERT_NO_FATAL_FAILURE(MakeDatabase(MakeOptions(TableWith("winnow:10"))));
  Record({});
  const json of_all = ScansOf();
  const json of_some = ScansOf("--sample=10000");
  EXPECT_LT(of_some.at("tried_files"), of_some.at("of_files"));
  EXPECT_EQ(of_some.at("all").at("in_vain_per_scan"), of_all.at("all").at("in_vain_per_scan"));
  EXPECT_NEAR(BlocksWith(of_some.at("all"), 10), BlocksWith(of_all.at("all"), 10), 0.1);
}

}  // namespace scan_advice_test
}  // namespace winnow::inspect
