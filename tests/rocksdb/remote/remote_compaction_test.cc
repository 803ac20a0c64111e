// Remote compactions by DB::OpenAndCompact: their filters equal those of local compactions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/policy.h"
#include "src/rocksdb/remote/family_text.h"
#include "src/rocksdb/remote/shared_runs.h"
#include "tests/rocksdb/remote/workers.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/decimal_comma.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/compaction_service.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"
#include "winnow/rocksdb_remote_compaction.h"

namespace winnow::plugin {
namespace remote_compaction_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyMetaData;
using ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinningTier;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFactory;
using ::testing::AllOf;
using testing::FileFilter;
using ::testing::HasSubstr;
using testing::Key;
using testing::MakePolicyFrom;
using ::testing::Not;

class RemoteCompactionTest : public ::testing::Test {
 protected:
  RemoteCompactionTest() {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    std::filesystem::create_directory(folder_ / "jobs");
    workers_ = std::make_shared<Workers>(folder_ / "jobs");
    options_ = testing::MakeOptions(BlockBasedTableOptions());
    options_.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options_.target_file_size_base = 20 << 10;  // about 1,200 keys
  }

  void Open(const BlockBasedTableOptions& table, bool is_remote = true) {
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    options_.compaction_service = is_remote ? workers_ : nullptr;
    database_ = testing::OpenDatabase(options_, path_);
    ASSERT_NE(database_, nullptr);
  }
  void Open(const std::string& policy, bool is_remote = true) {
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom(policy);
    // Otherwise RocksDB's filter sizes depend on malloc and differ between runs.
    table.optimize_filters_for_memory = false;
    Open(table, is_remote);
  }

  // Writes every `step`-th key to level 0.
  void Write(uint64_t step = 1) {
    ROCKSDB_NAMESPACE::WriteOptions write;
    write.disableWAL = true;
    ROCKSDB_NAMESPACE::WriteBatch keys;
    for (uint64_t i = 0; i < keys_; i += step) ASSERT_STATUS_OK(keys.Put(Key(i), "value"));
    ASSERT_STATUS_OK(database_->Write(write, &keys));
    ASSERT_STATUS_OK(database_->Flush({}));
  }

  // Compacts the files of level `from` to level `to`.
  Status Compact(size_t from, int to) {
    ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> names;
    for (const auto& file : metadata.levels[from].files) names.push_back(file.name);
    ROCKSDB_NAMESPACE::CompactionOptions compaction;
    compaction.compression = ROCKSDB_NAMESPACE::kDisableCompressionOption;
    compaction.output_file_size_limit = options_.target_file_size_base;
    return database_->CompactFiles(compaction, names, to);
  }

  // Returns a job's input. No worker runs the job.
  std::string InputOfJob(const std::string& policy) {
    workers_->works = false;
    Open(policy);
    Write();
    Write();
    EXPECT_TRUE(Compact(0, 1).ok());
    EXPECT_FALSE(workers_->input.empty());
    return workers_->input;
  }

  // Returns the filter blocks of all files, in key order.
  std::vector<std::string> Blocks() {
    std::vector<std::string> blocks;
    for (const FileFilter& filter : testing::ReadFilters(path_)) blocks.push_back(filter.block);
    return blocks;
  }

  uint64_t keys_ = 8'000;  // enough for several files on level 1
  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "db";
  std::unique_ptr<ROCKSDB_NAMESPACE::Env> memory_;  // file system of tests in memory
  Options options_;
  std::shared_ptr<Workers> workers_;
  std::unique_ptr<DB> database_;
};

// A database and its copy: one compacts locally, the other by a service.
class RemotePlanTest : public RemoteCompactionTest {
 protected:
  RemotePlanTest() {
    keys_ = 20'000;
    options_.target_file_size_base = 48 << 10;
  }

  void OpenPlanned(const std::string& policy) {
    policy_ = MakePolicyFrom(policy);
    options_.listeners = {NewListener(policy_)};
    BlockBasedTableOptions table;
    table.filter_policy = policy_;
    Open(table);
  }

