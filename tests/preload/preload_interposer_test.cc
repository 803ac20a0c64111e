// Interposed functions in programs that request RocksDB's built-in policies.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "src/preload/interposer.h"
#include "tests/preload/preload_setup.h"
#include "tests/preload/traces.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/range_of_table.h"
#include "tests/support/sanitized.h"

namespace winnow {
namespace preload_interposer_test {

using ::testing::AllOf;
using ::testing::AnyOf;
using testing::ChildResult;
using ::testing::ElementsAre;
using testing::FileFilter;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using ::testing::MatchesRegex;
using testing::NewestOptionsFile;
using ::testing::Not;
using testing::Preloading;
using testing::ReadFilters;
using testing::RunClient;
using testing::RunProgram;
using ::testing::SizeIs;
using testing::TemporaryFolder;
using testing::Traces;
using testing::TracesOf;
using Kinds = std::map<std::string, int>;

// Enough for a Ribbon filter in the half that is compacted.
constexpr char kKeys[] = "10000";

// The client flushes one half of the keys and compacts the other.
const Kinds kTwoRibbons = {{"winnow ribbon", 2}};
const Kinds kBloomAndRibbon = {{"winnow bloom", 1}, {"winnow ribbon", 1}};

class PreloadTest : public ::testing::Test {
 protected:
  // Writes the database and expects exit status 0.
  ChildResult Write(const std::string& policy, const std::vector<std::string>& environment) {
    return Run("write", policy, environment);
  }

  // Writes half of the keys again and compacts them.
  ChildResult Overwrite(const std::string& policy, const std::vector<std::string>& environment) {
    return Run("overwrite", policy, environment);
  }

  // Reads the database. Expects that all keys are found and no others.
  ChildResult Read(const std::string& policy, const std::vector<std::string>& environment) {
    ChildResult result = Run("read", policy, environment);
    EXPECT_THAT(result.output, HasSubstr("missing=0 invented=0")) << result.errors;
    return result;
  }

  const std::string& database() const { return database_; }

