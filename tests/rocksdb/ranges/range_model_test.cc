// Random databases with range filters: scans are compared with a std::map.
//
// WINNOW_RANGE_SCANS=N runs about N scans per case instead of a few thousand, and
// WINNOW_RANGE_SEED=N is the first seed. docs/results/range-filters.md has the last long run.

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
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/rocksdb/ranges/random_keys.h"
#include "tests/rocksdb/ranges/scan_checks.h"
#include "tests/support/files.h"
#include "tests/support/from_environment.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

#if WINNOW_ROCKSDB_AT_LEAST(11, 0)
#include <rocksdb/comparator.h>
#include <rocksdb/multi_scan.h>
#endif

namespace winnow::plugin {
namespace range_model_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::OptimisticTransactionDB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Snapshot;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::Transaction;
using ROCKSDB_NAMESPACE::TransactionDB;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::Check;
using testing::FromEnvironment;
using testing::Keys;
using testing::RandomKeys;
using testing::Rows;
using testing::ScanChecks;

class AppendOperator final : public ROCKSDB_NAMESPACE::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "append"; }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* merged,
             ROCKSDB_NAMESPACE::Logger* /*logger*/) const override {
    merged->assign(existing == nullptr ? "" : existing->ToString());
    merged->append(value.data(), value.size());
    return true;
  }
};

// Kinds of range filters; the seed selects one per database.
constexpr std::array<const char*, 4> kRangeKinds = {"auto", "positions", "trees", "single"};

enum class Kind { kPlain, kTransactions, kOptimisticTransactions };

struct Case {
  const char* name;
  Keys keys;
  bool has_partitions = false;
  bool has_whole_keys = true;
  bool is_universal = false;
  bool compresses_in_parallel = false;
  bool has_first_keys = false;  // index_type=kBinarySearchWithFirstKey
  bool has_threads = false;     // scan while files are written
  bool changes_extractor = false;
  Kind kind = Kind::kPlain;
  bool filters = true;  // filters reject some scans
};

std::ostream& operator<<(std::ostream& out, const Case& test) { return out << test.name; }

// Returns all cases; unusual fields are set by name.
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
  add({"IntegersInThreads", Keys::kIntegers}).has_threads = true;
  add({"PathsInThreads", Keys::kPaths}).has_threads = true;
  cases.back().filters = false;
  add({"IntegersWithOtherExtractors", Keys::kIntegers}).changes_extractor = true;
  add({"DecimalsInTransactions", Keys::kDecimals}).kind = Kind::kTransactions;
  add({"IntegersInOptimisticTransactions", Keys::kIntegers}).kind = Kind::kOptimisticTransactions;
  return cases;
}

struct Counts {
  uint64_t scans = 0;
  uint64_t empty = 0;
  uint64_t looked_up = 0;  // keys

  Counts& operator+=(const Counts& other) {
    scans += other.scans;
    empty += other.empty;
    looked_up += other.looked_up;
    return *this;
  }
};

// Scans of one thread, compared with the expected rows.
class Scans {
 public:
  struct Kept {
    const Snapshot* snapshot;
    Rows rows;
  };

  Scans(DB* database, RandomKeys* keys) : database_(database), keys_(*keys) {}

  Counts counts() const { return {checks_.scans(), checks_.empty(), looked_up_}; }

  // Set while another extractor is in use, whose prefixes do not cover the scans, so that they need
  // total_order_seek.
  bool must_ask_for_order = false;
  // Enables tailing iterators, which ignore range deletions.
  bool has_tailing = false;
  // A Get may then return a merge's operands without the base: up to RocksDB 11.9, Version::Get
  // ends at a file with a range deletion of the key, although the level's next file may have
  // entries of the key that are newer than the deletion.
  bool has_range_deletions = false;

