#include "src/database/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/database/table_paths.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"

namespace winnow::inspect {
namespace database_test {

namespace fs = std::filesystem;

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::HasSubstr;
using testing::KeyOf;
using testing::MakeOptions;
using testing::OpenDatabase;
using testing::PutAndFlush;
using testing::TableWith;
using testing::TemporaryFolder;
using testing::WriteFile;

// Content of a folder: size, times and inode of each file.
using Listing = std::map<std::string, std::vector<int64_t>>;

Listing ListEverything(const std::string& folder) {
  Listing listing;
  const auto remember = [&listing](const fs::path& path) {
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0) << path;
    listing[path.string()] = {status.st_size,        static_cast<int64_t>(status.st_ino),
                              status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                              status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
  };
  remember(folder);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    remember(entry.path());
  }
  return listing;
}

// Expects that a list of the files agrees with a report, except for the filters.
void ExpectListedAlike(const std::string& path, const DatabaseReport& report) {
  const DatabaseReport list = ListDatabase(path, {}, /*workers=*/1);
  EXPECT_EQ(list.error, report.error);
  EXPECT_EQ(list.warning, report.warning);
  EXPECT_EQ(list.remark, report.remark);
  ASSERT_EQ(list.files.size(), report.files.size());
  for (size_t i = 0; i < list.files.size(); ++i) {
    const SstReport& file = list.files[i];
    EXPECT_EQ(file.path, report.files[i].path);
    EXPECT_EQ(file.level, report.files[i].level) << file.path;
    EXPECT_EQ(file.column_family, report.files[i].column_family) << file.path;
    EXPECT_EQ(file.comparator, report.files[i].comparator) << file.path;
    EXPECT_EQ(file.error, report.files[i].error) << file.path;
    EXPECT_FALSE(file.filter) << file.path;
  }
}

class DatabaseTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_ / "db"; }

  // Makes a database with a file of 500 keys on level 0, one of 20,000 on the last level, and keys
  // in the write-ahead log.
  void MakeDatabase(const Options& options, uint32_t path_of_last_level = 0) {
    const auto database = OpenDatabase(options, Path());
    ASSERT_NE(database, nullptr);
    PutAndFlush(database.get(), {20'000});
    CompactRangeOptions rewrite;
    rewrite.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    rewrite.target_path_id = path_of_last_level;
    ASSERT_STATUS_OK(database->CompactRange(rewrite, nullptr, nullptr));
    PutAndFlush(database.get(), {30'500, 30'000});
    ASSERT_STATUS_OK(database->Put(WriteOptions(), "only in the log", "value"));
  }

  // Creates a column family with these keys; none: it has no file.
  static void AddFamily(ROCKSDB_NAMESPACE::DB* database, const std::string& name,
                        const ColumnFamilyOptions& options, uint64_t keys) {
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(options, name, &family));
    if (keys > 0) PutAndFlush(database, {keys}, family);
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  }

  DatabaseReport ReadWithoutWarning() {
    DatabaseReport report = ReadDatabase(Path());
    EXPECT_FALSE(report.error) << *report.error;
    EXPECT_FALSE(report.warning) << *report.warning;
    for (const SstReport& file : report.files) {
      EXPECT_FALSE(file.error) << *file.error;
    }
    ExpectListedAlike(Path(), report);
    return report;
  }

  static std::vector<std::string> TableFilesIn(const std::string& folder) {
    std::vector<std::string> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".sst") paths.push_back(entry.path().string());
    }
    return paths;
  }

  TemporaryFolder folder_;
};

