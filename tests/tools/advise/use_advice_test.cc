// `winnow advise --use`: conclusions from the answers of filters.

#include "tools/winnow/advise/use/use_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/core/sizing.h"
#include "tests/support/files.h"
#include "tools/winnow/advise/use/use_json.h"

namespace winnow::inspect {
namespace use_advice_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr double kMiB = 1 << 20;

// Returns an hour's figures of a level: `asks` checks, `absent` of them for absent keys.
UseOfLevel Level(int level, double bits, double asks, double absent, double keys) {
  UseOfLevel use;
  use.level = level;
  use.asks = asks;
  use.false_positives = absent * core::RateForBits(bits);
  use.denied = absent - use.false_positives;
  use.filters = std::max(1.0, std::floor(keys / 500'000));
  use.keys = keys;
  use.bytes = keys * bits * 0.69 / 8;
  return use;
}

UseOfPolicy Family(const std::string& name, double bits, std::vector<UseOfLevel> levels,
                   const std::string& more = "") {
  UseOfPolicy use;
  use.policy = "bits_per_key=" + std::to_string(static_cast<int>(bits)) +
               ";ribbon_min_keys=50000;bloom_before_level=2" + more;
  use.families = {name};
  use.seconds = 3600;
  use.levels = std::move(levels);
  return use;
}

UseOfPolicy OneLevel(const std::string& name, double bits, double absent, double asks = 4e7,
                     double keys = 9e6) {
  return Family(name, bits, {Level(5, bits, asks, absent, keys)});
}

// Returns figures of one column family with 3 bits per key and nine with 10.
FilterUseFile Walrus() {
  FilterUseFile file;
  for (int i = 0; i < 10; ++i) {
    file.policies.push_back(OneLevel("family" + std::to_string(i), i == 4 ? 3 : 10, 3e7));
  }
  return file;
}

TEST(UseAdviceTest, AFamilyWithFewBitsAmongOthersIsFoundNamedAndMended) {
  const UseAdvice advice = AdviseByUse(Walrus(), std::nullopt);
  ASSERT_THAT(advice.mend, SizeIs(1));
  EXPECT_EQ(advice.mend[0].families, "family4");
  EXPECT_THAT(advice.mend[0].says, HasSubstr("bits_per_key=3 lets "));
  EXPECT_THAT(advice.mend[0].policy,
              AllOf(HasSubstr("{id=winnow;bits_per_key="), Not(HasSubstr("bits_per_key=3;")),
                    HasSubstr(";ribbon_min_keys=50000;bloom_before_level=2}")));
  EXPECT_EQ(advice.rows[0].use.families[0], "family4");
  EXPECT_LT(advice.advised_false_reads, 0.5 * advice.false_reads);
  EXPECT_LE(advice.advised_bytes, 1.1 * advice.bytes);
  EXPECT_THAT(advice.gain, IsEmpty());

  // The recommended policy fixes the problem: further advice finds none.
  FilterUseFile mended = Walrus();
  mended.policies[4] = OneLevel("family4", 10, 3e7);
  EXPECT_THAT(AdviseByUse(mended, std::nullopt).mend, IsEmpty());
}

TEST(UseAdviceTest, HealthyShapesHaveNothingToMend) {
  const auto many = [](int n, double bits, const std::function<double(int)>& absent) {
    FilterUseFile file;
    for (int i = 0; i < n; ++i) {
      file.policies.push_back(OneLevel("family" + std::to_string(i), bits, absent(i)));
    }
    return file;
  };
  std::vector<FilterUseFile> shapes = {
      many(1, 10, [](int) { return 3e7; }),
      many(10, 10, [](int) { return 3e7; }),
      many(10, 16, [](int) { return 3e7; }),
      many(10, 6, [](int) { return 3e7; }),
      many(4, 10, [](int i) { return 1e7 * (1 + i); }),
      many(2, 10, [](int i) { return 2e7 * (1 + i); }),
      many(10, 10, [](int) { return 0; }),
      many(10, 10, [](int) { return 100; }),
  };
  // Policies of several sizes, and one whose filters are not used.
  shapes.push_back(many(2, 10, [](int) { return 3e7; }));
  shapes.back().policies.push_back(OneLevel("small", 10, 3e6, 4e6, 9e5));
  shapes.push_back(many(3, 10, [](int) { return 3e7; }));
  shapes.back().policies.push_back(OneLevel("idle", 10, 0, 0));
  // Few bits per key in a column family with few lookups.
  shapes.push_back(many(9, 10, [](int) { return 3e7; }));
  shapes.back().policies.push_back(OneLevel("seldom", 3, 3e4, 3e5));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const UseAdvice advice = AdviseByUse(shapes[i], std::nullopt);
    EXPECT_THAT(advice.mend, IsEmpty()) << i;
    EXPECT_EQ(advice.advised_false_reads, advice.false_reads) << i;
    EXPECT_THAT(tools::UseAdviceText(advice), HasSubstr("Nothing to mend")) << i;
  }
}

TEST(UseAdviceTest, ABudgetIsKeptAndSharedOut) {
  FilterUseFile file;
  file.policies = {OneLevel("hot", 10, 4e7), OneLevel("cold", 10, 4e5)};
  const double now = AdviseByUse(file, std::nullopt).bytes;
  for (const double share : {0.7, 1.0, 1.5}) {
    const UseAdvice advice = AdviseByUse(file, share * now);
    EXPECT_TRUE(advice.fits);
    EXPECT_LE(advice.advised_bytes, share * now);
    EXPECT_GT(advice.advised_bytes, 0.9 * share * now);
    ASSERT_EQ(advice.rows[0].use.families[0], "hot");
    EXPECT_GT(advice.rows[0].advised_bits.value_or(10),
              advice.rows[1].advised_bits.value_or(10) + 3)
        << share;
  }
  const UseAdvice none = AdviseByUse(file, 0.1 * now);
  EXPECT_FALSE(none.fits);
  EXPECT_THAT(tools::UseAdviceText(none), HasSubstr("don't fit into"));
}

// No split of these bits over two column families has fewer false reads.
TEST(UseAdviceTest, ItsBitsAreTheBestOnes) {
  FilterUseFile file;
  file.policies = {OneLevel("hot", 10, 4e7), OneLevel("cold", 10, 1e6)};
  const UseAdvice advice = AdviseByUse(file, AdviseByUse(file, std::nullopt).bytes);
  const double budget = 2 * 9e6 * 10;
  for (double hot = 5; hot <= 15; hot += 0.5) {
    const double cold = budget / 9e6 - hot;
    const double reads = (4e7 * core::RateForBits(hot) + 1e6 * core::RateForBits(cold)) / 3600;
    EXPECT_GT(reads, 0.9 * advice.advised_false_reads) << hot;
  }
}

TEST(UseAdviceTest, FiltersOfNoUseAreNamed) {
  FilterUseFile file;
  file.policies = {OneLevel("hits", 10, 0),
                   Family("last", 10, {Level(5, 10, 4e7, 10, 9e6), Level(4, 10, 4e7, 3.9e7, 9e5)})};
  const UseAdvice advice = AdviseByUse(file, std::nullopt);
  ASSERT_THAT(advice.gain, SizeIs(2));
  EXPECT_EQ(advice.gain[0].families, "last");
  EXPECT_THAT(advice.gain[0].policy, HasSubstr(";absent_share=0}"));
  EXPECT_EQ(advice.gain[1].families, "hits");
  EXPECT_THAT(advice.gain[1].says, HasSubstr("No filter policy for these would free 7.4 MiB"));
  EXPECT_THAT(advice.gain[1].policy, IsEmpty());
}

TEST(UseAdviceTest, RatesByLevelAreAdvisedWhereTheySpareMuch) {
  FilterUseFile file;
  file.policies = {
      Family("levels", 10, {Level(4, 10, 4e7, 3.9e7, 9e5), Level(5, 10, 4e7, 3e7, 9e6)})};
  const UseAdvice advice = AdviseByUse(file, std::nullopt);
  ASSERT_THAT(advice.gain, SizeIs(1));
  EXPECT_THAT(advice.gain[0].policy, HasSubstr(";level_plan=learned}"));
  file.policies[0].policy += ";level_plan=learned";
  EXPECT_THAT(AdviseByUse(file, std::nullopt).gain, IsEmpty());
}

TEST(UseAdviceTest, PoliciesThatChooseTheirBitsKeepThem) {
  FilterUseFile file = Walrus();
  file.policies[4].policy += ";filter_memory=64MiB";
  const UseAdvice advice = AdviseByUse(file, std::nullopt);
  EXPECT_THAT(advice.mend, IsEmpty());
  EXPECT_THAT(advice.unknown, ::testing::Contains(HasSubstr("filter_memory")));
}

class ReadFilterUseTest : public ::testing::Test {
 protected:
  FilterUseFile Read(const std::string& text) {
    problem_.clear();
    const std::string path = folder_ / "use";
    std::ofstream(path) << text;
    return ReadFilterUse(path, &problem_);
  }

  const testing::TemporaryFolder folder_;
  std::string problem_;
};

nlohmann::json Row(int level) {
  return {{"policy", "bits_per_key=10"},
          {"databases", {"/db"}},
          {"families", {"default", "other"}},
          {"level", level},
          {"seconds", 12.5},
          {"asks", 1000},
          {"denied", 900},
          {"asks_counted", 2},
          {"denied_counted", 1},
          {"false_positives", 9.5},
          {"false_positives_low", 1},
          {"false_positives_high", 20},
          {"filters", 3},
          {"keys", 40},
          {"bytes", 50},
          {"ranges_asked", 0},
          {"ranges_denied", 0}};
}

TEST_F(ReadFilterUseTest, ReadsJson) {
  nlohmann::json json = {{"schema", "winnow.filter_use/1"}, {"one_counted_of", 512}};
  json["rows"] = {Row(0), Row(5)};
  const FilterUseFile file = Read(json.dump());
  EXPECT_EQ(problem_, "");
  ASSERT_THAT(file.policies, SizeIs(1));
  ASSERT_THAT(file.policies[0].levels, SizeIs(2));
  EXPECT_EQ(file.policies[0].levels[1].level, 5);
  EXPECT_EQ(file.policies[0].Sum().asks, 2000);
  EXPECT_EQ(FamiliesText(file.policies[0]), "default, other of /db");
}

// The file is FilterUseAsJson's output (tests/rocksdb/use/use_text_test.cc).
TEST(ReadGoldenFilterUseTest, ReadsWhatThePluginWrites) {
  std::string problem;
  const FilterUseFile file = ReadFilterUse(GOLDEN "filter_use.json", &problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(file.one_counted_of, 2048);
  ASSERT_THAT(file.policies, SizeIs(2));
  EXPECT_EQ(FamiliesText(file.policies[0]), "orders of /data/db");
  EXPECT_EQ(file.policies[0].levels[0].asks_counted, 20000);
  EXPECT_THAT(AdviseByUse(file, std::nullopt).mend, IsEmpty());
}

TEST_F(ReadFilterUseTest, SaysWhatIsWrongWithJson) {
  nlohmann::json json = {{"schema", "winnow.filter_use/2"}, {"one_counted_of", 512}};
  json["rows"] = nlohmann::json::array();
  Read(json.dump());
  EXPECT_THAT(problem_,
              HasSubstr("its schema is winnow.filter_use/2, and not winnow.filter_use/1"));
  json["schema"] = "winnow.filter_use/1";
  json["rows"] = {Row(1)};
  json["rows"][0]["asks"] = -1;
  Read(json.dump());
  EXPECT_THAT(problem_, HasSubstr("asks is -1"));
  json["rows"][0].erase("asks");
  Read(json.dump());
  EXPECT_THAT(problem_, HasSubstr("asks"));
  const std::string whole = json.dump();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    Read(whole.substr(0, bytes));
    EXPECT_NE(problem_, "") << bytes;
  }
}

constexpr char kTable[] =
    "2026/11/25-04:00:00.000000 7f00 [winnow] what filters answered, by policy and level, the most "
    "false positives first; estimates, as one ask in 512 is counted\n"
    "  false positives            asks          denied level  filters         keys        bytes  "
    "seconds  column families, and the policy\n"
    "          1234567       987654321       900000000     5       12      9000000      7730000    "
    " "
    "3600  default, meta  bits_per_key=3;ribbon_min_keys=auto\n"
    "              100          200000          150000    -1        1          700          900    "
    " "
    "3600    bits_per_key=10\n"
    "2026/11/25-04:00:01.000000 7f00 [db/flush_job.cc:1] flushed\n";

TEST_F(ReadFilterUseTest, ReadsTheLastTableOfALog) {
  const std::string older =
      "x [winnow] what filters answered, by policy and level, as one ask in 64 is counted\ntitles\n"
      "  1 2 3 4 5 6 7 8  old  bits_per_key=9\nother\n";
  const FilterUseFile file = Read("first line\n" + older + kTable);
  EXPECT_EQ(problem_, "");
  EXPECT_EQ(file.one_counted_of, 512);
  ASSERT_THAT(file.policies, SizeIs(2));
  EXPECT_EQ(FamiliesText(file.policies[0]), "default, meta");
  EXPECT_EQ(file.policies[0].policy, "bits_per_key=3;ribbon_min_keys=auto");
  EXPECT_EQ(file.policies[0].levels[0].false_positives, 1234567);
  EXPECT_EQ(file.policies[0].levels[0].denied, 900000000);
  EXPECT_EQ(file.policies[0].levels[0].bytes, 7730000);
  EXPECT_EQ(file.policies[1].levels[0].level, -1);
  EXPECT_THAT(file.policies[1].families, IsEmpty());
}

TEST_F(ReadFilterUseTest, SaysThatALogHasNoTable) {
  for (const char* text :
       {"", "no table\n", "what filters answered, by policy and level\ntitles\n"}) {
    Read(text);
    EXPECT_THAT(problem_, HasSubstr("nor a LOG with a table")) << text;
  }
  problem_.clear();
  ReadFilterUse(folder_ / "absent", &problem_);
  EXPECT_THAT(problem_, HasSubstr("absent: No such file or directory"));
}

TEST(UseAdviceJsonTest, HasAllOfIt) {
  const auto json = nlohmann::json::parse(UseAdviceJson(AdviseByUse(Walrus(), 80 * kMiB)));
  EXPECT_EQ(json["schema"], "winnow.advise_use/1");
  EXPECT_EQ(json["policies"].size(), 10u);
  EXPECT_EQ(json["policies"][0]["families"][0], "family4");
  EXPECT_GT(json["policies"][0]["advised"]["bits_per_key"], 5);
  EXPECT_EQ(json["budget"]["bytes"], 80 * kMiB);
  EXPECT_EQ(json["budget"]["fits"], true);
  EXPECT_LT(json["advised"]["false_reads_per_second"], json["now"]["false_reads_per_second"]);
  EXPECT_FALSE(json["unknown"].empty());
}

TEST(UseAdviceTest, WithoutRowsThereIsNoVerdict) {
  const UseAdvice advice = AdviseByUse({}, std::nullopt);
  EXPECT_THAT(advice.mend, IsEmpty());
  EXPECT_TRUE(advice.fits);
  const std::string text = tools::UseAdviceText(advice);
  EXPECT_THAT(text, AllOf(HasSubstr("There is no verdict: the figures have no rows"),
                          Not(HasSubstr("Nothing to mend"))));
  EXPECT_THAT(UseAdviceJson(advice), HasSubstr("There is no verdict: the figures have no rows"));
}

// Returns figures of one level with `counted` counted checks, all but one of which rejected the
// key.
FilterUseFile Counted(double counted) {
  FilterUseFile file;
  file.one_counted_of = 2048;
  file.policies = {OneLevel("few", 10, 2048 * (counted - 1), 2048 * counted)};
  file.policies[0].levels[0].asks_counted = counted;
  return file;
}

TEST(UseAdviceTest, WithFewCountedAsksThereIsNoVerdict) {
  for (const double counted : {1, 2, 5, 100, 399}) {
    const UseAdvice advice = AdviseByUse(Counted(counted), std::nullopt);
    EXPECT_THAT(advice.mend, IsEmpty()) << counted;
    EXPECT_THAT(advice.gain, IsEmpty()) << counted;
    const std::string text = tools::UseAdviceText(advice);
    EXPECT_THAT(text, AllOf(HasSubstr("There is no verdict: fewer than 400 asks of each policy"),
                            HasSubstr("after 819200 asks"), HasSubstr("too few asks"),
                            Not(HasSubstr("Nothing to mend"))))
        << counted;
    EXPECT_THAT(UseAdviceJson(advice), HasSubstr("There is no verdict: ")) << counted;
    EXPECT_TRUE(AdviseByUse(Counted(counted), advice.bytes / 2).rows[0].advised_bits ==
                std::nullopt);
  }
  const UseAdvice enough = AdviseByUse(Counted(400), std::nullopt);
  EXPECT_THAT(tools::UseAdviceText(enough), Not(HasSubstr("no verdict")));
  // Facts about other policies are reported.
  FilterUseFile file = Counted(10'000);
  file.policies.push_back(Counted(5).policies[0]);
  EXPECT_THAT(tools::UseAdviceText(AdviseByUse(file, std::nullopt)),
              AllOf(HasSubstr("Nothing to mend"),
                    HasSubstr("There is no\nverdict on the policies with too few asks.")));
}

// A level with few counted checks shows nothing about its best rate.
TEST(UseAdviceTest, ALevelOfFewCountedAsksHasNoRateToPromise) {
  FilterUseFile file;
  file.one_counted_of = 2048;
  file.policies = {
      Family("levels", 10, {Level(4, 10, 4e7, 3.9e7, 9e5), Level(5, 10, 2048 * 3, 4096, 9e6)})};
  const UseAdvice advice = AdviseByUse(file, std::nullopt);
  EXPECT_THAT(advice.gain, IsEmpty());
  EXPECT_THAT(advice.unknown, ::testing::Contains(HasSubstr("other rates by level")));
  file.policies[0].levels[1] = Level(5, 10, 4e7, 3e7, 9e6);
  EXPECT_THAT(AdviseByUse(file, std::nullopt).gain, SizeIs(1));
}

TEST(UseAdviceTest, NothingToMendIsNotSaidBesideAPromiseOfFewerFalseReads) {
  FilterUseFile file;
  file.policies = {
      Family("levels", 10, {Level(4, 10, 4e7, 3.9e7, 9e5), Level(5, 10, 4e7, 3e7, 9e6)})};
  const UseAdvice advice = AdviseByUse(file, std::nullopt);
  ASSERT_THAT(advice.mend, IsEmpty());
  ASSERT_THAT(advice.gain, SizeIs(1));
  EXPECT_THAT(tools::UseAdviceText(advice),
              AllOf(HasSubstr("Other bits per key in the same memory would spare few false reads"),
                    Not(HasSubstr("Nothing to mend"))));
}

}  // namespace use_advice_test
}  // namespace winnow::inspect
