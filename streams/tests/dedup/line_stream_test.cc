// Tests of line streams with a simulated clock, and of the order in which output and state are
// written.

#include "streams/dedup/line_stream.h"

#include <absl/status/status.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "tests/support/files.h"

namespace winnow::dedup {
namespace line_stream_test {

using ::testing::ElementsAre;
using testing::LinesOf;
using testing::Numbered;
using testing::ReadFile;
using testing::TextOf;

using namespace std::chrono_literals;

class LineStreamTest : public ::testing::Test {
 protected:
  LineStreamTest() {
    options_.capacity = 1'000;
    options_.rate = 1e-9;
    options_.now = [this] { return now_; };
  }
  ~LineStreamTest() override { close(output_); }

  void Start(std::unique_ptr<SeenLines> seen) {
    stream_ = std::make_unique<LineStream>(options_, std::move(seen), output_);
  }
  void StartForgetting(std::chrono::nanoseconds every) {
    options_.every = every;
    Start(MakeGenerations(options_.capacity, options_.rate));
  }
  // Returns what is printed for these lines at this time after the start.
  std::vector<std::string> At(std::chrono::nanoseconds time,
                              const std::vector<std::string>& lines) {
    now_ = Clock::time_point() + time;
    testing::WriteFile(folder_ / "in", TextOf(lines));
    const size_t before = ReadFile(folder_ / "out").size();
    EXPECT_EQ(stream_->Read(folder_ / "in"), absl::OkStatus());
    EXPECT_EQ(stream_->End(), absl::OkStatus());
    return LinesOf(ReadFile(folder_ / "out").substr(before));
  }

