// Tests of `winnow dedup --state`: runs that continue from each other, however they end.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "streams/amq/serialized.h"
#include "streams/dedup/seen_lines.h"
#include "streams/dedup/state/state_layout.h"
#include "streams/tests/dedup/dedup_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/sanitized.h"
#include "tests/support/started_tool.h"

namespace winnow {
namespace dedup_state_test {

namespace fs = std::filesystem;
using testing::ChildResult;
using testing::DedupStateTest;
using testing::FirstOfEach;
using ::testing::HasSubstr;
using testing::LinesOf;
using testing::Numbered;
using testing::PeakOfMemory;
using testing::RandomLines;
using testing::ReadFile;
using testing::RunDedup;
using testing::RunProgram;
using testing::StartDedup;
using testing::TextOf;
using testing::WriteFile;

TEST_F(DedupStateTest, LaterRunsGoOn) {
  const ChildResult first = Run({"a", "b", "a"});
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(first.output, "a\nb\n");
  EXPECT_EQ(Run({"b", "c"}).output, "c\n");
  const ChildResult last = Run({"a", "b", "c"});
  EXPECT_EQ(last.output, "");
  EXPECT_EQ(last.status, 0);
  // The state and the input are the only files that remain.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

// Enough lines to fill the journal several times.
TEST_F(DedupStateTest, AFullJournalBecomesPartOfTheFilter) {
  const std::vector<std::string> lines = RandomLines(900'000, 600'000, 1);
  std::string all;
  for (size_t at = 0; at < lines.size(); at += 225'000) {
    const auto from = lines.begin() + static_cast<ptrdiff_t>(at);
    all += Run({from, from + 225'000}, "--capacity=600000").output;
  }
  EXPECT_TRUE(all == TextOf(FirstOfEach(lines)));
  EXPECT_EQ(Run(lines, "--capacity=600000").output, "");
  struct stat about = {};
  ASSERT_EQ(stat(state_.c_str(), &about), 0);
  EXPECT_GE(about.st_blocks * 512, about.st_size);  // no holes
}

TEST_F(DedupStateTest, ASecondRunAtOnceIsRefused) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  Run({"x"});
  const auto first =
      StartDedup("'" + folder_ / "fifo" + "' --state='" + state_ + "'", folder_ / "out");
  const int fifo = open((folder_ / "fifo").c_str(), O_WRONLY | O_CLOEXEC);
  const std::string before = ReadFile(state_);
  EXPECT_THAT(Refusal({"y"}), HasSubstr("in use by another run"));
  EXPECT_TRUE(ReadFile(state_) == before);
  close(fifo);
  EXPECT_EQ(first->Wait(), 0);
  EXPECT_EQ(Run({"x", "y"}).output, "y\n");
}

TEST_F(DedupStateTest, ThePlanOfTheStateIsTakenWhereNoneIsGiven) {
  Run({"a"}, "--capacity=1000 --rate=1e-6");
  std::string fresh = "b";
  for (const char* flags : {"", "--capacity=1000", "--rate=1e-6"}) {
    const ChildResult next = Run({"a", fresh}, flags);
    EXPECT_EQ(next.status, 0) << next.errors;
    EXPECT_EQ(next.output, fresh + "\n");
    EXPECT_THAT(next.errors, HasSubstr("(1e-06 planned at 1000 new lines)"));
    fresh += "b";
  }
}

TEST_F(DedupStateTest, AnotherPlanIsRefused) {
  Run({"a"}, "--capacity=1000 --rate=1e-6");
  const std::string before = ReadFile(state_);
  for (const char* flags : {"--capacity=1001", "--rate=1e-7", "--capacity=1001 --rate=1e-6"}) {
    EXPECT_THAT(Refusal({"b"}, flags),
                HasSubstr("state is of another plan: --capacity=1000 --rate=1e-06"));
    EXPECT_TRUE(ReadFile(state_) == before);
  }
  for (const char* flags : {"--grow", "--window=100", "--every=1h"}) {
    EXPECT_EQ(Run({"b"}, flags).status, 2) << flags;
  }
  EXPECT_EQ(Run({"a", "b"}, "--capacity=1000 --rate=1e-6").output, "b\n");
}

TEST_F(DedupStateTest, DamageIsRefused) {
  const std::string flags = "--capacity=140000 --rate=1e-3";
  const std::vector<std::string> lines = Numbered(0, 140'000);
  Run(lines, flags);                     // into the filter
  Run({"in", "the", "journal"}, flags);  // into the journal
  const std::string whole = ReadFile(state_);
  std::mt19937_64 random(1);
  std::vector<size_t> places = {0, 5, 8, 40, 48, 64, 71, 72, 80, 87, 4096, 4100, 4096 + 72};
  for (int i = 0; i < 20; ++i) places.push_back(4096 + random() % 250'000);
  const size_t journal = whole.rfind("WAmline\n");
  ASSERT_NE(journal, std::string::npos);
  for (int i = 0; i < 48; i += 3) places.push_back(journal + static_cast<size_t>(i));
  const auto refused = [&](const std::string& bytes, const std::string& how) {
    WriteFile(state_, bytes);
    EXPECT_THAT(Refusal({"new"}, flags), HasSubstr("the state " + state_)) << how;
    EXPECT_TRUE(ReadFile(state_) == bytes) << how;
  };
  for (const size_t place : places) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
    refused(damaged, std::to_string(place));
  }
  refused("", "empty");
  refused(whole.substr(0, 50), "cut off");
  refused(whole.substr(0, whole.size() - 1), "cut off");
  refused(whole + "x", "too long");
  refused("some text of somebody else's, which is longer than the record\n" + std::string(999, 'x'),
          "foreign");
  WriteFile(state_, whole);
  EXPECT_EQ(Run({"new", "journal"}, flags).output, "new\n");
}

// The checksums are right, so that a filter of another shape would be read, and lines forgotten.
TEST_F(DedupStateTest, RecordsThatContradictTheFilterAreRefused) {
  const std::string flags = "--capacity=140000 --rate=1e-3";
  const std::vector<std::string> lines = Numbered(0, 140'000);
  Run(lines, flags);
  const std::string whole = ReadFile(state_);
  amq::Header record;
  ASSERT_EQ(amq::ReadHeader({whole.data(), 88}, amq::Serialized::kLinesRecord, &record), "");
  ASSERT_NE(record.b, 0x15);
  const auto refused = [&](uint8_t a, uint8_t b, uint64_t keys) {
    amq::Header forged = record;
    forged.a = a;
    forged.b = b;
    forged.keys = keys;
    std::string bytes = whole;
    amq::WriteHeader(forged, reinterpret_cast<unsigned char*>(bytes.data()));
    WriteFile(state_, bytes);
    EXPECT_THAT(Refusal(lines, flags), HasSubstr("the state " + state_));
    EXPECT_TRUE(ReadFile(state_) == bytes);
  };
  for (const uint8_t a : {uint8_t{0}, uint8_t{1}}) {
    const uint64_t keys = a == 1 ? 140'000 : 0;
    for (const unsigned b : {0x00u, 0x09u, 0x15u, 0x60u, 0xffu}) {
      refused(a, static_cast<uint8_t>(b), keys);
    }
  }
  refused(0, record.b, 140'000);
  refused(1, record.b, 1);
  refused(1, record.b, (uint64_t{1} << 40) + 1);
  refused(2, record.b, 140'000);
  WriteFile(state_, whole);
  EXPECT_EQ(Run(lines, flags).output, "");
}

// A state by the last version that accepted rates below that of equal hashes:
//   for r in '1 30' '31 50'; do seq $r | sed 's/^/line /' |
//     winnow dedup --state=S --capacity=20000 --rate=1e-15; done
// The golden file has its size, and the offset and value of its nonzero bytes.
TEST_F(DedupStateTest, AStateOfBeforeIsGoneOnFromWhateverItsPlan) {
  std::istringstream rows(ReadFile(std::string(WINNOW_GOLDEN_FILTERS) + "/before.state"));
  size_t size = 0;
  std::string word;
  rows >> size >> word;
  std::string bytes(size, 0);
  for (size_t at = 0; rows >> at >> word;) {
    for (size_t i = 0; i < word.size(); i += 2) {
      bytes[at + i / 2] = static_cast<char>(std::stoi(word.substr(i, 2), nullptr, 16));
    }
  }
  WriteFile(state_, bytes);
  const std::string flags = "--capacity=20000 --rate=1e-15";
  std::vector<std::string> lines = Numbered(1, 51);
  lines.push_back("new");
  const ChildResult outcome = Run(lines, flags);
  EXPECT_EQ(outcome.output, "new\n");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(Run(lines, flags).output, "");
  // A new state is not created from such a plan.
  fs::remove(state_);
  EXPECT_THAT(Refusal(lines, flags), HasSubstr("--rate=1e-15 can't be kept for 20000 lines"));
  EXPECT_FALSE(fs::exists(state_));
}

// Returns the state `before` as a kill leaves it while the filter of the state `after`, of so many
// keys, is written up to this place: the record says that it is being written.
std::string HalfWritten(const std::string& before, const std::string& after, size_t cut,
                        uint64_t keys) {
  amq::Header header;
  EXPECT_EQ(amq::ReadHeader({before.data(), 88}, amq::Serialized::kLinesRecord, &header), "");
  header.a = 1;
  header.keys = keys;
  std::string mixed = before;
  mixed.replace(4096, cut - 4096, after.substr(4096, cut - 4096));
  amq::WriteHeader(header, reinterpret_cast<unsigned char*>(mixed.data()));
  return mixed;
}

// Simulates a run that is killed while it rewrites the filter: some words have their old values,
// and the record says so.
TEST_F(DedupStateTest, AFilterHalfWrittenIsMadeWhole) {
  const std::string flags = "--capacity=200000";
  Run(Numbered(0, 120'000), flags);
  const std::string before = ReadFile(state_);
  ASSERT_NE(before.rfind("WAmline\n"), std::string::npos);
  Run(Numbered(120'000, 180'000), flags);
  const std::string after = ReadFile(state_);
  ASSERT_EQ(after.rfind("WAmline\n"), std::string::npos);

  const size_t journal = before.size() - (size_t{1} << 20) - 4096;
  std::mt19937_64 random(2);
  for (int i = 0; i < 12; ++i) {
    const size_t cut = i == 0 ? 4096 : i == 1 ? journal - 4096 : 4096 + random() % (journal - 8192);
    WriteFile(state_, HalfWritten(before, after, cut, 180'000));
    const ChildResult again = Run(Numbered(0, 120'000), flags + " --count");
    EXPECT_EQ(again.status, 0) << again.errors;
    EXPECT_EQ(again.output, "0\n") << cut;
    EXPECT_EQ(Run(Numbered(0, 180'000), flags + " --count").status, 0);
    EXPECT_EQ(Run(Numbered(0, 180'000), flags + " --count").output, "0\n") << cut;
    EXPECT_EQ(Run({"new"}, flags).output, "new\n");
  }
}

// The lines of a count are in no journal: whichever of them are written when the run is killed, the
// state has the lines of earlier runs.
TEST_F(DedupStateTest, ACountHalfWrittenLosesNothingOfBefore) {
  const std::string flags = "--capacity=200000 --count";
  Run(Numbered(0, 1'000), flags);
  const std::string before = ReadFile(state_);
  const std::vector<std::string> lines = Numbered(100'000, 200'000);
  Run(lines, flags);
  const std::string after = ReadFile(state_);
  const size_t end = before.size() - (size_t{1} << 20) - 4096;  // lower bound of the filter's end
  for (const size_t cut : {size_t{4096}, 4096 + end / 50, end / 2, end}) {
    WriteFile(state_, HalfWritten(before, after, cut, 101'000));
    const ChildResult again = Run(Numbered(0, 1'000), flags);
    EXPECT_EQ(again.status, 0) << cut << ": " << again.errors;
    EXPECT_EQ(again.output, "0\n") << cut;
    EXPECT_EQ(Run(lines, flags).status, 0);
    EXPECT_EQ(Run(lines, flags).output, "0\n");
  }
}

// After a kill, at most 65,536 printed lines are printed again by the next run, and no line is
// lost.
TEST_F(DedupStateTest, AfterKillsFewLinesRepeatAndNoneIsLost) {
  const std::vector<std::string> lines = RandomLines(1'500'000, 1'000'000, 4);
  WriteFile(folder_ / "in", TextOf(lines));
  const std::string arguments = "'" + folder_ / "in" + "' --capacity=1e6 --state='" + state_ + "'";
  std::unordered_set<std::string> printed;
  std::mt19937_64 random(5);
  int kills = 0;
  const auto take = [&](const std::string& output) {
    const size_t end = output.rfind('\n');
    uint64_t repeats = 0;
    for (std::string& line : LinesOf(output.substr(0, end == std::string::npos ? 0 : end + 1))) {
      repeats += !printed.insert(std::move(line)).second;
    }
    return repeats;
  };
  // Repeats until a run completes, which the first ones are too short for even on the fastest
  // machine.
  double longest = 1'000;  // microseconds
  for (bool ended = false; !ended; longest *= 1.25) {
    const auto tool = StartDedup(arguments, folder_ / "out");
    usleep(static_cast<useconds_t>(random() % static_cast<uint64_t>(longest)));
    kill(tool->process(), SIGKILL);
    const int status = tool->Wait();
    ended = WIFEXITED(status);
    EXPECT_TRUE(!ended || status == 0) << tool->Errors();
    kills += !ended;
    EXPECT_LE(take(ReadFile(folder_ / "out")), 65'536u);
  }
  const std::vector<std::string> once = FirstOfEach(lines);
  EXPECT_EQ(printed.size(), once.size());
  EXPECT_GE(kills, 3);
  RecordProperty("kills", kills);
  EXPECT_EQ(RunDedup("'" + folder_ / "in" + "' --capacity=1e6 --state='" + state_ + "'").output,
            "");
}

// Neither the file's pages nor a copy of the filter take memory when the filter is created,
// rewritten from a full journal, read, or recovered after a kill.
TEST_F(DedupStateTest, MemoryIsThatOfTheFilter) {
  WINNOW_SKIP_IF_SANITIZED();
  constexpr uint64_t kCapacity = 20'000'000;
  constexpr uint64_t kBeside = uint64_t{32} << 20;
  const uint64_t planned = 64 * dedup::ShapeForLines(kCapacity, 1e-9).num_blocks;
  ASSERT_GT(planned, 100'000'000u);
  const dedup::StateLayout layout = dedup::LayoutFor(planned + amq::kHeaderBytes);
  const uint64_t until_full = layout.journal / 8;
  const std::string fifo = folder_ / "fifo", out = folder_ / "out";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);

  // Returns the peak memory of a run with these lines, of which only the repeats are printed.
  const auto peak_with = [&](uint64_t from, uint64_t to) {
    const auto tool =
        StartDedup("'" + fifo + "' --seen --capacity=2e7 --state='" + state_ + "'", out);
    FILE* const input = fopen(fifo.c_str(), "we");
    for (uint64_t i = from; i < to; ++i) fprintf(input, "%d\n", static_cast<int>(i));
    // Once the second repeat is printed, the state has all lines before the first one.
    for (const char* const repeat : {"0\n", "0\n0\n"}) {
      fputs("0\n", input);
      fflush(input);
      while (!tool->HasEnded() && ReadFile(out) != repeat) usleep(2'000);
    }
    const uint64_t peak = PeakOfMemory(tool->process());
    fclose(input);
    EXPECT_EQ(tool->Wait(), 0) << tool->Errors();
    EXPECT_GE(peak, planned);
    return peak;
  };
  const auto record = [&](bool changes) {
    std::fstream file(state_, std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes(88, 0);
    file.read(bytes.data(), 88);
    amq::Header header;
    EXPECT_EQ(amq::ReadHeader(bytes, amq::Serialized::kLinesRecord, &header), "");
    if (!changes) return header;
    header.a = 1;
    header.keys = until_full + 200'000;
    amq::WriteHeader(header, reinterpret_cast<unsigned char*>(bytes.data()));
    file.seekp(0).write(bytes.data(), 88);
    return header;
  };
  EXPECT_LE(peak_with(0, 1), planned + kBeside) << "made";
  EXPECT_LE(peak_with(1, until_full + 100'000), planned + kBeside) << "read, and written anew";
  EXPECT_LE(peak_with(until_full + 100'000, until_full + 200'000), planned + kBeside) << "read";
  record(true);
  EXPECT_LE(peak_with(0, 0), planned + kBeside) << "made whole";
  EXPECT_EQ(record(false).a, 0);
  WriteFile(folder_ / "in", TextOf({"0", "1", std::to_string(until_full), "199999", "new",
                                    std::to_string(until_full + 199'999)}));
  EXPECT_EQ(RunDedup("'" + folder_ / "in" + "' --capacity=2e7 --state='" + state_ + "'").output,
            "new\n");
}

// A line that could not be written counts as not seen.
TEST_F(DedupStateTest, LinesWithoutOutputAreForgotten) {
  Run({"a"});
  WriteFile(folder_ / "in", "a\nb\n");
  const std::string run = "'" + folder_ / "in" + "' --state='" + state_ + "' ";
  EXPECT_EQ(RunDedup(run + ">/dev/full").status, 2);
  EXPECT_EQ(RunDedup(run + "--count >/dev/full").status, 2);
  EXPECT_EQ(RunDedup(run + "--count --seen >/dev/full").status, 2);
  EXPECT_EQ(Run({"a", "b"}).output, "b\n");
}

// The file size limit acts on the output like a full disk; the state is smaller.
TEST_F(DedupStateTest, LinesBehindAFullDiskComeAgain) {
  std::vector<std::string> lines = Numbered(0, 300'000);
  for (std::string& line : lines) line += std::string(40, 'x');
  WriteFile(folder_ / "in", TextOf(lines));
  const std::string run = "'" + folder_ / "in" + "' --capacity=300000 --state='" + state_ + "'";
  const std::string limited = "ulimit -f 4096; '" WINNOW_TOOL "' dedup " + run;
  const ChildResult full = RunProgram({"bash", "-c", limited + " >'" + folder_ / "out" + "'"});
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.errors, HasSubstr("the output could not be written in full: File too large"));
  std::string printed = ReadFile(folder_ / "out");
  printed.resize(printed.rfind('\n') + 1);  // drops the partial last line
  const std::string rest = RunDedup(run).output;
  const size_t before = LinesOf(printed).size(), after = LinesOf(rest).size();
  EXPECT_GT(before, 65'536u);
  EXPECT_GE(before + after, lines.size());
  EXPECT_LE(before + after, lines.size() + 65'536);
  const std::string all = TextOf(lines);
  EXPECT_EQ(all.rfind(printed, 0), 0u);
  EXPECT_TRUE(all.size() >= rest.size() && all.substr(all.size() - rest.size()) == rest);
}

// The run is killed while the filter has more lines than the journal takes at once.
TEST_F(DedupStateTest, ACountThatWasNotWrittenIsForgotten) {
  Run({"line 0"});
  const std::string fifo = folder_ / "fifo", out = folder_ / "out";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const auto tool = StartDedup("'" + fifo + "' --count --state='" + state_ + "'", out);
  const std::vector<std::string> lines = Numbered(0, 300'000);
  // A pipe buffers only a small part of the text: most of it was read when fwrite() returns.
  FILE* const input = fopen(fifo.c_str(), "we");
  ASSERT_NE(input, nullptr);
  const std::string text = TextOf(lines);
  EXPECT_EQ(fwrite(text.data(), 1, text.size(), input), text.size());
  fflush(input);
  kill(tool->process(), SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(tool->Wait()));
  fclose(input);
  EXPECT_EQ(ReadFile(out), "");
  EXPECT_EQ(Run(lines, "--count").output, "299999\n");
  EXPECT_EQ(Run(lines, "--count").output, "0\n");
}

}  // namespace dedup_state_test
}  // namespace winnow
