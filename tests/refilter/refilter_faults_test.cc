// `winnow refilter` that ends at each of its writes, and gets damaged files: a second run loses
// nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/database/database.h"
#include "src/database/new_ends.h"
#include "tests/refilter/failing_env.h"
#include "tests/refilter/refilter_testing.h"
#include "tests/support/files.h"
#include "tests/support/from_environment.h"
#include "third_party/rocksdb_abi/checksum.h"

namespace winnow::refilter_faults_test {
namespace {

namespace fs = std::filesystem;

using Failure = testing::FailingEnv::Failure;
using testing::FailingEnv;
using testing::RefilteredDatabase;
using testing::RefilterSetting;

// A database that is copied for each case.
class Faults : public ::testing::Test {
 protected:
  Faults() : database_(folder_ / "db", RefilterSetting{}) {
    database_.Open("bloomfilter:10");
    database_.Write(3000);
    database_.Close();
    fs::copy(database_.path(), folder_ / "original");
  }

  void StartAgain() {
    fs::remove_all(database_.path());
    fs::copy(folder_ / "original", database_.path());
  }
  // Files of checkpoints have one.
  void GiveFilesASecondName() {
    fs::create_directory(folder_ / "names");
    for (const fs::directory_entry& entry : fs::directory_iterator(database_.path())) {
      if (entry.path().extension() != ".sst") continue;
      fs::create_hard_link(entry, folder_ / "names" + "/" + entry.path().filename().string());
    }
  }
  void ExpectWholeAfterASecondRun() {
    const auto again = database_.Refilter("winnow:10");
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_FALSE(fs::exists(database_.path() + "/" + inspect::kRefilterJournal));
    database_.Open("winnow:10");
    if (HasFatalFailure()) return;
    database_.Check();
    database_.Close();
  }
  bool Opens() {
    ROCKSDB_NAMESPACE::Options options = database_.OptionsWith("bloomfilter:10");
    options.max_open_files = -1;
    rocksdb_abi::OpenedDB opened{};
    const auto status = ROCKSDB_NAMESPACE::DB::OpenForReadOnly(options, database_.path(), &opened);
    if (status.ok()) rocksdb_abi::Own(std::move(opened));
    return status.ok();
  }

