// `winnow dedup` as a stream: what it prints of which input, and what it says.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/child_process.h"
#include "tests/dedup_testing.h"
#include "tests/files.h"
#include "tests/sanitized.h"
#include "tests/started_tool.h"

namespace winnow {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using testing::FirstOfEach;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesOf;
using ::testing::Not;
using testing::RandomLines;
using testing::ReadFile;
using testing::RunDedup;
using testing::RunProgram;
using testing::TextOf;
using testing::WriteFile;

class VerbDedupTest : public ::testing::Test {
 protected:
  // The path, quoted.
  std::string File(const std::string& name, std::string_view text) {
    WriteFile(folder_ / name, text);
    return "'" + folder_ / name + "'";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(VerbDedupTest, EachLineComesOnceInOrder) {
  const std::string file = File("f", "b\na\n\nb\n\na\nc\nb");
  const ChildResult outcome = RunDedup(file);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "b\na\n\nc\n");
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("8 lines, 4 new, 4 seen before"),
                                    HasSubstr("(1e-09 planned at 10000000 new lines)")));
  EXPECT_EQ(RunDedup(file + " --seen").output, "b\n\na\nb\n");
  EXPECT_EQ(RunDedup(file + " --count").output, "4\n");
  EXPECT_EQ(RunDedup(file + " --count --seen").output, "4\n");
}

// More than a batch, and more than a buffer.
TEST_F(VerbDedupTest, ManyLinesAreThoseOfASet) {
  const std::vector<std::string> lines = RandomLines(300'000, 100'000, 1);
  const std::string file = File("f", TextOf(lines));
  for (const char* kind : {"", " --grow --capacity=1000", " --window=300000"}) {
    EXPECT_EQ(RunDedup(file + kind).output, TextOf(FirstOfEach(lines))) << kind;
    EXPECT_EQ(RunDedup(file + kind + " --seen").output, TextOf(FirstOfEach(lines, true))) << kind;
  }
}

TEST_F(VerbDedupTest, LinesHaveAnyBytesAndAnyLength) {
  using namespace std::string_literals;
  std::vector<std::string> lines = {"\0"s,   "\0\0"s,    "",   "\0"s, "a\0b"s, "a\0c"s,
                                    "a\0b"s, "\xff\xfe", "\r", "x\r", "x",     "\xff\xfe"};
  for (const size_t size : {70'000, 600'000, 3'000'000}) {
    const std::string line(size, 'x');
    lines.push_back(line);
    lines.push_back(line + "y");
    lines.push_back(line);
  }
  EXPECT_EQ(RunDedup(File("f", TextOf(lines))).output, TextOf(FirstOfEach(lines)));
  EXPECT_EQ(RunDedup("<" + File("g", std::string(2'000'000, 'z'))).output,
            std::string(2'000'000, 'z') + "\n");
  EXPECT_EQ(RunDedup(File("empty", "")).output, "");
}

TEST_F(VerbDedupTest, FilesFollowOneAnotherAndStandardInput) {
  const std::string first = File("a", "1\n2"), second = File("b", "2\n3\n");
  EXPECT_EQ(RunDedup(first + " - " + second + " <" + File("c", "4\n1\n")).output, "1\n2\n4\n3\n");
  EXPECT_EQ(RunDedup("<" + first).output, "1\n2\n");
}

TEST_F(VerbDedupTest, FramesOfLz4AreRead) {
  const std::vector<std::string> lines = RandomLines(200'000, 60'000, 2);
  const std::string file = File("f", TextOf(lines));
  const std::string packed = folder_ / "f.lz4";
  ASSERT_EQ(RunProgram({"sh", "-c", "lz4 -q -B4 " + file + " '" + packed + "'"}).status, 0);
  const std::string once = TextOf(FirstOfEach(lines));
  EXPECT_EQ(RunDedup("'" + packed + "'").output, once);
  EXPECT_EQ(RunDedup("< '" + packed + "'").output, once);
  const std::string bytes = ReadFile(packed);
  EXPECT_EQ(RunDedup(File("twice.lz4", bytes + bytes)).output, once);

  const ChildResult cut = RunDedup(File("cut.lz4", bytes.substr(0, bytes.size() / 2)));
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.errors, AllOf(HasSubstr("cut.lz4 is cut off"), HasSubstr("lz4 -t")));
  EXPECT_EQ(once.rfind(cut.output, 0), 0u);
  EXPECT_FALSE(cut.output.empty());
  std::string damaged = bytes;
  damaged.replace(damaged.size() / 2, 16, 16, '\xff');
  const ChildResult bad = RunDedup(File("bad.lz4", damaged));
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.errors, HasSubstr("bad.lz4 is damaged"));
}

TEST_F(VerbDedupTest, AFileThatIsNotReadIsSaidAndOthersAre) {
  const std::string file = File("f", "1\n1\n");
  const ChildResult outcome =
      RunDedup("'" + folder_ / "none" + "' '" + folder_.path() + "' " + file);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "1\n");
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("none: No such file"), HasSubstr("is a folder")));
  const ChildResult itself = RunDedup(file + " >>" + file);
  EXPECT_EQ(itself.status, 2);
  EXPECT_THAT(itself.errors, HasSubstr("is the output as well"));
  EXPECT_EQ(ReadFile(folder_ / "f"), "1\n1\n");
}