  // Writes most keys to level 3 and some to the levels above, and looks up absent keys, mostly in a
  // tenth of the key range.
  void WriteTree() {
    workers_->works = false;
    for (const auto& [step, level] : {std::pair{1, 3}, {7, 2}, {23, 1}, {7, 2}, {29, 1}}) {
      Write(static_cast<uint64_t>(step));
      ASSERT_STATUS_OK(Compact(0, level));
    }
    std::string value;
    for (uint64_t i = 0; i < 10 * keys_; ++i) {
      const uint64_t at = i % 4 == 0 ? i % keys_ : i % (keys_ / 10);
      EXPECT_TRUE(database_->Get({}, Key(at) + std::to_string(i), &value).IsNotFound());
    }
    Write(11);
  }

  // Returns the filter memory of each compaction's output files. Closes the database.
  std::vector<double> MemoryOfCompactions() {
    std::vector<double> memory;
    for (const auto& [from, to] : {std::pair{1, 2}, {2, 3}, {0, 1}}) {
      const uint64_t before = Numbers().back();
      const Status status = Compact(static_cast<size_t>(from), to);
      EXPECT_TRUE(status.ok()) << status.ToString();
      const std::vector<uint64_t> now = Numbers();
      memory.push_back(0);
      for (const FileFilter& filter : testing::ReadFilters(path_)) {
        const uint64_t number = std::stoull(std::filesystem::path(filter.file).filename());
        if (number > before && std::count(now.begin(), now.end(), number) > 0) {
          memory.back() += static_cast<double>(filter.block.size());
        }
      }
    }
    database_.reset();
    return memory;
  }