TEST_F(DatabaseTest, LevelsAndKindsAreReadAndNothingIsOrCanBeWritten) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")));
  fs::permissions(Path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Listing before = ListEverything(Path());
  const DatabaseReport report = ReadWithoutWarning();
  EXPECT_EQ(ListEverything(Path()), before);
  fs::permissions(Path(), fs::perms::owner_all);
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_EQ(report.files[0].level, 0);
  EXPECT_EQ(report.files[0].entries, 500u);
  EXPECT_EQ(report.files[0].filter->kind, "winnow-ribbon");
  EXPECT_EQ(report.files[0].column_family, "default");
  EXPECT_EQ(report.files[1].level, 1);
  EXPECT_EQ(report.files[1].entries, 20'000u);
  EXPECT_EQ(report.files[1].filter->kind, "winnow-ribbon");
  EXPECT_TRUE(fs::exists(report.files[1].path)) << report.files[1].path;

  std::vector<std::pair<size_t, size_t>> steps;
  const DatabaseReport with_slash = ReadDatabase(
      Path() + "/", [&steps](size_t done, size_t total) { steps.emplace_back(done, total); });
  ASSERT_EQ(with_slash.files.size(), 2u);
  EXPECT_EQ(with_slash.files[1].level, 1);
  EXPECT_THAT(steps, ::testing::ElementsAre(::testing::Pair(0, 2), ::testing::Pair(1, 2),
                                            ::testing::Pair(2, 2)));
}

TEST_F(DatabaseTest, ADatabaseInUseIsRead) {
  const auto database = OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), Path());
  EXPECT_TRUE(ReadWithoutWarning().files.empty());
  PutAndFlush(database.get(), {1'000});
  const DatabaseReport report = ReadWithoutWarning();
  ASSERT_EQ(report.files.size(), 1u);
  EXPECT_EQ(report.files[0].level, 0);
  PutAndFlush(database.get(), {1'000});
  EXPECT_EQ(ReadWithoutWarning().files.size(), 2u);
}

TEST_F(DatabaseTest, AllColumnFamilies) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), Path());
    const std::map<std::string, std::string> policies = {
        {"bloom", "bloomfilter:10"}, {"ribbon", "ribbonfilter:10:-1"}, {"none", ""}};
    PutAndFlush(database.get(), {10'000});
    for (const auto& [name, policy] : policies) {
      ColumnFamilyOptions options(MakeOptions(TableWith(policy)));
      if (name == "none") {
        options.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
      }
      AddFamily(database.get(), name, options, 10'000);
    }
  }
  const DatabaseReport report = ReadWithoutWarning();
  std::map<std::string, std::string> kinds;
  for (const SstReport& file : report.files) {
    EXPECT_EQ(file.level, 0);
    kinds[file.column_family] = file.filter->kind;
  }
  EXPECT_THAT(kinds, ::testing::ElementsAre(::testing::Pair("bloom", "builtin-bloom"),
                                            ::testing::Pair("default", "winnow-ribbon"),
                                            ::testing::Pair("none", "none"),
                                            ::testing::Pair("ribbon", "builtin-ribbon")));
}

// Comparator that orders by length first: by RocksDB's own order, files of a level would seem to
// overlap.
class ShorterFirst final : public ROCKSDB_NAMESPACE::Comparator {
 public:
  const char* Name() const override { return "test.ShorterFirst"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST_F(DatabaseTest, AnUnknownComparatorIsStoodInFor) {
  const ShorterFirst comparator;
  Options options = MakeOptions(testing::PartitionedTableWith("winnow:10"));
  options.comparator = &comparator;
  {
    const auto database = OpenDatabase(options, Path());
    for (uint64_t i = 0; i < 20'000; ++i) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), std::to_string(i), "value"));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  }
  const DatabaseReport report = ReadWithoutWarning();
  EXPECT_THAT(report.remark.value_or(""), HasSubstr("test.ShorterFirst"));
  EXPECT_THAT(report.remark.value_or(""), HasSubstr("stand-in"));
  ASSERT_EQ(report.files.size(), 1u);
  EXPECT_EQ(report.files[0].level, 0);
  EXPECT_EQ(report.files[0].entries, 20'000u);
  EXPECT_EQ(report.files[0].filter->keys, 20'000u);
}

TEST_F(DatabaseTest, ARemarkDoesNotReplaceAnother) {
  const ShorterFirst comparator;
  Options options = MakeOptions(TableWith("winnow:10"));
  options.comparator = &comparator;
  {
    const auto database = OpenDatabase(options, folder_ / "shared");
    PutAndFlush(database.get(), {100});
  }
  fs::create_directory(folder_ / "meta");  // BackupEngine has such a folder beside the tables
  fs::create_directory(folder_ / "private");
  const DatabaseReport report = ReadDatabase(folder_ / "shared");
  EXPECT_THAT(report.remark.value_or(""), HasSubstr("BackupEngine"));
  EXPECT_THAT(report.remark.value_or(""), HasSubstr("test.ShorterFirst"));
}

TEST_F(DatabaseTest, FamiliesWithoutFilesMayHaveAnyOrder) {
  const ShorterFirst comparator;
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), Path());
    PutAndFlush(database.get(), {100});
    ColumnFamilyOptions options;
    options.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
    AddFamily(database.get(), "reverse", options, 0);
    EXPECT_FALSE(ReadWithoutWarning().remark);
    options.comparator = &comparator;
    AddFamily(database.get(), "shorter", options, 0);
  }
  const DatabaseReport report = ReadWithoutWarning();
  EXPECT_THAT(report.remark.value_or(""), HasSubstr("test.ShorterFirst"));
  ASSERT_EQ(report.files.size(), 1u);
  EXPECT_EQ(report.files[0].level, 0);
}

// The files of the level overlap in both bytewise orders.
TEST_F(DatabaseTest, LevelsAreUnknownWhereNoStandInFits) {
  const ShorterFirst comparator;
  Options options = MakeOptions(TableWith("winnow:10"));
  options.comparator = &comparator;
  {
    const auto database = OpenDatabase(options, Path());
    const std::vector<std::pair<std::string, std::string>> ranges = {
        {"8", "9"}, {"90", "100"}, {"600", "610"}, {"6000", "8500"}};
    for (const auto& [first, last] : ranges) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), first, "value"));
      ASSERT_STATUS_OK(database->Put(WriteOptions(), last, "value"));
      ASSERT_STATUS_OK(database->Flush(FlushOptions()));
      const Slice begin = first;
      const Slice end = last;
      ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), &begin, &end));
    }
  }
  const DatabaseReport report = ReadWithoutWarning();
  EXPECT_THAT(report.remark.value_or(""), HasSubstr("levels are unknown"));
  ASSERT_EQ(report.files.size(), 4u);
  for (const SstReport& file : report.files) {
    EXPECT_FALSE(file.level) << file.path;
    EXPECT_EQ(file.filter->kind, "winnow-bloom");
  }
}

