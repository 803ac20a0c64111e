#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_partitioner.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/preload/tool_guard.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::preload {
namespace preload_tool_guard_test {

using rocksdb::Slice;
using ::testing::HasSubstr;
using Tool = ToolCommand::Tool;

const ToolCommand kLdb{Tool::kLdb, "compact", true};
const ToolCommand kDbBench{Tool::kDbBench, "", false};

class OwnMerge final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "winnow.test.OwnMerge"; }
  bool Merge(const Slice&, const Slice*, const Slice& value, std::string* merged,
             rocksdb::Logger*) const override {
    merged->assign(value.data(), value.size());
    return true;
  }
};

class OwnComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "winnow.test.OwnComparator"; }
  int Compare(const Slice& one, const Slice& other) const override { return one.compare(other); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class OwnExtractor final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "winnow.test.OwnExtractor"; }
  Slice Transform(const Slice& key) const override { return {key.data(), 1}; }
  bool InDomain(const Slice& key) const override { return !key.empty(); }
};

class OwnFilter final : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "winnow.test.OwnFilter"; }
  bool Filter(int, const Slice&, const Slice&, std::string*, bool*) const override { return false; }
};

class OwnFilterFactory final : public rocksdb::CompactionFilterFactory {
 public:
  const char* Name() const override { return "winnow.test.OwnFilterFactory"; }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context&) override {
    return std::make_unique<OwnFilter>();
  }
};

class OwnPartitionerFactory final : public rocksdb::SstPartitionerFactory {
 public:
  const char* Name() const override { return "winnow.test.OwnPartitionerFactory"; }
  std::unique_ptr<rocksdb::SstPartitioner> CreatePartitioner(
      const rocksdb::SstPartitioner::Context&) const override {
    return nullptr;
  }
};

class ToolGuardTest : public ::testing::Test {
 protected:
  // Makes a database whose family "default" has the options, and "other" those of RocksDB.
  void Make(const ColumnFamilyOptions& family) {
    Options options;
    options.create_if_missing = true;
    static_cast<ColumnFamilyOptions&>(options) = family;
    rocksdb_abi::OpenedDB opened;
    ASSERT_TRUE(DB::Open(options, database_, &opened).ok());
    const auto db = rocksdb_abi::Own(std::move(opened));
    ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily(ColumnFamilyOptions(), "other", &other).ok());
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(other).ok());
  }

  // Returns the families that ldb makes of the OPTIONS file.
  Families AsLdbLoadsThem() {
    ConfigOptions config;
    config.ignore_unsupported_options = true;
    DBOptions database;
    Families families;
    EXPECT_TRUE(rocksdb::LoadLatestOptions(config, database_, &database, &families).ok());
    std::shared_ptr<rocksdb::MergeOperator> append;
    EXPECT_TRUE(
        rocksdb::MergeOperator::CreateFromString(config, "StringAppendOperator", &append).ok());
    for (ColumnFamilyDescriptor& family : families) {
      if (family.options.merge_operator == nullptr) family.options.merge_operator = append;
    }
    return families;
  }

  // Returns what the guard says of the families, and changes them as it does.
  std::string Check(const ToolCommand& command, Families* families) {
    ToolGuard guard(command, database_);
    guard.Read(DBOptions());
    if (guard.is_needed()) {
      for (ColumnFamilyDescriptor& family : *families) guard.Check(family.name, &family.options);
    }
    return guard.status().ok() ? "" : guard.status().getState();
  }
  std::string CheckLdb(const ColumnFamilyOptions& family) {
    std::filesystem::remove_all(database_);
    Make(family);
    Families families = AsLdbLoadsThem();
    return Check(kLdb, &families);
  }

  testing::TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

TEST_F(ToolGuardTest, FamiliesWithoutObjectsStayWithoutThem) {
  Make({});
  Families families = AsLdbLoadsThem();
  EXPECT_EQ(Check(kLdb, &families), "");
  ASSERT_EQ(families.size(), 2u);
  for (const ColumnFamilyDescriptor& family : families) {
    EXPECT_EQ(family.options.merge_operator, nullptr) << family.name;
  }
}

