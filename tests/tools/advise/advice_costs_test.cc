// Predictions of advice, compared with filters and databases that are built.

#include "tools/winnow/advise/advice_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "tests/support/child_process.h"
#include "tests/tools/advise/advised_databases.h"
#include "tests/tools/advise/built_trees.h"
#include "tools/winnow/advise/advice_rows.h"

namespace winnow::inspect {
namespace advice_costs_test {

// Compares each row's predictions with the filters that its policies build from the files' keys.
void ExpectPromisesKept(const std::string& database, AdviceOptions options) {
  constexpr double kDeviations = 4;
  constexpr double kShare = 0.02;
  constexpr double kFewBytes = 64;  // rounding, for databases with few files
  AdviceReading reading;
  const std::string problem = ReadForAdvice(
      TablesOf(database), options, [](const AdviceStep&) {}, &reading);
  if (!problem.empty() || reading.families.empty()) return;
  Advice advice;
  SetRows(reading, options, &advice);
  const double repeats = MeanRepeats(reading);
  for (const AdviceRow& row : advice.rows) {
    if (row.purpose == RowPurpose::kNow) continue;
    // Rows that learn are judged by half of the lookups only.
    const bool learns = options.recorded && !reading.HasFile([](const AdvisedFile& file) {
      return file.has_prefixes_only;
    });
    if (learns && row.OnePolicy().find("winnow:") == 0) continue;
    SCOPED_TRACE(::testing::Message() << TitleOf(row.purpose) << " " << row.policies[0]);
    const Cost built = BuiltCost(reading, row.policies);
    EXPECT_NEAR(row.bytes, built.bytes,
                kShare * built.bytes + kFewBytes * static_cast<double>(advice.rows.size()));
    const double promised = row.false_reads * static_cast<double>(reading.num_lookups);
    EXPECT_NEAR(built.false_reads, promised,
                kDeviations * std::sqrt(repeats * promised) + kShare * promised);
  }
}

class PromisesTest : public AdvisedDatabase {};

TEST_F(PromisesTest, AreKeptOnEveryDatabaseOfTheTests) {
  const testing::ChildResult made = testing::RunProgram({WINNOW_MAKE_FIXTURES, folder_.path()});
  ASSERT_EQ(made.status, 0) << made.errors;
  size_t databases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename());
    ExpectPromisesKept(entry.path(), Quick());
    ++databases;
  }
  EXPECT_GT(databases, 15u);
}

void Runs(DB* db) {
  for (const uint64_t step : {1, 3, 9, 30}) Write(db, kEnd, step);
}

struct Shape {
  const char* name;
  Options (*options)();
  void (*fill)(DB*) = Grow;
};

class PromisesOnShapes : public AdvisedDatabase, public ::testing::WithParamInterface<Shape> {};

TEST_P(PromisesOnShapes, AreKept) {
  Make(GetParam().options(), GetParam().fill);
  AdviceOptions recorded = Quick();
  recorded.recorded = DistinctLookups(60'000);
  recorded.policies = {kUniform, "{id=winnow;bits_per_key=7.3;bloom_before_level=1}"};
  ExpectPromisesKept(folder_ / "db", recorded);
  AdviceOptions drawn = Quick();
  drawn.budget_bytes = 60'000;
  ExpectPromisesKept(folder_ / "db", drawn);
}

Options Plain(const char* policy) { return MakeOptions(TableWith(policy)); }

Options WithPrefixes(bool whole_keys) {
  BlockBasedTableOptions table = TableWith("bloomfilter:10");
  table.whole_key_filtering = whole_keys;
  Options options = MakeOptions(table);
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(10));
  return options;
}

Options Universal(const std::string& policy) {
  Options options = MakeOptions(TableWith(policy));
  options.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  return options;
}