  const testing::TemporaryFolder folder_;
  RefilteredDatabase database_;
};

TEST_F(Faults, AtEachWriteAreUndoneOrEndedByASecondRun) {
  const struct {
    Failure failure;
    bool loses_power;
    bool is_linked;
  } cases[] = {{Failure::kOnce, false, false},
               {Failure::kDies, false, false},
               {Failure::kDies, true, false},
               {Failure::kDies, true, true}};
  for (const auto& [failure, loses_power, is_linked] : cases) {
    int opened = 0;
    int failed = 0;
    for (uint64_t at = 1;; ++at) {
      SCOPED_TRACE("write " + std::to_string(at) + (loses_power ? ", power lost" : "") +
                   (is_linked ? ", linked" : "") + (failure == Failure::kOnce ? ", once" : ""));
      StartAgain();
      fs::remove_all(folder_ / "names");
      if (is_linked) GiveFilesASecondName();
      FailingEnv env(at, failure);
      const auto result = database_.Refilter("winnow:10", &env);
      if (loses_power) env.LosePower();
      const bool was_whole = env.writes() < at;
      if (was_whole) {
        ASSERT_TRUE(result.ok()) << result.status();
      } else {
        failed += result.ok() ? 0 : 1;
      }
      const bool opens = Opens();
      opened += opens ? 1 : 0;
      if (failure == Failure::kOnce && !fs::exists(database_.path() + "/REFILTER")) {
        ASSERT_TRUE(opens) << result.status();
      }
      ASSERT_TRUE(opens || !is_linked);
      const std::string warning =
          inspect::ListDatabase(database_.path(), {}, 0).warning.value_or("");
      const bool has_journal = fs::exists(database_.path() + "/REFILTER");
      ASSERT_EQ(warning.find("'winnow refilter' that has not ended") != std::string::npos,
                has_journal)
          << warning;
      ExpectWholeAfterASecondRun();
      if (HasFatalFailure()) return;
      if (was_whole) break;
    }
    EXPECT_GT(failed, 10);
    EXPECT_GT(opened, 3);
  }
}

TEST_F(Faults, KilledProcessesLoseNothing) {
  // Kills fall into the time of a whole run.
  StartAgain();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(database_.Refilter("winnow:10").ok());
  const std::chrono::duration<double, std::micro> whole = std::chrono::steady_clock::now() - begin;
  const uint64_t kills = testing::FromEnvironment("WINNOW_REFILTER_KILLS", 30);
  int unfinished = 0;
  int opened = 0;
  for (uint64_t i = 0; i < kills; ++i) {
    SCOPED_TRACE(i);
    StartAgain();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      static_cast<void>(database_.Refilter("winnow:10"));
      _exit(0);
    }
    ::usleep(database_.Random(static_cast<unsigned>(whole.count()) + 1));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    unfinished += fs::exists(database_.path() + "/REFILTER") ? 1 : 0;
    opened += Opens() ? 1 : 0;
    ExpectWholeAfterASecondRun();
    if (HasFatalFailure()) return;
  }
  RecordProperty("kills", static_cast<int>(kills));
  RecordProperty("in_a_batch", unfinished);
  RecordProperty("opened_before_the_second_run", opened);
}

// What is refused changes nothing; what is not refused loses nothing that RocksDB finds.
TEST_F(Faults, DamagedFilesAreRefusedOrLeft) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(database_.path())) {
    const std::string name = entry.path().filename();
    const bool is_read = name == "CURRENT" || entry.path().extension() == ".sst" ||
                         name.rfind("MANIFEST-", 0) == 0 || name.rfind("OPTIONS-", 0) == 0;
    if (is_read) names.push_back(name);
  }
  const uint64_t cases = testing::FromEnvironment("WINNOW_REFILTER_DAMAGES", 60);
  int refused = 0;
  int left = 0;
  for (uint64_t i = 0; i < cases; ++i) {
    StartAgain();
    const std::string name = names[database_.Random(static_cast<unsigned>(names.size()))];
    const std::string path = database_.path() + "/" + name;
    std::string bytes = testing::ReadFile(path);
    // Ends of tables have what is parsed.
    const auto size = static_cast<unsigned>(bytes.size());
    const unsigned window = i % 2 == 0 ? std::min(size, 2000u) : size;
    const unsigned at = size - 1 - database_.Random(window);
    if (i % 5 == 0) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << database_.Random(8)));
    }
    SCOPED_TRACE(name + " at " + std::to_string(at));
    testing::WriteFile(path, bytes);
    const bool opened = Opens();
    const auto result = database_.Refilter("winnow:10");
    refused += result.ok() ? 0 : 1;
    left += result.ok() && !result->failed.empty() ? 1 : 0;
    if (!result.ok()) {
      EXPECT_EQ(testing::ReadFile(path), bytes);
      EXPECT_FALSE(result.status().message().empty());
    } else if (opened) {
      EXPECT_TRUE(Opens());
    }
  }
  RecordProperty("damages", static_cast<int>(cases));
  RecordProperty("refused", refused);
  RecordProperty("with_a_file_left", left);
}

TEST_F(Faults, WithoutHardLinksFilesAreCopied) {
  using ROCKSDB_NAMESPACE::Status;
  for (const Status& status :
       {Status::NotSupported("no links"), Status::IOError("Operation not permitted")}) {
    for (uint64_t at = 0; at < 30; at += 3) {
      SCOPED_TRACE(at);
      StartAgain();
      FailingEnv env(at, Failure::kDies);
      env.ForbidLinks(status);
      const auto result = database_.Refilter("winnow:10", &env);
      if (at == 0) {
        ASSERT_TRUE(result.ok()) << result.status();
        EXPECT_EQ(result->files_copied, result->changed);
      }
      // No file of before is written.
      EXPECT_TRUE(Opens());
      ExpectWholeAfterASecondRun();
      if (HasFatalFailure()) return;
    }
  }
  StartAgain();
  FailingEnv full(0, Failure::kOnce);
  full.ForbidLinks(Status::NoSpace("no room for a name"));
  EXPECT_FALSE(database_.Refilter("winnow:10", &full).ok());
  EXPECT_TRUE(Opens());
  ExpectWholeAfterASecondRun();
}

