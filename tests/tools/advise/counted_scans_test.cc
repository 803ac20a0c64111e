// Advice on recorded scans, compared with the data blocks that RocksDB reads in these scans after
// the keys are written with each of the advised filters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/rocksdb/ranges/scanned_shapes.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/recorded_trace.h"
#include "tests/support/rocksdb_testing.h"
#include "tests/tools/tool_testing.h"

namespace winnow::inspect {
namespace counted_scans_test {

using nlohmann::json;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::ScannedShape;

constexpr size_t kKeys = 10'000;
constexpr size_t kFiles = 5;  // files on level 0
constexpr size_t kScans = 1000;

struct Counted {
  double blocks = 0;  // mean number of data blocks read per scan
  size_t found = 0;   // scans that find a row
};

class CountedScans : public ::testing::Test {
 protected:
  // Creates keys of the first shape, and scans of the shapes in turn.
  void Make(const std::vector<ScannedShape>& shapes) {
    std::mt19937_64 random(7);
    std::set<std::string> keys;
    while (keys.size() < kKeys) keys.insert(shapes.front().key(&random));
    const std::vector<std::string> sorted(keys.begin(), keys.end());
    shuffled_ = sorted;
    std::shuffle(shuffled_.begin(), shuffled_.end(), random);
    while (scans_.size() < kScans) {
      const ScannedShape& shape = shapes[scans_.size() % shapes.size()];
      testing::KeyRange scan = shape.scan(sorted[random() % sorted.size()], &random);
      if (scan.first < scan.second) scans_.push_back(std::move(scan));
    }
  }

  // Writes the keys to new files with these options.
  void Write(const std::string& extractor, const std::string& policy) {
    ROCKSDB_NAMESPACE::Options options = testing::MakeOptions(testing::TableWith(policy));
    options.level0_file_num_compaction_trigger = 10 * kFiles;
    options.write_buffer_size = 64 << 20;
    if (!extractor.empty()) {
      EXPECT_TRUE(ROCKSDB_NAMESPACE::SliceTransform::CreateFromString(
                      testing::StrictConfig(), extractor, &options.prefix_extractor)
                      .ok());
    }
    statistics_ = options.statistics;
    database_.reset();
    ASSERT_STATUS_OK(DestroyDB(path_, options));
    database_ = testing::OpenDatabase(options, path_);
    Load();
  }

  void Load() {
    for (size_t i = 0; i < kKeys; ++i) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), shuffled_[i], std::string(100, 'v')));
      if ((i + 1) % (kKeys / kFiles) != 0) continue;
      ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
  }

  Counted Scan() const {
    Counted counted;
    const uint64_t before = DataBlocks();
    for (const auto& [begin, end] : scans_) {
      const ROCKSDB_NAMESPACE::Slice bound(end);
      ROCKSDB_NAMESPACE::ReadOptions read;
      read.iterate_upper_bound = &bound;
      read.auto_prefix_mode = true;
      const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> rows(database_->NewIterator(read));
      rows->Seek(begin);
      EXPECT_TRUE(rows->status().ok());
      counted.found += rows->Valid() ? 1 : 0;
    }
    counted.blocks = static_cast<double>(DataBlocks() - before) / kScans;
    return counted;
  }

  json GetAdvice() {
    testing::RecordTrace(database_.get(), trace_, [&] { Scan(); });
    return testing::JsonOf(testing::RunTool(arguments_ + " --json"), 0).at("scans");
  }

  uint64_t DataBlocks() const { return testing::DataBlocksRead(*statistics_); }

  static std::string PolicyOf(const json& filters) {
    if (filters.at("range_bits").is_null()) return "winnow:10";
    return "{id=winnow;bits_per_key=10;range_bits=" + filters.at("range_bits").dump() +
           ";range_kind=" + filters.at("kind").get<std::string>() + "}";
  }

  static void ExpectNear(double counted, double said, const std::string& of) {
    EXPECT_NEAR(counted, said, std::max(0.05, 0.1 * said)) << of;
  }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "db";
  const std::string trace_ = folder_ / "trace";
  const std::string arguments_ = "advise '" + path_ + "' --lookups='" + trace_ + "'";
  std::vector<std::string> shuffled_;
  std::vector<testing::KeyRange> scans_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics_;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> database_;
};

class CountedScansTest : public CountedScans, public ::testing::WithParamInterface<size_t> {};

TEST_P(CountedScansTest, EachRowIsWhatRocksDBReadsWithIt) {
  const ScannedShape& shape = testing::kScannedShapes[GetParam()];
  Make({shape});
  Write("", "winnow:10");
  const Counted without = Scan();
  const json advice = GetAdvice();
  const std::map<std::string, std::string> of_one_prefix = {
      {"8 + 8 + 8", "fixed:16"}, {"folders and their files", "fixed:30"}};
  const auto fixed = of_one_prefix.find(shape.name);
  EXPECT_EQ(advice.at("prefix_extractor"),
            fixed != of_one_prefix.end() ? fixed->second : "winnow.range");
  const json& all = advice.at("all");
  ExpectNear(without.blocks, all.at("blocks_per_scan"), "none");
  ASSERT_GE(all.at("filters").size(), 6u);
  for (const json& filters : all.at("filters")) {
    const std::string extractor = filters.at("prefix_extractor");
    const std::string policy = PolicyOf(filters);
    Write(extractor, policy);
    const Counted with = Scan();
    ExpectNear(with.blocks, filters.at("blocks_per_scan"), extractor + " " + policy);
    EXPECT_EQ(with.found, without.found) << extractor;
    if (extractor == "winnow.range") continue;
    const json again = GetAdvice();
    ExpectNear(with.blocks, again.at("all").at("blocks_per_scan_now"), extractor + ", now");
  }
  // The kind that range_kind=auto selects after scans.
  const json& by_auto = all.at("range_filters").at(1);
  Write("winnow.range", "{id=winnow;bits_per_key=10;range_bits=15}");
  Scan();
  ROCKSDB_NAMESPACE::CompactRangeOptions compact;
  ASSERT_STATUS_OK(database_->CompactRange(compact, nullptr, nullptr));
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DeleteFilesInRange(
      database_.get(), database_->DefaultColumnFamily(), nullptr, nullptr));
  Load();
  ExpectNear(Scan().blocks, by_auto.at("blocks_per_scan"),
             "auto: " + by_auto.at("kind").get<std::string>());
}

INSTANTIATE_TEST_SUITE_P(, CountedScansTest,
                         ::testing::Range(size_t{0}, std::size(testing::kScannedShapes)));

}  // namespace counted_scans_test
}  // namespace winnow::inspect
