// Number of hashes that lookups in real databases compute.

#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/counters.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace kept_key_database_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactionOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::MakePolicyFrom;
using testing::OpenDatabase;

constexpr uint64_t kSeed = 20260214;
constexpr int kLevel0Files = 8;
constexpr int kMoreLevels = 4;
constexpr int kSources = kLevel0Files + kMoreLevels;
constexpr uint64_t kKeysOfSource = 800;
constexpr size_t kPrefixBytes = 7;

struct Shape {
  const char* name;
  size_t key_length;
  bool partitions;
  bool prefixes;
  bool whole_keys;
};

constexpr Shape kWholeKeyShapes[] = {
    {"Whole8", 8, false, false, true},        {"Whole24", 24, false, false, true},
    {"Whole40", 40, false, false, true},      {"Whole64", 64, false, false, true},
    {"Whole256", 256, false, false, true},    {"Partitioned8", 8, true, false, true},
    {"Partitioned24", 24, true, false, true}, {"Partitioned256", 256, true, false, true},
};
constexpr Shape kPrefixShapes[] = {
    {"Both8", 8, false, true, true},       {"Both24", 24, false, true, true},
    {"Both256", 256, true, true, true},    {"Prefixes8", 8, false, true, false},
    {"Prefixes24", 24, true, true, false}, {"Prefixes256", 256, false, true, false},
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

// Returns a key that begins with `number` in base 64, so that keys sort like their numbers. All
// keys share the remaining bytes.
std::string Key(uint64_t number, size_t length) {
  std::string key(length, 'k');
  for (size_t i = 8; i-- > 0; number /= 64) {
    key[i] = static_cast<char>('0' + number % 64);
  }
  return key;
}

// Every source has keys over the whole range: number i of source s is kStep * i + 2 * s, and odd
// numbers are absent.
constexpr uint64_t kStep = 1000;
uint64_t PresentNumber(uint64_t source, uint64_t i) { return kStep * i + 2 * source; }

// Returns a random number within the range of every source.
uint64_t RandomNumber(std::mt19937_64* random, bool present) {
  if (present) {
    return PresentNumber((*random)() % kSources, 1 + (*random)() % (kKeysOfSource - 2));
  }
  return kStep + (*random)() % (kStep * (kKeysOfSource - 3)) / 2 * 2 + 1;
}

Options OptionsOf(const Shape& shape) {
  BlockBasedTableOptions table;
  table.filter_policy = MakePolicyFrom("{id=winnow;bits_per_key=14;ribbon_min_keys=500}");
  table.block_size = 512;  // files end with a block
  table.whole_key_filtering = shape.whole_keys;
  if (shape.partitions) {
    table.partition_filters = true;
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = 512;
  }
  Options options = testing::MakeOptions(table);
  options.num_levels = 7;
  options.level0_slowdown_writes_trigger = 100;
  options.level0_stop_writes_trigger = 100;
  if (shape.prefixes) {
    options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(kPrefixBytes));
  }
  return options;
}

void WriteSource(DB& database, uint64_t source, size_t key_length) {
  for (uint64_t i = 0; i < kKeysOfSource; ++i) {
    ASSERT_STATUS_OK(database.Put(WriteOptions(), Key(PresentNumber(source, i), key_length),
                                  std::to_string(source)));
  }
  ASSERT_STATUS_OK(database.Flush(FlushOptions()));
}

// Writes a source for each of the levels 1 to kMoreLevels, the last one first, each as several
// files, and then the files of level 0.
void WriteTree(DB& database, size_t key_length) {
  uint64_t source = 0;
  for (int level = kMoreLevels; level >= 1; --level) {
    ASSERT_NO_FATAL_FAILURE(WriteSource(database, source++, key_length));
    std::vector<LiveFileMetaData> files;
    database.GetLiveFilesMetaData(&files);
    std::vector<std::string> flushed;
    for (const LiveFileMetaData& file : files) {
      if (file.level == 0) {
        flushed.push_back(file.name);
      }
    }
    CompactionOptions options;
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.output_file_size_limit = kKeysOfSource / 5 * (key_length + 16);
    ASSERT_STATUS_OK(database.CompactFiles(options, flushed, level));
  }
  while (source < kSources) {
    ASSERT_NO_FATAL_FAILURE(WriteSource(database, source++, key_length));
  }
}

void ExpectTree(DB& database) {
  std::vector<LiveFileMetaData> files;
  database.GetLiveFilesMetaData(&files);
  for (int level = 0; level <= kMoreLevels; ++level) {
    const auto of_level =
        std::count_if(files.begin(), files.end(),
                      [level](const LiveFileMetaData& file) { return file.level == level; });
    if (level == 0) {
      EXPECT_EQ(of_level, kLevel0Files);
    } else {
      EXPECT_GT(of_level, 2) << "level " << level;
    }
  }
}

Counters operator-(Counters after, const Counters& before) {
  after.lookups -= before.lookups;
  after.hashes -= before.hashes;
  after.hashes_shared -= before.hashes_shared;
  return after;
}