 private:
  ChildResult Run(const std::string& what, const std::string& policy,
                  const std::vector<std::string>& environment) {
    ChildResult result = RunClient({what, database_, policy, kKeys}, environment);
    EXPECT_EQ(result.status, 0) << result.errors;
    return result;
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

int FiltersThatAnswered(const std::string& output) {
  return std::stoi(output.substr(output.find("useful=") + 7));
}

struct Asked {
  const char* policy;
  Kinds kinds;
};

void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.policy; }

// Returns a test name: letters, digits and underscores.
std::string TestName(const ::testing::TestParamInfo<Asked>& info) {
  std::string name = info.param.policy;
  for (char& letter : name) {
    letter = std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  }
  return name;
}

class PreloadPolicyTest : public PreloadTest, public ::testing::WithParamInterface<Asked> {};

TEST_P(PreloadPolicyTest, GetsWinnowFiltersAndFindsAllKeys) {
  Write(GetParam().policy, Preloading({"WINNOW_POLICY=winnow:10"}));
  EXPECT_EQ(KindsOfFilters(database()), GetParam().kinds);
  const ChildResult read = Read(GetParam().policy, Preloading({"WINNOW_POLICY=winnow:10"}));
  EXPECT_GT(FiltersThatAnswered(read.output), 9700);
}

INSTANTIATE_TEST_SUITE_P(
    EveryWay, PreloadPolicyTest,
    ::testing::Values(Asked{"bloom:10", kTwoRibbons}, Asked{"ribbon:10:0", kBloomAndRibbon},
                      Asked{"ribbon:10:-1", kTwoRibbons},
                      Asked{"ribbon:10:7", {{"winnow bloom", 2}}},
                      Asked{"string:filter_policy=bloomfilter:10:false", kTwoRibbons},
                      Asked{"string:filter_policy=bloomfilter:10:true", kTwoRibbons},
                      Asked{"string:filter_policy=bloomfilter:10", kTwoRibbons},
                      Asked{"string:filter_policy=rocksdb.BloomFilter:10", kTwoRibbons},
                      Asked{"string:filter_policy=ribbonfilter:10", kBloomAndRibbon},
                      Asked{"string:filter_policy=ribbonfilter:10:-1", kTwoRibbons},
                      Asked{"string:filter_policy=winnow:10", kTwoRibbons}),
    TestName);

class PreloadCApiTest : public PreloadTest, public ::testing::WithParamInterface<Asked> {};

TEST_P(PreloadCApiTest, GetsWinnowFiltersAndFindsAllKeys) {
  const ChildResult result =
      RunProgram({PRELOAD_C_CLIENT, database(), GetParam().policy, "10", kKeys},
                 Preloading({"WINNOW_POLICY=winnow"}));
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "missing=0 invented=0\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(KindsOfFilters(database()), GetParam().kinds);
}

// The C API wraps the policy, and RocksDB sees only the wrapper.
TEST_P(PreloadCApiTest, GetsRangeFilters) {
  const ChildResult result =
      RunProgram({PRELOAD_C_CLIENT, database(), GetParam().policy, "10", kKeys},
                 Preloading({"WINNOW_POLICY=winnow", "WINNOW_RANGE_BITS=15", "WINNOW_LOG=1"}));
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: column family"),
              ElementsAre("winnow: column family default of " + database() +
                          " gets range filters, of range_bits=15"));
  for (const FileFilter& file : ReadFilters(database())) {
    EXPECT_THAT(testing::RangeFilterOfTable(file.block), Not(IsEmpty())) << file.file;
  }
}

// filter_memory is in force only with a listener, which tells the policy of all files.
TEST_P(PreloadCApiTest, GetsAListener) {
  const ChildResult result =
      RunProgram({PRELOAD_C_CLIENT, database(), GetParam().policy, "10", kKeys},
                 Preloading({"WINNOW_POLICY={id=winnow;filter_memory=2KiB}"}));
  EXPECT_EQ(result.status, 0) << result.errors;
  const std::string log = testing::ReadFile(database() + "/LOG");
  EXPECT_THAT(log, Not(HasSubstr("not in force")));
  size_t bytes = 0;
  for (const FileFilter& file : ReadFilters(database())) bytes += file.block.size();
  EXPECT_LT(bytes, 3000u);
}

INSTANTIATE_TEST_SUITE_P(EveryWay, PreloadCApiTest,
                         ::testing::Values(Asked{"bloom", {{"winnow ribbon", 1}}},
                                           Asked{"bloom_full", {{"winnow ribbon", 1}}},
                                           Asked{"ribbon", {{"winnow ribbon", 1}}},
                                           Asked{"ribbon_hybrid", {{"winnow bloom", 1}}}),
                         TestName);

TEST_F(PreloadTest, LeavesWhatTheProgramAloneLeavesUnlessItIsToBuildWinnowFilters) {
  const std::vector<std::string> stock = {"WINNOW_POLICY=stock", "WINNOW_ADD=1"};
  for (const char* policy :
       {"bloom:10", "bloom:0", "bloom:9.9", "bloom:50", "ribbon:10:0", "ribbon:10:-1",
        "string:filter_policy=bloomfilter:12", "string:filter_policy=ribbonfilter:12:3",
        "string:filter_policy=bloomfilter:10;format_version=4", "none"}) {
    const Traces plain = TracesOf(Write(policy, {}), database());
    for (const std::vector<std::string>& environment :
         {stock, {"WINNOW_ADD=1"}, {"WINNOW_POLICY="}, {"WINNOW_POLICY=read"}}) {
      EXPECT_TRUE(TracesOf(Write(policy, Preloading(environment)), database()) == plain)
          << policy << " " << ::testing::PrintToString(environment);
    }
  }
  // RocksDB silently ignores a policy that it does not know.
  constexpr char kUnknown[] = "string:filter_policy=winow:10";
  const Traces plain = TracesOf(Write(kUnknown, {}), database());
  EXPECT_TRUE(TracesOf(Write(kUnknown, Preloading(stock)), database()) == plain);
}

TEST_F(PreloadTest, LeavesWhatAProgramOfTheCApiLeaves) {
  for (const char* policy : {"bloom", "bloom_full", "ribbon"}) {
    const std::vector<std::string> command = {PRELOAD_C_CLIENT, database(), policy, "10", kKeys};
    const Traces plain = TracesOf(RunProgram(command), database());
    std::filesystem::remove_all(database());
    EXPECT_TRUE(TracesOf(RunProgram(command, Preloading({"WINNOW_POLICY=read"})), database()) ==
                plain)
        << policy;
    std::filesystem::remove_all(database());
    ASSERT_EQ(RunProgram(command, Preloading({"WINNOW_POLICY=winnow:10"})).status, 0);
    EXPECT_EQ(NewestOptionsFile(database()), plain.options) << policy;
    std::filesystem::remove_all(database());
  }
}

TEST_F(PreloadTest, OptionsFilesAndNamesOfPoliciesStayWhatTheyWere) {
  for (const char* policy : {"bloom:10", "bloom:9.9", "bloom:0", "bloom:50", "ribbon:10:0",
                             "ribbon:12:-1", "string:filter_policy=bloomfilter:10:false"}) {
    Write(policy, {});
    const std::string stock = NewestOptionsFile(database());
    Write(policy, Preloading({"WINNOW_POLICY=winnow:10"}));
    EXPECT_EQ(NewestOptionsFile(database()), stock) << policy;
    const std::string name = policy[0] == 'r' ? "ribbonfilter" : "bloomfilter";
    // RocksDB's Ribbon policy has its own option from 8.7.
    EXPECT_THAT(stock, AnyOf(HasSubstr("filter_policy=" + name + ":"),
                             HasSubstr("filter_policy={id=" + name + ":")));
    for (const FileFilter& filter : ReadFilters(database())) {
      EXPECT_THAT(filter.policy_name, AnyOf(name, "")) << filter.file;
    }
  }
}

// Every program after the first takes all its options from the saved OPTIONS file.
TEST_F(PreloadTest, ADatabaseChangesToWinnowAndBackByThePreloadAlone) {
  const std::vector<std::string> environment = Preloading({"WINNOW_POLICY=winnow:10"});
  const std::vector<std::string> stock;
  Write("bloom:10", stock);
  const std::string options = NewestOptionsFile(database());
  EXPECT_THAT(Read("saved", stock).output, HasSubstr("newer=0 "));
  EXPECT_GT(FiltersThatAnswered(Read("saved", environment).output), 9700);

  Overwrite("saved", environment);
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"built-in bloom", 1}, {"winnow ribbon", 1}}));
  EXPECT_EQ(NewestOptionsFile(database()), options);
  const ChildResult both = Read("saved", environment);
  EXPECT_THAT(both.output, HasSubstr("newer=5000 "));
  EXPECT_GT(FiltersThatAnswered(both.output), 9700);

  const ChildResult back = Read("saved", stock);
  EXPECT_THAT(back.output, HasSubstr("newer=5000 "));
  EXPECT_LT(FiltersThatAnswered(back.output), 5100) << "the built-in policy read Winnow's filter";
  Overwrite("saved", stock);
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"built-in bloom", 2}}));
  EXPECT_EQ(NewestOptionsFile(database()), options);
  EXPECT_GT(FiltersThatAnswered(Read("saved", stock).output), 9700);
}

