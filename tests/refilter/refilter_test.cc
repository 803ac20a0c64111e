// `winnow refilter` on databases of many kinds: all keys stay, none comes back, and a second run
// has nothing to do.

#include "src/refilter/refilter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/version.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/database/database.h"
#include "src/refilter/prepared_ends.h"
#include "src/sst/known_comparator.h"
#include "tests/refilter/failing_env.h"
#include "tests/refilter/refilter_testing.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/version_at_least.h"
#include "tools/winnow/verify/verify_file.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::refilter_test {
namespace {

namespace fs = std::filesystem;

using inspect::RefilterResult;
using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Options;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RefilteredDatabase;
using testing::RefilterSetting;

// Settings of blocks, as options strings of tables. Those that this RocksDB does not have are left
// out.
void AddFormsOfBlocks(std::vector<RefilterSetting>* settings) {
  struct Form {
    std::string name;
    bool is_there;
    std::string options;
  };
  const std::string partitions =
      "partition_filters=true;index_type=kTwoLevelIndexSearch;metadata_block_size=512;";
  const std::vector<Form> forms = {
      {"hashes_in_blocks", true, "data_block_index_type=kDataBlockBinaryAndHash"},
      {"first_keys", true, "index_type=kBinarySearchWithFirstKey"},
      {"whole_index", true, "enable_index_compression=false;index_block_restart_interval=8"},
      {"format_7", WINNOW_ROCKSDB_AT_LEAST(10, 4), "format_version=7"},
      {"decoupled", WINNOW_ROCKSDB_AT_LEAST(9, 6),
       partitions + "decouple_partitioned_filters=true"},
      {"coupled", WINNOW_ROCKSDB_AT_LEAST(9, 6), partitions + "decouple_partitioned_filters=false"},
      {"super_blocks", WINNOW_ROCKSDB_AT_LEAST(10, 8), "super_block_alignment_size=16384"},
      {"separate_values", WINNOW_ROCKSDB_AT_LEAST(11, 0), "separate_key_value_in_data_block=true"},
      {"searched_by_values", WINNOW_ROCKSDB_AT_LEAST(11, 1),
       "uniform_cv_threshold=0.5;index_block_search_type=kAuto"}};
  for (const Form& form : forms) {
    if (!form.is_there) continue;
    settings->push_back(
        {form.name, "bloomfilter:10", [form](Options*, BlockBasedTableOptions* table) {
           const BlockBasedTableOptions before = *table;
           ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::GetBlockBasedTableOptionsFromString(
               testing::StrictConfig(), before, form.options, table));
         }});
  }
}

void PutInPartitions(BlockBasedTableOptions* table) {
  table->partition_filters = true;
  table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->metadata_block_size = 512;
}

