// The tool's help, whose statements are checked and whose examples are run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/matches.h"
#include "tests/tools/tool_testing.h"
#include "winnow/version.h"

namespace winnow {
namespace tool_help_test {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesThatBegin;
using ::testing::Not;
using testing::RunProgram;
using testing::RunTool;
using ::testing::SizeIs;
using testing::VerbNames;

class ToolHelpTest : public testing::ToolExamples {};

TEST_F(ToolHelpTest, EveryExampleOfEveryVerbRuns) {
  const std::vector<std::string> verbs = VerbNames();
  EXPECT_THAT(verbs,
              ::testing::IsSupersetOf({"inspect", "verify", "probe", "policy", "help", "version"}));
  for (const std::string& verb : verbs) {
    const std::vector<std::string> examples = testing::ExamplesOf(verb);
    EXPECT_THAT(examples, Not(IsEmpty())) << verb;
    if (verb == "adopt") continue;  // see AllExamples
    for (const std::string& example : examples) {
      const ChildResult outcome = RunTool(ArgumentsOf(example));
      EXPECT_EQ(outcome.status, 0) << example << "\n" << outcome.errors;
      EXPECT_THAT(outcome.output, Not(IsEmpty())) << example;
      if (verb == "dedup") {  // writes a stream, and totals to stderr
        EXPECT_THAT(outcome.errors, ::testing::MatchesRegex("winnow dedup: [0-9]+ lines, [^\n]*\n"))
            << example;
      } else if (verb != "refilter") {  // says that other policies build in time
        EXPECT_THAT(outcome.errors, IsEmpty()) << example;
      }
    }
  }
}

// Whole numbers are read in any notation, for flags of any type.
TEST_F(ToolHelpTest, WholeNumbersAreReadTheSameByEveryVerb) {
  const struct {
    std::string before;
    std::string number;  // decimal digits
    std::vector<std::string> same;
    std::string after;
  } cases[] = {
      {"size --rate=0.01 --keys=", "1000000", {"1e6", "1000000.0", "0xF4240"}, ""},
      {"policy winnow:10 --keys=", "100000", {"1e5", "1E5", "0x186a0"}, ""},
      {"policy winnow:10 --keys=100 --level=", "3", {"3.0", "0x3"}, ""},
      {"inspect --json --limit=", "10", {"1e1", "0xa"}, " DB"},
      {"verify --samples=", "1000", {"1e3", "0x3e8"}, " DB"},
  };
  for (const auto& [before, number, same, after] : cases) {
    const auto run = [&](const std::string& value) {
      return RunTool(ArgumentsOf("  winnow " + before + value + after));
    };
    const ChildResult digits = run(number);
    EXPECT_EQ(digits.status, 0) << before << digits.errors;
    for (const std::string& value : same) {
      const ChildResult outcome = run(value);
      EXPECT_EQ(outcome.status, 0) << before << value << outcome.errors;
      EXPECT_EQ(outcome.output, digits.output) << before << value;
    }
    EXPECT_EQ(run("1.5").status, 2) << before;
    EXPECT_EQ(run("15e-1").status, 2) << before;
  }
  std::vector<std::string> taken = {"advise DB --draws=1e3", "advise DB --draws=1e3 --sample=1e4"};
  if (testing::HasVerb("pages")) taken.push_back("pages build PAGES KEY --capacity=0x3e8");
  for (const std::string& arguments : taken) {
    EXPECT_EQ(RunTool(ArgumentsOf("  winnow " + arguments)).status, 0) << arguments;
  }
}

// Says where a flag without effect belongs, and what to do in place of one of an earlier version.
TEST_F(ToolHelpTest, AFlagThatDoesNothingIsRefused) {
  std::vector<std::pair<const char*, const char*>> cases = {
      {"policy winnow:10 --path=DB", "--path needs SST files"},
      {"policy OPTIONS --jobs=2", "--jobs needs SST files"},
      {"advise DB --lookups=KEYS --draws=2000", "--draws is the number of made-up lookups"},
      {"advise DB --lookups=KEYS --absent_share=1", "--absent_share is for made-up lookups"},
      {"advise DB --hex", "--hex says how --lookups=FILE"},
      {"advise DB --cache=64MiB", "the flag --cache ended with 2.0: the alarm in a database's LOG"},
      {"advise DB --seconds=5", "the flag --seconds ended with 2.0: --sample says how many keys"},
      {"advise --use=LOG",
       "the flag --use ended with 2.0: the LOG of a database has the table of "},
      {"advise --use LOG",
       "the flag --use ended with 2.0: the LOG of a database has the table of "},
  };
  if (testing::HasVerb("pages")) {
    cases.insert(
        cases.end(),
        {{"size --page=4KiB --rate=0.01 --deletes", "leave out grows, deletes and threads"},
         {"size --page=4KiB --rate=0.01 --grows", "leave out grows, deletes and threads"},
         {"size --page=4KiB --rate=0.01 --threads", "leave out grows, deletes and threads"},
         {"pages ask PAGES KEY --capacity=5", "--capacity goes only with build"},
         {"pages ask PAGES KEY --rate=0.1", "--rate goes only with build"},
         {"pages add PAGES KEY --page_size=64", "--page_size goes only with build"},
         {"pages ask PAGES KEY --name=x", "--name is for pages in a server"}});
  }
  for (const auto& [arguments, said] : cases) {
    testing::ExpectWrongUsage(ArgumentsOf(std::string("  winnow ") + arguments), said);
  }
}

// Tests every numeric flag of every verb.
TEST_F(ToolHelpTest, ANumberOutOfItsRangeIsAnsweredByTheRangeOnce) {
  const std::regex with_range(R"(  --([a-z_]+)=\S+ \(([-+.0-9e]+) to ([-+.0-9e]+)[;)].*)");
  const std::regex looks_numeric(R"(  --[a-z_]+=(N|SHARE|BYTES|R|P|.* \(default: -?[0-9.]+\))$)");
  const std::regex range("from [-+.0-9e]+ to [-+.0-9e]+");
  int flags = 0;
  for (const std::string& verb : VerbNames()) {
    for (const std::string& line : LinesThatBegin(RunTool("help " + verb).output, "  --")) {
      std::smatch match;
      if (!std::regex_match(line, match, with_range)) {
        EXPECT_TRUE(line.find("=TIME") != std::string::npos ||
                    !std::regex_match(line, looks_numeric))
            << verb << line << " has no range";
        continue;
      }
      ++flags;
      const std::string flag = "--" + match[1].str();
      const std::string below = std::to_string(std::stod(match[2]) - 1);
      for (const std::string& value : {std::string("1e300"), below, std::string("x"),
                                       std::string("nan"), std::string("99999999999999999999")}) {
        const ChildResult outcome = RunTool(verb + " " + flag + "=" + value);
        EXPECT_EQ(outcome.status, verb == "run" ? 125 : 2) << verb << " " << flag << "=" << value;
        EXPECT_THAT(outcome.output, IsEmpty());
        EXPECT_THAT(outcome.errors, AllOf(HasSubstr(flag + " is " + value + ", but must be a "),
                                          Not(HasSubstr("Illegal"))));
        EXPECT_THAT(testing::AllMatches(outcome.errors, range), SizeIs(1)) << outcome.errors;
      }
    }
  }
  EXPECT_GT(flags, 20);
}

TEST_F(ToolHelpTest, VersionIsAVerb) {
  const ChildResult version = RunTool("version");
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.output,
              AllOf(HasSubstr("winnow " + std::to_string(WINNOW_VERSION_MAJOR) + "."),
                    HasSubstr("RocksDB ")));
  EXPECT_EQ(RunTool("--version").output, version.output);
}

TEST_F(ToolHelpTest, WhatWasMeantIsGuessed) {
  const std::pair<const char*, const char*> cases[] = {
      {"inspct x", "there is no verb 'inspct'; did you mean 'inspect'?"},
      {"VERIFY x", "did you mean 'verify'?"},
      {"pol x", "did you mean 'policy'?"},
      {"help proeb", "did you mean 'probe'?"},
      {"hlep", "did you mean 'help'?"},
      {"inspct --jsn x", "did you mean 'inspect'?"},
      {"verify --sample=10 x", "there is no flag --sample=10 for verify; did you mean --samples?"},
      {"inspect --jsno x", "did you mean --json?"},
      {"probe --exakt x", "did you mean --exact?"},
  };
  for (const auto& [arguments, said] : cases) testing::ExpectWrongUsage(arguments, said);
  for (const char* arguments : {"compact x", "help compact", "inspect --verbose x", "x", "-j"}) {
    const ChildResult outcome = RunTool(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.errors, Not(HasSubstr("did you mean"))) << arguments;
  }
}

class ToolCompletionTest : public ::testing::Test {
 protected:
  // Returns the completion of the last word; if there are several, separated by spaces.
  std::string Complete(const std::string& words) {
    const ChildResult outcome =
        RunProgram({"bash", "-c",
                    "set -eu; source '" WINNOW_TOOL_SHARE "/bash-completion/completions/winnow'; "
                    "COMP_WORDS=(" +
                        words +
                        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _winnow; "
                        "echo \"${COMPREPLY[*]-}\""});
    EXPECT_EQ(outcome.status, 0) << words << outcome.errors;
    EXPECT_THAT(outcome.errors, IsEmpty());
    return outcome.output.substr(0, outcome.output.find('\n'));
  }
};

// Words are split at = and : like bash does.
TEST_F(ToolCompletionTest, VerbsFlagsAndTheirValuesAreCompleted) {
  const std::pair<const char*, const char*> cases[] = {
      {"winnow ver", "verify version"},
      {"winnow insp", "inspect"},
      {"winnow help prob", "probe"},
      {"winnow --v", "--version"},
      {"winnow verify --sam", "--samples="},
      {"winnow verify a.sst --js", "--json"},
      {"winnow probe --ex", "--exact"},
      {"winnow verify --ex", ""},
      {"winnow advise DB --by =", "memory reads"},
      {"winnow advise DB --by = r", "reads"},
      {"winnow inspect DB --sort = b", "bytes bits"},
      {"winnow inspect DB --by = r", ""},
      {"winnow run --dry", "--dry_run"},
      {"winnow run --policy = bas", ""},
      {"winnow run bash --js", ""},  // an option of the started program
      {"winnow run bash bas", ""},
      // File names are completed by bash itself, as the script's last line requests.
      {"winnow verify a", ""},
      {"winnow probe --keys = insp", ""},
      {"winnow nosuchverb --js", ""},
  };
  for (const auto& [words, completion] : cases) EXPECT_EQ(Complete(words), completion) << words;
  std::string verbs;
  for (const std::string& verb : VerbNames()) verbs += (verbs.empty() ? "" : " ") + verb;
  EXPECT_EQ(Complete("winnow ''"), verbs);
  EXPECT_THAT(" " + Complete("winnow run bas") + " ", HasSubstr(" bash "));
  EXPECT_THAT(" " + Complete("winnow run --policy = winnow : 10 --add bas") + " ",
              HasSubstr(" bash "));
  EXPECT_THAT(testing::ReadFile(WINNOW_TOOL_SHARE "/bash-completion/completions/winnow"),
              HasSubstr("complete -o default -F _winnow winnow"));
}

TEST_F(ToolCompletionTest, TheScriptHasNoFaultThatShellcheckKnows) {
  if (RunProgram({"sh", "-c", "command -v shellcheck"}).status != 0) {
    GTEST_SKIP() << "there is no shellcheck";
  }
  const ChildResult outcome = RunProgram(
      {"shellcheck", "-s", "bash", WINNOW_TOOL_SHARE "/bash-completion/completions/winnow"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

}  // namespace tool_help_test
}  // namespace winnow
