// Tests of verdicts on many policies: a database is created on disk with each one, in an options
// string and in an OPTIONS file, and written to. The outcome must be that of the verdict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/utilities/options_util.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "src/database/loaded_options.h"
#include "src/policy_trial/policy_check.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"

namespace winnow::inspect {

void PrintTo(PolicyOutcome outcome, std::ostream* out) { *out << ToString(outcome); }

namespace policy_outcomes_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

constexpr PolicyOutcome kWorks = PolicyOutcome::kWorks;
constexpr PolicyOutcome kOtherPolicy = PolicyOutcome::kOtherPolicy;
constexpr PolicyOutcome kBuildsNothing = PolicyOutcome::kBuildsNothing;
constexpr PolicyOutcome kNoPolicy = PolicyOutcome::kNoPolicy;
constexpr PolicyOutcome kDoesNotOpen = PolicyOutcome::kDoesNotOpen;

struct Case {
  const char* policy;
  // Outcome in an options string; unset: differs between RocksDB versions.
  std::optional<PolicyOutcome> outcome;
};

const Case kCases[] = {
    {"winnow", kWorks},
    {"winnow:9.9", kWorks},
    {"winnow:32", kWorks},
    {"winnow:1e1", kWorks},
    {"winnow.Filter", kWorks},
    {"winnow.Filter:10", kWorks},
    {" winnow:10 ", kWorks},
    {"{id=winnow}", kWorks},
    {"{id=winnow;}", kWorks},
    {"{id=winnow;bits_per_key=12}", kWorks},
    {"{ id = winnow ; bits_per_key = 12 }", kWorks},
    {"{id=winnow:12;bits_per_key=9}", kWorks},
    {"{id=winnow;ribbon_min_keys=50k;bloom_before_level=-1}", kWorks},
    {"{id=winnow.Filter;bits_per_key=12}", kWorks},
    {"bloomfilter:10", kWorks},
    {"bloomfilter:10:false", kWorks},
    {"bloomfilter:10:true", kWorks},
    {"bloomfilter:0.5", kWorks},
    {"bloomfilter:99999999999999999999", kWorks},
    {"rocksdb.BloomFilter:10", kWorks},
    {"{id=bloomfilter:10}", kWorks},
    {"ribbonfilter:10", kWorks},
    {"ribbonfilter:10:2", kWorks},
    {"rocksdb.RibbonFilter:10", kWorks},
    {"rocksdb.internal.Standard128RibbonFilter:10", kWorks},

    {"winnow:", kDoesNotOpen},
    {"winnow:0", kDoesNotOpen},
    {"winnow:0.5", kDoesNotOpen},
    {"winnow:-1", kDoesNotOpen},
    {"winnow:33", kDoesNotOpen},
    {"winnow:ten", kDoesNotOpen},
    {"winnow:10x", kDoesNotOpen},
    {"winnow: 10", kDoesNotOpen},
    {"winnow:10:3", kDoesNotOpen},
    {"winnow:nan", kDoesNotOpen},
    {"winnow:99999999999999999999", kDoesNotOpen},
    {"winnow:10}", kDoesNotOpen},
    {"{id=winnow:99}", kDoesNotOpen},
    {"{id=winnow;bits_per_key=}", kDoesNotOpen},
    {"{id=winnow;bits_per_key=0}", kDoesNotOpen},
    {"{id=winnow;bits_per_key=99}", kDoesNotOpen},
    {"{id=winnow;bits_per_keys=10}", kDoesNotOpen},
    {"{id=winnow;bits_per_key=10;bits_per_keys=12}", kDoesNotOpen},
    {"{id=winnow;bits_per_key=10;ribbon_min_keys=-1}", kDoesNotOpen},
    {"{id=winnow;bloom_before_levels=2}", kDoesNotOpen},
    {"{id=winnow;winnow.bits_per_key=10}", kDoesNotOpen},
    {"{id=winnow;bits_per_key=10}}", kDoesNotOpen},

    {"{id=bloomfilter:10;colour=red}", kOtherPolicy},
    {"{id=ribbonfilter:10;colour=red}", kOtherPolicy},

    {"bloomfilter:0", kBuildsNothing},
    {"bloomfilter:0.4", kBuildsNothing},
    {"bloomfilter:-1", kBuildsNothing},
    {"ribbonfilter:0", kBuildsNothing},
    {"{id=bloomfilter:0;colour=red}", kBuildsNothing},
    {"rocksdb.BuiltinBloomFilter", kBuildsNothing},

    {"", kNoPolicy},
    {" ", kNoPolicy},
    {"nullptr", kNoPolicy},
    {"NULL", kNoPolicy},
    {"{}", kNoPolicy},
    {"id=", kNoPolicy},
    {"{id=}", kNoPolicy},
    {"{id=;bits_per_key=10}", kNoPolicy},
    {"id=nullptr", kNoPolicy},
    {"{id=nullptr}", kNoPolicy},
    {"bits_per_key=10", kNoPolicy},
    {"{bits_per_key=10}", kNoPolicy},
    {"winow:10", kNoPolicy},
    {"Winnow:10", kNoPolicy},
    {"winnow :10", kNoPolicy},
    {"winnow=10", kNoPolicy},
    {"winnow/10", kNoPolicy},
    {"-winnow:10", kNoPolicy},
    {"{{winnow:10}}", kNoPolicy},
    {"{id=winow;bits_per_key=10}", kNoPolicy},
    {"{id=winnow;bits_per_key}", kNoPolicy},
    {"bloomfilter", kNoPolicy},
    {"bloomfilter:", kNoPolicy},
    {"bloomfilter:ten", kNoPolicy},
    {"bloomfilter:10:maybe", kNoPolicy},
    {"bloomfilter:1e400", kNoPolicy},
    {"rocksdb.BloomFilter", kNoPolicy},
    {"{id=bloomfilter;bits_per_key=10}", kNoPolicy},
    {"ribbonfilter", kNoPolicy},
    {"ribbonfilter:10:x", kNoPolicy},
    {"ribbonfilter:10:99999999999", kNoPolicy},

    {"id=winnow;bits_per_key=12", kDoesNotOpen},
    {"{winnow:10", kDoesNotOpen},
    {"{id=winnow;bits_per_key=12", kDoesNotOpen},
    {"{id=winnow;bits_per_key=12};", kWorks},
    {"winnow:10;", kWorks},
    {"winnow:10;block_size=8192", kWorks},
    {"winnow:10#12", kDoesNotOpen},
    {"winnow:10 # bits", kDoesNotOpen},
    {"{", kDoesNotOpen},
    {"}", kNoPolicy},
    {"{{{", kDoesNotOpen},

    {"{winnow:10}", std::nullopt},
    {"{id=winnow;bits_per_key={12}}", std::nullopt},
    {"{id=ribbonfilter:10;bloom_before_level=2}", std::nullopt},
};

// Outcome of opening a database.
struct Database {
  bool opens = false;
  std::string in_force;  // policy in the database's options; empty: none
  bool has_filters = false;
};

// Writes to the database and reads the resulting file.
void Write(DB* database, Database* seen) {
  for (int key = 0; key < 100; ++key) {
    ASSERT_STATUS_OK(
        database->Put(ROCKSDB_NAMESPACE::WriteOptions(), std::to_string(key), "value"));
  }
  ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  ROCKSDB_NAMESPACE::TablePropertiesCollection files;
  ASSERT_STATUS_OK(database->GetPropertiesOfAllTables(&files));
  ASSERT_EQ(files.size(), 1u);
  seen->has_filters = files.begin()->second->filter_size > 0;
}

class PolicyOutcomesTest : public ::testing::Test {
 protected:
  Database Open(const Status& made, const DBOptions& options, const ColumnFamilyOptions& family) {
    Database seen;
    if (!made.ok()) {
      return seen;
    }
    Options all(options, family);
    all.create_if_missing = true;
    const std::string path = folder_ / std::to_string(++databases_);
    rocksdb_abi::OpenedDB opened{};
    seen.opens = DB::Open(all, path, &opened).ok();
    const std::unique_ptr<DB> database = rocksdb_abi::Own(std::move(opened));
    if (seen.opens) {
      const Options in_force = database->GetOptions();
      const auto* table = in_force.table_factory->GetOptions<BlockBasedTableOptions>();
      if (table->filter_policy != nullptr) {
        seen.in_force = DescribePolicy(table->filter_policy);
      }
      Write(database.get(), &seen);
    }
    return seen;
  }

