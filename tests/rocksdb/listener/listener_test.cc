// Event listener in databases: a policy's view of the files matches the actual files.

#include "src/rocksdb/listener/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/utilities/stackable_db.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/core/sizing.h"
#include "tests/rocksdb/listener/known_tree.h"
#include "tests/support/becomes.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace listener_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::Key;
using testing::MakePolicyFrom;

using Policies = std::shared_ptr<const FilterPolicy>;
constexpr char kAuto[] = "{id=winnow;level_plan=auto}";
const double kUniformRate = core::RateForBits(10);
constexpr char kDefault[] = "default";

class ListenerTest : public ::testing::Test {
 protected:
  ListenerTest() {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    policy_ = MakePolicyFrom(kAuto);
  }

  static Options SmallLevels(const Policies& policy) {
    BlockBasedTableOptions table;
    table.filter_policy = policy;
    return testing::SmallLevels(table);
  }

  // Returns options with a listener from NewListener(), or from the options string `text`.
  static Options Listened(const Policies& policy, const std::string& text = "") {
    Options options = SmallLevels(policy);
    if (text.empty()) {
      options.listeners.push_back(winnow::NewListener(policy));
    } else {
      EXPECT_TRUE(ROCKSDB_NAMESPACE::GetDBOptionsFromString(testing::StrictConfig(), options, text,
                                                            &options)
                      .ok());
    }
    return options;
  }

  void Open(const Options& options) {
    database_.reset();
    database_ = testing::OpenDatabase(options, path_);
    ASSERT_NE(database_, nullptr);
  }

