// Samples that lookups in real databases leave for their tree.

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/builders/planned_builders.h"
#include "src/rocksdb/lookups/sampled_hashes.h"
#include "src/rocksdb/lookups/shared_hash.h"
#include "tests/rocksdb/lookups/sampled_lookups_testing.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace sampled_lookups_database_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::CompactionOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::OpenDatabase;
using Record = LookupSamples::Record;

constexpr uint64_t kSeed = 20260307;

// Filter policy like Winnow's with a level plan that needs samples. The test can access its record.
class SamplingPolicy final : public FilterPolicy {
 public:
  SamplingPolicy() : planned_builders_(nullptr) {
    EXPECT_TRUE(NewBuiltinReader(&builtin_).ok());
    options_.bits_per_key = 14;
    options_.level_plan = LevelPlan::kLearned;
  }
  const char* Name() const override { return "winnow.Filter"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }
  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override {
    return planned_builders_.NewBuilder(options_, context);
  }
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    return NewBitsReader(contents, *builtin_, planned_builders_.NewReader(contents));
  }

  std::shared_ptr<TreeFiles> FilesOf(const void* logger) const {
    const std::shared_ptr<TreeRecord> record =
        planned_builders_.known()->trees.RecordOf(logger, "default");
    return record == nullptr ? nullptr : std::shared_ptr<TreeFiles>(record, &record->files);
  }

 private:
  PolicyOptions options_;
  std::shared_ptr<const FilterPolicy> builtin_;
  mutable PlannedBuilders planned_builders_;
};

class Quiet final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* /*format*/, va_list /*values*/) override {}
};

struct Shape {
  const char* name;
  bool is_cached;
  bool is_partitioned;
};
constexpr Shape kShapes[] = {{"Whole", false, false},
                             {"WholeCached", true, false},
                             {"Partitioned", false, true},
                             {"PartitionedCached", true, true}};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

// Each source has keys over the whole range. Levels of the sources, in the order of writing.
constexpr int kLevels[] = {4, 3, 2, 1, 0, 0};
constexpr uint64_t kSources = std::size(kLevels);
// Returns the level that samples report for a source. No file is below the first source.
int LevelOf(uint64_t source) { return source == 0 ? LookupSamples::kLevels - 1 : kLevels[source]; }
constexpr uint64_t kKeysOfSource = 1500;
constexpr uint64_t kStep = 10;

std::string Key(uint64_t number) {
  char key[32];
  std::snprintf(key, sizeof key, "the key %08llu", static_cast<unsigned long long>(number));
  return key;
}
// Returns the number of a source's i-th key. Odd numbers are absent.
uint64_t PresentNumber(uint64_t source, uint64_t i) { return kStep * i + (source % 5) * 2; }

std::shared_ptr<const KeyPositions> GridOfNumbers() {
  std::vector<std::string> cuts;
  for (uint64_t i = 0; i <= 100; ++i) cuts.push_back(Key(i * kStep * kKeysOfSource / 100));
  return GridOfCuts(cuts);
}