  // Returns the numbers of all files, sorted.
  std::vector<uint64_t> Numbers() {
    std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
    database_->GetLiveFilesMetaData(&files);
    std::vector<uint64_t> numbers;
    for (const auto& file : files) numbers.push_back(file.file_number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy_;
};

TEST_F(RemotePlanTest, FiltersOfAWorkerTakeWhatTheDatabaseWouldHaveGivenThem) {
  const std::string copy = folder_ / "copy";
  for (const std::string plan :
       {"level_plan=auto", "filter_memory=20k", "level_plan=uniform;filter_memory=20k"}) {
    std::filesystem::remove_all(path_);
    std::filesystem::remove_all(copy);
    const std::string policy = "{id=winnow;bits_per_key=10;" + plan + "}";
    OpenPlanned(policy);
    WriteTree();
    std::filesystem::copy(path_, copy, std::filesystem::copy_options::recursive);
    std::vector<std::string> texts;
    workers_->learned = [&](const auto& job) {
      texts.push_back(ExportLearned(*policy_, "default", job.db_name));
      return std::string();
    };
    const std::vector<double> local = MemoryOfCompactions();
    for (const bool is_told : {true, false}) {
      std::filesystem::remove_all(path_);
      std::filesystem::copy(copy, path_, std::filesystem::copy_options::recursive);
      OpenPlanned(policy);
      workers_->works = true;
      workers_->done = 0;
      workers_->learned = [&](const auto&) {
        return is_told ? texts.at(static_cast<size_t>(workers_->done)) : std::string();
      };
      const std::vector<double> remote = MemoryOfCompactions();
      workers_->learned = [](const auto&) { return std::string(); };
      EXPECT_EQ(workers_->done, 3) << workers_->status.ToString();
      double most_off = 0;
      for (size_t i = 0; i < local.size(); ++i) {
        most_off = std::max(most_off, std::abs(remote[i] / local[i] - 1));
      }
      if (is_told) {
        // With filter_memory, a file that lies over others loses bits by the memory that is
        // missing, so that small differences of that show.
        EXPECT_LE(most_off, plan == "level_plan=auto" ? 0.02 : 0.15) << plan;
        EXPECT_THAT(workers_->log, HasSubstr(", with what was learned of"));
      } else {
        EXPECT_GT(most_off, 0.02) << plan;
        EXPECT_THAT(workers_->log, HasSubstr(", without what was learned of its tree (no text"));
      }
      RecordProperty(plan + (is_told ? " told" : " untold"), std::to_string(most_off));
    }
  }
}

TEST_F(RemoteCompactionTest, AWorkerBuildsTheFiltersThatTheDatabaseWouldHaveBuilt) {
  for (const char* const policy :
       {"{id=winnow;bits_per_key=12;level_plan=uniform}",
        "{id=winnow;bits_per_key=9;bloom_before_level=4;level_plan=uniform}",
        "{id=winnow;bits_per_key=10;build=ribbonfilter}", "bloomfilter:11:false",
        "ribbonfilter:9:-1"}) {
    std::vector<std::string> blocks[2];
    for (const bool is_remote : {false, true}) {
      std::filesystem::remove_all(path_);
      workers_->done = 0;
      Open(policy, is_remote);
      Write();
      Write(3);
      ASSERT_STATUS_OK(Compact(0, 2));
      EXPECT_EQ(workers_->done, is_remote ? 1 : 0) << workers_->status.ToString();
      testing::Model model;
      for (uint64_t i = 0; i < keys_; ++i) model[Key(i)] = "value";
      testing::ExpectAllKeys(*database_, model, keys_);
      database_.reset();
      blocks[is_remote ? 1 : 0] = Blocks();
    }
    EXPECT_GT(blocks[0].size(), 4u);
    EXPECT_GT(blocks[0].front().size(), 1000u) << policy;
    EXPECT_EQ(blocks[0], blocks[1]) << policy;
  }
}

TEST_F(RemoteCompactionTest, AWorkerHasAllTableOptionsOfTheDatabase) {
  using Change = std::function<void(BlockBasedTableOptions*)>;
  const std::vector<Change> changes = {
      [](auto*) {},
      [](auto* table) { table->filter_policy.reset(); },
      [](auto* table) { table->block_size = 8192; },
      [](auto* table) { table->format_version = 4; },
      [](auto* table) { table->checksum = ROCKSDB_NAMESPACE::kCRC32c; },
      [](auto* table) { table->whole_key_filtering = false; },
      [](auto* table) {
        table->cache_index_and_filter_blocks = true;
        table->metadata_cache_options.unpartitioned_pinning = PinningTier::kAll;
      },
      [](auto* table) { table->index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey; },
      [](auto* table) {
        table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
        table->partition_filters = true;
        table->metadata_block_size = 1024;
      },
      [](auto* table) {
        table->optimize_filters_for_memory = true;
        table->detect_filter_construct_corruption = true;
        table->filter_policy = MakePolicyFrom(
            "{id=winnow;bits_per_key=9;ribbon_min_keys=777;bloom_before_level=1;level_plan=auto;"
            "level_size_ratio=8;absent_share=0.75}");
      },
      [](auto* table) {
        table->data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
        table->block_restart_interval = 8;
        table->index_shortening = BlockBasedTableOptions::IndexShorteningMode::kNoShortening;
        table->no_block_cache = true;
      }};
  for (const Change& change : changes) {
    std::filesystem::remove_all(path_);
    // Seeks need filters with prefixes.
    options_.prefix_extractor.reset(workers_->done == 0
                                        ? ROCKSDB_NAMESPACE::NewFixedPrefixTransform(5)
                                        : ROCKSDB_NAMESPACE::NewCappedPrefixTransform(6));
    workers_->done = 0;
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom("winnow:10");
    change(&table);
    Open(table);
    Write();
    Write();
    ASSERT_STATUS_OK(Compact(0, 1));
    EXPECT_EQ(workers_->done, 1) << workers_->status.ToString();
    std::string expected;
    std::string found;
    ROCKSDB_NAMESPACE::ConfigOptions config;
    BlockBasedTableOptions wanted = *options_.table_factory->GetOptions<BlockBasedTableOptions>();
    if (!table.no_block_cache) {
      // A worker keeps no filter in memory, since it looks up no keys.
      wanted.cache_index_and_filter_blocks = true;
      wanted.metadata_cache_options = {PinningTier::kNone, PinningTier::kNone, PinningTier::kNone};
    }
    const std::unique_ptr<ROCKSDB_NAMESPACE::TableFactory> factory(
        NewBlockBasedTableFactory(wanted));
    ASSERT_STATUS_OK(factory->GetOptionString(config, &expected));
    ASSERT_STATUS_OK(workers_->factory->GetOptionString(config, &found));
    EXPECT_EQ(expected, found);
    ASSERT_NE(workers_->prefixes, nullptr);
    EXPECT_EQ(workers_->prefixes->AsString(), options_.prefix_extractor->AsString());
    EXPECT_EQ(testing::KindsOfFilters(path_).count("none"),
              table.filter_policy == nullptr ? 1u : 0u);
    database_.reset();
  }
}

TEST_F(RemoteCompactionTest, WhatHasNoPlaceInTextStaysAsTheWorkerSetIt) {
  const std::string input = InputOfJob("winnow:10");
  BlockBasedTableOptions table;
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(1 << 20);
  table.filter_policy.reset(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(3));
  table.block_size = 1 << 20;
  CompactionServiceOptionsOverride options;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(3));
  const auto prefix_extractor = options.prefix_extractor;
  ASSERT_STATUS_OK(PrepareOpenAndCompact(path_, input, "", &options));
  const auto* const made = options.table_factory->GetOptions<BlockBasedTableOptions>();
  EXPECT_EQ(made->block_cache, table.block_cache);
  EXPECT_STREQ(made->filter_policy->Name(), Policy::kName);
  EXPECT_EQ(made->block_size, BlockBasedTableOptions().block_size);
  EXPECT_EQ(options.prefix_extractor, prefix_extractor);
}

// ---- What is wrong is said

TEST_F(RemoteCompactionTest, ATextThatCantBeReadIsLeftOutAndTheLogTells) {
  const auto log_with = [this](const std::string& text) {
    std::filesystem::remove_all(path_);
    Open("{id=winnow;bits_per_key=10;level_plan=auto}");
    Write();
    Write();
    workers_->learned = [&](const auto&) { return text; };
    EXPECT_TRUE(Compact(0, 1).ok());
    EXPECT_TRUE(workers_->status.ok()) << workers_->status.ToString();
    database_.reset();
    return workers_->log;
  };
  const std::string good = ExportLearned(*MakePolicyFrom("{id=winnow;level_plan=auto}"), "default");
  EXPECT_THAT(log_with(good), HasSubstr("level_plan=auto, with what was learned of 0 files"));
  EXPECT_THAT(log_with(good.substr(0, good.size() - 2)), HasSubstr("it is damaged or cut off"));
  EXPECT_THAT(log_with("winnow-learned:3:00"), HasSubstr("it is of another version of Winnow"));
  EXPECT_THAT(log_with("learned"), HasSubstr("it is no text of ExportLearned"));
  const std::string other = ExportLearned(*MakePolicyFrom("{id=winnow;level_plan=auto}"), "other");
  EXPECT_THAT(log_with(other), HasSubstr("is of the column family \"other\""));
  EXPECT_THAT(log_with(other + "\n" + good), HasSubstr("with what was learned of 0 files"));
  EXPECT_THAT(log_with(good.substr(0, good.size() - 2) + "\n" + other),
              HasSubstr("it is damaged or cut off"));
}

TEST_F(RemoteCompactionTest, ThereIsNothingToTellWithoutAPlan) {
  for (const char* const policy : {"{id=winnow;level_plan=uniform}",
                                   "{id=winnow;build=bloomfilter}", "bloomfilter:10:false"}) {
    EXPECT_EQ(ExportLearned(*MakePolicyFrom(policy), "default"), "") << policy;
  }
  EXPECT_NE(ExportLearned(*MakePolicyFrom("winnow:10"), "default"), "");
  EXPECT_NE(
      ExportLearned(*MakePolicyFrom("{id=winnow;level_plan=uniform;filter_memory=1m}"), "default"),
      "");
}

// SetOptions up to RocksDB 9.7 changes the policy in place, before the next file.
TEST_F(RemoteCompactionTest, ThereIsNothingToTellOnceOptionsThatWereSetHaveNoPlan) {
  for (const char* const change : {"build=bloomfilter", "level_plan=uniform"}) {
    const auto policy = MakePolicyFrom("{id=winnow;level_plan=auto}");
    EngineOf(policy.get())->known()->trees.Learn(this, "default", BuildFacts());
    EXPECT_NE(ExportLearned(*policy, "default"), "");
    auto* const changeable = const_cast<ROCKSDB_NAMESPACE::FilterPolicy*>(policy.get());
    ASSERT_STATUS_OK(changeable->ConfigureFromString({}, change));
    EXPECT_EQ(ExportLearned(*policy, "default"), "") << change;
    ASSERT_STATUS_OK(changeable->ConfigureFromString({}, "build=winnow;level_plan=auto"));
    EXPECT_NE(ExportLearned(*policy, "default"), "") << change;
  }
}

TEST_F(RemoteCompactionTest, ATreeOfThousandsOfFilesHasATextOfTheSizeThatIsPromised) {
  const auto policy = MakePolicyFrom("{id=winnow;level_plan=auto}");
  KnownTrees& trees = EngineOf(policy.get())->known()->trees;
  trees.Learn(this, "default", BuildFacts());
  std::mt19937_64 random(1);
  std::vector<std::string> keys;
  constexpr size_t kFiles = kMostCarriedFiles + 1000;
  for (size_t i = 0; i <= kFiles; ++i) {
    std::string key(SharedRuns::kMaxKeyBytes, 0);
    for (char& byte : key) byte = static_cast<char>(random());
    keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<ListedFile> files;
  for (size_t i = 0; i < kFiles; ++i) {
    files.push_back({FileName::Of(path_, i + 1), 5, {keys[i], keys[i + 1], {}}, 1e6, 7, 1e6, true});
  }
  family::Family& family = trees.RecordOf(this, "default")->family;
  family.BeginList();
  family.TakeList(FileName::Of(path_, 0).database, files);
  const std::string text = ExportLearned(*policy, "default");
  EXPECT_LE(text.size(), kMostLearnedBytes);
  WorkersRule rule;
  ASSERT_EQ(RuleOfText(text, &rule), "");
  EXPECT_GE(rule.files.size(), 500u);
  double told = 0;
  for (const ListedFile& file : rule.files) told += file.keys;
  EXPECT_EQ(told, 1e6 * kFiles);
}

// From RocksDB 9.8 SetOptions replaces the policy, and a service may still have the first one.
TEST_F(RemoteCompactionTest, APolicyTellsForTheOneThatSetOptionsMadeInItsPlace) {
  struct Change {
    const char* from;
    const char* to;
  };
  for (const Change& change :
       {Change{"level_plan=uniform", "level_plan=auto"},
        {"build=bloomfilter;level_plan=auto", "build=winnow;level_plan=auto"},
        {"level_plan=auto", "level_plan=learned"},
        {"level_plan=uniform", "level_plan=uniform;filter_memory=1m"},
        {"level_plan=uniform", "level_plan=by_level"}}) {
    SCOPED_TRACE(std::string(change.from) + " to " + change.to);
    const auto first = MakePolicyFrom(std::string("{id=winnow;") + change.from + "}");
    KnownTrees& trees = EngineOf(first.get())->known()->trees;
    BuildFacts facts;
    facts.level = 3;
    trees.Learn(this, "default", facts);
    family::Family& family = trees.RecordOf(this, "default")->family;
    family.BeginList();
    family.TakeList(FileName::Of(path_, 0).database,
                    {{FileName::Of(path_, 1), 3, {"a", "b", {}}, 1000, 7, 1000, true}});
    const auto second = MakePolicyFrom(std::string("{id=winnow.Filter;") + change.to + "}", first);
    ASSERT_STATUS_OK(second->ValidateOptions({}, {}));
    trees.SetPolicy(*EngineOf(second.get())->InForceNow(), this, "default");  // builds a file
    WorkersRule rule;
    ASSERT_EQ(RuleOfText(ExportLearned(*first, "default"), &rule), "");
    EXPECT_EQ(rule.depth, 4);
    EXPECT_EQ(rule.files.size(), 1u);
    // filter_memory counts where all files are known: no listener told of the database.
    EXPECT_EQ(rule.offset.has_value(), std::string(change.to).find("memory") == std::string::npos);
  }
}

// OPTIONS files are compared with the options of an open database.
TEST_F(RemoteCompactionTest, WhatWasLearnedIsNotAmongTheOptions) {
  Open("{id=winnow;level_plan=auto}");
  Write();
  const auto policy_of = [](const TableFactory& factory) {
    return factory.GetOptions<BlockBasedTableOptions>()->filter_policy;
  };
  const std::string text = ExportLearned(*policy_of(*options_.table_factory), "default", path_);
  std::string options;
  ASSERT_STATUS_OK(policy_of(*options_.table_factory)->GetOptionString({}, &options));
  EXPECT_THAT(options, Not(HasSubstr("learned")));
  CompactionServiceOptionsOverride worker;
  Write();
  ASSERT_STATUS_OK(Compact(0, 1));
  ASSERT_STATUS_OK(PrepareOpenAndCompact(path_, workers_->input, text, &worker));
  std::string of_worker;
  ASSERT_STATUS_OK(policy_of(*worker.table_factory)->GetOptionString({}, &of_worker));
  EXPECT_EQ(options, of_worker);
}

TEST_F(RemoteCompactionTest, InputThatIsCutOffOrChangedIsAnErrorOrAnotherJob) {
  options_.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(5));
  const std::string input = InputOfJob("winnow:10");
  for (size_t size = 0; size < input.size(); ++size) {
    CompactionServiceOptionsOverride options;
    const Status status = PrepareOpenAndCompact(path_, input.substr(0, size), "", &options);
    ASSERT_FALSE(status.ok()) << size;
    ASSERT_EQ(options.table_factory, nullptr) << size;
  }
  for (size_t at = 0; at < input.size(); ++at) {
    for (const unsigned flip : {1u, 32u, 128u}) {
      std::string changed = input;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
      CompactionServiceOptionsOverride options;
      const Status status = PrepareOpenAndCompact(path_, changed, "", &options);
      ASSERT_EQ(options.table_factory != nullptr, status.ok()) << at;
    }
  }
}

TEST_F(RemoteCompactionTest, ErrorsSayWhatToDo) {
  const std::string input = InputOfJob("winnow:10");
  const auto said = [&](const std::string& name, const std::string& job,
                        const std::function<void(CompactionServiceOptionsOverride*)>& set) {
    CompactionServiceOptionsOverride options;
    set(&options);
    return PrepareOpenAndCompact(name, job, "", &options).ToString();
  };
  const auto nothing = [](auto*) {};
  EXPECT_EQ(said(path_, input, nothing), "OK");
  EXPECT_THAT(PrepareOpenAndCompact(path_, input, "", nullptr).ToString(),
              HasSubstr("Invalid argument"));
  EXPECT_THAT(said(path_, "", nothing), HasSubstr("Invalid argument: the compaction's input is "));
  EXPECT_THAT(said(path_, "\2" + input.substr(1), nothing),
              HasSubstr("Not implemented: the compaction's input is of another RocksDB than "));
  std::string other_form = input;
  if (rocksdb_abi::kJobsHaveFamilyOptions) {
    other_form += "cf_name=64656661756C74;";
  } else {
    other_form += "column_family={name=64656661756C74;options={num_levels=7;};};";
  }
  EXPECT_THAT(said(path_, other_form, nothing),
              HasSubstr("give it to a worker with the RocksDB of the database's own process"));
  EXPECT_THAT(said(folder_ / "nowhere", input, nothing), HasSubstr("nowhere"));
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_THAT(said(folder_ / "empty", input, nothing),
              AllOf(HasSubstr("NotFound"), HasSubstr("with its OPTIONS file")));
  EXPECT_THAT(said(path_, input,
                   [](auto* options) {
                     options->comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
                   }),
              AllOf(HasSubstr("Invalid argument"), HasSubstr("leveldb.BytewiseComparator"),
                    HasSubstr("set comparator of CompactionServiceOptionsOverride to it")));
}

// Releases of one version differ in whether the input has the OPTIONS file's number.
TEST_F(RemoteCompactionTest, TheOptionsFileIsThatOfTheInputsNumberOrElseTheLatest) {
  const std::string input = InputOfJob("winnow:10");
  const std::string latest = testing::NewestOptionsPath(path_);
  const auto bits_with = [&](const std::string& number) {
    CompactionServiceOptionsOverride options;
    const Status status =
        PrepareOpenAndCompact(path_, input + "options_file_number=" + number + ";", "", &options);
    if (!status.ok()) return status.ToString();
    const auto* const table = options.table_factory->GetOptions<BlockBasedTableOptions>();
    std::string bits;
    EXPECT_TRUE(table->filter_policy->GetOption({}, "bits_per_key", &bits).ok());
    return bits;
  };
  std::string text = testing::ReadFile(latest);
  testing::WriteFile(path_ + "/OPTIONS-000001",
                     text.replace(text.find("bits_per_key=10"), 15, "bits_per_key=12"));
  EXPECT_EQ(bits_with(std::to_string(std::stoull(latest.substr(latest.rfind('-') + 1)))), "10");
  EXPECT_EQ(bits_with("0"), "10");
  EXPECT_EQ(bits_with("1"), "12");
  EXPECT_THAT(bits_with("999999"), HasSubstr("OPTIONS-999999"));
  EXPECT_THAT(bits_with("one"), HasSubstr("damaged"));
}

// RocksDB prints and parses numbers by the locale of each process.
TEST_F(RemoteCompactionTest, NumbersOfTheOptionsKeepTheirFractionsInEveryLocale) {
  const std::string input = InputOfJob("bloomfilter:9.9:false");
  const std::string path = testing::NewestOptionsPath(path_);
  const auto made = [&] {
    CompactionServiceOptionsOverride options;
    const Status status = PrepareOpenAndCompact(path_, input, "", &options);
    EXPECT_TRUE(status.ok()) << status.ToString();
    const auto* const table = options.table_factory->GetOptions<BlockBasedTableOptions>();
    return table->filter_policy->GetId() + " " +
           std::to_string(int(1000 * table->data_block_hash_table_util_ratio));
  };
  const std::string text = testing::ReadFile(path);
  const std::string option = "data_block_hash_table_util_ratio=0.750000";
  for (const char* const saved : {"0.625000", "0,625000"}) {
    std::string changed = text;
    testing::WriteFile(path, changed.replace(changed.find(option) + option.size() - 8, 8, saved));
    EXPECT_EQ(made(), "bloomfilter:9.9:false 625") << saved;
    const testing::DecimalComma comma;
    EXPECT_EQ(made(), "bloomfilter:9.9:false 625") << saved;
  }
}

TEST_F(RemoteCompactionTest, TheOptionsFileIsReadByTheWorkersEnv) {
  memory_.reset(ROCKSDB_NAMESPACE::NewMemEnv(ROCKSDB_NAMESPACE::Env::Default()));
  options_.env = memory_.get();
  const std::string input = InputOfJob("winnow:10");
  CompactionServiceOptionsOverride options;
  EXPECT_FALSE(PrepareOpenAndCompact(path_, input, "", &options).ok());
  options.env = memory_.get();
  ASSERT_STATUS_OK(PrepareOpenAndCompact(path_, input, "", &options));
  EXPECT_NE(options.table_factory, nullptr);
}

// A worker gets a text per column family, since RocksDB does not always tell a service which family
// a job is for.
TEST_F(RemoteCompactionTest, AWorkerTakesTheTextAndTheOptionsOfItsFamily) {
  const std::string name = "users #1: \\ \"new\"";
  const auto policy = MakePolicyFrom("{id=winnow;bits_per_key=10;level_plan=auto}");
  options_.listeners = {NewListener(policy)};
  Open("bloomfilter:10:false");
  BlockBasedTableOptions table;
  table.filter_policy = policy;
  ROCKSDB_NAMESPACE::ColumnFamilyOptions family_options = options_;
  family_options.table_factory.reset(NewBlockBasedTableFactory(table));
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(database_->CreateColumnFamily(family_options, name, &family));
  workers_->learned = [&](const auto& job) {
    return ExportLearned(*policy, "default", job.db_name) + "\n" +
           ExportLearned(*policy, name, job.db_name);
  };
  for (int i = 0; i < 2; ++i) {
    for (uint64_t key = 0; key < keys_; ++key) {
      ASSERT_STATUS_OK(database_->Put({}, family, Key(key), "value"));
    }
    ASSERT_STATUS_OK(database_->Flush({}, family));
  }
  ASSERT_STATUS_OK(database_->CompactRange({}, family, nullptr, nullptr));
  EXPECT_EQ(workers_->done, 1) << workers_->status.ToString();
  EXPECT_THAT(workers_->log, HasSubstr("level_plan=auto, with what was learned of 2 files"));
  ASSERT_STATUS_OK(database_->DestroyColumnFamilyHandle(family));
}

// The OPTIONS file is edited to name an object that this process does not have.
TEST_F(RemoteCompactionTest, WhatTheOptionsFileNamesAndNobodyKnowsIsAnError) {
  const std::string input = InputOfJob("winnow:10");
  const std::string path = testing::NewestOptionsPath(path_);
  const std::string text = testing::ReadFile(path);
  const auto said = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) changed.replace(at, from.size(), to);
    testing::WriteFile(path, changed);
    CompactionServiceOptionsOverride options;
    const Status status = PrepareOpenAndCompact(path_, input, "", &options);
    EXPECT_EQ(options.table_factory != nullptr, status.ok());
    return status.ToString();
  };
  EXPECT_EQ(said("winnow", "winnow"), "OK");
  EXPECT_EQ(
      said("filter_policy={id=winnow.Filter;", "filter_policy={id=winnow.Filter;build=winnow;"),
      "OK");
  EXPECT_THAT(said("filter_policy={id=winnow.Filter;", "filter_policy={id=sieve.Filter;"),
              HasSubstr("sieve.Filter"));
  EXPECT_THAT(said("filter_policy={id=winnow.Filter;", "filter_policy={id=winnow.Filter;mesh=9;"),
              HasSubstr("mesh"));
  EXPECT_THAT(said("bits_per_key=10", "bits_per_key=99"), HasSubstr("bits_per_key"));
  EXPECT_THAT(said("  block_size=", "  block_colour=red\n  block_size="),
              HasSubstr("block_colour"));
  EXPECT_THAT(said("[TableOptions/BlockBasedTable", "[TableOptions/SieveTable"),
              HasSubstr("tables of the kind \"SieveTable\""));
  CompactionServiceOptionsOverride with_factory;
  with_factory.table_factory.reset(ROCKSDB_NAMESPACE::NewPlainTableFactory());
  const auto factory = with_factory.table_factory;
  ASSERT_STATUS_OK(PrepareOpenAndCompact(path_, input, "", &with_factory));
  EXPECT_EQ(with_factory.table_factory, factory);
  EXPECT_THAT(said("[CFOptions \"default\"]", "[CFOptions \"other\"]"),
              rocksdb_abi::kJobsHaveFamilyOptions ? HasSubstr("OK") : HasSubstr("NotFound"));
  EXPECT_THAT(said("[TableOptions/BlockBasedTable \"default\"]",
                   "[TableOptions/BlockBasedTable \"other\"]"),
              HasSubstr("NotFound: the column family \"default\" is not in"));
}

}  // namespace remote_compaction_test
}  // namespace winnow::plugin