std::vector<RefilterSetting> Settings() {
  const auto with_table = [](auto change) {
    return [change](Options*, BlockBasedTableOptions* table) { change(table); };
  };
  std::vector<RefilterSetting> settings;
  for (uint32_t version = 2; version <= (ROCKSDB_MAJOR >= 9 ? 6 : 5); ++version) {
    settings.push_back({"format_" + std::to_string(version), "bloomfilter:10",
                        with_table([=](auto* options) { options->format_version = version; })});
  }
  for (const auto type :
       {ROCKSDB_NAMESPACE::kNoChecksum, ROCKSDB_NAMESPACE::kxxHash, ROCKSDB_NAMESPACE::kxxHash64,
        ROCKSDB_NAMESPACE::kXXH3, ROCKSDB_NAMESPACE::kCRC32c}) {
    settings.push_back({"checksum_" + std::to_string(type), "bloomfilter:10",
                        with_table([=](auto* options) { options->checksum = type; })});
  }
  settings.push_back({"partitions", "bloomfilter:10", with_table(PutInPartitions)});
  settings.push_back(
      {"partitions_in_sequence", "ribbonfilter:10", with_table([](BlockBasedTableOptions* options) {
         PutInPartitions(options);
         options->format_version = 2;
       })});
  settings.push_back({"partitions_of_prefixes",
                      "bloomfilter:10",
                      with_table([](BlockBasedTableOptions* options) {
                        PutInPartitions(options);
                        options->whole_key_filtering = false;
                      }),
                      {"default"},
                      "fixed:3"});
  settings.push_back(
      {"compressed", "bloomfilter:10", [](Options* options, BlockBasedTableOptions*) {
         options->compression = ROCKSDB_NAMESPACE::kZSTD;
       }});
  settings.push_back({"prefixes", "bloomfilter:10", [](auto*, auto*) {}, {"default"}, "fixed:3"});
  settings.push_back({"prefixes_alone",
                      "bloomfilter:10",
                      with_table([](auto* options) { options->whole_key_filtering = false; }),
                      {"default"},
                      "fixed:3"});
  settings.push_back({"one_prefix",
                      "bloomfilter:10",
                      [](Options* options, BlockBasedTableOptions* table) {
                        // Files of thousands of keys.
                        options->write_buffer_size = 1 << 20;
                        options->target_file_size_base = 1 << 20;
                        table->whole_key_filtering = false;
                      },
                      {"default"},
                      "fixed:1"});
  settings.push_back({"no_prefixes",  // all keys are out of the extractor's domain
                      "bloomfilter:10",
                      with_table([](auto* options) { options->whole_key_filtering = false; }),
                      {"default"},
                      "fixed:9"});
  settings.push_back({"families", "bloomfilter:10", [](auto*, auto*) {}, {"default", "a", "b"}});
  settings.push_back({"universal", "bloomfilter:10", [](Options* options, auto*) {
                        options->compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
                      }});
  settings.push_back({"level_0", "bloomfilter:10",
                      [](Options* options, auto*) { options->disable_auto_compactions = true; }});
  settings.push_back({"without_filters", "", [](auto*, auto*) {}});
  settings.push_back({"for_hits", "bloomfilter:10",
                      [](Options* options, auto*) { options->optimize_filters_for_hits = true; }});
  settings.push_back({"blob_files", "bloomfilter:10", [](Options* options, auto*) {
                        options->enable_blob_files = true;
                        options->min_blob_size = 20;
                      }});
  settings.push_back({"file_checksums", "bloomfilter:10", [](Options* options, auto*) {
                        options->file_checksum_gen_factory =
                            ROCKSDB_NAMESPACE::GetFileChecksumGenCrc32cFactory();
                      }});
  settings.push_back({"best_efforts", "bloomfilter:10",
                      [](Options* options, auto*) { options->best_efforts_recovery = true; }});
  settings.push_back(
      {"ranges", "{id=winnow;range_bits=15}", [](auto*, auto*) {}, {"default"}, "winnow.range"});
  settings.push_back({"comparator_of_myrocks", "bloomfilter:10", [](Options* options, auto*) {
                        static const auto comparator =
                            inspect::NewStandIn("RocksDB_SE_v3.10", /*upwards=*/true);
                        options->comparator = comparator.get();
                      }});
  AddFormsOfBlocks(&settings);
  return settings;
}

// Expects that each file's filter finds all its keys, by the check of `winnow verify`.
void ExpectVerified(const std::string& database) {
  for (const inspect::SstReport& file : inspect::ReadDatabase(database).files) {
    const inspect::FileVerdict verdict = inspect::VerifyFile(file.path, {0, 1});
    EXPECT_THAT(verdict.faults, IsEmpty()) << file.path;
    EXPECT_FALSE(verdict.error) << file.path << ": " << verdict.error.value_or("");
  }
}

std::map<std::string, std::string> BytesOf(const std::string& folder) {
  std::map<std::string, std::string> bytes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      bytes[entry.path().filename()] = testing::ReadFile(entry.path());
    }
  }
  return bytes;
}

