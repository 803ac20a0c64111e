// Programs with another RocksDB or none behave with the preloaded interposer as without. Stand-ins
// answer all calls of programs and plugins, and print who answered.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace {

using testing::ChildResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Preloading;
using testing::RunProgram;
using Words = std::vector<std::string>;

Words Split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

struct Case {
  std::string name;
  std::string program;  // the suffix of preload_standin_host_
  std::string what;     // arguments of the program
  // Expected set of WHO:ANSWERER, from output lines "WHO HOW: ANSWERER …".
  std::string answers;
  // Expected set with WINNOW_POLICY, which differs if this build's RocksDB answers.
  std::string answers_with_policy = answers;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.program << " " << one.what; }

// Returns the output with its final lines sorted. The order of destructors at exit depends on the
// libraries' dependencies, which the interposer changes.
std::string WithSortedEnd(const std::string& output) {
  const size_t end = std::min(output.find("\ndone\n"), output.size());
  std::istringstream stream(output.substr(end));
  std::multiset<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.insert(line);
  }
  std::string sorted = output.substr(0, end);
  for (const std::string& line : lines) {
    sorted += line + "\n";
  }
  return sorted;
}

ChildResult RunCase(const Case& one, const Words& environment) {
  Words command = {STANDINS "preload_standin_host_" + one.program};
  for (const std::string& word : Split(one.what)) {
    command.push_back(word);
  }
  ChildResult result = RunProgram(command, environment);
  result.output = WithSortedEnd(result.output);
  return result;
}

// Returns the set of WHO:ANSWERER, without the version in this build's library name.
std::set<std::string> Answers(const std::string& output) {
  std::set<std::string> answers;
  std::istringstream lines(output);
  const std::regex form("(\\w+) (?!closed)\\w+: (librocksdb|\\w+).*");
  for (std::string line; std::getline(lines, line);) {
    if (std::smatch parts; std::regex_match(line, parts, form)) {
      answers.insert(parts[1].str() + ":" + parts[2].str());
    }
  }
  return answers;
}

std::set<std::string> Set(const std::string& answers) {
  const Words words = Split(answers);
  return {words.begin(), words.end()};
}

// Returns the output with Winnow's answers instead of those of this build's RocksDB, and no other
// change.
std::string WithWinnow(const std::string& output) {
  return std::regex_replace(output, std::regex(": librocksdb[^ \n]*\n"), ": winnow\n");
}

// Returns the lines without those by which processes say that a RocksDB is left alone.
std::string WithoutLeftAlone(const std::string& errors) {
  return std::regex_replace(
      errors, std::regex("winnow: not in force in [^\n]* is left alone: [^\n]*\n"), "");
}

class StandinTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { WINNOW_SKIP_IF_SANITIZED(); }
};