TEST_F(ToolGuardTest, ObjectsThatLdbLoadsArePassedOn) {
  ColumnFamilyOptions known;
  known.comparator = rocksdb::ReverseBytewiseComparator();
  known.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(4));
  EXPECT_EQ(CheckLdb(known), "");
  known.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  EXPECT_EQ(CheckLdb(known), "");
  ConfigOptions config;
  ASSERT_TRUE(
      rocksdb::MergeOperator::CreateFromString(config, "uint64add", &known.merge_operator).ok());
  EXPECT_EQ(CheckLdb(known), "");
  known.sst_partitioner_factory = rocksdb::NewSstPartitionerFixedPrefixFactory(4);
  EXPECT_EQ(CheckLdb(known), "");
}

TEST_F(ToolGuardTest, EachObjectThatLdbCannotLoadIsRefused) {
  static const OwnComparator comparator;
  static const OwnFilter filter;
  const struct {
    const char* name;
    const char* words;
    std::function<void(ColumnFamilyOptions*)> set;
  } cases[] = {
      {"OwnComparator", "comparator", [](auto* options) { options->comparator = &comparator; }},
      {"OwnMerge", "merge operator",
       [](auto* options) { options->merge_operator = std::make_shared<OwnMerge>(); }},
      {"OwnExtractor", "prefix extractor",
       [](auto* options) { options->prefix_extractor = std::make_shared<OwnExtractor>(); }},
      {"OwnFilter", "compaction filter",
       [](auto* options) { options->compaction_filter = &filter; }},
      {"OwnFilterFactory", "compaction filter factory",
       [](auto* options) {
         options->compaction_filter_factory = std::make_shared<OwnFilterFactory>();
       }},
      {"OwnPartitionerFactory", "SST partitioner factory",
       [](auto* options) {
         options->sst_partitioner_factory = std::make_shared<OwnPartitionerFactory>();
       }},
  };
  for (const auto& [name, words, set] : cases) {
    ColumnFamilyOptions options;
    set(&options);
    EXPECT_THAT(CheckLdb(options), HasSubstr("column family default has the " + std::string(words) +
                                             " \"winnow.test." + name + "\" by its OPTIONS file"));
  }
}

TEST_F(ToolGuardTest, AnOperatorThatAnEarlierLdbMayHaveWrittenIsUnknown) {
  ColumnFamilyOptions options;
  ConfigOptions config;
  ASSERT_TRUE(rocksdb::MergeOperator::CreateFromString(config, "StringAppendOperator",
                                                       &options.merge_operator)
                  .ok());
  EXPECT_THAT(CheckLdb(options), HasSubstr("\"StringAppendOperator\", which ldb writes"));
  // db_bench does not write it for others.
  Families families = AsLdbLoadsThem();
  families[1].options.merge_operator = nullptr;
  EXPECT_EQ(Check(kDbBench, &families), "");
  families[0].options.merge_operator = nullptr;
  EXPECT_THAT(Check(kDbBench, &families), HasSubstr("the tool would use none"));
}

TEST_F(ToolGuardTest, AnObjectThatTheFamilyDoesNotHaveIsRefused) {
  Make({});
  Families families = AsLdbLoadsThem();
  families[1].options.merge_operator = std::make_shared<OwnMerge>();
  EXPECT_THAT(Check(kLdb, &families),
              HasSubstr("column family other has no merge operator by its OPTIONS file, and the "
                        "tool would use \"winnow.test.OwnMerge\""));
}