double Ratio(uint64_t part, uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

constexpr uint64_t kFirstLookups = 1000;  // warm-up, in which a thread learns if keeping pays
constexpr uint64_t kLookups = 4000;
// Mean gap between counted checks, up to which the counters have all lookups.
constexpr uint32_t kGap = 16;

class KeptKeyDatabaseTest : public ::testing::TestWithParam<Shape> {
 protected:
  KeptKeyDatabaseTest() { SetMeanGap(kGap); }
  ~KeptKeyDatabaseTest() override { SetMeanGap(kNoSetGap); }

  void SetUp() override {
    ASSERT_EQ(winnow_rocksdb_register(), 0);
    ASSERT_NO_FATAL_FAILURE(Open(GetParam()));
    ASSERT_NO_FATAL_FAILURE(WriteTree(*database_, GetParam().key_length));
    ASSERT_NO_FATAL_FAILURE(Open(GetParam()));
    ExpectTree(*database_);
  }

  void Open(const Shape& shape) {
    database_.reset();
    Options options = OptionsOf(shape);
    options.env = memory_.get();
    database_ = OpenDatabase(options, "/db");
    ASSERT_NE(database_, nullptr);
  }

  std::string KeyOf(uint64_t number) const { return Key(number, GetParam().key_length); }

  void Get(uint64_t number, bool present) const {
    std::string value;
    const Status status = database_->Get(ReadOptions(), KeyOf(number), &value);
    ASSERT_TRUE(present ? status.ok() : status.IsNotFound())
        << number << ": " << status.ToString() << ", seed " << kSeed;
  }

  void MultiGet(const std::vector<uint64_t>& numbers, bool present) const {
    std::vector<std::string> keys;
    keys.reserve(numbers.size());
    for (const uint64_t number : numbers) {
      keys.push_back(KeyOf(number));
    }
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    database_->MultiGet(ReadOptions(), database_->DefaultColumnFamily(), keys.size(), slices.data(),
                        values.data(), statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(present ? statuses[i].ok() : statuses[i].IsNotFound())
          << numbers[i] << ": " << statuses[i].ToString() << ", seed " << kSeed;
    }
  }

  std::unique_ptr<Env> memory_{ROCKSDB_NAMESPACE::NewMemEnv(Env::Default())};
  std::unique_ptr<DB> database_;
};

std::string NameOf(const ::testing::TestParamInfo<Shape>& one) { return one.param.name; }
INSTANTIATE_TEST_SUITE_P(WholeKeys, KeptKeyDatabaseTest, ::testing::ValuesIn(kWholeKeyShapes),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Prefixes, KeptKeyDatabaseTest, ::testing::ValuesIn(kPrefixShapes), NameOf);

class KeptPrefixDatabaseTest : public KeptKeyDatabaseTest {};
INSTANTIATE_TEST_SUITE_P(Prefixes, KeptPrefixDatabaseTest, ::testing::ValuesIn(kPrefixShapes),
                         NameOf);

TEST_P(KeptKeyDatabaseTest, AGetOfAnyKeyComputesOneHash) {
  std::thread([this] {
    std::mt19937_64 random(kSeed);
    for (uint64_t i = 0; i < kFirstLookups; ++i) {
      ASSERT_NO_FATAL_FAILURE(Get(RandomNumber(&random, true), true));
    }
    const Counters before = CurrentCounters();
    for (uint64_t i = 0; i < kLookups; ++i) {
      const bool present = i % 2 == 0;
      ASSERT_NO_FATAL_FAILURE(Get(RandomNumber(&random, present), present));
    }
    const Counters counts = CurrentCounters() - before;
    EXPECT_GT(Ratio(counts.lookups, kLookups), 0.6 * kSources);
    EXPECT_LE(Ratio(counts.hashes, kLookups), 1.01);
    EXPECT_EQ(counts.hashes + counts.hashes_shared, counts.lookups);
  }).join();
}

// Hashing a short key takes as long as comparing it.
bool ArePrefixesOrKeysShort(const Shape& shape) {
  return shape.key_length <= 32 || !shape.whole_keys;
}

TEST_P(KeptKeyDatabaseTest, AMultiGetComputesOneHashForALongKey) {
  std::thread([this] {
    std::mt19937_64 random(kSeed);
    Counters before;
    uint64_t asked = 0;
    for (int i = 0; i < 200; ++i) {
      if (i == 40) {
        before = CurrentCounters();
        asked = 0;
      }
      // RocksDB splits a MultiGet into batches of 32 keys.
      std::vector<uint64_t> numbers(i % 2 == 0 ? 32 : 1 + random() % 100);
      const bool present = i % 3 == 0;
      for (uint64_t& number : numbers) {
        number = RandomNumber(&random, present);
      }
      asked += numbers.size();
      ASSERT_NO_FATAL_FAILURE(MultiGet(numbers, present));
    }
    const Counters counts = CurrentCounters() - before;
    EXPECT_GT(Ratio(counts.lookups, asked), 0.6 * kSources);
    if (ArePrefixesOrKeysShort(GetParam())) {
      EXPECT_GE(Ratio(counts.hashes, counts.lookups), 0.99);
    } else {
      EXPECT_LE(Ratio(counts.hashes, asked), GetParam().partitions ? 2 : 1.3);
    }
  }).join();
}

TEST_P(KeptPrefixDatabaseTest, ASeekComputesOneHashOfThePrefix) {
  std::thread([this] {
    std::mt19937_64 random(kSeed);
    const Counters before = CurrentCounters();
    ReadOptions options;
    options.prefix_same_as_start = true;
    const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> iterator(database_->NewIterator(options));
    for (uint64_t i = 0; i < kLookups; ++i) {
      iterator->Seek(KeyOf(RandomNumber(&random, i % 2 == 0)));
      ASSERT_STATUS_OK(iterator->status());
    }
    const Counters counts = CurrentCounters() - before;
    EXPECT_GT(Ratio(counts.lookups, kLookups), 4.0);
    EXPECT_LE(Ratio(counts.hashes, kLookups), 1.01);
  }).join();
}

}  // namespace kept_key_database_test
}  // namespace winnow::plugin