TEST_P(StandinTest, IsAnsweredAsWithoutThePreload) {
  const Case& one = GetParam();
  const ChildResult without = RunCase(one, {});
  EXPECT_EQ(without.status, 0);
  EXPECT_THAT(without.errors, IsEmpty());
  EXPECT_THAT(without.output, Not(HasSubstr("moved")));
  EXPECT_EQ(Answers(without.output), Set(one.answers)) << without.output;

  const ChildResult idle = RunCase(one, Preloading({}));
  EXPECT_EQ(idle.status, 0);
  EXPECT_EQ(idle.errors, without.errors);
  EXPECT_EQ(idle.output, without.output);

  const ChildResult asked = RunCase(one, Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1"}));
  EXPECT_EQ(asked.status, 0);
  EXPECT_EQ(WithoutLeftAlone(asked.errors), without.errors);
  EXPECT_EQ(asked.output,
            one.answers == one.answers_with_policy ? without.output : WithWinnow(without.output));
  EXPECT_EQ(Answers(asked.output), Set(one.answers_with_policy)) << asked.output;
}

std::string TestName(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Programs, StandinTest,
    ::testing::Values(Case{"WithNone", "none", "maps", ""},
                      Case{"WithAnExportedCopy", "exporting", "all maps", "program:program"},
                      Case{"WithAHiddenCopy", "hidden", "all maps", "program:program"},
                      Case{"WithALibraryOfAnotherVersion", "linked", "all maps", "program:linked"},
                      Case{"ThatProbeByDlsym", "none", "probe maps", "host:nobody"},
                      Case{"ThatProbeByAWeakReference", "weak", "weak maps", "host:nobody"},
                      Case{"WithChildren", "none", "run:host_none run:host_hidden all maps",
                           "program:program"},
                      Case{"WithRocksDBAndAChildWithout", "rocksdb",
                           "policies run:host_none open:one all:one maps",
                           "program:librocksdb one:one", "program:winnow one:one"}),
    TestName);

std::vector<Case> EveryWayToOpen() {
  std::vector<Case> cases;
  for (const std::string plugin : {"one", "now", "symbolic", "same_version", "dependent"}) {
    for (const std::string how : {"", ":now", ":global", ":now:global", ":deepbind"}) {
      const std::string opened = plugin + how;
      const std::string copy = plugin == "dependent" ? "dependency" : plugin;
      std::ostringstream what;
      std::ostringstream answers;
      what << "open:" << opened << " all:" << plugin << " maps";
      answers << plugin << ":" << copy;
      cases.push_back(
          {std::regex_replace(opened, std::regex(":"), "_"), "none", what.str(), answers.str()});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(EveryWay, StandinTest, ::testing::ValuesIn(EveryWayToOpen()), TestName);

INSTANTIATE_TEST_SUITE_P(
    Plugins, StandinTest,
    ::testing::Values(
        Case{"Two", "none", "open:one open:two all:one all:two all:one maps", "one:one two:two"},
        Case{"TwoInManyThreads", "none", "open:one open:two threads:one:two maps",
             "one:one two:two"},
        Case{"WithACopyAndALibrarys", "none", "open:dependent open:one all:one all:dependent maps",
             "one:one dependent:dependency"},
        // The stack of such a call has no frame but the program's.
        Case{"CalledWithoutATrace", "none", "open:one direct:one maps", "one:one host:one"},
        // The program calls functions that only the database's vtable refers to.
        Case{"WithADatabaseForTheProgram", "none", "open:one database:one maps",
             "one:one host:one"},
        Case{"TwoWithADatabaseEach", "none", "open:one open:two database:two database:one maps",
             "one:one two:two host:one host:two"},
        Case{"ClosedAndOpenedAgain", "none",
             "open:one all:one close:one open:one all:one close:one maps", "one:one"},
        // The second plugin may be loaded at the first one's address.
        Case{"InThePlaceOfAnother", "none",
             "open:one all:one close:one open:two all:two close:two open:one all:one maps",
             "one:one two:two"},
        // The first global plugin answers.
        Case{"BehindAGlobalOne", "none", "open:one:global open:two all:two all:one maps",
             "one:one two:one"},
        // Resolved functions stay resolved.
        Case{"LazilyBoundBeforeAGlobalOne", "none",
             "open:two policies:two database:two open:one:global policies:two database:two all:one "
             "maps",
             "two:two one:one host:two"},
        Case{"InAnExportingProgram", "exporting", "open:one all:one all maps",
             "program:program one:program"},
        Case{"InAnExportingProgramWithTheirOwn", "exporting",
             "open:one:deepbind open:symbolic all:one all:symbolic all maps",
             "program:program one:one symbolic:symbolic"},
        Case{"InAHidingProgram", "hidden", "open:one all:one all maps", "program:program one:one"},
        Case{"InALinkedProgram", "linked", "open:one all:one all maps",
             "program:linked one:linked"}),
    TestName);

INSTANTIATE_TEST_SUITE_P(
    BesideOurs, StandinTest,
    ::testing::Values(
        Case{"PluginFirst", "none",
             "open:one open:rocksdb policies:rocksdb all:one policies:rocksdb database:one",
             "rocksdb:librocksdb one:one host:one", "rocksdb:winnow one:one host:one"},
        Case{"InManyThreads", "none", "open:one open:rocksdb threads:one:rocksdb",
             "rocksdb:librocksdb one:one", "rocksdb:winnow one:one"},
        Case{"OfTheSameVersion", "none",
             "open:rocksdb open:same_version policies:rocksdb all:same_version",
             "rocksdb:librocksdb same_version:same_version",
             "rocksdb:winnow same_version:same_version"},
        Case{"OursForAll", "none", "open:rocksdb:global open:one policies:one policies:rocksdb",
             "rocksdb:librocksdb one:librocksdb", "rocksdb:winnow one:winnow"},
        Case{"OursIsClosedAndOpenedAgain", "none",
             "open:rocksdb policies:rocksdb close:rocksdb open:one all:one close:one open:rocksdb "
             "policies:rocksdb",
             "rocksdb:librocksdb one:one", "rocksdb:winnow one:one"},
        Case{"OursIsCalledWithoutATrace", "none", "open:rocksdb direct:rocksdb",
             "rocksdb:librocksdb host:librocksdb", "rocksdb:winnow host:winnow"},
        Case{"OursIsTheProgramsAndAllPluginsGetIt", "rocksdb",
             "open:one policies:one policies open:dependent policies:dependent",
             "program:librocksdb one:librocksdb dependent:librocksdb",
             "program:winnow one:winnow dependent:winnow"},
        Case{"OursIsTheProgramsAndPluginsHaveTheirOwn", "rocksdb",
             "open:one:deepbind open:symbolic all:one all:symbolic policies",
             "program:librocksdb one:one symbolic:symbolic",
             "program:winnow one:one symbolic:symbolic"},
        Case{"HiddenInTheProgram", "hidden", "all open:rocksdb policies:rocksdb all",
             "program:program rocksdb:librocksdb", "program:program rocksdb:winnow"},
        Case{"ForAllInTheProgram", "exporting", "all open:rocksdb policies:rocksdb all",
             "program:program rocksdb:program"},
        Case{"OfAnotherVersion", "linked", "all open:rocksdb policies:rocksdb all",
             "program:linked rocksdb:linked"},
        // RTLD_DEEPBIND makes a plugin's own libraries precede the interposer.
        Case{"OutOfReachInAnExportingProgram", "exporting",
             "all open:rocksdb:deepbind policies:rocksdb all",
             "program:program rocksdb:librocksdb"}),
    TestName);

// The program itself has no RocksDB; only the database's vtable refers to one.
TEST(StandinsTest, ADatabaseOfAPluginIsChangedByAProgramWithoutRocksDB) {
  WINNOW_SKIP_IF_SANITIZED();
  const testing::TemporaryFolder folder;
  const Words command = {STANDINS "preload_standin_database", STANDINS "preload_standin_opener.so",
                         folder / "db"};
  for (const Words& environment :
       {Words{}, Preloading({}), Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1"})}) {
    const ChildResult result = RunProgram(command, environment);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, "good option: OK\nbad option: refused\n");
    EXPECT_THAT(WithoutLeftAlone(result.errors), IsEmpty());
  }
}

// Winnow is not in force in such a process, which must say so even without WINNOW_LOG, and can be
// told to end.
TEST(StandinsTest, ARocksDBOutOfReachIsNamedOnceAndEndsAProcessThatRequiresWinnow) {
  WINNOW_SKIP_IF_SANITIZED();
  const struct {
    Case process;
    bool is_ended;  // RTLD_DEEPBIND hides it from Winnow until the process ends
  } cases[] = {{{"", "linked", "all all", ""}, true},
               {{"", "exporting", "all", ""}, true},
               {{"", "none", "open:one", ""}, true},
               {{"", "none", "open:symbolic", ""}, true},
               {{"", "rocksdb", "policies open:dependent", ""}, true},
               {{"", "none", "open:rocksdb policies:rocksdb open:one", ""}, true},
               {{"", "none", "open:one:deepbind all:one", ""}, false}};
  for (const auto& [process, is_ended] : cases) {
    const std::string shown = ::testing::PrintToString(process);
    const ChildResult said = RunCase(process, Preloading({"WINNOW_POLICY=winnow:10"}));
    EXPECT_EQ(said.status, 0) << shown;
    EXPECT_THAT(testing::LinesThatBegin(said.errors, ""),
                ElementsAre(HasSubstr(" is left alone: ")))
        << shown;
    for (const char* variable : {"WINNOW_POLICY=winnow:10", "WINNOW_POLICY=", "WINNOW_LOG=1"}) {
      const ChildResult ended = RunCase(process, Preloading({variable, "WINNOW_REQUIRE=1"}));
      EXPECT_EQ(ended.status, is_ended ? 125 : 0) << shown << variable;
      EXPECT_EQ(ended.output.find("done") == std::string::npos, is_ended) << shown;
      EXPECT_THAT(ended.errors, HasSubstr(" is left alone: ")) << shown << variable;
      EXPECT_EQ(ended.errors.find("; WINNOW_REQUIRE ends the process\n") != std::string::npos,
                is_ended);
    }
  }
}

TEST(StandinsTest, AProcessThatRequiresWinnowGoesOnWithoutAnotherRocksDB) {
  WINNOW_SKIP_IF_SANITIZED();
  const Words required = Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_REQUIRE=1"});
  for (const Case& one : {Case{"", "none", "maps", ""}, Case{"", "rocksdb", "policies", ""},
                          Case{"", "none", "open:rocksdb policies:rocksdb", ""},
                          Case{"", "none", "run:host_none", ""}}) {
    const ChildResult result = RunCase(one, required);
    EXPECT_EQ(result.status, 0) << ::testing::PrintToString(one) << result.errors;
    EXPECT_THAT(result.errors, IsEmpty());
    EXPECT_THAT(result.output, HasSubstr("done"));
  }
  // A child is a process of its own.
  const ChildResult parent = RunCase({"", "none", "run:host_linked", ""}, required);
  EXPECT_THAT(parent.errors, HasSubstr("; WINNOW_REQUIRE ends the process\n"));
}

// Either plugin may answer, since nothing identifies the caller.
TEST(StandinsTest, OneOfTwoPluginsAnswersWhatLeavesNoTrace) {
  WINNOW_SKIP_IF_SANITIZED();
  const Case both{"", "none", "open:one open:two direct:one direct:two", ""};
  for (const Words& environment : {Preloading({}), Preloading({"WINNOW_POLICY=winnow:10"})}) {
    const ChildResult result = RunCase(both, environment);
    EXPECT_EQ(result.status, 0) << result.errors;
    std::set<std::string> answers = Answers(result.output);
    EXPECT_EQ(answers.erase("one:one") + answers.erase("two:two"), 2u) << result.output;
    answers.erase("host:one");
    answers.erase("host:two");
    EXPECT_THAT(answers, IsEmpty()) << result.output;
  }
}

// The linker alone would have found no function for the program. The call looks like a tail call of
// a plugin, which must be answered.
TEST(StandinsTest, AProgramThatProbesBesideAPluginGetsThePlugins) {
  WINNOW_SKIP_IF_SANITIZED();
  const Case beside{"", "weak", "open:one weak policies:one weak", ""};
  const ChildResult result = RunCase(beside, Preloading({}));
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(Answers(result.output), (std::set<std::string>{"host:one", "one:one"}));
}

// The preload must add no library that the program's own libraries could bind to.
TEST(StandinsTest, AProgramOfAnotherLanguageLoadsNoMoreThanThePreload) {
  WINNOW_SKIP_IF_SANITIZED();
  const ChildResult maps =
      RunProgram({"sh", "-c", "cat /proc/self/maps"}, Preloading({"WINNOW_POLICY=winnow:10"}));
  EXPECT_EQ(maps.status, 0);
  EXPECT_THAT(maps.errors, IsEmpty());
  EXPECT_THAT(maps.output, HasSubstr("/libwinnow_preload.so"));
  for (const char* other : {"librocksdb", "libwinnow_rocksdb", "libstdc++"}) {
    EXPECT_THAT(maps.output, Not(HasSubstr(other)));
  }
}

}  // namespace
}  // namespace winnow