TEST_F(PreloadTest, TheLogIsALineAtTheFirstUseAndOneAtTheEnd) {
  const std::vector<std::string> environment =
      Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_LOG=1"});
  const ChildResult written = Write("bloom:10", environment);
  EXPECT_THAT(
      LinesThatBegin(written.errors, "winnow:"),
      ElementsAre(HasSubstr("in force in preload_client"),
                  MatchesRegex("winnow: filter policy bloomfilter:10:false builds Winnow "
                               "filters, bits_per_key=10;.*"),
                  MatchesRegex("winnow: built 0 Bloom filters and 3 Ribbon filters of 15000 "
                               "keys in [0-9]+ bytes .*; [0-9]+ lookups with [0-9]+ hashes "
                               "computed and 0 shared")));
  EXPECT_THAT(LinesThatBegin(written.errors, ""), SizeIs(3)) << written.errors;

  const ChildResult read = Read("bloom:10", environment);
  EXPECT_THAT(
      LinesThatBegin(read.errors, "winnow:"),
      ElementsAre(HasSubstr("in force in preload_client"), HasSubstr("bloomfilter:10:false"),
                  MatchesRegex(
                      "winnow: built no filters of Winnow's; loaded 2 filters of Winnow's and 0 of "
                      "RocksDB's own; [1-9][0-9]{4} lookups with [1-9][0-9]* hashes computed and 0 "
                      "shared")));
}