  static void Put(DB* database, uint64_t first, uint64_t n, ColumnFamilyHandle* family = nullptr,
                  bool in_order = false) {
    if (family == nullptr) family = database->DefaultColumnFamily();
    std::vector<uint64_t> keys(n);
    for (uint64_t i = 0; i < n; ++i) keys[i] = first + i;
    if (!in_order) std::shuffle(keys.begin(), keys.end(), std::mt19937_64(n));
    for (const uint64_t key : keys) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), family, Key(key), "value of " + Key(key)));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions(), family));
    testing::WaitForRest(database);
  }
  void Put(uint64_t first, uint64_t n) { Put(database_.get(), first, n); }

  // Flushes single keys until the condition holds, since the listener limits how often it lists
  // files.
  template <typename Condition>
  static void FlushUntil(DB* database, const Condition& holds) {
    testing::Becomes(
        [&] {
          if (holds()) return true;
          Put(database, 500'000, 1);
          return false;
        },
        std::chrono::milliseconds(50));
  }

  static std::shared_ptr<TreeRecord> RecordOf(const Policies& policy, DB* database,
                                              const std::string& family = kDefault) {
    return plugin::RecordOf(*policy, database, family);
  }

  static void ExpectKnown(const Policies& policy, DB* database,
                          ColumnFamilyHandle* family = nullptr) {
    if (family == nullptr) family = database->DefaultColumnFamily();
    FlushUntil(database, [&] { return Unknown(*policy, database, family).empty(); });
    EXPECT_EQ(Unknown(*policy, database, family), "");
  }

  static KnownTotals TotalsOf(const Policies& policy) {
    return EngineOf(policy.get())->known()->trees.Totals();
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  Policies policy_;
  std::unique_ptr<DB> database_;
};

TEST_F(ListenerTest, TheFirstFlushKnowsFilesThatWereThere) {
  for (const char* const before : {"winnow:10", "bloomfilter:10"}) {
    Open(SmallLevels(MakePolicyFrom(before)));
    Put(0, 20'000);
    const Policies policy = MakePolicyFrom(kAuto);
    Open(Listened(policy));
    EXPECT_FALSE(TotalsOf(policy).knows_all_files);
    Put(100'000, 1);
    ExpectKnown(policy, database_.get());
    const KnownTotals totals = TotalsOf(policy);
    EXPECT_TRUE(totals.knows_all_files);
    EXPECT_EQ(totals.families, 1u);
    EXPECT_GT(totals.files.keys, 20'000);
    EXPECT_GT(totals.files.files, 10u);
    // Foreign filters count as uniform ones.
    const family::Sums sums = ShapeOf(RecordOf(policy, database_.get()).get())->sums();
    const bool is_foreign = before == std::string("bloomfilter:10");
    EXPECT_NEAR(sums.bits / sums.keys / -std::log2(kUniformRate), 1, is_foreign ? 0.05 : 0.4);
    database_.reset();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options()));
  }
}

// A database in which something happens each time that its files are listed.
class WhileItLists final : public ROCKSDB_NAMESPACE::StackableDB {
 public:
  using Happens = std::function<void(const std::vector<LiveFileMetaData>& files)>;
  WhileItLists(DB* database, Happens happens)
      : StackableDB(std::shared_ptr<DB>(database, [](DB*) {})), happens_(std::move(happens)) {}

  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) override {
    StackableDB::GetLiveFilesMetaData(files);
    happens_(*files);
    ++lists_;
  }
  int lists() const { return lists_; }

 private:
  const Happens happens_;
  int lists_ = 0;
};

TEST_F(ListenerTest, FilesThatAreDeletedWhileTheyAreListedEnd) {
  Open(SmallLevels(policy_));
  Put(0, 5000);
  const std::shared_ptr<EventListener> listener = winnow::NewListener(policy_);
  listener->OnFlushBegin(database_.get(), {});
  const std::shared_ptr<TreeRecord> record = RecordOf(policy_, database_.get());
  const size_t files = record->family.totals().files;
  WhileItLists deletes(database_.get(), [&](const std::vector<LiveFileMetaData>& listed) {
    ASSERT_FALSE(listed.empty());
    ROCKSDB_NAMESPACE::TableFileDeletionInfo info;
    info.db_name = database_->GetName();
    info.file_path = listed.front().directory + "/" + listed.front().relative_filename;
    listener->OnTableFileDeleted(info);
  });
  while (deletes.lists() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    listener->OnFlushBegin(&deletes, {});
  }
  EXPECT_EQ(record->family.totals().files, files - 1);
}

TEST_F(ListenerTest, ADatabaseThatIsClosedWhileItIsListedIsListedWhenItIsOpenAgain) {
  Open(SmallLevels(policy_));
  Put(0, 5000);
  const std::shared_ptr<EventListener> listener = winnow::NewListener(policy_);
  WhileItLists database(database_.get(), [&](const std::vector<LiveFileMetaData>& /*files*/) {
    listener->OnColumnFamilyHandleDeletionStarted(database_->DefaultColumnFamily());
  });
  for (int lists = 1; lists < 4; ++lists) {
    listener->OnFlushBegin(&database, {});
    EXPECT_EQ(database.lists(), lists);
  }
}

TEST_F(ListenerTest, WhatACompactionInAnotherProcessWroteIsListedAtOnce) {
  Open(SmallLevels(policy_));
  Put(0, 5000);
  const std::shared_ptr<EventListener> listener = winnow::NewListener(policy_);
  // A list that takes long delays the next one.
  WhileItLists database(database_.get(), [](const std::vector<LiveFileMetaData>& /*files*/) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  });
  ROCKSDB_NAMESPACE::CompactionJobInfo job;
  job.job_id = 7;
  job.cf_name = kDefault;
  job.output_files = {path_ + "/999999.sst"};
  listener->OnCompactionBegin(&database, job);
  EXPECT_EQ(database.lists(), 1);
  listener->OnCompactionCompleted(&database, job);
  EXPECT_EQ(database.lists(), 2);
}