class Concatenate final : public ROCKSDB_NAMESPACE::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.Concatenate"; }
  bool Merge(const Slice&, const Slice* existing, const Slice& value, std::string* result,
             ROCKSDB_NAMESPACE::Logger*) const override {
    *result = (existing != nullptr ? existing->ToString() : std::string()) + value.ToString();
    return true;
  }
};

TEST_F(DatabaseTest, AnUnknownMergeOperatorDoesNotMatter) {
  Options options = MakeOptions(TableWith("winnow:10"));
  options.merge_operator = std::make_shared<Concatenate>();
  {
    const auto database = OpenDatabase(options, Path());
    for (int round = 0; round < 2; ++round) {
      for (uint64_t i = 0; i < 1'000; ++i) {
        ASSERT_STATUS_OK(database->Merge(WriteOptions(), KeyOf(i), "value"));
      }
      if (round == 0) {
        ASSERT_STATUS_OK(database->Flush(FlushOptions()));
      }
    }
  }
  const DatabaseReport report = ReadWithoutWarning();
  ASSERT_EQ(report.files.size(), 1u);
  EXPECT_EQ(report.files[0].level, 0);
  EXPECT_EQ(report.files[0].filter->keys, 1'000u);
}

TEST_F(DatabaseTest, DamagedAndMissingFilesAreReportedAndTheOthersStillRead) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")));
  const std::string bad = TableFilesIn(Path()).at(0);
  fs::resize_file(bad, 100);
  for (const bool is_missing : {false, true}) {
    if (is_missing) fs::remove(bad);
    const DatabaseReport report = ReadDatabase(Path());
    EXPECT_FALSE(report.error);
    EXPECT_FALSE(report.warning) << *report.warning;
    ASSERT_EQ(report.files.size(), 2u);
    for (const SstReport& file : report.files) {
      EXPECT_TRUE(file.level) << file.path;
      EXPECT_EQ(file.error.has_value(), file.path == bad) << file.path;
    }
    ExpectListedAlike(Path(), report);
  }
}