TEST_F(PreloadTest, AForkedProcessDoesNotRepeatTheTotals) {
  const ChildResult result =
      RunClient({"ask-and-fork"}, Preloading({"WINNOW_POLICY=winnow", "WINNOW_LOG=1"}));
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(LinesThatBegin(result.errors, ""),
              ElementsAre(HasSubstr("in force"), HasSubstr("winnow: built no filters")));
}

TEST_F(PreloadTest, AProcessThatForksBeforeItWorksSaysTheTotals) {
  Write("bloom:10", Preloading({"WINNOW_POLICY=winnow"}));
  const ChildResult result = RunClient({"daemon", "read-only@" + database(), "bloom:10", kKeys},
                                       Preloading({"WINNOW_POLICY=winnow", "WINNOW_LOG=1"}));
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(LinesThatBegin(result.errors, ""),
              ElementsAre(HasSubstr("in force"), HasSubstr("builds Winnow filters"),
                          HasSubstr("winnow: built no filters")));
}

TEST_F(PreloadTest, AMalformedPolicyKeepsADatabaseWithFiltersFromBeingOpened) {
  for (const char* asked : {"bloom:10", "ribbon:10:0", "string:filter_policy=bloomfilter:10:false",
                            "string:filter_policy=ribbonfilter:10"}) {
    const ChildResult result =
        RunClient({"write", database(), asked, "10"}, Preloading({"WINNOW_POLICY=winnow:ten"}));
    EXPECT_EQ(result.status, 3) << asked;
    EXPECT_THAT(result.errors, AllOf(HasSubstr("Invalid argument: WINNOW_POLICY is \"winnow:ten\""),
                                     HasSubstr("bits_per_key")))
        << asked;
    EXPECT_FALSE(std::filesystem::exists(database() + "/CURRENT")) << asked;
  }
  // The C API wraps Winnow's policy in its own.
  const ChildResult result = RunProgram({PRELOAD_C_CLIENT, database(), "bloom_full", "10", "100"},
                                        Preloading({"WINNOW_POLICY=winnow:ten"}));
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.errors, HasSubstr("WINNOW_POLICY is \"winnow:ten\""));
}

TEST_F(PreloadTest, AMalformedPolicyDoesNotConcernAProgramWithoutOne) {
  const std::vector<std::string> malformed = Preloading({"WINNOW_POLICY=winnow:ten"});
  for (const char* asked : {"none", "string:filter_policy=nullptr", "string:block_size=8192",
                            "string:filter_policy=winnow:10"}) {
    EXPECT_THAT(Write(asked, malformed).errors, IsEmpty()) << asked;
  }
  const ChildResult idle = RunClient({"idle"}, malformed);
  EXPECT_EQ(idle.status, 0);
  EXPECT_THAT(idle.errors, IsEmpty());
}

TEST_F(PreloadTest, APolicyThatRocksDBDoesNotKnowIsNamed) {
  for (const char* environment : {"WINNOW_LOG=0", "WINNOW_POLICY=winnow:10"}) {
    const ChildResult result = Write("string:filter_policy=winow:10", Preloading({environment}));
    EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"none", 2}})) << environment;
    EXPECT_THAT(LinesThatBegin(result.errors, ""),
                ElementsAre(HasSubstr("RocksDB knows no filter policy \"winow:10\"")))
        << environment;
  }
}