TEST_F(ToolGuardTest, LdbMustLoadTheOptionsFile) {
  Make({});
  Families families = AsLdbLoadsThem();
  EXPECT_THAT(Check({Tool::kLdb, "compact", false}, &families),
              HasSubstr("it does not load the OPTIONS file"));
  for (const auto& entry : std::filesystem::directory_iterator(database_)) {
    if (entry.path().filename().string().rfind("OPTIONS-", 0) == 0) {
      std::filesystem::remove(entry.path());
    }
  }
  EXPECT_THAT(Check(kLdb, &families), HasSubstr("its OPTIONS file can't be read"));
}

TEST_F(ToolGuardTest, NewDatabasesAndOtherProgramsAreLeftAlone) {
  Families families(1);
  families[0].name = rocksdb::kDefaultColumnFamilyName;
  ConfigOptions config;
  ASSERT_TRUE(rocksdb::MergeOperator::CreateFromString(config, "StringAppendOperator",
                                                       &families[0].options.merge_operator)
                  .ok());
  EXPECT_EQ(Check({Tool::kLdb, "put", false}, &families), "");
  EXPECT_EQ(families[0].options.merge_operator, nullptr);
  ColumnFamilyOptions options;
  options.merge_operator = std::make_shared<OwnMerge>();
  Make(options);
  EXPECT_EQ(Check(ToolCommand(), &families), "");
}

TEST(ToolCommandTest, IsKnownByItsCallsOrTheEndOfItsName) {
  for (const char* name : {"/usr/bin/ldb", "rocksdb_ldb", "/opt/my-ldb"}) {
    EXPECT_EQ(ParseToolCommand(false, name, {"x"}).tool, Tool::kLdb) << name;
    EXPECT_EQ(ParseToolCommand(false, "/usr/bin/x", {name}).tool, Tool::kLdb) << name;
  }
  EXPECT_EQ(ParseToolCommand(true, "/usr/bin/admin", {"admin"}).tool, Tool::kLdb);
  EXPECT_EQ(ParseToolCommand(false, "/usr/bin/db_bench", {"db_bench"}).tool, Tool::kDbBench);
  // Services that open their databases with their own options.
  for (const char* name : {"/usr/bin/leveldb", "kvldb", "/usr/bin/ldbx", "mysqld", "", "db"}) {
    EXPECT_EQ(ParseToolCommand(false, name, {name}).tool, Tool::kOther) << name;
  }
  EXPECT_EQ(ParseToolCommand(false, "", {}).tool, Tool::kOther);
}

TEST(ToolCommandTest, LoadsOptionsAsLdbDoes) {
  const auto loads = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "ldb");
    return ParseToolCommand(false, "ldb", arguments).loads_options;
  };
  EXPECT_EQ(loads({"--db=x", "compact"}), rocksdb_abi::kLdbLoadsOptions);
  EXPECT_TRUE(loads({"--db=x", "--try_load_options", "compact"}));
  if (rocksdb_abi::kLdbLoadsOptions) {
    EXPECT_TRUE(loads({"--db=x", "compact", "--try_load_options=True"}));
  }
  EXPECT_FALSE(loads({"--db=x", "--try_load_options=false", "compact"}));
  EXPECT_FALSE(loads({"--db=x", "--create_if_missing", "put", "a", "b"}));
  EXPECT_FALSE(loads({"--db=x", "--create_if_missing", "--try_load_options", "put", "a", "b"}));
  EXPECT_FALSE(loads({"--db=x", "--ttl", "compact"}));
  EXPECT_FALSE(loads({"compact"}));
}

TEST(ToolCommandTest, RepairIsNotStarted) {
  EXPECT_THAT(ReasonNotToStart(ParseToolCommand(false, "ldb", {"ldb", "--db=x", "repair"})),
              HasSubstr("ldb repair is not started"));
  EXPECT_EQ(ReasonNotToStart(ParseToolCommand(false, "ldb", {"ldb", "--db=x", "get", "repair"})),
            "");
  EXPECT_EQ(ReasonNotToStart(ParseToolCommand(false, "x", {"x", "repair"})), "");
}

}  // namespace preload_tool_guard_test
}  // namespace winnow::preload
