#include "src/workers/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace winnow::inspect {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kLongestSilence(60);

struct Outcome {
  std::map<size_t, ChildAnswer> answers;
  std::map<size_t, std::string> reports;
};

Outcome RunPool(size_t pieces, int workers,
                const std::function<std::string(size_t, const WorkerReport&)>& work,
                size_t hanging = 0) {
  Outcome outcome;
  PooledWork pooled;
  pooled.work = work;
  pooled.on_report = [&outcome](size_t piece, std::string_view report) {
    outcome.reports[piece] += report;
  };
  pooled.on_answer = [&outcome](size_t piece, const ChildAnswer& answer) {
    EXPECT_EQ(outcome.answers.count(piece), 0u) << piece;
    outcome.answers[piece] = answer;
  };
  pooled.workers = workers;
  pooled.longest_silence = kLongestSilence;
  // The simulated clock stops until all requests except hanging ones are answered.
  pooled.now = [&outcome, pieces, hanging] {
    const bool others_are_done = outcome.answers.size() + hanging == pieces;
    return std::chrono::steady_clock::time_point() + 2 * kLongestSilence * others_are_done;
  };
  RunInWorkers(pieces, pooled);
  EXPECT_EQ(outcome.answers.size(), pieces);
  return outcome;
}

TEST(WorkerPoolTest, EveryPieceIsAnswered) {
  for (const int workers : {1, 3, 500}) {
    Outcome outcome = RunPool(200, workers, [](size_t piece, const WorkerReport&) {
      return std::string(piece * 1'000, 'x') + std::to_string(piece);
    });
    for (size_t piece = 0; piece < 200; ++piece) {
      EXPECT_EQ(outcome.answers[piece].text,
                std::string(piece * 1'000, 'x') + std::to_string(piece));
    }
  }
}

TEST(WorkerPoolTest, WorkersLiveLong) {
  Outcome outcome =
      RunPool(100, 3, [](size_t, const WorkerReport&) { return std::to_string(getpid()); });
  std::set<std::string> processes;
  for (const auto& [piece, answer] : outcome.answers) {
    processes.insert(answer.text.value_or(""));
  }
  EXPECT_LE(processes.size(), 3u);
  EXPECT_EQ(processes.count(std::to_string(getpid())), 0u);
}

TEST(WorkerPoolTest, APieceThatEndsItsWorkerIsNamedAndTheOthersAreDone) {
  Outcome outcome = RunPool(50, 2, [](size_t piece, const WorkerReport&) {
    if (piece % 7 == 3) std::abort();
    if (piece == 49) _exit(5);
    return std::to_string(piece);
  });
  for (size_t piece = 0; piece < 49; ++piece) {
    EXPECT_EQ(outcome.answers[piece].text.has_value(), piece % 7 != 3) << piece;
  }
  EXPECT_THAT(outcome.answers[3].problem, HasSubstr("signal 6"));
  EXPECT_THAT(outcome.answers[49].problem, HasSubstr("exit code 5"));
}

TEST(WorkerPoolTest, APieceThatIsSilentOrHangsWithinItsAnswerIsEnded) {
  for (const bool begins_its_answer : {false, true}) {
    Outcome outcome = RunPool(
        4, 2,
        [begins_its_answer](size_t piece, const WorkerReport&) {
          for (int file = 3; begins_its_answer && piece == 1 && file < 256; ++file) {
            send(file, "a", 1, MSG_DONTWAIT);  // reaches the parent: a worker has no other socket
          }
          while (piece == 1) pause();
          return std::to_string(piece);
        },
        /*hanging=*/1);
    EXPECT_THAT(outcome.answers[1].problem, HasSubstr("did nothing for 60 s"));
    for (const size_t piece : {0, 2, 3}) {
      EXPECT_TRUE(outcome.answers[piece].text.has_value()) << piece;
    }
  }
}

TEST(WorkerPoolTest, ReportsComeBeforeTheAnswer) {
  Outcome outcome = RunPool(10, 2, [](size_t piece, const WorkerReport& report) {
    report("a");
    report(std::string());
    report(std::string(60 << 10, 'b'));
    return std::to_string(piece);
  });
  for (size_t piece = 0; piece < 10; ++piece) {
    EXPECT_EQ(outcome.reports[piece], "a" + std::string(60 << 10, 'b'));
  }
}

TEST(WorkerPoolTest, NothingToDoIsDone) {
  RunPool(0, 4, [](size_t, const WorkerReport&) { return std::string(); });
}

TEST(ChildAnswerTest, ALongTextArrivesWhole) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += std::to_string(i) + '\0';
  }
  const ChildAnswer answer = AskChild([&text] { return text; }, kLongestSilence);
  EXPECT_EQ(answer.problem, "");
  ASSERT_TRUE(answer.text.has_value());
  EXPECT_EQ(*answer.text, text);
}

TEST(ChildAnswerTest, AnEmptyTextIsAnAnswer) {
  EXPECT_EQ(AskChild([] { return std::string(); }, kLongestSilence).text, "");
}

TEST(ChildAnswerTest, WorkThatEndsTheProcessIsNoAnswer) {
  const ChildAnswer aborted = AskChild([]() -> std::string { std::abort(); }, kLongestSilence);
  EXPECT_FALSE(aborted.text.has_value());
  EXPECT_THAT(aborted.problem, HasSubstr("signal 6"));
  EXPECT_FALSE(AskChild([]() -> std::string { _exit(3); }, kLongestSilence).text.has_value());
}

TEST(ChildAnswerTest, WorkThatHangsIsEnded) {
  const ChildAnswer answer = AskChild(
      []() -> std::string {
        while (true) {
          pause();
        }
      },
      std::chrono::seconds(1));
  EXPECT_FALSE(answer.text.has_value());
  EXPECT_THAT(answer.problem, HasSubstr("did nothing for 1 s"));
}

}  // namespace
}  // namespace winnow::inspect