class SampledLookupsDatabaseTest : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    Open();
    for (uint64_t source = 0; source < kSources; ++source) {
      ASSERT_NO_FATAL_FAILURE(Write(source));
    }
    files_ = policy_->FilesOf(logger_.get());
    ASSERT_NE(files_, nullptr);
    files_->samples().SetGrid(GridOfNumbers(), nullptr);
    EXPECT_TRUE(IsSampling());
  }

  void Open() {
    BlockBasedTableOptions table;
    table.filter_policy = policy_;
    table.block_size = 512;
    table.cache_index_and_filter_blocks = GetParam().is_cached;
    table.block_cache = cache_;
    if (GetParam().is_partitioned) {
      table.partition_filters = true;
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 512;
    }
    Options options = testing::MakeOptions(table);
    options.env = memory_.get();
    options.info_log = logger_;
    options.num_levels = 7;
    database_ = OpenDatabase(options, "/db");
    ASSERT_NE(database_, nullptr);
  }

  void Write(uint64_t source) {
    for (uint64_t i = 0; i < kKeysOfSource; ++i) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), Key(PresentNumber(source, i)), "value"));
    }
    ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
    if (kLevels[source] == 0) return;
    std::vector<LiveFileMetaData> files;
    database_->GetLiveFilesMetaData(&files);
    std::vector<std::string> flushed;
    for (const LiveFileMetaData& file : files) {
      if (file.level == 0) flushed.push_back(file.name);
    }
    CompactionOptions options;
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.output_file_size_limit = kKeysOfSource / 4 * 30;
    ASSERT_STATUS_OK(database_->CompactFiles(options, flushed, kLevels[source]));
  }

  // Returns shuffled distinct numbers within every source's range: odd ones, or those of a source.
  static std::vector<uint64_t> AbsentNumbers() {
    std::vector<uint64_t> numbers;
    for (uint64_t i = 50; i < kKeysOfSource - 50; ++i) {
      for (const uint64_t odd : {1u, 3u, 5u, 7u}) numbers.push_back(kStep * i + odd);
    }
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(kSeed));
    return numbers;
  }
  static std::vector<uint64_t> PresentNumbers(uint64_t source) {
    std::vector<uint64_t> numbers;
    for (uint64_t i = 50; i < kKeysOfSource - 50; ++i) numbers.push_back(PresentNumber(source, i));
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(kSeed + source));
    return numbers;
  }

  void Get(const std::vector<uint64_t>& numbers, bool present) const {
    for (const uint64_t number : numbers) {
      std::string value;
      const Status status = database_->Get(ReadOptions(), Key(number), &value);
      ASSERT_TRUE(present ? status.ok() : status.IsNotFound()) << number;
    }
  }

  void MultiGet(std::vector<uint64_t> numbers, bool present) const {
    while (!numbers.empty()) {
      const size_t n = std::min<size_t>(numbers.size(), 32);
      std::vector<std::string> keys;
      for (size_t i = 0; i < n; ++i) keys.push_back(Key(numbers[i]));
      numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n));
      const std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<PinnableSlice> values(n);
      std::vector<Status> statuses(n);
      database_->MultiGet(ReadOptions(), database_->DefaultColumnFamily(), n, slices.data(),
                          values.data(), statuses.data());
      for (const Status& status : statuses) {
        ASSERT_TRUE(present ? status.ok() : status.IsNotFound()) << status.ToString();
      }
    }
  }

  // Looks up `numbers` by Get or MultiGet. Returns the new records, and the sampled numbers in
  // `sampled`.
  std::vector<Record> RecordsOf(const std::vector<uint64_t>& numbers, bool present, bool is_batch,
                                std::vector<uint64_t>* sampled) {
    sampled->clear();
    for (const uint64_t number : numbers) {
      if (IsSampled(HashKey(Key(number)).value)) sampled->push_back(number);
    }
    const uint64_t before = files_->samples().total();
    if (is_batch) {
      MultiGet(numbers, present);
    } else {
      Get(numbers, present);
    }
    const uint64_t added = files_->samples().total() - before;
    std::vector<Record> records;
    files_->samples().Snapshot(&records);
    EXPECT_LE(added, records.size());
    records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(added));
    return records;
  }

  // Expects records whose levels are those of the files where lookups ended.
  void ExpectLookups(bool is_batch) {
    std::vector<uint64_t> sampled;
    std::vector<Record> records = RecordsOf(AbsentNumbers(), false, is_batch, &sampled);
    ASSERT_GT(sampled.size(), 50u) << "seed " << kSeed;
    ExpectPlaces(records, sampled);
    size_t noes = 0;
    for (const Record& record : records) {
      EXPECT_EQ(record.deepest, LevelOf(0));
      EXPECT_LT(record.weight, 1.1F);
      if (record.said_no == (0b1111 | 1 << LevelOf(0))) ++noes;
    }
    EXPECT_GE(noes, records.size() * 9 / 10) << "seed " << kSeed;
    for (uint64_t source = 0; source < 5; ++source) {
      SCOPED_TRACE("source " + std::to_string(source));
      records = RecordsOf(PresentNumbers(source), true, is_batch, &sampled);
      ASSERT_GT(sampled.size(), 5u) << "seed " << kSeed;
      ExpectPlaces(records, sampled);
      // The last source has the first one's keys, on level 0.
      const int level = source == 0 ? 0 : LevelOf(source);
      for (const Record& record : records) {
        EXPECT_EQ(record.deepest, level);
        EXPECT_FALSE(record.ended_with_no);
        EXPECT_LT(record.said_no, 1 << std::max(level, 1));
      }
    }
  }

  // Compares places in any order, since MultiGet processes keys file by file.
  static void ExpectPlaces(const std::vector<Record>& records,
                           const std::vector<uint64_t>& sampled) {
    std::vector<float> found;
    std::vector<float> expected;
    for (const Record& record : records) found.push_back(record.place);
    for (const uint64_t number : sampled) {
      expected.push_back(static_cast<float>(GridOfNumbers()->PlaceOf(Key(number))));
    }
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }

  std::unique_ptr<Env> memory_{ROCKSDB_NAMESPACE::NewMemEnv(Env::Default())};
  std::shared_ptr<Quiet> logger_ = std::make_shared<Quiet>();
  std::shared_ptr<Cache> cache_ = ROCKSDB_NAMESPACE::NewLRUCache(64 << 20);
  std::shared_ptr<SamplingPolicy> policy_ = std::make_shared<SamplingPolicy>();
  std::unique_ptr<DB> database_;
  std::shared_ptr<TreeFiles> files_;
};