void ExpectWritten(const absl::StatusOr<RefilterResult>& result) {
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(result->files, 0u);
  EXPECT_GT(result->changed, 0u);
  EXPECT_THAT(result->failed, IsEmpty());
}

TEST(RefilterTest, AllKeysStayThereAndBack) {
  for (const RefilterSetting& setting : Settings()) {
    SCOPED_TRACE(setting.name);
    const testing::TemporaryFolder folder;
    RefilteredDatabase database(folder / "db", setting);
    database.Open(setting.policy);
    database.Write(6000);
    database.Close();
    const std::string winnow =
        setting.extractor == "winnow.range" ? "{id=winnow;range_bits=10}" : "winnow:10";
    ExpectWritten(database.Refilter(winnow));
    ExpectVerified(database.path());
    const absl::StatusOr<RefilterResult> again = database.Refilter(winnow);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->changed, 0u);
    database.Open(winnow);
    database.Check();
    database.Write(2000);
    database.Check();
    ASSERT_STATUS_OK(database.database()->VerifyChecksum());
    database.Close();
    const bool is_stock = setting.extractor != "winnow.range";
    ExpectWritten(database.Refilter("bloomfilter:10"));
    ExpectVerified(database.path());
    database.Open(is_stock ? "bloomfilter:10" : winnow);
    database.Check();
    for (auto* const handle : database.handles()) {
      ASSERT_STATUS_OK(database.database()->CompactRange({}, handle, nullptr, nullptr));
    }
    database.Check();
    if (setting.name == "file_checksums") {
      ASSERT_STATUS_OK(database.database()->VerifyFileChecksums({}));
    }
    database.Close();
    if (::testing::Test::HasFailure()) return;
  }
}

uint64_t EntriesOfFilters(const std::string& database) {
  uint64_t entries = 0;
  for (const inspect::SstReport& file : inspect::ReadDatabase(database).files) {
    entries += file.filter->keys;
  }
  return entries;
}

// RocksDB may count an empty prefix, too, where filters have prefixes alone.
TEST(RefilterTest, EntriesOfFiltersAreAtMostThoseThatRocksDBCounts) {
  for (const RefilterSetting& setting : Settings()) {
    if (setting.extractor.empty() || setting.policy != "bloomfilter:10") continue;
    SCOPED_TRACE(setting.name);
    const testing::TemporaryFolder folder;
    RefilteredDatabase database(folder / "db", setting);
    database.Open(setting.policy);
    database.Write(16'000);
    testing::WaitForRest(database.database());
    database.Close();
    const uint64_t before = EntriesOfFilters(database.path());
    ExpectWritten(database.Refilter("winnow:10"));
    ExpectWritten(database.Refilter("bloomfilter:10"));
    EXPECT_LE(EntriesOfFilters(database.path()), before);
  }
}

class OneDatabase : public ::testing::Test {
 protected:
  OneDatabase() : database_(folder_ / "db", RefilterSetting{}) {
    database_.Open("bloomfilter:10");
    WriteAndClose(5000);
  }

  // Leaves no compaction that would begin at the next open.
  void WriteAndClose(int operations) {
    database_.Write(operations);
    testing::WaitForRest(database_.database());
    database_.Close();
  }

  void ExpectRefused(const std::string& why, const std::string& policy = "winnow:10") {
    const std::map<std::string, std::string> before = BytesOf(database_.path());
    const absl::StatusOr<RefilterResult> result = database_.Refilter(policy);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(why));
    EXPECT_EQ(BytesOf(database_.path()), before);
  }

  const testing::TemporaryFolder folder_;
  RefilteredDatabase database_;
};

using RefilterOneTest = OneDatabase;