  Database OpenByTableOptions(const std::string& policy) {
    BlockBasedTableOptions table;
    const Status made = GetBlockBasedTableOptionsFromString(
        ConfigOptions(), BlockBasedTableOptions(), "filter_policy=" + policy, &table);
    ColumnFamilyOptions family;
    family.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    return Open(made, DBOptions(), family);
  }

  Database OpenByOptionsFile(const std::string& path, const std::string& policy,
                             bool ignore_unknown_options) {
    testing::WriteFile(path,
                       "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
                       "[DBOptions]\n[CFOptions \"default\"]\n"
                       "[TableOptions/BlockBasedTable \"default\"]\n  filter_policy=" +
                           policy + "\n");
    ConfigOptions config;
    config.ignore_unknown_options = ignore_unknown_options;
    DBOptions options;
    std::vector<ColumnFamilyDescriptor> families;
    const Status made = LoadOptionsFromFile(config, path, &options, &families);
    return Open(made, options, made.ok() ? families.front().options : ColumnFamilyOptions());
  }

  testing::TemporaryFolder folder_;
  int databases_ = 0;
};

void ExpectForetold(const PolicyVerdict& verdict, const Database& seen) {
  EXPECT_EQ(verdict.outcome == kDoesNotOpen, !seen.opens) << verdict.problem;
  EXPECT_EQ(verdict.outcome == kNoPolicy, seen.opens && seen.in_force.empty());
  EXPECT_EQ(verdict.outcome == kBuildsNothing, !seen.in_force.empty() && !seen.has_filters);
  EXPECT_EQ(verdict.problem.empty(), verdict.outcome == kWorks);
  EXPECT_EQ(verdict.in_force, seen.in_force);
}

TEST_F(PolicyOutcomesTest, OfOptionsStringsAreForetold) {
  for (const Case& known : kCases) {
    SCOPED_TRACE(known.policy);
    const PolicyVerdict verdict = CheckPolicy(known.policy, /*with_trials=*/false);
    EXPECT_EQ(verdict.outcome, known.outcome.value_or(verdict.outcome)) << verdict.problem;
    ExpectForetold(verdict, OpenByTableOptions(known.policy));
  }
}

TEST_F(PolicyOutcomesTest, OfOptionsFilesAreForetold) {
  const std::string path = folder_ / "OPTIONS-000007";
  for (const Case& known : kCases) {
    SCOPED_TRACE(known.policy);
    for (const bool ignore_unknown_options : {false, true}) {
      const Database seen = OpenByOptionsFile(path, known.policy, ignore_unknown_options);
      const OptionsFileReport report = CheckOptionsFile(path, /*with_trials=*/false);
      if (!report.error.empty()) {
        EXPECT_FALSE(seen.opens) << report.error;
        continue;
      }
      ASSERT_EQ(report.families.size(), 1u);
      if (report.families[0].no_filter_asked_for) {
        EXPECT_TRUE(seen.opens);
        EXPECT_EQ(seen.in_force, "");
      } else {
        ExpectForetold(report.families[0].verdict, seen);
      }
    }
  }
}

}  // namespace policy_outcomes_test
}  // namespace winnow::inspect