// A policy knows a family by the policy that its files name, before the family's first write;
// another Winnow policy knows it after its first write.
TEST_F(ListenerTest, FamiliesThatWriteNothingAreKnown) {
  testing::OpenFamilies opened;
  const auto open = [&](const Policies& one, const Policies& two) {
    Options options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    for (const Policies& policy : {one, two}) options.listeners.push_back(NewListener(policy));
    opened.Open(options, path_,
                {{kDefault, SmallLevels(one)},
                 {"second", SmallLevels(two)},
                 {"foreign", SmallLevels(MakePolicyFrom("bloomfilter:10"))}});
    return opened.database.get();
  };
  DB* database = open(MakePolicyFrom("winnow:10"), MakePolicyFrom("winnow:10"));
  for (ColumnFamilyHandle* const handle : opened.handles) Put(database, 0, 5000, handle);
  const Policies two = MakePolicyFrom(kAuto);
  database = open(policy_, two);
  ColumnFamilyHandle* const second = opened.handles[1];
  Put(database, 0, 100);
  ExpectKnown(policy_, database);
  ExpectKnown(policy_, database, second);
  EXPECT_EQ(RecordOf(policy_, database, "foreign"), nullptr);
  EXPECT_TRUE(TotalsOf(policy_).knows_all_files);
  EXPECT_EQ(TotalsOf(policy_).families, 2u);
  EXPECT_EQ(TotalsOf(policy_).files.keys,
            static_cast<double>(TruthOf(database, second).keys +
                                TruthOf(database, database->DefaultColumnFamily()).keys));
  Put(database, 500'000, 1, second);
  FlushUntil(database, [&] { return TotalsOf(policy_).families == 1; });
  EXPECT_EQ(TotalsOf(policy_).families, 1u);
  EXPECT_EQ(RecordOf(policy_, database, "second"), nullptr);
  ExpectKnown(two, database, second);
  EXPECT_EQ(TotalsOf(two).families, 1u);
  ASSERT_STATUS_OK(database->DropColumnFamily(second));
  FlushUntil(database, [&] { return TotalsOf(two).families == 0; });
  EXPECT_EQ(TotalsOf(two).families, 0u) << "it was dropped";
}

TEST_F(ListenerTest, AClosedDatabaseCountsNoMoreAndIsKnownAgain) {
  const Options options = Listened(policy_);
  Open(options);
  Put(0, 20'000);
  const std::shared_ptr<TreeRecord> record = RecordOf(policy_, database_.get());
  database_.reset();
  EXPECT_EQ(TotalsOf(policy_).files.keys, 0);
  EXPECT_FALSE(TotalsOf(policy_).knows_all_files);
  // WAL recovery builds a filter before the listener sees the database. Two rounds, since the first
  // one triggers no other event.
  for (const bool is_heard : {false, true}) {
    if (is_heard) Open(options);
    Options no_flush = SmallLevels(MakePolicyFrom("winnow:10"));
    no_flush.avoid_flush_during_shutdown = true;
    Open(no_flush);
    ASSERT_STATUS_OK(database_->Put(WriteOptions(), Key(1), "in the log"));
  }
  Open(options);
  Put(100'000, 1);
  EXPECT_EQ(RecordOf(policy_, database_.get()), record);
  ExpectKnown(policy_, database_.get());
  EXPECT_TRUE(TotalsOf(policy_).knows_all_files);
}

TEST_F(ListenerTest, OneListenerInSeveralDatabasesOutlivesThePolicy) {
  Policies policy = MakePolicyFrom(kAuto);
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> logger;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Env::Default()->NewLogger(folder_ / "LOG", &logger));
  for (const bool shares_logger : {false, true}) {
    Options options = Listened(policy);
    if (shares_logger) options.info_log = logger;
    Open(options);
    std::unique_ptr<DB> other = testing::OpenDatabase(options, folder_ / "other");
    Put(0, 10'000);
    Put(other.get(), 0, 6000);
    uint64_t keys = 0;
    for (DB* const database : {database_.get(), other.get()}) {
      FlushUntil(database, [&] {
        keys = TruthOf(database_.get(), database_->DefaultColumnFamily()).keys +
               TruthOf(other.get(), other->DefaultColumnFamily()).keys;
        return TotalsOf(policy).files.keys == static_cast<double>(keys);
      });
    }
    const KnownTotals totals = TotalsOf(policy);
    EXPECT_EQ(totals.files.keys, static_cast<double>(keys));
    EXPECT_EQ(totals.families, shares_logger ? 1u : 2u);
    EXPECT_TRUE(totals.knows_all_files);
    database_.reset();
    other.reset();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, options));
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(folder_ / "other", options));
  }
  Options options = Listened(policy);
  policy.reset();
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory());
  Open(options);
  Put(0, 3000);
}