TEST_F(RefilterOneTest, FilesOfCheckpointsAndBackupsStayAsTheyAre) {
  using ROCKSDB_NAMESPACE::BackupEngine;
  using ROCKSDB_NAMESPACE::BackupEngineOptions;
  database_.Open("bloomfilter:10");
  ROCKSDB_NAMESPACE::Checkpoint* made = nullptr;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Checkpoint::Create(database_.database(), &made));
  const std::unique_ptr<ROCKSDB_NAMESPACE::Checkpoint> checkpoint(made);
  ASSERT_STATUS_OK(checkpoint->CreateCheckpoint(folder_ / "checkpoint"));
  BackupEngine* engine = nullptr;
  ASSERT_STATUS_OK(BackupEngine::Open(ROCKSDB_NAMESPACE::Env::Default(),
                                      BackupEngineOptions(folder_ / "backup"), &engine));
  const std::unique_ptr<BackupEngine> backup(engine);
  ASSERT_STATUS_OK(backup->CreateNewBackup(database_.database(), true));
  database_.Close();
  const std::map<std::string, std::string> before = BytesOf(folder_ / "checkpoint");
  const absl::StatusOr<RefilterResult> result = database_.Refilter("winnow:10");
  ExpectWritten(result);
  EXPECT_GT(result->files_copied, 0u);
  EXPECT_EQ(BytesOf(folder_ / "checkpoint"), before);
  database_.Open("winnow:10");
  database_.Check();
  // The next backup has the new files, by their own numbers.
  ASSERT_STATUS_OK(backup->CreateNewBackup(database_.database(), true));
  ASSERT_STATUS_OK(backup->VerifyBackup(1, true));
  ASSERT_STATUS_OK(backup->VerifyBackup(2, true));
  database_.Close();
  fs::remove_all(database_.path());
  ASSERT_STATUS_OK(backup->RestoreDBFromLatestBackup(database_.path(), database_.path()));
  database_.Open("winnow:10");
  database_.Check();
  database_.Close();
}

TEST_F(RefilterOneTest, ReadersThatHaveTheFilesOpenGoOn) {
  const Options options = database_.OptionsWith("bloomfilter:10");
  rocksdb_abi::OpenedDB opened{};
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::OpenForReadOnly(options, database_.path(), &opened));
  const std::unique_ptr<ROCKSDB_NAMESPACE::DB> reader = rocksdb_abi::Own(std::move(opened));
  ExpectWritten(database_.Refilter("winnow:10"));
  for (const auto& [key, value] : database_.model()["default"]) {
    std::string found;
    ASSERT_STATUS_OK(reader->Get({}, key, &found));
    ASSERT_EQ(found, value);
  }
}

TEST_F(RefilterOneTest, ASecondaryProcessGoesOn) {
  Options options = database_.OptionsWith("bloomfilter:10");
  options.max_open_files = -1;
  rocksdb_abi::OpenedDB opened{};
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::OpenAsSecondary(options, database_.path(),
                                                          folder_ / "secondary", &opened));
  const std::unique_ptr<ROCKSDB_NAMESPACE::DB> reader = rocksdb_abi::Own(std::move(opened));
  ExpectWritten(database_.Refilter("winnow:10"));
  ASSERT_STATUS_OK(reader->TryCatchUpWithPrimary());
  for (const auto& [key, value] : database_.model()["default"]) {
    std::string found;
    ASSERT_STATUS_OK(reader->Get({}, key, &found));
    ASSERT_EQ(found, value);
  }
}

TEST_F(RefilterOneTest, TargetsOfSymbolicLinksStayAsTheyAre) {
  fs::create_directory(folder_ / "links");
  for (const fs::directory_entry& entry : fs::directory_iterator(database_.path())) {
    const fs::path name = fs::path(folder_ / "links") / entry.path().filename();
    if (entry.path().extension() == ".sst") {
      fs::create_symlink(entry.path(), name);
    } else {
      fs::copy(entry.path(), name);
    }
  }
  const std::map<std::string, std::string> before = BytesOf(database_.path());
  RefilteredDatabase links(folder_ / "links", RefilterSetting{});
  links.model() = database_.model();
  ExpectWritten(links.Refilter("winnow:10"));
  EXPECT_EQ(BytesOf(database_.path()), before);
  links.Open("winnow:10");
  links.Check();
  links.Close();
}

