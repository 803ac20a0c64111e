// Random databases with range filters: what scans give, against a std::map.
//
// WINNOW_RANGE_SCANS=N makes about N scans for each case instead of some thousands, and
// WINNOW_RANGE_SEED=N is the seed of the first one; docs/results/range-filters.md has the last long
// run.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/rocksdb/ranges/big_endian.h"
#include "tests/rocksdb/ranges/scan_checks.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Snapshot;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::BigEndian;
using testing::Check;
using testing::LastNumber;
using testing::Rows;
using testing::ScanChecks;

uint64_t NumberOf(const char* variable, uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class AppendOperator final : public ROCKSDB_NAMESPACE::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "append"; }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* merged,
             ROCKSDB_NAMESPACE::Logger* /*logger*/) const override {
    merged->assign(existing == nullptr ? "" : existing->ToString());
    merged->append(value.data(), value.size());
    if (merged->size() > 40) merged->resize(40);
    return true;
  }
};

enum class Keys { kIntegers, kEvents, kDecimals, kPaths, kAnyBytes };

struct Case {
  const char* name;
  Keys keys;
  bool has_partitions = false;
  bool has_whole_keys = true;
  bool is_universal = false;
  bool compresses_in_parallel = false;
  bool has_first_keys = false;  // in the index
  bool filters = true;          // some scans are
};

std::ostream& operator<<(std::ostream& out, const Case& test) { return out << test.name; }

// As Case has few that are usual, all others by name.
std::vector<Case> Cases() {
  std::vector<Case> cases;
  const auto add = [&cases](Case test) -> Case& { return cases.emplace_back(test); };
  add({"Integers", Keys::kIntegers});
  add({"Events", Keys::kEvents});
  add({"Decimals", Keys::kDecimals});
  add({"Paths", Keys::kPaths}).filters = false;
  add({"AnyBytes", Keys::kAnyBytes}).filters = false;
  add({"IntegersInPartitions", Keys::kIntegers}).has_partitions = true;
  add({"EventsInPartitions", Keys::kEvents}).has_partitions = true;
  add({"AnyBytesInPartitions", Keys::kAnyBytes}).has_partitions = true;
  cases.back().filters = false;
  add({"IntegersWithoutWholeKeys", Keys::kIntegers}).has_whole_keys = false;
  add({"AnyBytesWithoutWholeKeys", Keys::kAnyBytes}).has_whole_keys = false;
  cases.back().filters = false;
  add({"DecimalsInPartitionsWithoutWholeKeys", Keys::kDecimals}).has_partitions = true;
  cases.back().has_whole_keys = false;
  add({"EventsUniversal", Keys::kEvents}).is_universal = true;
  add({"IntegersCompressedInParallel", Keys::kIntegers}).compresses_in_parallel = true;
  add({"DecimalsWithFirstKeys", Keys::kDecimals}).has_first_keys = true;
  return cases;
}

class RangeModel {
 public:
  RangeModel(const Case& test, uint64_t seed) : test_(test), random_(seed) {
    for (int i = 0; i < 40; ++i) users_.push_back(BigEndian(random_()) + BigEndian(random_()));
    options_ = MakeOptions();
    database_ = testing::OpenDatabase(options_, folder_ / "database");
  }

  ~RangeModel() {
    for (const Kept& kept : snapshots_) database_->ReleaseSnapshot(kept.snapshot);
  }

  void Round(uint64_t round, int scans) {
    for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) Write();
    if (round % 9 == 4) Check(database_->Flush(FlushOptions()));
    if (round % 41 == 17) {
      const std::string begin = Key();
      const std::string end = Bound(begin);
      const Slice from(begin);
      const Slice to(end);
      if (begin < end) Check(database_->CompactRange(CompactRangeOptions(), &from, &to));
    }
    if (round % 97 == 60) Check(database_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    if (round % 31 == 7) Ingest();
    if (round % 20 == 5) TakeSnapshot();
    ScanAll(scans);
  }

  uint64_t scans() const { return checks_.scans(); }
  uint64_t empty() const { return checks_.empty(); }
  // Filters that told that a seek finds nothing.
  uint64_t filtered() const {
    uint64_t sum = 0;
    for (const auto ticker : rocksdb_abi::kPrefixUseful) {
      sum += options_.statistics->getTickerCount(ticker);
    }
    return sum;
  }