// Two databases with a family of one name. One of them is open again and has not written since, so
// that its readers alone tell of it.
class SameNameTest : public ListenerTest {
 protected:
  SameNameTest() { options_.create_missing_column_families = true; }

  // Opens the default family, and that of the name.
  void OpenBoth(const std::string& path, testing::OpenFamilies* both) {
    both->Open(options_, path, {{kDefault, options_}, {"orders", options_}});
  }
  void WriteAndReopen() {
    OpenBoth(folder_ / "written", &written_);
    for (ColumnFamilyHandle* const handle : written_.handles) {
      Put(written_.database.get(), 0, 6000, handle);
      ExpectKnown(policy_, written_.database.get(), handle);
    }
    OpenBoth(folder_ / "written", &written_);
  }
  void ExpectBothKnown() {
    ExpectKnown(policy_, other_.database.get(), other_.handles[1]);
    Put(written_.database.get(), 0, 100, written_.handles[1]);
    ExpectKnown(policy_, written_.database.get(), written_.handles[1]);
    ExpectKnown(policy_, other_.database.get(), other_.handles[1]);
  }

  Options options_ = Listened(policy_);
  testing::OpenFamilies written_;
  testing::OpenFamilies other_;
};

TEST_F(SameNameTest, AReopenedDatabaseKeepsItsTreeWhereAnotherBeginsTheFamily) {
  WriteAndReopen();
  OpenBoth(path_, &other_);
  Put(other_.database.get(), 0, 3000, other_.handles[0]);
  ExpectKnown(policy_, other_.database.get());
  Put(other_.database.get(), 0, 100, other_.handles[1]);
  ExpectBothKnown();
}

// A recovery builds a filter before the listener knows whose.
TEST_F(SameNameTest, AReopenedDatabaseGetsItsTreeBackWhereAnotherRecoversTheFamily) {
  OpenBoth(path_, &other_);
  ASSERT_STATUS_OK(other_.database->Put(WriteOptions(), other_.handles[1], "key", "value"));
  other_.Close();
  WriteAndReopen();
  OpenBoth(path_, &other_);
  Put(other_.database.get(), 0, 3000, other_.handles[0]);
  ExpectBothKnown();
}

TEST_F(ListenerTest, OptionsFilesKeepTheOneOfAnOptionsStringAndNoneOfCode) {
  for (const char* const text : {"", "listeners=winnow"}) {
    SCOPED_TRACE(text);
    Open(Listened(policy_, text));
    Put(0, 100);
    ROCKSDB_NAMESPACE::DBOptions options;
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
    ASSERT_STATUS_OK(
        ROCKSDB_NAMESPACE::LoadLatestOptions(testing::StrictConfig(), path_, &options, &families));
    ASSERT_EQ(options.listeners.size(), *text == '\0' ? 0u : 1u);
    for (const std::shared_ptr<EventListener>& kept : options.listeners) {
      EXPECT_TRUE(kept->IsInstanceOf(Listener::kClassName()));
    }
  }
}