TEST_F(RefilterOneTest, ADryRunWritesNothingAndSaysTheSame) {
  const std::map<std::string, std::string> before = BytesOf(database_.path());
  inspect::RefilterOptions options = database_.Request("winnow:10");
  options.is_dry = true;
  const auto dry = RefilteredDatabase::RefilterBy(options);
  ASSERT_TRUE(dry.ok()) << dry.status();
  EXPECT_EQ(BytesOf(database_.path()), before);
  const auto written = database_.Refilter("winnow:10");
  ExpectWritten(written);
  EXPECT_EQ(dry->changed, written->changed);
  EXPECT_EQ(dry->filter_bytes_after, written->filter_bytes_after);
  EXPECT_LT(written->filter_bytes_after, written->filter_bytes_before);
  EXPECT_LT(written->false_reads_after, written->false_reads_before);
}

TEST_F(RefilterOneTest, WhatIsPreparedWhileTheDatabaseIsOpenIsAppliedLater) {
  inspect::RefilterOptions options = database_.Request("winnow:10");
  options.prepares = true;
  database_.Open("bloomfilter:10");
  const auto prepared = RefilteredDatabase::RefilterBy(options);
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_GT(prepared->changed, 0u);
  EXPECT_EQ(prepared->bytes_written, 0u);
  database_.Check();
  WriteAndClose(300);
  const auto other = database_.Refilter("winnow:12");
  ExpectWritten(other);
  EXPECT_GT(other->bytes_read, prepared->bytes_read / 2);  // nothing was prepared for that policy
  EXPECT_FALSE(fs::exists(database_.path() + "/REFILTER.prepared"));

  database_.Open("bloomfilter:10");
  ASSERT_TRUE(RefilteredDatabase::RefilterBy(options).ok());
  WriteAndClose(100);
  const auto applied = database_.Refilter("winnow:10");
  ExpectWritten(applied);
  EXPECT_LT(applied->bytes_read, prepared->bytes_read / 2);
  EXPECT_FALSE(fs::exists(database_.path() + "/REFILTER.prepared"));
  ExpectVerified(database_.path());
  database_.Open("winnow:10");
  database_.Check();
  database_.Close();
}

TEST_F(RefilterOneTest, ADatabaseThatWasMovedAfterAKillIsEnded) {
  const std::string moved = folder_ / "moved";
  testing::FailingEnv env(12, testing::FailingEnv::Failure::kDies);
  EXPECT_FALSE(database_.Refilter("winnow:10", &env).ok());
  ASSERT_TRUE(fs::exists(database_.path() + "/REFILTER"));
  fs::rename(database_.path(), moved);
  RefilteredDatabase there(moved, RefilterSetting{});
  there.model() = database_.model();
  const auto result = there.Refilter("winnow:10");
  ExpectWritten(result);
  EXPECT_TRUE(result->ended_former);
  there.Open("winnow:10");
  there.Check();
  there.Close();
}

