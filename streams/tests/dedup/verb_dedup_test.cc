// Tests of `winnow dedup` as a stream: its output for various inputs, and its messages.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "streams/tests/dedup/packing_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/sanitized.h"
#include "tests/support/started_tool.h"

namespace winnow {
namespace verb_dedup_test {

using ::testing::AllOf;
using testing::ChildResult;
using testing::FirstOfEach;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesOf;
using ::testing::Not;
using testing::PeakOfMemory;
using testing::RandomLines;
using testing::ReadFile;
using testing::RunDedup;
using testing::RunProgram;
using testing::TextOf;
using testing::WriteFile;

class VerbDedupTest : public ::testing::Test {
 protected:
  // Writes a file and returns its path, quoted.
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

// More lines than a batch, and more bytes than a buffer.
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

// line_source_test.cc has more tests of compressed input.
TEST_F(VerbDedupTest, CompressedInputIsRead) {
  const std::vector<std::string> lines = RandomLines(200'000, 60'000, 2);
  const std::string once = TextOf(FirstOfEach(lines));
  for (const testing::PackingUnderTest& packing : testing::kPackings) {
    const std::string bytes = packing.pack(TextOf(lines));
    const std::string packed = File("f", bytes);
    EXPECT_TRUE(RunDedup(packed).output == once) << packing.name;
    EXPECT_TRUE(RunDedup("<" + packed).output == once) << packing.name;
    const ChildResult cut = RunDedup(File("cut", bytes.substr(0, bytes.size() / 2)));
    EXPECT_EQ(cut.status, 2);
    EXPECT_THAT(cut.errors, AllOf(HasSubstr("cut is cut off"), HasSubstr(packing.checks)));
    EXPECT_EQ(once.rfind(cut.output, 0), 0u);
    EXPECT_THAT(cut.output, Not(IsEmpty()));
    EXPECT_EQ(RunDedup(packed + " --plain --seen --count").status, 0);
    EXPECT_TRUE(RunDedup(packed + " --plain").output == TextOf(FirstOfEach(LinesOf(bytes))));
  }
  // A password file is plain text, even if it begins like gzip.
  const ChildResult password = RunDedup(
      "--redis=127.0.0.1:1 --password_file=" + File("password", "\x1f\x8bword\n") + " </dev/null");
  EXPECT_THAT(password.errors, Not(HasSubstr("gzip")));
}

TEST_F(VerbDedupTest, AFileThatIsNotReadIsSaidAndOthersAre) {
  const std::string file = File("f", "1\n1\n");
  const ChildResult outcome =
      RunDedup("'" + folder_ / "none" + "' '" + folder_.path() + "' " + file);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "1\n");
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("none: No such file"), HasSubstr("is a folder")));
  EXPECT_THAT(testing::ErrorsOf(file + " >>" + file), HasSubstr("is the output as well"));
  EXPECT_EQ(ReadFile(folder_ / "f"), "1\n1\n");
  EXPECT_THAT(RunDedup("<" + file + " >>" + file).errors,
              HasSubstr("standard input is the output as well"));
  EXPECT_EQ(ReadFile(folder_ / "f"), "1\n1\n");
  EXPECT_EQ(RunDedup(file + " >" + file).status, 2);  // the shell has truncated the file
}

TEST_F(VerbDedupTest, WrongFlagsAreRefused) {
  for (const char* flags : {"--capacity=0", "--capacity=1.5", "--capacity=1e13", "--rate=0",
                            "--rate=0.9", "--window=-1", "--window=10 --grow", "--every=-1s",
                            "--every=1m --grow", "--capacity=x", "--every=10"}) {
    EXPECT_THAT(testing::Refusal(flags), HasSubstr("winnow")) << flags;
  }
  for (const char* flag : {"--name=x", "--join", "--inflight=16", "--password_file=none"}) {
    EXPECT_THAT(testing::ErrorsOf(std::string(flag) + " </dev/null"),
                HasSubstr("does nothing without --redis"))
        << flag;
  }
  if (testing::kSanitized) return;  // sanitizers abort on such a large allocation
  EXPECT_THAT(testing::Refusal("--capacity=1e12 --rate=1e-6 --count <" + File("f", "x\n")),
              HasSubstr("no memory for --capacity=1000000000000"));
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

// This many lines have equal 64-bit hashes so often that no filter keeps the rate.
TEST_F(VerbDedupTest, RatesBelowThatOfEqualHashesAreRefusedOrEndTheRun) {
  std::vector<std::string> lines;
  for (int i = 0; i < 40'000; ++i) lines.push_back(std::to_string(i));
  WriteFile(folder_ / "many", TextOf(lines));
  const std::string input = "'" + folder_ / "many" + "' --rate=1e-15 ";
  for (const char* plan : {"--capacity=40000", "--window=10000", "--every=1h --capacity=10000"}) {
    EXPECT_THAT(testing::Refusal(input + plan), HasSubstr("--rate=1e-15 can't be kept for "));
  }
  const ChildResult ended = RunDedup(input + "--grow --capacity=15");
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.errors,
              AllOf(HasSubstr("past --rate=1e-15"), HasSubstr("only a higher --rate is kept")));
  // 2^64 / 10^15 lines use up the whole rate; the filter's own bits use a part of it before.
  const auto printed = std::count(ended.output.begin(), ended.output.end(), '\n');
  EXPECT_GT(printed, 5'000);
  EXPECT_LT(printed, 18'500);
}

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

// line_stream_test.cc simulates the time. Here some nanoseconds pass in a hundred batches.
TEST_F(VerbDedupTest, TimeForgets) {
  std::string text = "a\na\n";
  for (int i = 0; i < 25'600; ++i) text += std::to_string(i) + "\n";
  const std::string file = File("f", text + "a\n");
  EXPECT_EQ(RunDedup(file + " --count --every=1ns").output, "25602\n");
  EXPECT_EQ(RunDedup(file + " --count --every=1000h").output, "25601\n");
}

TEST_F(VerbDedupTest, MemoryIsTakenWithTheFirstLine) {
  WINNOW_SKIP_IF_SANITIZED();
  constexpr uint64_t kMax = uint64_t{32} << 20, kMin = uint64_t{100} << 20;
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string state = "--state='" + folder_ / "state" + "'";
  for (const std::string& kind : {std::string(), std::string("--grow"), std::string("--every=1h"),
                                  std::string("--window=2e7"), std::string("--count"), state}) {
    const auto tool = testing::StartDedup("'" + fifo + "' --capacity=2e7 " + kind, folder_ / "out");
    const int input = open(fifo.c_str(), O_WRONLY | O_CLOEXEC);  // the tool opens the FIFO last
    EXPECT_LT(PeakOfMemory(tool->process()), kMax) << kind;
    EXPECT_NE(access((folder_ / "state").c_str(), F_OK), 0);
    EXPECT_EQ(write(input, "x\n", 2), 2);
    close(input);
    rusage used = {};
    int status = 0;
    EXPECT_EQ(wait4(tool->process(), &status, 0, &used), tool->process());
    EXPECT_EQ(status, 0) << tool->Errors();
    EXPECT_GT(static_cast<uint64_t>(used.ru_maxrss) << 10, kMin) << kind;
  }
}

// A reader at the other end of a pipe gets a line before the next one is read.
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
  EXPECT_THAT(testing::ErrorsOf(file + " --count >/dev/full"),
              HasSubstr("could not be written in full: No space left on device"));
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

}  // namespace verb_dedup_test
}  // namespace winnow