 private:
  struct Kept {
    const Snapshot* snapshot;
    Rows rows;
  };

  uint64_t Below(uint64_t n) { return testing::Below(n, &random_); }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  Options MakeOptions() {
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(
        "{id=winnow;bits_per_key=10;range_bits=" + std::to_string(1 + Below(20)) + "}");
    table.block_size = 512;
    table.whole_key_filtering = test_.has_whole_keys;
    if (test_.has_partitions) {
      table.partition_filters = true;
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 512;
      table.cache_index_and_filter_blocks = true;
    } else if (test_.has_first_keys) {
      table.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
    }
    Options options = testing::SmallLevels(table);
    options.prefix_extractor = NewRangeExtractor();
    options.merge_operator = std::make_shared<AppendOperator>();
    options.max_open_files = OneIn(2) ? 30 : -1;
    options.level_compaction_dynamic_level_bytes = OneIn(2);
    options.max_sequential_skip_in_iterations = OneIn(2) ? 2 : 8;
    if (OneIn(3)) options.memtable_prefix_bloom_size_ratio = 0.1;
    if (test_.is_universal) options.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
    if (test_.compresses_in_parallel) options.compression_opts.parallel_threads = 2;
    return options;
  }

  std::string Key() {
    switch (test_.keys) {
      case Keys::kIntegers: {
        const uint64_t number = random_();
        switch (Below(4)) {
          case 0:
            return BigEndian(number >> 44);
          case 1:
            return BigEndian(~uint64_t{0} - (number >> 44));
          case 2:
            return BigEndian((number & 3) << 62 | number >> 48);
          default:
            return BigEndian(number >> 40);
        }
      }
      case Keys::kEvents:
        return users_[Below(users_.size())] + BigEndian(1'700'000'000'000 + Below(4000));
      case Keys::kDecimals: {
        std::string digits = std::to_string(Below(OneIn(2) ? 100'000'000 : 20'000));
        return "user" + std::string(10 - digits.size(), '0') + digits;
      }
      case Keys::kPaths: {
        std::string path = "/usr/share/";
        for (uint64_t letters = 1 + Below(5); letters > 0; --letters) {
          path += static_cast<char>('a' + Below(9));
          if (OneIn(2)) path += static_cast<char>('a' + Below(26));
          if (OneIn(3)) path += '/';
        }
        return path;
      }
      case Keys::kAnyBytes:
        break;
    }
    std::string bytes(Below(9), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(OneIn(3) ? 255 - Below(2) : Below(3));
    }
    return bytes;
  }

  // A key, or bytes beside one.
  std::string Near(const Rows& rows) {
    std::string key = Key();
    if (OneIn(2)) return key;
    const auto found = rows.lower_bound(key);
    if (found == rows.end()) return key;
    key = found->first;
    switch (Below(6)) {
      case 0:
        key += '\0';
        break;
      case 1:
        if (!key.empty())
          key.back() = static_cast<char>(key.back() + 1 + static_cast<char>(Below(3)));
        break;
      case 2:
        if (!key.empty())
          key.back() = static_cast<char>(key.back() - 1 - static_cast<char>(Below(3)));
        break;
      case 3:
        key.resize(Below(key.size() + 1));
        break;
      default:
        break;
    }
    return key;
  }

  // Mostly a bit greater.
  std::string Bound(const std::string& begin) {
    std::string end = begin;
    switch (Below(7)) {
      case 0:
        return end + '\0';
      case 1:  // of all that begins so
        while (!end.empty() && end.back() == '\xff') end.pop_back();
        if (!end.empty()) end.back() = static_cast<char>(end.back() + 1);
        return end;
      case 2:
      case 3: {
        if (end.size() < 8) return end + "zz";
        const uint64_t number = LastNumber(end);
        const uint64_t more = OneIn(8) ? random_() >> (10 + Below(50)) : Below(200);
        const uint64_t sum = number + 1 + more;
        return end.substr(0, end.size() - 8) + BigEndian(sum < number ? ~uint64_t{0} : sum);
      }
      case 4:
        return Key();
      default:
        if (!end.empty()) {
          const auto last = static_cast<unsigned char>(end.back());
          end.back() = static_cast<char>(std::min<uint64_t>(255, last + 1 + Below(6)));
        }
        return end;
    }
  }

  void Write() {
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    std::string key = Key();
    const uint64_t what = Below(100);
    const std::string value = std::to_string(Below(100'000)) + std::string(20, 'v');
    if (what < 23) {
      const auto found = rows_.lower_bound(key);
      if (found != rows_.end() && !OneIn(4)) key = found->first;
      Check(database_->Delete(unlogged, key));
      rows_.erase(key);
    } else if (what < 25) {
      const std::string end = Bound(key);
      if (is_tailed_ || !(key < end)) return;
      Check(database_->DeleteRange(unlogged, database_->DefaultColumnFamily(), key, end));
      rows_.erase(rows_.lower_bound(key), rows_.lower_bound(end));
    } else if (what < 37) {
      Check(database_->Merge(unlogged, key, "+" + std::to_string(Below(100))));
      Check(database_->Get(ReadOptions(), key, &rows_[key]));
    } else {
      Check(database_->Put(unlogged, key, value));
      rows_[key] = value;
    }
  }

  // A file from outside, which is also scanned by itself.
  void Ingest() {
    const std::string path = folder_ / "ingested.sst";
    Rows rows;
    for (int i = 0; i < 20; ++i) rows[Key()] = "ingested";
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options_);
    Check(writer.Open(path));
    for (const auto& [key, value] : rows) Check(writer.Put(key, value));
    Check(writer.Finish());
    Check(database_->IngestExternalFile({path}, ROCKSDB_NAMESPACE::IngestExternalFileOptions()));
    for (const auto& [key, value] : rows) rows_[key] = value;

    ROCKSDB_NAMESPACE::SstFileReader reader(options_);
    Check(reader.Open(path));
    for (int i = 0; i < 20; ++i) {
      const std::string begin = Near(rows);
      const std::string end = Bound(begin);
      const Slice bound(end);
      ReadOptions read;
      read.auto_prefix_mode = OneIn(2);
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<Iterator> iterator(reader.NewIterator(read));
      checks_.Scan(iterator.get(), rows, begin, end, "a file by itself");
    }
  }

  void TakeSnapshot() {
    if (snapshots_.size() == 3) {
      database_->ReleaseSnapshot(snapshots_.front().snapshot);
      snapshots_.pop_front();
    }
    snapshots_.push_back({database_->GetSnapshot(), rows_});
  }

  void ScanAll(int scans) {
    // One that is moved with its bound, and one that follows what is written, whose bound stays.
    std::string moved_end = "x";
    Slice moved_bound(moved_end);
    ReadOptions moved_read;
    moved_read.auto_prefix_mode = OneIn(2);
    moved_read.iterate_upper_bound = &moved_bound;
    const std::unique_ptr<Iterator> moved(database_->NewIterator(moved_read));
    const std::string tailing_end = Bound(Key());
    const Slice tailing_bound(tailing_end);
    ReadOptions tailing_read = moved_read;
    tailing_read.iterate_upper_bound = &tailing_bound;
    tailing_read.tailing = true;
    const std::unique_ptr<Iterator> tailing(is_tailed_ ? database_->NewIterator(tailing_read)
                                                       : nullptr);

    for (int i = 0; i < scans && !::testing::Test::HasFailure(); ++i) {
      const Kept* const kept =
          OneIn(4) && !snapshots_.empty() ? &snapshots_[Below(snapshots_.size())] : nullptr;
      const Rows& rows = kept == nullptr ? rows_ : kept->rows;
      const std::string begin = Near(rows);
      const std::string end = Bound(begin);
      if (OneIn(3)) {
        moved_end = end;
        moved_bound = moved_end;
        checks_.Scan(moved.get(), rows_, begin, end, "a moved iterator");
      } else if (is_tailed_ && OneIn(12)) {
        if (begin < tailing_end) checks_.ScanTailing(tailing.get(), rows_, begin, tailing_end);
      } else if (OneIn(6)) {
        Get({begin, end, std::string()});
      } else {
        ScanAnew(kept, rows, begin, end);
      }
    }
  }

  void ScanAnew(const Kept* kept, const Rows& rows, const std::string& begin,
                const std::string& end) {
    const Slice from(begin);
    const Slice bound(end);
    ReadOptions read;
    read.iterate_upper_bound = &bound;
    read.auto_prefix_mode = OneIn(8);
    read.total_order_seek = OneIn(16);
    // An assertion in the prefetching of RocksDB 7.8.3 ends such scans at times.
    read.async_io = OneIn(8) && WINNOW_ROCKSDB_AT_LEAST(8, 0);
    read.pin_data = OneIn(8);
    read.readahead_size = OneIn(8) ? 4096 : 0;
    read.prefix_same_as_start = OneIn(8);
    if (kept != nullptr) read.snapshot = kept->snapshot;
    const bool from_first = OneIn(5);
    if (from_first) read.iterate_lower_bound = &from;
    const std::unique_ptr<Iterator> iterator(database_->NewIterator(read));
    if (from_first) {
      iterator->SeekToFirst();
      checks_.CompareForward(iterator.get(), rows, begin, end, "from the lower bound");
      return;
    }
    checks_.Scan(iterator.get(), rows, begin, end,
                 kept == nullptr ? "a new iterator" : "a snapshot");
    if (OneIn(4)) checks_.Scan(iterator.get(), rows, begin, end, "the same again");
    if (kept == nullptr && OneIn(10)) {
      Check(iterator->Refresh());
      checks_.Scan(iterator.get(), rows, begin, end, "a refreshed iterator");
    }
  }

  // Without whole keys a Get asks for a prefix, a MultiGet for several.
  void Get(const std::vector<std::string>& keys) {
    std::string value;
    const auto found = rows_.find(keys[0]);
    const Status status = database_->Get(ReadOptions(), keys[0], &value);
    EXPECT_EQ(status.ok(), found != rows_.end()) << Slice(keys[0]).ToString(true);
    if (status.ok() && found != rows_.end()) {
      EXPECT_EQ(value, found->second);
    }
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> values;
    const std::vector<Status> statuses = database_->MultiGet(ReadOptions(), slices, &values);
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(statuses[i].ok(), rows_.count(keys[i]) == 1) << Slice(keys[i]).ToString(true);
    }
  }

  const Case test_;
  std::mt19937_64 random_;
  ScanChecks checks_{&random_};
  const bool is_tailed_ = OneIn(2);  // RocksDB's tailing iterators see no range deletions
  testing::TemporaryFolder folder_;
  std::vector<std::string> users_;
  Options options_;
  std::unique_ptr<DB> database_;
  Rows rows_;
  std::deque<Kept> snapshots_;
};

class RangeModelTest : public ::testing::TestWithParam<Case> {};

TEST_P(RangeModelTest, ScansGiveTheRowsOfTheModel) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  constexpr int kScansOfRound = 220;
  constexpr uint64_t kRounds = 120;
  const uint64_t wanted = NumberOf("WINNOW_RANGE_SCANS", 5000);
  uint64_t seed = NumberOf("WINNOW_RANGE_SEED", std::random_device()());
  uint64_t scans = 0;
  uint64_t empty = 0;
  uint64_t filtered = 0;
  for (; scans < wanted; ++seed) {
    SCOPED_TRACE("WINNOW_RANGE_SEED=" + std::to_string(seed));
    RangeModel model(GetParam(), seed);
    for (uint64_t round = 0; round < kRounds && scans + model.scans() < wanted; ++round) {
      model.Round(round, kScansOfRound);
      if (HasFailure()) return;
    }
    scans += model.scans();
    empty += model.empty();
    filtered += model.filtered();
  }
  std::printf("%llu scans, %llu empty, %llu times a filter told so\n",
              static_cast<unsigned long long>(scans), static_cast<unsigned long long>(empty),
              static_cast<unsigned long long>(filtered));
  EXPECT_GT(empty, 0u);
  if (GetParam().filters) {
    EXPECT_GT(filtered, scans / 20);
  }
}

INSTANTIATE_TEST_SUITE_P(, RangeModelTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace winnow::plugin