INSTANTIATE_TEST_SUITE_P(Shapes, SampledLookupsDatabaseTest, ::testing::ValuesIn(kShapes),
                         [](const ::testing::TestParamInfo<Shape>& one) {
                           return std::string(one.param.name);
                         });

TEST_P(SampledLookupsDatabaseTest, AGetIsOneRecord) { ExpectLookups(false); }

TEST_P(SampledLookupsDatabaseTest, AKeyOfAMultiGetIsOneRecord) { ExpectLookups(true); }

TEST_P(SampledLookupsDatabaseTest, AThreadThatDoesNotShareSamplesAsMuch) {
  SetHashSharing(false);
  std::thread([this] { ExpectLookups(false); }).join();
  std::thread([this] { ExpectLookups(true); }).join();
  SetHashSharing(true);
}

TEST_P(SampledLookupsDatabaseTest, SamplingEndsWithThePolicyAndReadersLiveOn) {
  std::vector<uint64_t> sampled;
  RecordsOf(AbsentNumbers(), false, false, &sampled);
  const uint64_t total = files_->samples().total();
  const std::weak_ptr<TreeFiles> files = files_;
  const bool is_in_cache = GetParam().is_cached || GetParam().is_partitioned;
  files_.reset();
  database_.reset();
  policy_.reset();
  EXPECT_FALSE(IsSampling());
  ASSERT_EQ(files.expired(), !is_in_cache);

  // RocksDB finds the readers in the cache. Another policy, which knows none of the files, samples.
  policy_ = std::make_shared<SamplingPolicy>();
  SamplingUse use;
  use.Set(true);
  ASSERT_NO_FATAL_FAILURE(Open());
  Get(AbsentNumbers(), false);
  MultiGet(PresentNumbers(2), true);
  if (is_in_cache) {
    EXPECT_GT(files.lock()->samples().total(), total);
  }
  database_.reset();
  cache_.reset();
  policy_.reset();
  EXPECT_TRUE(files.expired());
}

}  // namespace sampled_lookups_database_test
}  // namespace winnow::plugin