TEST_F(DatabaseTest, ADamagedManifestLeavesLevelsUnknown) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")));
  for (const fs::directory_entry& entry : fs::directory_iterator(Path())) {
    if (entry.path().filename().string().rfind("MANIFEST-", 0) == 0) {
      fs::resize_file(entry.path(), 20);
    }
  }
  const DatabaseReport report = ReadDatabase(Path());
  ExpectListedAlike(Path(), report);
  EXPECT_THAT(report.warning.value_or(""), HasSubstr("levels are unknown"));
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_FALSE(report.files[0].level);
}

// An unreadable file may be one that is being written.
TEST_F(DatabaseTest, AFileThatTheTreeDoesNotNameHasNoLevelAndComesLastOrIsLeftOut) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")));
  testing::WriteFile(Path() + "/000999.sst", "");
  EXPECT_EQ(ReadWithoutWarning().files.size(), 2u);
  fs::copy_file(TableFilesIn(Path()).at(0), fs::path(Path()) / "000001.sst");
  const DatabaseReport report = ReadWithoutWarning();
  EXPECT_THAT(report.remark.value_or(""), HasSubstr("1 file that the database does not name"));
  ASSERT_EQ(report.files.size(), 3u);
  EXPECT_TRUE(report.files[1].level);
  EXPECT_FALSE(report.files[2].level);
  EXPECT_THAT(report.files[2].path, HasSubstr("000001.sst"));
}

TEST_F(DatabaseTest, AFolderOfTableFilesIsRead) {
  fs::create_directory(Path());
  testing::WriteSst(TableWith("winnow:10"), 5'000, folder_ / "db/b.sst");
  testing::WriteSst(TableWith("bloomfilter:10"), 5'000, folder_ / "db/a.sst");
  const DatabaseReport report = ReadWithoutWarning();
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_EQ(report.files[0].filter->kind, "builtin-bloom");
  EXPECT_EQ(report.files[1].filter->kind, "winnow-ribbon");
  EXPECT_FALSE(report.files[0].level);
}

// Layouts of RocksDB's BackupEngine: the MANIFEST is apart from the table files, which have other
// names.
TEST_F(DatabaseTest, BackupsAreReadAsTheFilesThatTheyHave) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")));
  for (const char* keeps_apart : {"shared_checksum", ""}) {
    const bool apart = *keeps_apart != '\0';
    fs::remove_all(folder_ / "backups");
    const std::string manifests = folder_ / "backups/private/1";
    const std::string tables = apart ? folder_ / "backups/shared_checksum" : manifests;
    fs::create_directories(manifests);
    fs::create_directories(tables);
    fs::create_directories(folder_ / "backups/meta");
    WriteFile(folder_ / "backups/meta/1", "");
    for (const fs::directory_entry& entry : fs::directory_iterator(Path())) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() == ".sst") {
        const std::string stem = entry.path().stem().string();
        fs::copy(entry.path(), fs::path(tables) / (apart ? stem + "_s4SFI61_99.sst" : name));
      } else if (name == "CURRENT" || name.rfind("MANIFEST-", 0) == 0) {
        fs::copy(entry.path(), fs::path(manifests) / name);
      }
    }
    const std::vector<TablePath> paths = ExpandPaths({folder_ / "backups"});
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(paths[0].path, tables);
    const DatabaseReport report = ReadDatabase(tables);
    EXPECT_FALSE(report.error) << *report.error;
    EXPECT_FALSE(report.warning) << *report.warning;
    ASSERT_EQ(report.files.size(), 2u);
    for (const SstReport& file : report.files) {
      EXPECT_FALSE(file.error) << *file.error;
      EXPECT_EQ(file.level.has_value(), !apart) << file.path;
    }
    if (apart) {
      EXPECT_THAT(report.remark.value_or(""), HasSubstr("BackupEngine"));
      const DatabaseReport manifest = ReadDatabase(manifests + "/");
      EXPECT_THAT(manifest.error.value_or(""), HasSubstr("BackupEngine"));
      EXPECT_TRUE(manifest.files.empty());
    } else {
      EXPECT_FALSE(report.remark) << *report.remark;
    }
  }
}