  // Scans `rows`, or those of a snapshot.
  void Make(int scans, const Rows& rows, const std::deque<Kept>& snapshots) {
    // One iterator is reused with a changed bound. The tailing iterator's bound stays, as RocksDB
    // requires.
    std::string moved_end = "x";
    Slice moved_bound(moved_end);
    ReadOptions moved_read;
    ChooseMode(2, &moved_read);
    moved_read.iterate_upper_bound = &moved_bound;
    const std::unique_ptr<Iterator> moved(database_->NewIterator(moved_read));
    const std::string tailing_end = keys_.Bound(keys_.Key());
    const Slice tailing_bound(tailing_end);
    ReadOptions tailing_read = moved_read;
    tailing_read.iterate_upper_bound = &tailing_bound;
    tailing_read.tailing = true;
    const std::unique_ptr<Iterator> tailing(has_tailing ? database_->NewIterator(tailing_read)
                                                        : nullptr);

    for (int i = 0; i < scans && !::testing::Test::HasFailure(); ++i) {
      const Kept* const kept =
          OneIn(4) && !snapshots.empty() ? &snapshots[keys_.Below(snapshots.size())] : nullptr;
      const Rows& expected = kept == nullptr ? rows : kept->rows;
      const std::string begin = keys_.Near(expected);
      const std::string end = keys_.Bound(begin);
      if (OneIn(8)) {
        Get(rows, {begin, end, std::string()});
      } else if (has_tailing && OneIn(18)) {
        if (begin < tailing_end) checks_.ScanTailing(tailing.get(), rows, begin, tailing_end);
      } else if (!OneIn(3)) {  // a new iterator takes most of a scan's time
        moved_end = end;
        moved_bound = moved_end;
        checks_.Scan(moved.get(), rows, begin, end, "a moved iterator");
      } else if (OneIn(80)) {  // its ranges are long, and it returns all of their rows
        ScanMany(expected, kept);
      } else {
        ScanAnew(kept, expected, begin, end);
      }
    }
  }

  // Scans include the transaction's uncommitted writes.
  void MakeIn(Transaction* transaction, int scans, const Rows& rows) {
    for (int i = 0; i < scans && !::testing::Test::HasFailure(); ++i) {
      const std::string begin = keys_.Near(rows);
      const std::string end = keys_.Bound(begin);
      const Slice bound(end);
      ReadOptions read;
      ChooseMode(8, &read);
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<Iterator> iterator(transaction->GetIterator(read));
      checks_.ScanInTransaction(iterator.get(), rows, begin, end);
    }
  }

  // Scans a single file.
  void MakeOf(ROCKSDB_NAMESPACE::SstFileReader* file, int scans, const Rows& rows) {
    for (int i = 0; i < scans; ++i) {
      const std::string begin = keys_.Near(rows);
      const std::string end = keys_.Bound(begin);
      const Slice bound(end);
      ReadOptions read;
      read.auto_prefix_mode = OneIn(2);
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<Iterator> iterator(file->NewIterator(read));
      checks_.Scan(iterator.get(), rows, begin, end, "a file by itself");
    }
  }

 private:
  static bool IsEqual(const std::string& a, const std::string& b) { return a == b; }
  static bool IsEqualOrOperands(const std::string& some, const std::string& all) {
    return some == all || (some[0] == '+' && some.size() < all.size() &&
                           all.compare(all.size() - some.size(), some.size(), some) == 0);
  }

  bool OneIn(uint64_t n) { return keys_.OneIn(n); }

  void ChooseMode(uint64_t one_in, ReadOptions* read) {
    if (must_ask_for_order) {
      (OneIn(2) ? read->auto_prefix_mode : read->total_order_seek) = true;
      return;
    }
    read->auto_prefix_mode = OneIn(one_in);
    read->total_order_seek = OneIn(16);
  }