TEST_F(VerbDedupTest, WrongFlagsAreRefused) {
  for (const char* flags : {"--capacity=0", "--capacity=1.5", "--capacity=1e13", "--rate=0",
                            "--rate=0.9", "--window=-1", "--window=10 --grow", "--every=-1s",
                            "--every=1m --grow", "--capacity=x", "--every=10"}) {
    const ChildResult outcome = RunDedup(flags);
    EXPECT_EQ(outcome.status, 2) << flags;
    EXPECT_THAT(outcome.output, IsEmpty()) << flags;
    EXPECT_THAT(outcome.errors, HasSubstr("winnow")) << flags;
  }
  if (testing::kSanitized) return;  // whose allocator ends the program at so large a wish
  const ChildResult huge = RunDedup("--capacity=1e12 </dev/null");
  EXPECT_EQ(huge.status, 2);
  EXPECT_THAT(huge.errors, HasSubstr("no memory for --capacity=1000000000000"));
}

TEST_F(VerbDedupTest, PastTheCapacityIsAWarningAndPastTheRateTheEnd) {
  std::vector<std::string> lines;
  for (int i = 0; i < 12'000; ++i) lines.push_back("line " + std::to_string(i));
  const std::string at = File("at", TextOf({lines.begin(), lines.begin() + 10'000}));
  const std::string near = File("near", TextOf({lines.begin(), lines.begin() + 10'050}));
  const std::string past = File("past", TextOf(lines));
  const std::string flags = " --capacity=10000 --rate=1e-6";
  EXPECT_THAT(RunDedup(at + flags).errors, Not(HasSubstr("warning")));
  const ChildResult warned = RunDedup(near + flags);
  EXPECT_EQ(warned.status, 0);
  EXPECT_THAT(warned.errors, HasSubstr("warning: there are more than the 10000 new lines"));
  EXPECT_EQ(warned.output, ReadFile(folder_ / "near"));
  const ChildResult ended = RunDedup(past + flags);
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("past --rate=1e-06"), HasSubstr("--grow")));
  EXPECT_EQ(TextOf(lines).rfind(ended.output, 0), 0u);
  EXPECT_GE(LinesOf(ended.output).size(), 10'050u);
  EXPECT_LE(LinesOf(ended.output).size(), 10'700u);
  const ChildResult grown = RunDedup(past + flags + " --grow");
  EXPECT_EQ(grown.status, 0);
  EXPECT_EQ(grown.output, TextOf(lines));
}

// A line is remembered for N lines, and not for more than 2 N.
TEST_F(VerbDedupTest, AWindowForgets) {
  std::vector<std::string> lines;
  for (const int distance : {1, 50, 99, 100, 200, 500}) {
    lines.push_back("again " + std::to_string(distance));
    for (int i = 0; i + 1 < distance; ++i) {
      lines.push_back("filler " + std::to_string(lines.size()));
    }
    lines.push_back("again " + std::to_string(distance));
    while (lines.size() % 100 != 50) lines.push_back("filler " + std::to_string(lines.size()));
  }
  const std::string file = File("f", TextOf(lines));
  const std::string seen = RunDedup(file + " --window=100 --seen").output;
  EXPECT_THAT(LinesOf(seen),
              ::testing::IsSupersetOf({"again 1", "again 50", "again 99", "again 100"}));
  EXPECT_THAT(seen, Not(HasSubstr("500")));
  EXPECT_THAT(RunDedup(file + " --window=10000 --seen").output, HasSubstr("again 500"));
}

TEST_F(VerbDedupTest, TimeForgets) {
  const auto twice = [](const char* flags) {
    return RunProgram({"sh", "-c",
                       "(echo a; echo a; sleep 1.2; echo a) | '" WINNOW_TOOL "' dedup " +
                           std::string(flags)})
        .output;
  };
  EXPECT_EQ(twice("--every=400ms"), "a\na\n");
  EXPECT_EQ(twice("--every=1h"), "a\n");
}

// Whoever waits at the other end of a pipe gets the line before the next one comes.
TEST_F(VerbDedupTest, NothingIsKeptBackWhileInputWaits) {
  const ChildResult outcome = RunProgram(
      {"bash", "-c",
       "coproc D { '" WINNOW_TOOL "' dedup 2>/dev/null; }; "
       "for i in 1 2 3; do echo $i >&${D[1]}; read -t 20 -u ${D[0]} line; echo got $line; done"});
  EXPECT_EQ(outcome.output, "got 1\ngot 2\ngot 3\n") << outcome.errors;
}

TEST_F(VerbDedupTest, OutputThatIsNotTakenIsSaid) {
  const std::string file = File("f", TextOf(RandomLines(200'000, 100'000, 3)));
  const ChildResult full = RunDedup(file + " >/dev/full");
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.errors, HasSubstr("could not be written in full: No space left on device"));
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  const testing::Started tool("dedup " + file, ends[1], folder_ / "errors");
  close(ends[1]);
  const int status = tool.Wait();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
  EXPECT_THAT(tool.Errors(), IsEmpty());
}

}  // namespace
}  // namespace winnow