  testing::TemporaryFolder folder_;
  Clock::time_point now_;
  StreamOptions options_;
  const int output_ = open((folder_ / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::unique_ptr<LineStream> stream_;
};

TEST_F(LineStreamTest, TimeForgets) {
  StartForgetting(400ms);
  EXPECT_THAT(At(0ms, {"a", "a", "b"}), ElementsAre("a", "b"));
  EXPECT_THAT(At(399ms, {"a"}), ElementsAre());
  EXPECT_THAT(At(400ms, {"c"}), ElementsAre("c"));
  EXPECT_THAT(At(799ms, {"b", "c"}), ElementsAre());
  // "a" was last seen at 399 ms, "b" and "c" at 799 ms.
  EXPECT_THAT(At(800ms, {"a"}), ElementsAre("a"));
  EXPECT_THAT(At(1199ms, {"b"}), ElementsAre());
  EXPECT_THAT(At(1200ms, {"c"}), ElementsAre("c"));
}

// A pause of two periods forgets all lines, and a pause of one period the older half.
TEST_F(LineStreamTest, ASilenceForgets) {
  StartForgetting(1h);
  EXPECT_THAT(At(0h, {"a"}), ElementsAre("a"));
  EXPECT_THAT(At(100h, {"a", "b"}), ElementsAre("a", "b"));
  EXPECT_THAT(At(101h, {"c"}), ElementsAre("c"));
  EXPECT_THAT(At(102h, {"a", "c"}), ElementsAre("a"));
}

// The help documents this: it matters to users who want each line once per hour.
TEST_F(LineStreamTest, ARepeatRenewsALine) {
  StartForgetting(1h);
  EXPECT_THAT(At(0h, {"a"}), ElementsAre("a"));
  for (int i = 1; i < 200; ++i) EXPECT_THAT(At(i * 59min, {"a"}), ElementsAre()) << i;
  EXPECT_THAT(At(200 * 59min + 2h, {"a"}), ElementsAre("a"));
}

TEST_F(LineStreamTest, ARepeatRenewsALineOfAWindow) {
  options_.window = 100;
  Start(MakeGenerations(options_.window, options_.rate));
  std::vector<std::string> lines;
  for (int i = 0; i < 3'000; ++i) {
    lines.push_back(i % 99 == 0 ? "again" : "filler " + std::to_string(i));
  }
  const std::vector<std::string> printed = At(0h, lines);
  EXPECT_EQ(std::count(printed.begin(), printed.end(), "again"), 1);
}

// A filter that has seen no lines, and records its calls for the test.
class Noted : public SeenLines {
 public:
  Noted(std::string output, std::vector<std::string>* notes)
      : output_(std::move(output)), notes_(notes) {}
  absl::Status Begin() override { return Note("begin"); }
  absl::Status Add(const KeyHash*, size_t n, bool* is_new) override {
    std::fill(is_new, is_new + n, true);
    added_ += n;
    return absl::OkStatus();
  }
  absl::Status Keep() override { return Note("keep"); }
  absl::Status Finish() override { return Note("finish"); }
  uint64_t num_added() const override { return added_; }
  size_t size_bytes() const override { return 0; }
  double RateNow() const override { return 0; }

 private:
  // Records a call, with the number of lines written by then.
  absl::Status Note(const std::string& what) {
    notes_->push_back(what + " " + std::to_string(LinesOf(ReadFile(output_)).size()) + " " +
                      std::to_string(added_));
    return absl::OkStatus();
  }
  const std::string output_;
  std::vector<std::string>* const notes_;
  uint64_t added_ = 0;
};

TEST_F(LineStreamTest, WhatIsKeptIsWritten) {
  options_.capacity = 1'000'000;
  std::vector<std::string> notes;
  Start(std::make_unique<Noted>(folder_ / "out", &notes));
  EXPECT_EQ(At(0h, Numbered(0, 200'000)).size(), 200'000u);
  EXPECT_EQ(notes.front(), "begin 0 0");
  EXPECT_EQ(notes.back(), "finish 200000 200000");
  EXPECT_GE(notes.size(), 5u);
  for (const std::string& note : notes) {
    int written = 0, added = 0;
    ASSERT_EQ(sscanf(note.c_str(), "%*s %d %d", &written, &added), 2) << note;
    EXPECT_EQ(written, added) << note;
  }
}

TEST_F(LineStreamTest, ACountIsWrittenBeforeAnythingIsKept) {
  options_.capacity = 1'000'000;
  options_.counts = true;
  std::vector<std::string> notes;
  Start(std::make_unique<Noted>(folder_ / "out", &notes));
  EXPECT_THAT(At(0h, Numbered(0, 200'000)), ElementsAre("200000"));
  EXPECT_THAT(notes, ElementsAre("begin 0 0", "keep 1 200000", "finish 1 200000"));
}

// Small filters end soon past the rate, whatever the batch size is.
TEST_F(LineStreamTest, SmallFiltersEndSoonPastTheRate) {
  options_.capacity = 10;
  options_.every = 1h;
  std::vector<std::string> warnings;
  options_.warn = [&](const std::string& what) { warnings.push_back(what); };
  Start(MakeGenerations(options_.capacity, options_.rate));
  testing::WriteFile(folder_ / "in", TextOf(Numbered(0, 280)));
  EXPECT_EQ(stream_->Read(folder_ / "in").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(stream_->past_rate());
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_GE(stream_->totals().fresh, 11u);
  EXPECT_LE(stream_->totals().lines, 27u);
  EXPECT_EQ(stream_->End(), absl::OkStatus());
  EXPECT_EQ(LinesOf(ReadFile(folder_ / "out")).size(), stream_->totals().fresh);
}

// A shared filter whose rate is known with the first line, or only at the end.
class Shared : public Noted {
 public:
  using Noted::Noted;
  void SetOthers(uint64_t lines) { others_ = lines; }
  absl::Status Finish() override {
    others_ += 5'000;
    return Noted::Finish();
  }
  uint64_t num_added() const override { return Noted::num_added() + others_; }
  double RateNow() const override { return num_added() > 1'010 ? 1e-3 : 1e-12; }

 private:
  uint64_t others_ = 0;
};

TEST_F(LineStreamTest, TheRateIsLookedAtBeforeTheFirstLineAndAtTheEnd) {
  std::vector<std::string> notes;
  auto early = std::make_unique<Shared>(folder_ / "out", &notes);
  early->SetOthers(2'000);
  Start(std::move(early));
  testing::WriteFile(folder_ / "in", TextOf(Numbered(0, 5)));
  EXPECT_EQ(stream_->Read(folder_ / "in").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(stream_->past_rate());
  EXPECT_EQ(stream_->totals().lines, 0u);
  EXPECT_EQ(stream_->End(), absl::OkStatus());

  Start(std::make_unique<Shared>(folder_ / "out", &notes));
  EXPECT_EQ(stream_->Read(folder_ / "in"), absl::OkStatus());
  EXPECT_FALSE(stream_->past_rate());
  EXPECT_EQ(stream_->End().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(stream_->past_rate());
  EXPECT_EQ(LinesOf(ReadFile(folder_ / "out")).size(), 5u);
}

// A filter for which, of five lines, the first is seen, the second is new, and the others are left
// out.
class Refusing : public Noted {
 public:
  using Noted::Noted;
  absl::Status Add(const KeyHash*, size_t n, bool* is_new) override {
    for (size_t i = 0; i < n; ++i) is_new[i] = i == 1;
    return absl::UnavailableError("no more");
  }
  bool IsLeftOut(size_t i) const override { return i >= 2; }
};

TEST_F(LineStreamTest, LinesThatAreLeftOutAreNeitherNewNorSeen) {
  std::vector<std::string> notes;
  testing::WriteFile(folder_ / "in", TextOf(Numbered(0, 5)));
  std::string expected;
  for (const bool counts : {false, true}) {
    for (const bool prints_seen : {false, true}) {
      options_.counts = counts;
      options_.prints_seen = prints_seen;
      Start(std::make_unique<Refusing>(folder_ / "out", &notes));
      EXPECT_EQ(stream_->Read(folder_ / "in").message(), "no more");
      EXPECT_EQ(stream_->End(), absl::OkStatus());
      EXPECT_EQ(stream_->totals().lines, 2u);
      EXPECT_EQ(stream_->totals().fresh, 1u);
      expected += counts ? "1\n" : prints_seen ? "line 0\n" : "line 1\n";
      EXPECT_EQ(ReadFile(folder_ / "out"), expected) << counts << prints_seen;
    }
  }
}

TEST_F(LineStreamTest, NothingIsTakenWithoutALine) {
  std::vector<std::string> notes;
  Start(std::make_unique<Noted>(folder_ / "out", &notes));
  EXPECT_THAT(At(0h, {}), ElementsAre());
  EXPECT_THAT(notes, ElementsAre("keep 0 0", "finish 0 0"));
}

}  // namespace line_stream_test
}  // namespace winnow::dedup