const Shape kShapes[] = {
    {"leveled", [] { return Plain("bloomfilter:10"); }},
    {"rates", [] { return Plain("winnow:10"); }},
    {"without_filters", [] { return Plain(""); }},
    {"partitioned", [] { return MakeOptions(testing::PartitionedTableWith("bloomfilter:10")); }},
    {"hits",
     [] {
       Options options = Plain("winnow:10");
       options.optimize_filters_for_hits = true;
       return options;
     }},
    {"reverse",
     [] {
       Options options = Plain("winnow:10");
       options.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
       return options;
     }},
    {"prefixes", [] { return WithPrefixes(false); }},
    {"prefixes_and_keys", [] { return WithPrefixes(true); }},
    {"universal", [] { return Universal("bloomfilter:10"); }, Runs},
    {"fifo",
     [] {
       Options options = Plain("bloomfilter:10");
       options.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleFIFO;
       return options;
     },
     Runs},
    {"backlog", [] { return Plain("winnow:10"); }, Runs},
    {"small_files", [] { return SmallFiles("bloomfilter:10"); },
     [](DB* db) {
       FillSmallFiles(db);
       WriteValues(db, 0, 12'000, 12);
     }},
};

INSTANTIATE_TEST_SUITE_P(Shapes, PromisesOnShapes, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

// A tree written with an advised policy matches the prediction from a tree with another policy, and
// advice on the new tree has the same order of rows.
TEST_F(PromisesTest, AreKeptByTreesThatAreWrittenUnderThePolicy) {
  for (const bool is_universal : {false, true}) {
    const auto make = [&](const std::string& policy, const std::string& name) {
      const Options database = is_universal ? Universal(policy) : MakeOptions(TableWith(policy));
      (is_universal ? Runs : Grow)(OpenDatabase(database, folder_ / name).get());
    };
    const std::string before = is_universal ? "universal" : "leveled";
    make("bloomfilter:10", before);
    AdviceOptions options = Quick();  // without recorded lookups, as the trees have none
    options.lookups = 60'000;
    const Advice advice = AdviseOn(folder_ / before, options);
    options.policies.clear();
    for (const AdviceRow& row : advice.rows) options.policies.push_back(row.OnePolicy());
    options.policies.erase(options.policies.begin());
    for (const std::string& policy : options.policies) {
      SCOPED_TRACE(before + " " + policy);
      const std::string name = before + " " + policy;
      make(policy, name);
      const Advice after = AdviseOn(folder_ / name, options);
      const AdviceRow& promise = RowOf(advice, policy);
      const AdviceRow& now = after.rows.front();
      const double more = policy.find("winnow:") == 0 ? 0.15 : 0.03;  // see the assumptions
      EXPECT_GT(now.bytes / promise.bytes, 0.97);
      EXPECT_LT(now.bytes / promise.bytes, 1 + more);
      const double chance = 4 / std::sqrt(static_cast<double>(*now.counted) + 1);
      EXPECT_LT(now.false_reads / promise.false_reads, 1.15 + chance);
      EXPECT_GT(now.false_reads / promise.false_reads, more > 0.1 ? 0.5 : 0.85 - chance);
      double bytes = 0;
      for (const std::string& other : options.policies) {
        EXPECT_GE(RowOf(after, other).bytes, 0.995 * bytes) << other;
        bytes = RowOf(after, other).bytes;
      }
    }
  }
}

class OnceCompactedTest : public AdvisedDatabase {};

// A full compaction gives the predicted costs of the compacted tree.
TEST_F(OnceCompactedTest, OnceCompactedItIsAsPromised) {
  Make("bloomfilter:10");
  AdviceOptions options = Quick();
  options.recorded = DistinctLookups(60'000);
  const auto lookups = static_cast<double>(options.recorded->size());
  options.policies = {"winnow:7.3"};
  const Advice advice = AdviseOnIt(options);
  ASSERT_EQ(advice.families.size(), 1u);
  for (const std::string policy : {"bloomfilter:10", "ribbonfilter:10:-1", "winnow:7.3"}) {
    SCOPED_TRACE(policy);
    const AdviceRow& row = RowOf(advice, policy);
    const Options database = MakeOptions(TableWith(row.OnePolicy()));
    std::filesystem::remove_all(folder_ / "one");
    std::filesystem::copy(folder_ / "db", folder_ / "one");
    CompactAll(OpenDatabase(database, folder_ / "one").get());
    const Advice after = AdviseOn(folder_ / "one", options);
    ASSERT_EQ(after.families.front().keys_by_level.size(), 1u);
    ASSERT_TRUE(row.compacted);
    EXPECT_NEAR(static_cast<double>(advice.families.front().keys_compacted) /
                    static_cast<double>(after.keys),
                1, 0.03);
    EXPECT_NEAR(row.compacted->bytes / after.rows.front().bytes, 1, 0.04);
    const auto found =
        static_cast<double>(FalsePositives(database, folder_ / "one", *options.recorded));
    EXPECT_EQ(found, static_cast<double>(*after.rows.front().counted));
    EXPECT_GT(found, 200);
    // Rates of files that are compacted one by one depend on the files still left.
    const double by_files = policy.find("winnow") != std::string::npos ? 0.15 : 0;
    EXPECT_NEAR(row.compacted->false_reads * lookups / found, 1,
                std::max(by_files, 4 / std::sqrt(found)));
    if (policy == "bloomfilter:10") {  // the OPTIONS file's policy
      ASSERT_TRUE(advice.rows.front().compacted);
      EXPECT_EQ(advice.rows.front().compacted->false_reads, row.compacted->false_reads);
    }
  }
}

TEST_F(OnceCompactedTest, OnceCompactedSmallFilesAreOfTheirSizes) {
  AdviceOptions options = Quick();
  options.lookups = 40'000;
  for (const std::string policy : {"bloomfilter:10", kUniform, "winnow:10"}) {
    SCOPED_TRACE(policy);
    Make(SmallFiles(policy), FillSmallFiles);
    const auto db = OpenDatabase(SmallFiles(policy), folder_ / "db");
    WriteValues(db.get(), 0, 12'000, 12);
    const Advice advice = AdviseOnIt(options);
    const AdviceRow& now = advice.rows.front();
    ASSERT_TRUE(now.compacted);
    // Rates by file avoid most false reads while there is a level above.
    if (policy != "winnow:10") {
      EXPECT_GT(now.false_reads, 1.2 * now.compacted->false_reads);
    }
    CompactAll(db.get());
    const Advice after = AdviseOnIt(options);
    EXPECT_NEAR(now.compacted->bytes / after.rows.front().bytes, 1, 0.02);
    const auto found = static_cast<double>(*after.rows.front().counted);
    EXPECT_NEAR(now.compacted->false_reads / after.rows.front().false_reads, 1,
                std::max(policy == "winnow:10" ? 0.15 : 0, 4 / std::sqrt(found)))
        << found;
    // What is compacted is the same once compacted. Counted false reads vary by chance.
    for (const AdviceRow& row : after.rows) {
      ASSERT_TRUE(row.compacted) << TitleOf(row.purpose);
      const double chance = row.counted ? 0.02 + 4 / std::sqrt(found) : 0;
      EXPECT_NEAR(row.compacted->bytes / row.bytes, 1, row.counted ? 0.02 : 0) << row.OnePolicy();
      EXPECT_NEAR(row.compacted->false_reads / row.false_reads, 1, chance) << row.OnePolicy();
    }
  }
}

}  // namespace advice_costs_test
}  // namespace winnow::inspect
