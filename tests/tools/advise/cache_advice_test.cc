// Advice on a block cache, compared with databases that run the same lookups with such a cache.

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/trace_reader_writer.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/database/lookup_trace.h"
#include "src/database/table_list.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/cache_json.h"
#include "tools/winnow/advise/cache_words.h"

namespace winnow::inspect {
namespace cache_advice_test {

namespace fs = std::filesystem;

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::KeyOf;
using testing::MakeOptions;
using ::testing::MatchesRegex;
using testing::TableWith;

constexpr uint64_t kKeys = 240'000;
constexpr uint64_t kMetadataBytes = 1024;  // partition size, small since the tree is

struct Filters {
  std::string policy = "winnow:10";
  bool partitioned = false;
  uint64_t cache = 0;
  bool high_priority = true;
};

std::string NameOf(const Filters& filters) {
  return absl::StrCat(filters.policy, filters.partitioned ? ", partitions, " : ", whole, ",
                      filters.cache, filters.high_priority ? "" : ", low priority");
}

BlockBasedTableOptions TableOf(const Filters& filters) {
  BlockBasedTableOptions table = TableWith(filters.policy);
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = filters.high_priority;
  table.metadata_block_size = kMetadataBytes;
  if (filters.partitioned) {
    table.partition_filters = true;
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  return table;
}

// Returns a cache with one shard, since the tree has few files and their distribution over shards
// is random.
std::shared_ptr<ROCKSDB_NAMESPACE::Cache> CacheOf(uint64_t bytes) {
  return ROCKSDB_NAMESPACE::NewLRUCache(bytes, 0, false, 0.5);
}

Options OptionsOf(const BlockBasedTableOptions& table) {
  Options options = MakeOptions(table);
  options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  options.target_file_size_base = 512 << 10;
  options.max_open_files = -1;
  return options;
}

// Writes all keys to several files on level 1, and every 16th key to two files on level 0.
void Build(const std::string& folder, const Filters& filters) {
  std::unique_ptr<DB> db = testing::OpenDatabase(OptionsOf(TableOf(filters)), folder);
  ASSERT_NE(db, nullptr);
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_STATUS_OK(db->Put({}, KeyOf(2 * i), "a value of some 20 bytes"));
  }
  ROCKSDB_NAMESPACE::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_STATUS_OK(db->Flush({}));
  ASSERT_STATUS_OK(db->CompactRange(compaction, nullptr, nullptr));
  for (uint64_t first = 0; first < 2; ++first) {
    for (uint64_t i = 8 * first; i < kKeys; i += 16) {
      ASSERT_STATUS_OK(db->Put({}, KeyOf(2 * i), "another value"));
    }
    ASSERT_STATUS_OK(db->Flush({}));
  }
}

// Returns random keys, half of them present.
std::vector<std::string> Lookups(size_t n) {
  std::mt19937_64 random(3);
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    keys.push_back(KeyOf(random() % (2 * kKeys)));
  }
  return keys;
}

struct Measured {
  double filter = 0;  // bytes per lookup
  double index = 0;
  double data = 0;
};

// Looks up the keys from `begin` by a Get, or by a MultiGet of `batch` keys.
void LookUp(DB* db, const std::vector<std::string>& lookups, size_t begin, size_t batch) {
  if (batch == 1) {
    std::string value;
    (void)db->Get({}, lookups[begin], &value);
    return;
  }
  const std::vector<ROCKSDB_NAMESPACE::Slice> keys(
      lookups.begin() + static_cast<ptrdiff_t>(begin),
      lookups.begin() + static_cast<ptrdiff_t>(std::min(begin + batch, lookups.size())));
  std::vector<ROCKSDB_NAMESPACE::PinnableSlice> values(keys.size());
  std::vector<ROCKSDB_NAMESPACE::Status> statuses(keys.size());
  db->MultiGet(ROCKSDB_NAMESPACE::ReadOptions(), db->DefaultColumnFamily(), keys.size(),
               keys.data(), values.data(), statuses.data());
}

// Returns the tickers of a database opened with the cache, for the second half of the lookups. If
// `trace` is not empty, RocksDB records a trace there.
Measured Measure(const std::string& folder, BlockBasedTableOptions table, uint64_t cache,
                 const std::vector<std::string>& lookups, size_t batch = 1,
                 const std::string& trace = "") {
  using namespace ROCKSDB_NAMESPACE;  // NOLINT: tickers
  table.block_cache = CacheOf(cache);
  const Options options = OptionsOf(table);
  std::unique_ptr<DB> db = testing::OpenDatabase(options, folder);
  EXPECT_NE(db, nullptr);
  if (db != nullptr && !trace.empty()) {
    std::unique_ptr<TraceWriter> writer;
    EXPECT_TRUE(NewFileTraceWriter(Env::Default(), {}, trace, &writer).ok());
    EXPECT_TRUE(db->StartTrace({}, std::move(writer)).ok());
  }
  for (size_t i = 0; db != nullptr && i < lookups.size(); i += batch) {
    if (i == lookups.size() / 2) {
      EXPECT_TRUE(options.statistics->Reset().ok());
    }
    LookUp(db.get(), lookups, i, batch);
  }
  if (db != nullptr && !trace.empty()) {
    EXPECT_TRUE(db->EndTrace().ok());
  }
  const auto a_lookup = [&](uint32_t ticker) {
    return static_cast<double>(options.statistics->getTickerCount(ticker)) /
           static_cast<double>(lookups.size() - lookups.size() / 2);
  };
  return {a_lookup(BLOCK_CACHE_FILTER_BYTES_INSERT), a_lookup(BLOCK_CACHE_INDEX_BYTES_INSERT),
          a_lookup(BLOCK_CACHE_DATA_BYTES_INSERT)};
}

CacheAdvice AdviseOn(const std::string& folder, uint64_t cache,
                     const std::vector<std::string>& lookups, const std::vector<bool>& joins = {},
                     int shard_bits = 0) {
  std::vector<AdviceTable> tables;
  for (const ListedTable& table : ListTables(folder, {}, 1).tables) {
    tables.push_back({folder, table.path, table.level});
  }
  CacheAdviceOptions options;
  options.advice.jobs = 2;
  options.advice.recorded = lookups;
  options.advice.recorded_in_time = true;
  options.cache.capacity = cache;
  options.cache.shard_bits = shard_bits;
  options.advice.recorded_joins = joins;
  std::string problem;
  CacheAdvice advice = AdviseOnCache(
      tables, options, [](const AdviceStep&) {}, &problem);
  EXPECT_EQ(problem, "");
  EXPECT_TRUE(advice.errors.empty());
  return advice;
}

const CacheRow* FindRow(const CacheAdvice& advice, const std::string& title) {
  for (const CacheRow& row : advice.rows) {
    if (row.choice.Title() == title) return &row;
  }
  ADD_FAILURE() << "there is no row '" << title << "'";
  return nullptr;
}

double FilterBytes(const CacheRow& row) { return row.ALookup(row.figures.filter_bytes); }

TEST(CacheAdviceTest, FilterBytesAreThoseOfTheTickerForCachesAndFiltersOfAllKinds) {
  const std::vector<std::string> lookups = Lookups(20'000);
  struct Case {
    double of_ticker;
    double of_advice;
    std::string name;
  };
  std::vector<Case> cases;
  for (const char* policy : {"winnow:10", "bloomfilter:10"}) {
    for (const bool partitioned : {false, true}) {
      const testing::TemporaryFolder folder;
      Filters filters = {policy, partitioned, 0, true};
      Build(folder / "db", filters);
      for (const uint64_t cache : {80 << 10, 240 << 10}) {
        filters.cache = cache;
        filters.high_priority = (cache == 80 << 10) == partitioned;
        const Measured measured = Measure(folder / "db", TableOf(filters), cache, lookups);
        const CacheAdvice advice = AdviseOn(folder / "db", cache, lookups);
        const CacheRow& now = advice.Now();
        const double near = partitioned && ReadsPartitionsMoreOften() ? 0.6 : 0.1;
        EXPECT_NEAR(FilterBytes(now) / measured.filter, 1, near) << NameOf(filters);
        EXPECT_NEAR(now.ALookup(now.figures.index_bytes) / measured.index, 1, near)
            << NameOf(filters);
        EXPECT_NEAR(now.ALookup(now.figures.data_bytes) / measured.data, 1, 0.1) << NameOf(filters);
        cases.push_back({measured.filter, FilterBytes(now), NameOf(filters)});
        if (filters.high_priority) {
          const CacheRow* row = FindRow(advice, "as now, cache times 2");
          ASSERT_NE(row, nullptr);
          const Measured larger = Measure(folder / "db", TableOf(filters), 2 * cache, lookups);
          EXPECT_NEAR(FilterBytes(*row), larger.filter, near * larger.filter + 20)
              << NameOf(filters);
        }
      }
    }
  }
  for (const Case& a : cases) {
    for (const Case& b : cases) {
      if (a.of_ticker < 0.95 * b.of_ticker) {
        EXPECT_LT(a.of_advice, b.of_advice) << a.name << " and " << b.name;
      }
    }
  }
}

// All keys of a MultiGet get a filter from the cache together.
TEST(CacheAdviceTest, FilterBytesAreThoseOfTheTickerForMultiGetsOfATrace) {
  constexpr size_t kBatches[] = {1, 16, 100, 500};
  const std::vector<std::string> lookups = Lookups(20'000);
  for (const bool partitioned : {false, true}) {
    const testing::TemporaryFolder folder;
    const Filters filters = {"winnow:10", partitioned, 120 << 10, true};
    Build(folder / "db", filters);
    for (const size_t batch : kBatches) {
      const std::string name = absl::StrCat(NameOf(filters), ", ", batch, " at once");
      const std::string trace = folder / absl::StrCat("trace", batch);
      const Measured measured =
          Measure(folder / "db", TableOf(filters), filters.cache, lookups, batch, trace);
      std::vector<std::string> traced;
      std::vector<bool> joins;
      TraceNotes notes;
      EXPECT_EQ(VisitTrace(
                    trace, 0,
                    [&](absl::string_view key, bool is_joined) {
                      traced.emplace_back(key);
                      joins.push_back(is_joined);
                    },
                    &notes),
                "");
      EXPECT_THAT(traced, ElementsAreArray(lookups)) << name;
      const CacheAdvice advice = AdviseOn(folder / "db", filters.cache, traced, joins);
      const CacheRow& now = advice.Now();
      const double near = partitioned && ReadsPartitionsMoreOften() ? 0.6 : 0.1;
      EXPECT_NEAR(FilterBytes(now) / measured.filter, 1, near) << name;
      EXPECT_NEAR(now.ALookup(now.figures.index_bytes) / measured.index, 1, near) << name;
      EXPECT_NEAR(now.ALookup(now.figures.data_bytes) / measured.data, 1, 0.1) << name;
      EXPECT_EQ(advice.joined, lookups.size() - lookups.size() / batch) << name;
      std::cout << name << ": filter, index and data bytes a lookup by tickers " << measured.filter
                << ", " << measured.index << ", " << measured.data << "; by advice "
                << FilterBytes(now) << ", " << now.ALookup(now.figures.index_bytes) << ", "
                << now.ALookup(now.figures.data_bytes) << "\n";
    }
  }
}

// The distribution of filters over shards is random, so a mean alone would describe no database.
TEST(CacheAdviceTest, OfShardsTheRangeOverPlacementsIsTold) {
  const testing::TemporaryFolder folder;
  Build(folder / "db", {"winnow:10", false, 0, true});
  const CacheAdvice whole = AdviseOn(folder / "db", 480 << 10, Lookups(20'000));
  EXPECT_EQ(whole.Now().placements.size(), 1u);
  EXPECT_EQ(whole.Now().FilterSpread().least, whole.Now().FilterSpread().most);
  const CacheAdvice parted = AdviseOn(folder / "db", 480 << 10, Lookups(20'000), {}, 3);
  const CacheRow& now = parted.Now();
  EXPECT_GT(now.placements.size(), 8u);
  EXPECT_TRUE(now.FilterSpread().IsWide());
  EXPECT_LT(now.FilterSpread().least, FilterBytes(now));
  EXPECT_GT(now.FilterSpread().most, FilterBytes(now));
  EXPECT_THAT(parted.assumptions,
              Contains(AllOf(HasSubstr("by which shard a file falls into"), HasSubstr(" to "))));
  EXPECT_THAT(tools::CacheAdviceText(parted), HasSubstr(ReadFiltersText(now)));
  EXPECT_THAT(ReadFiltersText(now), MatchesRegex(".* to .* %"));
}

// Number of keys in a reported shape: filters far larger than a cache shard, and a cache of a tenth
// of them. WINNOW_CACHE_KEYS=24e6 gives files of 2.4 million keys.
uint64_t KeysOfShape() {
  const char* keys = std::getenv("WINNOW_CACHE_KEYS");
  return keys == nullptr ? 2'000'000 : static_cast<uint64_t>(std::atof(keys));
}

// Ingests files of one level with every second number.
void Ingest(const std::string& folder, const BlockBasedTableOptions& table, uint64_t keys) {
  constexpr uint64_t kLargest = 2'400'000;
  const uint64_t keys_of_file = std::min(kLargest, keys / 2);
  const Options options = OptionsOf(table);
  std::unique_ptr<DB> db = testing::OpenDatabase(options, folder);
  ASSERT_NE(db, nullptr);
  for (uint64_t first = 0; first < keys; first += keys_of_file) {
    const std::string path = absl::StrCat(folder, "/ingested.sst");
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options,
                                            db->DefaultColumnFamily());
    ASSERT_STATUS_OK(writer.Open(path));
    for (uint64_t i = first; i < std::min(keys, first + keys_of_file); ++i) {
      ASSERT_STATUS_OK(writer.Put(KeyOf(2 * i), "a value of some 20 bytes"));
    }
    ASSERT_STATUS_OK(writer.Finish());
    ROCKSDB_NAMESPACE::IngestExternalFileOptions ingestion;
    ingestion.move_files = true;
    ASSERT_STATUS_OK(db->IngestExternalFile({path}, ingestion));
  }
}

BlockBasedTableOptions TableOf(const std::string& options_text,
                               const BlockBasedTableOptions& table) {
  Options options;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  ROCKSDB_NAMESPACE::ColumnFamilyOptions family;
  const auto status = ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromString(
      testing::StrictConfig(), options, options_text, &family);
  EXPECT_TRUE(status.ok()) << options_text << ": " << status.ToString();
  return *family.table_factory->GetOptions<BlockBasedTableOptions>();
}

TEST(CacheAdviceTest, TheRecommendationNamesFalseReadsThatAreMoreThanTwice) {
  CacheAdvice advice;
  advice.rows.resize(2);
  advice.rows[1].choice.is_now = true;
  for (CacheRow& row : advice.rows) row.figures.lookups = 1000;
  advice.rows[1].figures.filter_bytes = 1'000'000;
  advice.rows[1].figures.false_reads = 7;
  advice.rows[0].figures.false_reads = 85;
  SayCacheAdvice({}, {}, {}, advice.rows[0], &advice);
  EXPECT_THAT(advice.recommendation,
              EndsWith("opened anew. But lookups would make 0.085 false reads each, "
                       "and now make 0.007."));
  advice.rows[0].figures.false_reads = 14;
  SayCacheAdvice({}, {}, {}, advice.rows[0], &advice);
  EXPECT_THAT(advice.recommendation, EndsWith("opened anew."));
}

TEST(CacheAdviceTest, TheBestChoiceReadsAHundredthOfTheFilterBytesOnceItIsApplied) {
  const testing::TemporaryFolder folder;
  const uint64_t keys = KeysOfShape();
  const uint64_t cache = keys / 8;  // a tenth of ten bits per key
  BlockBasedTableOptions table = TableWith("winnow:10");
  table.cache_index_and_filter_blocks = true;
  Ingest(folder / "db", table, keys);
  std::string applied;
  for (const double absent_share : {0.5, 1.0}) {
    std::mt19937_64 random(3);
    std::vector<std::string> lookups;
    for (size_t i = 0; i < 30'000; ++i) {
      const uint64_t number = random() % keys;
      const bool absent = static_cast<double>(random() % 1000) < 1000 * absent_share;
      lookups.push_back(KeyOf(2 * number + (absent ? 1 : 0)));
    }
    const Measured before = Measure(folder / "db", table, cache, lookups);
    const CacheAdvice advice = AdviseOn(folder / "db", cache, lookups);
    EXPECT_GT(before.filter, 0);
    EXPECT_NEAR(FilterBytes(advice.Now()) / before.filter, 1, 0.1);
    ASSERT_NE(advice.options, "");
    const auto best =
        std::find_if(advice.rows.begin(), advice.rows.end(),
                     [&](const CacheRow& row) { return row.choice.Options() == advice.options; });
    ASSERT_NE(best, advice.rows.end());

    const BlockBasedTableOptions cured = TableOf(advice.options, table);
    if (advice.options != applied) {
      fs::remove_all(folder / "cured");
      Ingest(folder / "cured", cured, keys);
      applied = advice.options;
    }
    const Measured after = Measure(folder / "cured", cured, cache, lookups);
    EXPECT_LE(after.filter, before.filter / 100);
    EXPECT_NEAR(FilterBytes(*best) / after.filter, 1, 0.1);
    EXPECT_NEAR(best->ALookup(best->figures.index_bytes), after.index, 0.1 * after.index + 20);
    EXPECT_NEAR(best->ALookup(best->figures.data_bytes), after.data, 0.1 * after.data + 20);
    if (std::getenv("WINNOW_CACHE_KEYS") != nullptr) {
      std::cout << tools::CacheAdviceText(advice) << "by tickers, a lookup: " << before.filter
                << " " << before.index << " " << before.data << " (filter, index, data), applied "
                << after.filter << " " << after.index << " " << after.data << "\n";
    }
  }
}

}  // namespace cache_advice_test
}  // namespace winnow::inspect