  void ScanAnew(const Kept* kept, const Rows& rows, const std::string& begin,
                const std::string& end) {
    const Slice from(begin);
    const Slice bound(end);
    ReadOptions read;
    read.iterate_upper_bound = &bound;
    ChooseMode(8, &read);
    // An assertion in RocksDB 7.8.3's prefetching sometimes fails in such scans.
    read.async_io = OneIn(8) && WINNOW_ROCKSDB_AT_LEAST(8, 0);
    read.pin_data = OneIn(8);
    read.readahead_size = OneIn(8) ? 4096 : 0;
    read.prefix_same_as_start = OneIn(8) && !must_ask_for_order;
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

  // Scans several sorted ranges by one call.
  void ScanMany(const Rows& rows, const Kept* kept) {
#if WINNOW_ROCKSDB_AT_LEAST(11, 0)
    std::set<std::string> bounds;
    for (uint64_t n = 2 + keys_.Below(12); n > 0; --n) {
      bounds.insert(keys_.Near(rows));
      bounds.insert(keys_.Bound(*bounds.rbegin()));
    }
    bounds.erase("");
    const std::vector<std::string> ends(bounds.begin(), bounds.end());
    ROCKSDB_NAMESPACE::MultiScanArgs ranges(ROCKSDB_NAMESPACE::BytewiseComparator());
    std::vector<size_t> firsts;
    for (size_t i = 0; i + 1 < ends.size(); i += 1 + keys_.Below(2)) {
      ranges.insert(ends[i], ends[i + 1]);
      firsts.push_back(i);
    }
    if (firsts.empty()) return;
    ReadOptions read;
    ChooseMode(8, &read);
    if (kept != nullptr) read.snapshot = kept->snapshot;
    const std::unique_ptr<ROCKSDB_NAMESPACE::MultiScan> scan =
        database_->NewMultiScan(read, database_->DefaultColumnFamily(), ranges);
    auto first = firsts.begin();
    try {
      for (auto range : *scan) {
        ASSERT_NE(first, firsts.end());
        Rows found;
        for (const auto& row : range) found.emplace(row.first.ToString(), row.second.ToString());
        checks_.CompareAll(found, rows, ends[*first], ends[*first + 1], "one of many ranges");
        ++first;
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(first, firsts.end());
#else
    static_cast<void>(rows);
    static_cast<void>(kept);
#endif
  }

  // Without whole-key filtering a Get looks up one prefix, a MultiGet several.
  void Get(const Rows& rows, const std::vector<std::string>& keys) {
    std::string value;
    const auto found = rows.find(keys[0]);
    const Status status = database_->Get(ReadOptions(), keys[0], &value);
    EXPECT_EQ(status.ok(), found != rows.end()) << Slice(keys[0]).ToString(true);
    if (status.ok() && found != rows.end()) {
      EXPECT_PRED2(has_range_deletions ? IsEqualOrOperands : IsEqual, value, found->second);
    }
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> values;
    const std::vector<Status> statuses = database_->MultiGet(ReadOptions(), slices, &values);
    looked_up_ += 1 + keys.size();
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(statuses[i].ok(), rows.count(keys[i]) == 1) << Slice(keys[i]).ToString(true);
    }
  }

  DB* const database_;
  RandomKeys& keys_;
  ScanChecks checks_{keys_.random()};
  uint64_t looked_up_ = 0;
};

class RangeModel {
 public:
  RangeModel(const Case& test, uint64_t seed)
      : test_(test), range_kind_(kRangeKinds[seed % kRangeKinds.size()]), keys_(test.keys, seed) {
    options_ = MakeOptions();
    database_ = Open();
    scans_ = std::make_unique<Scans>(database_.get(), &keys_);
    scans_->has_tailing = is_tailed_;
    scans_->has_range_deletions = has_range_deletions_;
  }

  ~RangeModel() {
    for (const Scans::Kept& kept : snapshots_) database_->ReleaseSnapshot(kept.snapshot);
  }

  void Round(uint64_t round, int scans) {
    // Returns to winnow.range soon, so that most scans use it.
    if (test_.changes_extractor && OneIn(scans_->must_ask_for_order ? 2 : 10)) ChangeExtractor();
    for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) Write();
    if (test_.has_threads) return ScanInThreads(round, scans);
    ChangeFiles(round);
    if (round % 31 == 7) Ingest();
    if (round % 20 == 5) TakeSnapshot();
    if (test_.kind != Kind::kPlain) ScanInTransaction(scans / 4);
    scans_->Make(scans, rows_, snapshots_);
  }

  Counts counts() const {
    Counts sum = of_threads_;
    return sum += scans_->counts();
  }
  // Returns the number of seeks that filters have rejected.
  uint64_t filtered() const {
    uint64_t sum = 0;
    for (const auto ticker : rocksdb_abi::kPrefixUseful) {
      sum += options_.statistics->getTickerCount(ticker);
    }
    return sum;
  }

 private:
  uint64_t Below(uint64_t n) { return keys_.Below(n); }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  Options MakeOptions() {
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(
        "{id=winnow;bits_per_key=" + std::to_string(3 + Below(8)) +
        ";range_bits=" + std::to_string(1 + Below(20)) + ";range_kind=" + range_kind_ +
        (OneIn(4) ? ";level_plan=uniform}" : "}"));
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
    // RocksDB 7.8's memtables with a filter keep a pointer to the extractor, which a change
    // frees.
    if (OneIn(3) && !test_.changes_extractor) options.memtable_prefix_bloom_size_ratio = 0.1;
    if (test_.is_universal) options.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
    if (test_.compresses_in_parallel) options.compression_opts.parallel_threads = 2;
    return options;
  }

  std::unique_ptr<DB> Open() {
    const std::string path = folder_ / "database";
    switch (test_.kind) {
      case Kind::kPlain:
        break;
      case Kind::kTransactions:
        Check(TransactionDB::Open(options_, ROCKSDB_NAMESPACE::TransactionDBOptions(), path,
                                  &transactions_));
        return std::unique_ptr<DB>(transactions_);
      case Kind::kOptimisticTransactions:
        Check(OptimisticTransactionDB::Open(options_, path, &optimistic_));
        return std::unique_ptr<DB>(optimistic_);
    }
    return testing::OpenDatabase(options_, path);
  }

  void Write() {
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    std::string key = keys_.Key();
    const uint64_t what = Below(100);
    const std::string value = std::to_string(Below(100'000)) + std::string(20, 'v');
    if (what < 23) {
      const auto found = rows_.lower_bound(key);
      if (found != rows_.end() && !OneIn(4)) key = found->first;
      Check(database_->Delete(unlogged, key));
      rows_.erase(key);
    } else if (what < 25) {
      const std::string end = keys_.Bound(key);
      if (!has_range_deletions_ || !(key < end)) return;
      Check(database_->DeleteRange(unlogged, database_->DefaultColumnFamily(), key, end));
      rows_.erase(rows_.lower_bound(key), rows_.lower_bound(end));
    } else if (what < 37) {
      const std::string operand = "+" + std::to_string(Below(100));
      Check(database_->Merge(unlogged, key, operand));
      rows_[key] += operand;
    } else {
      Check(database_->Put(unlogged, key, value));
      rows_[key] = value;
    }
  }

  // Ingests a file, which is also scanned separately.
  void Ingest() {
    const std::string path = folder_ / "ingested.sst";
    Rows rows;
    for (int i = 0; i < 20; ++i) rows[keys_.Key()] = "ingested";
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options_);
    Check(writer.Open(path));
    for (const auto& [key, value] : rows) Check(writer.Put(key, value));
    Check(writer.Finish());
    Check(database_->IngestExternalFile({path}, ROCKSDB_NAMESPACE::IngestExternalFileOptions()));
    for (const auto& [key, value] : rows) rows_[key] = value;

    ROCKSDB_NAMESPACE::SstFileReader reader(options_);
    Check(reader.Open(path));
    scans_->MakeOf(&reader, 20, rows);
  }

  void ChangeFiles(uint64_t round) {
    if (round % 9 == 4) Check(database_->Flush(FlushOptions()));
    if (round % 41 == 17) {
      const std::string begin = keys_.Key();
      const std::string end = keys_.Bound(begin);
      const Slice from(begin);
      const Slice to(end);
      if (begin < end) Check(database_->CompactRange(CompactRangeOptions(), &from, &to));
    }
    if (round % 97 == 60) Check(database_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  }

  // Scans in threads while no rows are written, only files.
  void ScanInThreads(uint64_t round, int scans) {
    constexpr size_t kThreads = 3;
    std::deque<RandomKeys> keys;
    std::deque<Scans> of_threads;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      keys.emplace_back(keys_, (*keys_.random())());
      of_threads.emplace_back(database_.get(), &keys.back());
      of_threads.back().has_range_deletions = has_range_deletions_;
      threads.emplace_back([this, scans, made = &of_threads.back()] {
        made->Make(scans / int{kThreads}, rows_, snapshots_);
      });
    }
    Check(database_->Flush(FlushOptions()));
    ChangeFiles(round);
    for (std::thread& thread : threads) thread.join();
    for (const Scans& made : of_threads) of_threads_ += made.counts();
    if (round % 20 == 5) TakeSnapshot();
  }

  // Changes the extractor to another one or none, or back. Flushes and compactions are paused,
  // since RocksDB would install the options that they began with.
  void ChangeExtractor() {
    static constexpr const char* kExtractors[] = {"winnow.range", "fixed:4", "nullptr", "capped:7"};
    const char* const extractor = OneIn(2) ? kExtractors[0] : kExtractors[Below(4)];
    Check(database_->PauseBackgroundWork());
    Check(database_->SetOptions({{"prefix_extractor", extractor}}));
    Check(database_->ContinueBackgroundWork());
    scans_->must_ask_for_order = extractor != kExtractors[0];
  }

  void ScanInTransaction(int scans) {
    const std::unique_ptr<Transaction> transaction(
        transactions_ != nullptr ? transactions_->BeginTransaction(WriteOptions())
                                 : optimistic_->BeginTransaction(WriteOptions()));
    Rows rows = rows_;
    for (uint64_t n = 1 + Below(200); n > 0; --n) {
      const std::string key = keys_.Near(rows);
      if (OneIn(2)) {
        Check(transaction->Delete(key));
        rows.erase(key);
      } else {
        Check(transaction->Put(key, "in a transaction"));
        rows[key] = "in a transaction";
      }
    }
    scans_->MakeIn(transaction.get(), scans, rows);
    if (OneIn(2)) return Check(transaction->Rollback());
    Check(transaction->Commit());
    rows_ = rows;
  }

  void TakeSnapshot() {
    if (snapshots_.size() == 3) {
      database_->ReleaseSnapshot(snapshots_.front().snapshot);
      snapshots_.pop_front();
    }
    snapshots_.push_back({database_->GetSnapshot(), rows_});
  }

  const Case test_;
  const std::string range_kind_;
  RandomKeys keys_;
  // Tailing iterators ignore range deletions, and RocksDB's assert that keys are in the extractor's
  // domain.
  const bool is_tailed_ = OneIn(2) && !test_.has_threads && !test_.changes_extractor;
  const bool has_range_deletions_ = !is_tailed_ && test_.kind == Kind::kPlain;
  testing::TemporaryFolder folder_;
  Options options_;
  TransactionDB* transactions_ = nullptr;  // set unless optimistic_ or neither is
  OptimisticTransactionDB* optimistic_ = nullptr;
  std::unique_ptr<DB> database_;
  std::unique_ptr<Scans> scans_;
  Rows rows_;
  std::deque<Scans::Kept> snapshots_;
  Counts of_threads_;
};

class RangeModelTest : public ::testing::TestWithParam<Case> {};

TEST_P(RangeModelTest, ScansGiveTheRowsOfTheModel) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  constexpr uint64_t kRounds = 120;
  const uint64_t wanted = FromEnvironment("WINNOW_RANGE_SCANS", 20'000);
  const int scans_of_round = wanted > 100'000 ? 1000 : 220;
  uint64_t seed = FromEnvironment("WINNOW_RANGE_SEED", std::random_device()());
  Counts counts;
  uint64_t filtered = 0;
  for (; counts.scans < wanted; ++seed) {
    SCOPED_TRACE("WINNOW_RANGE_SEED=" + std::to_string(seed));
    RangeModel model(GetParam(), seed);
    const uint64_t most = wanted / kRangeKinds.size();
    for (uint64_t round = 0; round < kRounds && model.counts().scans < most; ++round) {
      model.Round(round, scans_of_round);
      if (HasFailure()) return;
    }
    counts += model.counts();
    filtered += model.filtered();
  }
  std::printf(
      "%llu scans, %llu empty, %llu seeks that filters rejected, %llu keys looked up\n",
      static_cast<unsigned long long>(counts.scans), static_cast<unsigned long long>(counts.empty),
      static_cast<unsigned long long>(filtered), static_cast<unsigned long long>(counts.looked_up));
  EXPECT_GT(counts.empty, 0u);
  if (GetParam().filters) {
    EXPECT_GT(filtered, counts.scans / 20);
  }
}

INSTANTIATE_TEST_SUITE_P(, RangeModelTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace range_model_test
}  // namespace winnow::plugin