TEST_F(DatabaseTest, AFolderWithoutTablesAndDatabaseIsAnError) {
  fs::create_directory(Path());
  EXPECT_THAT(ReadDatabase(Path()).error.value_or(""), HasSubstr("neither SST files"));
  EXPECT_THAT(ReadDatabase(folder_ / "missing").error.value_or(""), HasSubstr("missing"));
}

// Fixture of a database with two paths: level 0 is on the first, and the last level on the second.
class DatabaseWithPathsTest : public DatabaseTest {
 protected:
  void MakeDatabaseWithPaths(const std::string& first, const std::string& second) {
    Options options = MakeOptions(TableWith("winnow:10"));
    options.db_paths = {{first, 1 << 30}, {second, 1 << 30}};
    MakeDatabase(options, 1);
  }
};

TEST_F(DatabaseWithPathsTest, FilesInANamedFolderHaveTheirLevels) {
  MakeDatabaseWithPaths(Path(), folder_ / "slow");
  ASSERT_EQ(TableFilesIn(folder_ / "slow").size(), 1u);
  // A file of another database, which is left out.
  testing::WriteSst(TableWith("winnow:10"), 100, folder_ / "slow/000001.sst");
  const Listing before = ListEverything(folder_.path());
  const DatabaseReport report = ReadDatabase(Path(), nullptr, {folder_ / "slow"});
  EXPECT_EQ(ListEverything(folder_.path()), before);
  EXPECT_FALSE(report.error) << *report.error;
  EXPECT_FALSE(report.warning) << *report.warning;
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_EQ(report.files[0].level, 0);
  EXPECT_EQ(report.files[0].entries, 500u);
  EXPECT_EQ(report.files[1].level, 1);
  EXPECT_EQ(report.files[1].entries, 20'000u);
  EXPECT_THAT(report.files[1].path, HasSubstr("slow/"));
}

TEST_F(DatabaseWithPathsTest, TheFolderOfTheDatabaseNeedsToHaveNoFiles) {
  MakeDatabaseWithPaths(folder_ / "fast", folder_ / "slow");
  ASSERT_TRUE(TableFilesIn(Path()).empty());
  // The paths are given in another order.
  const DatabaseReport report = ReadDatabase(Path(), nullptr, {folder_ / "slow", folder_ / "fast"});
  EXPECT_FALSE(report.warning) << *report.warning;
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_THAT(report.files[0].path, HasSubstr("fast/"));
  EXPECT_EQ(report.files[0].level, 0);
  EXPECT_THAT(report.files[1].path, HasSubstr("slow/"));
  EXPECT_EQ(report.files[1].level, 1);
}

TEST_F(DatabaseWithPathsTest, WithoutTheirFoldersFilesAreSaidToBeMissing) {
  MakeDatabaseWithPaths(Path(), folder_ / "slow");
  const DatabaseReport report = ReadDatabase(Path());
  EXPECT_FALSE(report.error) << *report.error;
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_FALSE(report.files[0].error);
  EXPECT_EQ(report.files[0].level, 0);
  EXPECT_THAT(report.files[1].error.value_or(""), HasSubstr("on path 2 of db_paths"));
  EXPECT_THAT(report.files[1].error.value_or(""), HasSubstr("--path=FOLDER"));
  EXPECT_EQ(report.files[1].level, 1);
  EXPECT_THAT(ReadDatabase(Path(), nullptr, {folder_ / "nowhere"}).error.value_or(""),
              HasSubstr("nowhere"));
}

}  // namespace database_test
}  // namespace winnow::inspect