// The journal names no folders: files are known by their ends.
TEST_F(Faults, FilesInOtherFoldersAreFoundOrTheRunIsRefused) {
  const std::string paths = folder_ / "paths";
  const std::string other = folder_ / "other";
  RefilterSetting setting;
  setting.change = [&](ROCKSDB_NAMESPACE::Options* options, auto*) {
    options->db_paths = {{paths, 1}, {other, uint64_t{1} << 30}};
  };
  RefilteredDatabase database(paths, setting);
  database.Open("bloomfilter:10");
  database.Write(6000);
  ROCKSDB_NAMESPACE::CompactRangeOptions to_other;
  to_other.target_path_id = 1;
  ASSERT_STATUS_OK(database.database()->CompactRange(to_other, nullptr, nullptr));
  database.Close();
  inspect::RefilterOptions options = database.Request("winnow:10");
  options.request.folders = {other};
  FailingEnv env(15, Failure::kDies);
  ASSERT_FALSE(RefilteredDatabase::RefilterBy(options, &env).ok());
  for (const bool has_folders : {false, true}) {
    options.request.folders.clear();
    if (has_folders) options.request.folders = {other};
    const auto result = RefilteredDatabase::RefilterBy(options);
    ASSERT_EQ(result.ok(), has_folders) << result.status();
    ASSERT_EQ(fs::exists(paths + "/REFILTER"), !has_folders);
    if (!has_folders) {
      EXPECT_THAT(std::string(result.status().message()), ::testing::HasSubstr("--path"));
    }
  }
  database.Open("winnow:10");
  database.Check();
  database.Close();
}

// Numbers that the journal names, and did not yet use, may be those of other files by then.
TEST_F(Faults, FilesThatRocksDBWroteMeanwhileStay) {
  for (const bool copies_all : {false, true}) {
    for (uint64_t at = 4; at < 40; at += 3) {
      SCOPED_TRACE(at);
      StartAgain();
      const auto model = database_.model();
      FailingEnv env(at, Failure::kDies);
      inspect::RefilterOptions options = database_.Request("winnow:10");
      options.copies_all = copies_all;
      static_cast<void>(RefilteredDatabase::RefilterBy(options, &env));
      if (Opens()) {
        database_.Open("bloomfilter:10");
        for (int i = 0; i < 30; ++i) database_.Write(20);
        database_.Close();
      }
      ExpectWholeAfterASecondRun();
      if (HasFatalFailure()) return;
      database_.model() = model;
    }
  }
}

// `cp -al` while a batch is written: the copy has the journal, and inodes of the original.
TEST_F(Faults, ACopyByHardLinksDuringABatchAndTheOriginalAreWhole) {
  bool has_journal = false;
  for (uint64_t at = 2; at < 60; at += 2) {
    SCOPED_TRACE(at);
    StartAgain();
    const std::string path = folder_ / ("copy" + std::to_string(at));
    FailingEnv env(0, Failure::kOnce);
    env.Before(at, [&] {
      fs::create_directory(path);
      for (const fs::directory_entry& file : fs::directory_iterator(database_.path())) {
        if (file.is_regular_file())
          fs::create_hard_link(file, path + "/" + file.path().filename().string());
      }
    });
    ASSERT_TRUE(database_.Refilter("winnow:10", &env).ok());
    if (!fs::exists(path)) break;
    has_journal = has_journal || fs::exists(path + "/REFILTER");
    RefilteredDatabase copy(path, RefilterSetting{});
    copy.model() = database_.model();
    const auto result = copy.Refilter("winnow:12");
    ASSERT_TRUE(result.ok()) << result.status();
    for (RefilteredDatabase* const one : {&database_, &copy}) {
      one->Open("winnow:12");
      if (HasFatalFailure()) return;
      one->Check();
      one->Close();
    }
  }
  EXPECT_TRUE(has_journal);
}