TEST_F(RefilterOneTest, TimestampsAreNotInFilters) {
  for (const bool is_persisted : {true, false}) {
    for (const bool is_partitioned : {false, true}) {
      RefilterSetting setting;
      setting.change = [=](Options* options, BlockBasedTableOptions* table) {
        options->comparator = inspect::FindComparator("leveldb.BytewiseComparator.u64ts");
#if WINNOW_ROCKSDB_AT_LEAST(9, 0)
        options->persist_user_defined_timestamps = is_persisted;
        options->allow_concurrent_memtable_write = is_persisted;
#endif
        if (is_partitioned) PutInPartitions(table);
      };
      const std::string name = is_partitioned ? "partitions" : "whole";
      RefilteredDatabase database(folder_ / (is_persisted ? name : name + "_alone"), setting);
      database.Open("bloomfilter:10");
      std::string timestamp(8, '\0');
      for (int i = 0; i < 2000; ++i) {
        timestamp[1] = static_cast<char>(1 + i / 100);
        ASSERT_STATUS_OK(database.database()->Put({}, database.RandomKey(), timestamp, "value"));
        if (i % 700 == 0) ASSERT_STATUS_OK(database.database()->Flush({}));
      }
      ASSERT_STATUS_OK(database.database()->Flush({}));
      database.Close();
      ExpectWritten(database.Refilter("winnow:10"));
      ExpectVerified(database.path());
    }
  }
}

TEST_F(RefilterOneTest, FilesOfOneLevelAlone) {
  inspect::RefilterOptions options = database_.Request("winnow:10");
  options.request.level = 1;
  const auto one = RefilteredDatabase::RefilterBy(options);
  const auto all = database_.Refilter("winnow:10");
  ASSERT_TRUE(one.ok() && all.ok());
  EXPECT_EQ(all->same, one->changed);
  EXPECT_EQ(all->changed + one->changed, all->files);
}