// Both databases have a family of one name, and each a policy of its own.
TEST_F(ListenerTest, OneOfTextServesTwoDatabasesByTheirOwnPolicies) {
  const Policies policies[] = {MakePolicyFrom(kAuto), MakePolicyFrom(kAuto)};
  Options options = Listened(policies[0], "listeners=winnow");
  const std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> both = options.listeners.at(0);
  std::unique_ptr<DB> databases[2];
  for (size_t i = 0; i < 2; ++i) {
    options = SmallLevels(policies[i]);
    options.listeners = {both};
    databases[i] = testing::OpenDatabase(options, path_ + std::to_string(i));
    ASSERT_NE(databases[i], nullptr);
  }
  for (uint64_t round = 0; round < 6; ++round) {
    for (const std::unique_ptr<DB>& database : databases) {
      Put(database.get(), round * 5000, 10'000);
    }
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(Unknown(*policies[i], databases[i].get(), databases[i]->DefaultColumnFamily()), "");
    EXPECT_EQ(TotalsOf(policies[i]).families, 1u);
  }
  // The closed one's policy is found again.
  databases[0].reset();
  databases[0] = testing::OpenDatabase(options, path_ + "0");
  ASSERT_NE(databases[0], nullptr);
  ExpectKnown(policies[1], databases[0].get());
  ExpectKnown(policies[1], databases[1].get());
}

TEST_F(ListenerTest, NothingIsReadWhereItIsOfNoUse) {
  const Policies policy = MakePolicyFrom("{id=winnow;bits_per_key=10;level_plan=uniform}");
  Open(Listened(policy));
  Put(0, 3000);
  EXPECT_EQ(RecordOf(policy, database_.get()), nullptr);
  EXPECT_FALSE(TotalsOf(policy).knows_all_files);
  ASSERT_STATUS_OK(
      database_->SetOptions({{"block_based_table_factory", "{filter_policy={level_plan=auto}}"}}));
  Put(10'000, 100);
  ExpectKnown(policy, database_.get());
}

TEST_F(ListenerTest, APolicyOfOthersHasAListenerThatDoesNothing) {
  for (const Policies& policy : {MakePolicyFrom("bloomfilter:10"), Policies()}) {
    Open(Listened(policy));
    Put(0, 3000);
  }
  // NewListener() recognizes a policy without a side effect on policies that are created later.
  EXPECT_NE(NewListener(MakePolicyFrom("winnow:5")), nullptr);
  EXPECT_EQ(MakePolicyFrom("winnow.Filter")->GetId(), MakePolicyFrom("winnow:10")->GetId());
}

void CompactInto(DB* database, ColumnFamilyHandle* family, int level) {
  ROCKSDB_NAMESPACE::CompactRangeOptions all;
  all.change_level = true;
  all.target_level = level;
  all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  EXPECT_TRUE(database->CompactRange(all, family, nullptr, nullptr).ok());
}

// Returns the bits per key of the filters that a compaction of new files writes to the level above
// the last.
double BitsAboveTheLastLevel(DB* database, ColumnFamilyHandle* family, const std::string& path) {
  std::set<std::string> before;
  for (const testing::FileFilter& file : testing::ReadFilters(path)) before.insert(file.file);
  for (const char* const value : {"again", "and again"}) {
    for (uint64_t key = 0; key < 4000; ++key) {
      EXPECT_TRUE(database->Put(WriteOptions(), family, Key(key), value).ok());
    }
    EXPECT_TRUE(database->Flush(FlushOptions(), family).ok());
  }
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData tree;
  database->GetColumnFamilyMetaData(family, &tree);
  std::vector<std::string> flushed;
  for (const auto& file : tree.levels[0].files) flushed.push_back(file.name);
  EXPECT_TRUE(database->CompactFiles({}, family, flushed, 5).ok());
  double bits = 0;
  double keys = 0;
  for (const testing::FileFilter& file : testing::ReadFilters(path)) {
    if (before.count(file.file) != 0) continue;
    bits += 8 * static_cast<double>(file.block.size());
    keys += static_cast<double>(file.entries);
  }
  CompactInto(database, family, 6);
  return bits / keys;
}

// Options from text create a policy for each column family.
TEST_F(ListenerTest, ColumnFamiliesFromTextNeedAListenerOfEachPolicy) {
  Options options = SmallLevels(nullptr);
  options.create_missing_column_families = true;
  options.disable_auto_compactions = true;
  options.target_file_size_base = 64 << 20;  // few files, so the policy learns all at once
  testing::OpenFamilies opened;
  enum class Listeners { kNone, kOfCode, kOfText };
  const auto bits_of_families = [&](Listeners listeners) {
    std::vector<ColumnFamilyDescriptor> families = {{kDefault, {}}, {"second", {}}};
    options.listeners.clear();
    if (listeners == Listeners::kOfText) {
      EXPECT_TRUE(ROCKSDB_NAMESPACE::GetDBOptionsFromString(testing::StrictConfig(), options,
                                                            "listeners=winnow", &options)
                      .ok());
    }
    for (ColumnFamilyDescriptor& family : families) {
      EXPECT_TRUE(ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromString(
                      testing::StrictConfig(), options,
                      "block_based_table_factory={filter_policy={id=winnow;tree_notes=0}}",
                      &family.options)
                      .ok());
      if (listeners != Listeners::kOfCode) continue;
      options.listeners.push_back(winnow::NewListener(
          family.options.table_factory->GetOptions<BlockBasedTableOptions>()->filter_policy));
    }
    const bool is_new = opened.database == nullptr;
    opened.Open(options, path_, families);
    DB* const database = opened.database.get();
    std::vector<double> bits;
    for (ColumnFamilyHandle* const family : opened.handles) {
      for (uint64_t key = 0; is_new && key < 40'000; ++key) {
        EXPECT_TRUE(database->Put(WriteOptions(), family, Key(key), "value").ok());
      }
      if (is_new) CompactInto(database, family, 6);
      bits.push_back(BitsAboveTheLastLevel(database, family, path_));
    }
    return bits;
  };
  // The file has half of the keys in its range, hence about one bit per key more than others.
  const auto planned =
      ::testing::AllOf(::testing::SizeIs(2), ::testing::Each(::testing::DoubleNear(7.94, 0.3)));
  EXPECT_THAT(bits_of_families(Listeners::kOfCode), planned);
  EXPECT_THAT(bits_of_families(Listeners::kNone),
              ::testing::Each(::testing::DoubleNear(7.04, 0.1)));
  EXPECT_THAT(bits_of_families(Listeners::kOfCode), planned);
  EXPECT_THAT(bits_of_families(Listeners::kOfText), planned);
}

TEST_F(ListenerTest, WithAllGoingOnAllIsKnownInTheEnd) {
  Options options = Listened(policy_);
  options.max_background_jobs = 4;
  options.max_subcompactions = 2;
  options.max_open_files = 20;
  Open(options);
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 3; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      while (!ends.load()) {
        const uint64_t key = random() % 20'000;
        if (seed > 0) {
          EXPECT_TRUE(database_->Put(WriteOptions(), Key(key), "value").ok());
        } else {
          std::string value;
          database_->Get({}, Key(key), &value);
        }
      }
    });
  }
  for (uint64_t i = 0; i < 4; ++i) {
    Put(database_.get(), 5000 * i, 2000, nullptr, i % 2 == 0);
    const std::string from = Key(4000 * i);
    const std::string to = Key(4000 * i + 5000);
    const ROCKSDB_NAMESPACE::Slice begin(from);
    const ROCKSDB_NAMESPACE::Slice end(to);
    const ROCKSDB_NAMESPACE::RangePtr range(&begin, &end);
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DeleteFilesInRanges(
        database_.get(), database_->DefaultColumnFamily(), &range, 1));
    TotalsOf(policy_);
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  testing::WaitForRest(database_.get());
  ExpectKnown(policy_, database_.get());
}

}  // namespace listener_test
}  // namespace winnow::plugin