TEST_F(PreloadTest, ManyThreadsMayAskAtOnce) {
  for (int round = 0; round < 5; ++round) {
    const ChildResult result =
        RunClient({"ask-in-threads"}, Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_LOG=1"}));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(LinesThatBegin(result.errors, "winnow: in force"), SizeIs(1)) << result.errors;
  }
}

// The plugin itself suffices for options that name Winnow, in programs linked with the shared
// RocksDB.
TEST_F(PreloadTest, BothLibrariesMayBeLoadedOrThePluginAlone) {
  constexpr char kNamed[] = "string:filter_policy=winnow:10";
  Write(kNamed, Preloading({}, PLUGIN_LIBRARY));
  EXPECT_EQ(KindsOfFilters(database()), kTwoRibbons);
  EXPECT_GT(FiltersThatAnswered(Read(kNamed, Preloading({}, PLUGIN_LIBRARY)).output), 9700);
  const std::string libraries[] = {std::string(PLUGIN_LIBRARY) + " " + PRELOAD_LIBRARY,
                                   std::string(PRELOAD_LIBRARY) + " " + PLUGIN_LIBRARY};
  for (const std::string& both : libraries) {
    for (const char* policy : {"bloom:10", kNamed}) {
      Write(policy, Preloading({"WINNOW_POLICY=winnow:10"}, both));
      EXPECT_EQ(KindsOfFilters(database()), kTwoRibbons) << both << " " << policy;
      Read(policy, Preloading({"WINNOW_POLICY=winnow:10"}, both));
    }
  }
}

TEST_F(PreloadTest, AnotherVersionOfRocksDBIsPassedThroughWithOneLine) {
  const std::string libraries = std::string(OTHER_VERSION_LIBRARY) + " " + PRELOAD_LIBRARY;
  const ChildResult result =
      Write("bloom:10",
            Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1", "WINNOW_LOG=1"}, libraries));
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"built-in bloom", 2}}));
  EXPECT_THAT(LinesThatBegin(result.errors, ""),
              ElementsAre(AllOf(HasSubstr("winnow: "), HasSubstr("99.1.0"))));

  for (const std::vector<std::string>& nothing :
       {std::vector<std::string>(), {"WINNOW_POLICY=stock"}}) {
    EXPECT_THAT(Write("bloom:10", Preloading(nothing, libraries)).errors, IsEmpty());
  }
  const ChildResult ended =
      RunClient({"idle"}, Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_REQUIRE=1"}, libraries));
  EXPECT_EQ(ended.status, 125);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("99.1.0"), HasSubstr("WINNOW_REQUIRE ends")));
}

TEST_F(PreloadTest, AnotherVersionOfRocksDBIsSaidToAProgramThatNamesWinnow) {
  const ChildResult result =
      Write("string:filter_policy=winnow:10",
            Preloading({}, std::string(OTHER_VERSION_LIBRARY) + " " + PRELOAD_LIBRARY));
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"none", 2}}));
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow:"), ElementsAre(HasSubstr("99.1.0")));
}

// Functions are not exchanged if another compiler mangles their parameter types differently.
TEST(PreloadInterposerTest, RefusesTheLibraryOfAnotherCompilerAndOfAnotherBuild) {
  WINNOW_SKIP_IF_SANITIZED();
  void* const plugin = ::dlopen(PLUGIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  auto* const get =
      reinterpret_cast<preload::GetInterposer*>(::dlsym(plugin, preload::kInterposerFunction));
  ASSERT_NE(get, nullptr);
  preload::FrontState front = {preload::kInterposerBuild, {}, "", {}, {}, {}};
  for (const char*& parameters : front.parameters) parameters = "(as it has them)";
  const preload::Interposer* const refusing = get(&front);
  ASSERT_NE(refusing, nullptr);
  EXPECT_STREQ(refusing->problem,
               "libwinnow_preload.so was compiled by another compiler than this plugin, which "
               "writes types in another way; build both with one");
  for (const void* const handler : refusing->handlers) EXPECT_EQ(handler, nullptr);
  front.build = "Winnow 0.9, interposer 1";
  EXPECT_EQ(get(&front), nullptr);
}

}  // namespace preload_interposer_test
}  // namespace winnow