TEST_F(RefilterOneTest, StopsBeforeABatch) {
  const std::map<std::string, std::string> before = BytesOf(database_.path());
  const std::atomic<bool> stop{true};
  const auto result = inspect::Refilter(ROCKSDB_NAMESPACE::Env::Default(),
                                        database_.Request("winnow:10"), stop, [](const auto&) {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->was_interrupted);
  EXPECT_EQ(BytesOf(database_.path()), before);
}

TEST_F(RefilterOneTest, TheOrderOfFilesWithEqualSequenceNumbersStays) {
  // Files of level 0 of which all but the ingested ones change.
  RefilterSetting setting;
  setting.change = [](Options* options, auto*) { options->disable_auto_compactions = true; };
  RefilteredDatabase database(folder_ / "order", setting);
  database.Open("winnow:10");
  for (int round = 0; round < 5; ++round) {
    database.Write(300);
    database.Close();
    database.Open(round % 2 == 0 ? "bloomfilter:10" : "winnow:10");
  }
  database.Close();
  ExpectWritten(database.Refilter("winnow:10"));
  database.Open("winnow:10");
  database.Check();
  database.Close();
}

TEST_F(RefilterOneTest, RefusesWhatItCanNotDo) {
  database_.Open("bloomfilter:10");
  ExpectRefused("open in another process");
  database_.Close();
  ExpectRefused("can't be loaded", "no-policy:1");
  // RocksDB up to 6.29 writes the second text for its own policies; later ones read it as a policy
  // that builds nothing.
  for (const char* policy : {"bloomfilter:0", "rocksdb.BuiltinBloomFilter"}) {
    ExpectRefused("builds no filters: name one with bits per key", policy);
  }
  std::string name;
  for (const auto& [file, bytes] : BytesOf(database_.path())) {
    if (fs::path(file).extension() == ".sst") name = file;
  }
  const std::string table = database_.path() + "/" + name;
  const std::string bytes = testing::ReadFile(table);
  testing::WriteFile(table, bytes.substr(0, bytes.size() - 1));
  ExpectRefused("bytes, and the MANIFEST says");
  fs::remove(table);
  ExpectRefused("--path");
  testing::WriteFile(table, bytes);
  for (const auto& [file, text] : BytesOf(database_.path())) {
    if (file.rfind("OPTIONS-", 0) != 0) continue;
    std::string later = text;
    later.replace(later.find("rocksdb_version=") + 16, 1, "99");
    testing::WriteFile(database_.path() + "/" + file, later);
  }
  ExpectRefused("take a winnow that was built for that version");
  for (const auto& [file, text] : BytesOf(database_.path())) {
    if (file.rfind("OPTIONS-", 0) != 0) continue;
    std::string earlier = text;
    const size_t at = earlier.find("rocksdb_version=") + 16;
    earlier.replace(at, earlier.find('\n', at) - at, "6.14.6");
    testing::WriteFile(database_.path() + "/" + file, earlier);
  }
  ExpectRefused("open and close it once with 6.15 or later");
}

TEST_F(RefilterOneTest, RefusesFoldersWithCopiesOfAFile) {
  inspect::RefilterOptions options = database_.Request("winnow:10");
  options.request.folders = {folder_ / "copies"};
  fs::create_directory(folder_ / "copies");
  for (const bool was_killed : {false, true}) {
    if (was_killed) {
      testing::FailingEnv env(12, testing::FailingEnv::Failure::kDies);
      EXPECT_FALSE(database_.Refilter("winnow:10", &env).ok());
      ASSERT_TRUE(fs::exists(database_.path() + "/REFILTER"));
    }
    std::string table;
    for (const fs::directory_entry& entry : fs::directory_iterator(database_.path())) {
      if (entry.path().extension() == ".sst") table = entry.path();
    }
    const std::string copy = folder_ / "copies" / fs::path(table).filename();
    fs::copy_file(table, copy);
    const auto before = BytesOf(database_.path());
    const auto result = RefilteredDatabase::RefilterBy(options);
    EXPECT_THAT(std::string(result.status().message()), HasSubstr("only one of them is"));
    EXPECT_EQ(BytesOf(database_.path()), before);
    fs::remove(copy);
  }
  ExpectWritten(database_.Refilter("winnow:10"));
}

TEST_F(RefilterOneTest, OtherFilesBesideThePreparedEndsStay) {
  const std::string other = database_.path() + "/REFILTER.prepared/other";
  fs::create_directory(fs::path(other).parent_path());
  testing::WriteFile(other, "text");
  ASSERT_TRUE(database_.Refilter("winnow:10").ok());
  EXPECT_EQ(testing::ReadFile(other), "text");
}

TEST_F(RefilterOneTest, TheManifestDoesNotGrowByRuns) {
  const auto bytes = [this] {
    uint64_t sum = 0;
    for (const auto& [file, text] : BytesOf(database_.path())) {
      if (file.rfind("MANIFEST-", 0) == 0) sum += text.size();
    }
    return sum;
  };
  ExpectWritten(database_.Refilter("winnow:10"));
  const uint64_t first = bytes();
  for (int i = 0; i < 10; ++i)
    ExpectWritten(database_.Refilter(i % 2 == 0 ? "winnow:12" : "winnow:10"));
  EXPECT_LT(bytes(), first + first / 10);
}

TEST_F(RefilterOneTest, PreparedEndsAreOfOneFileAndFilter) {
  ROCKSDB_NAMESPACE::Env* const env = ROCKSDB_NAMESPACE::Env::Default();
  const std::string folder = folder_ / "ends";
  fs::create_directory(folder);
  const auto name = [&](uint64_t end_hash, const std::string& policy) {
    return inspect::EndName(folder, 7, inspect::TableTail(), end_hash, policy, true, "");
  };
  inspect::BuiltEnd end;
  end.bytes = "an end";
  ASSERT_TRUE(inspect::KeepEnd(env, name(1, "winnow:10"), end).ok());
  EXPECT_TRUE(inspect::KeptEnd(env, name(1, "winnow:10")));
  EXPECT_FALSE(inspect::KeptEnd(env, name(2, "winnow:10"))) << "another file of its number";
  EXPECT_FALSE(inspect::KeptEnd(env, name(1, "winnow:12")));
  ASSERT_TRUE(inspect::RemoveKeptEnds(env, folder, {7}).ok());
  EXPECT_TRUE(inspect::KeptEnd(env, name(1, "winnow:10")));
  ASSERT_TRUE(inspect::RemoveKeptEnds(env, folder, {}).ok());
  EXPECT_TRUE(fs::is_empty(folder));
}

// Whoever may write the folder may not have root write elsewhere.
TEST_F(RefilterOneTest, SymbolicLinksInTheFolderAreNotFollowed) {
  const std::string target = folder_ / "elsewhere";
  fs::remove(database_.path() + "/LOCK");
  fs::create_symlink(target, database_.path() + "/LOCK");
  ExpectRefused("LOCK is a symbolic link");
  EXPECT_FALSE(fs::exists(target));
  fs::remove(database_.path() + "/LOCK");
  fs::create_directory(target);
  testing::WriteFile(target + "/000007.end", "text");
  fs::create_directory_symlink(target, database_.path() + "/REFILTER.prepared");
  inspect::RefilterOptions options = database_.Request("winnow:10");
  options.prepares = true;
  const auto prepared = RefilteredDatabase::RefilterBy(options);
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->failed.size(), prepared->files);
  ExpectWritten(database_.Refilter("winnow:10"));
  EXPECT_EQ(BytesOf(target).size(), 1u);
}