TEST_F(Faults, AJournalThatIsNotOfTheseFilesChangesNothing) {
  FailingEnv env(20, Failure::kDies);
  EXPECT_FALSE(database_.Refilter("winnow:10", &env).ok());
  const std::string path = database_.path() + "/" + inspect::kRefilterJournal;
  const std::string journal = testing::ReadFile(path);
  const auto expect_refused = [&](const std::string& why) {
    const auto result = database_.Refilter("winnow:10");
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(std::string(result.status().message()), ::testing::HasSubstr(why));
  };
  for (size_t at = 0; at < journal.size(); at += 7) {
    std::string damaged = journal;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    testing::WriteFile(path, damaged);
    expect_refused("another version's winnow refilter");
    testing::WriteFile(path, journal.substr(0, at));
    expect_refused("another version's winnow refilter");
  }
  testing::WriteFile(path, "winnow refilter 2\nmanifest 9\nend\n");
  expect_refused("another version's winnow refilter");
  // A database that was made anew in the folder.
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(database_.path(), {}));
  database_.model().clear();
  database_.Open("bloomfilter:10");
  database_.Write(500);
  database_.Close();
  testing::WriteFile(path, journal);
  expect_refused("is of another database");
  database_.Open("bloomfilter:10");
  database_.Check();
  database_.Close();
}

// RocksDB then takes the MANIFEST of the greatest number.
TEST_F(Faults, UnderBestEffortsRecoveryNothingIsLost) {
  RefilterSetting setting;
  setting.change = [](ROCKSDB_NAMESPACE::Options* options, auto*) {
    options->best_efforts_recovery = true;
  };
  const std::string original = folder_ / "best_original";
  RefilteredDatabase database(folder_ / "best", setting);
  database.Open("bloomfilter:10");
  database.Write(1500);
  database.Close();
  fs::copy(database.path(), original);
  for (uint64_t at = 1;; ++at) {
    SCOPED_TRACE(at);
    fs::remove_all(database.path());
    fs::copy(original, database.path());
    FailingEnv first(at, Failure::kDies);
    static_cast<void>(database.Refilter("winnow:10", &first));
    first.LosePower();
    FailingEnv second(at % 9 + 1, Failure::kDies);
    static_cast<void>(database.Refilter("winnow:10", &second));
    database.Open("winnow:10");
    if (HasFatalFailure()) return;
    database.Check();
    database.Close();
    if (HasFatalFailure() || first.writes() < at) break;
  }
}

TEST_F(Faults, AnUnfinishedAtomicGroupDoesNotCount) {
  // The number of records that follow, in a record of its own, is that of a group without its end.
  std::string manifest;
  for (const fs::directory_entry& entry : fs::directory_iterator(database_.path())) {
    const std::string name = entry.path().filename();
    if (name.rfind("MANIFEST-", 0) == 0) manifest = entry.path();
  }
  std::string typed("\x01\xac\x02\x01", 4);  // a whole record: tag 300, 1
  const uint32_t checksum = ROCKSDB_NAMESPACE::ComputeBuiltinChecksum(ROCKSDB_NAMESPACE::kCRC32c,
                                                                      typed.data(), typed.size());
  std::string bytes = testing::ReadFile(manifest);
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(checksum >> (8 * i)));
  testing::WriteFile(manifest, bytes + std::string("\x03\x00", 2) + typed);
  ASSERT_TRUE(Opens());
  ExpectWholeAfterASecondRun();
}

}  // namespace
}  // namespace winnow::refilter_faults_test