TEST_F(RefilterOneTest, FamiliesAreNamedAloneOrInAList) {
  RefilterSetting setting;
  setting.families = {"default", "a", "b", "a,b"};
  RefilteredDatabase database(folder_ / "families", setting);
  database.Open("bloomfilter:10");
  database.Write(1000);
  database.Close();
  uint64_t files = 0;
  for (const std::string named : {"a,b", "a", "b", "default"}) {
    inspect::RefilterOptions options = database.Request("winnow:10");
    options.request.families = {named};
    const auto result = RefilteredDatabase::RefilterBy(options);
    ASSERT_TRUE(result.ok()) << result.status();
    files += result->changed;
  }
  EXPECT_EQ(database.Refilter("winnow:10")->same, files) << "each family was one of those named";
  inspect::RefilterOptions options = database.Request("winnow:12");
  options.request.families = {"a,default"};
  EXPECT_TRUE(RefilteredDatabase::RefilterBy(options).ok());
  options.request.families = {"a,c"};
  EXPECT_THAT(std::string(RefilteredDatabase::RefilterBy(options).status().message()),
              HasSubstr("there is no column family c"));
}

// Compactions build such filters, too.
TEST_F(RefilterOneTest, RangeFiltersThatAnswerForKeysStandAlone) {
  RefilterSetting setting;
  setting.extractor = "winnow.range";
  setting.policy = "{id=winnow;range_bits=15;range_kind=single;bits_per_key=8}";
  RefilteredDatabase database(folder_ / "single", setting);
  database.Open("bloomfilter:10");
  database.Write(3000);
  testing::WaitForRest(database.database());
  database.Close();
  ExpectWritten(database.Refilter(setting.policy));
  size_t single = 0;
  for (const inspect::SstReport& file : inspect::ReadDatabase(database.path()).files) {
    single += file.filter && file.filter->is_single() ? 1 : 0;
  }
  EXPECT_GT(single, 0u);
  ExpectVerified(database.path());
  database.Open(setting.policy);
  database.Check();
  database.Close();
}

TEST_F(RefilterOneTest, AFileWithADamagedBlockStays) {
  std::string name;
  for (const auto& [file, bytes] : BytesOf(database_.path())) {
    if (fs::path(file).extension() == ".sst") name = file;
  }
  const std::string table = database_.path() + "/" + name;
  std::string bytes = testing::ReadFile(table);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  testing::WriteFile(table, bytes);
  const auto result = database_.Refilter("winnow:10");
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->failed.size(), 1u);
  EXPECT_EQ(result->failed.front().first, table);
  EXPECT_EQ(testing::ReadFile(table), bytes);
}

}  // namespace
}  // namespace winnow::refilter_test
