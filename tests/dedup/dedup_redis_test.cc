// `winnow dedup --redis` with real servers: one stream for several clients, and what is left of it
// when clients and servers are killed.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/dedup/dedup_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_redis.h"
#include "tests/support/started_tool.h"

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
using testing::StartedRedis;
using testing::TextOf;
using testing::WriteFile;

constexpr uint64_t kInflight = 1000;

int Kills() {
  const char* const said = getenv("WINNOW_DEDUP_KILLS");
  return said == nullptr ? 8 : atoi(said);
}

class DedupRedisTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HasRedis()) {
      GTEST_SKIP() << "there is neither Redis nor Valkey";
    }
    if (RunDedup("--redis=127.0.0.1:1 </dev/null").errors.find("without hiredis") !=
        std::string::npos) {
      GTEST_SKIP() << "the tool was built without hiredis";
    }
  }

  std::string In(const std::vector<std::string>& lines, const std::string& name = "in") {
    WriteFile(folder_ / name, TextOf(lines));
    return "'" + folder_ / name + "' ";
  }
  static std::string Flags(const std::string& servers) {
    return "--capacity=200000 --inflight=" + std::to_string(kInflight) + " --redis=" + servers +
           " ";
  }

  std::unique_ptr<testing::Started> Start(const std::string& arguments, const std::string& out) {
    const int file = open((folder_ / out).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    auto tool =
        std::make_unique<testing::Started>("dedup " + arguments, file, folder_ / (out + ".errors"));
    close(file);
    return tool;
  }

  // Whole lines of a file, each counted.
  void Count(const std::string& out, std::unordered_map<std::string, int>* counts) const {
    const std::string text = ReadFile(folder_ / out);
    const size_t end = text.rfind('\n');
    if (end == std::string::npos) return;
    for (std::string& line : LinesOf(text.substr(0, end + 1))) ++(*counts)[std::move(line)];
  }

  testing::TemporaryFolder folder_;
};

TEST_F(DedupRedisTest, EachLineComesOnceAndLaterRunsGoOn) {
  const StartedRedis server;
  const std::vector<std::string> lines = RandomLines(30'000, 10'000, 1);
  const ChildResult first = RunDedup(In(lines) + Flags(server.address()));
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_TRUE(first.output == TextOf(FirstOfEach(lines)));
  EXPECT_THAT(first.errors, AllOf(HasSubstr("with k = 16"), HasSubstr("; 0 uncertain")));
  EXPECT_EQ(RunDedup(In(lines) + Flags(server.address())).output, "");
  EXPECT_EQ(RunDedup(In({lines[0], "new"}) + Flags(server.address())).output, "new\n");
  EXPECT_EQ(RunDedup(In({lines[0]}) + Flags(server.address()) + "--name=other").output,
            lines[0] + "\n");
  EXPECT_THAT(
      server.Ask({"keys", "*"}),
      AllOf(HasSubstr("winnow-dedup:plan"), HasSubstr("winnow-dedup:0"), HasSubstr("other:plan")));
}

TEST_F(DedupRedisTest, LinesAreSpreadOverServers) {
  const StartedRedis a, b;
  const std::vector<std::string> lines = RandomLines(20'000, 10'000, 2);
  const std::string both = Flags(a.address() + "," + b.address());
  EXPECT_TRUE(RunDedup(In(lines) + both).output == TextOf(FirstOfEach(lines)));
  const int in_a = atoi(a.Ask({"bitcount", "winnow-dedup:0"}).c_str());
  const int in_b = atoi(b.Ask({"bitcount", "winnow-dedup:0"}).c_str());
  EXPECT_NEAR(in_a, in_b, 0.1 * in_a);
  EXPECT_GT(in_a, 50'000);
  const ChildResult one = RunDedup(In(lines) + Flags(a.address()));
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.errors, HasSubstr("has another plan"));
}

TEST_F(DedupRedisTest, OfTwoClientsExactlyOnePrintsALine) {
  const StartedRedis server;
  std::vector<std::string> lines = RandomLines(60'000, 30'000, 3);
  const std::string one = In(lines, "one");
  std::shuffle(lines.begin() + 10'000, lines.end(), std::mt19937_64(4));
  const std::string two = In(lines, "two");
  const auto first = Start(one + Flags(server.address()), "first");
  const auto second = Start(two + Flags(server.address()), "second");
  EXPECT_EQ(first->Wait(), 0) << first->Errors();
  EXPECT_EQ(second->Wait(), 0) << second->Errors();
  std::unordered_map<std::string, int> counts;
  Count("first", &counts);
  EXPECT_LT(counts.size(), FirstOfEach(lines).size()) << "the second one had nothing to print";
  Count("second", &counts);
  EXPECT_EQ(counts.size(), FirstOfEach(lines).size());
  for (const auto& [line, count] : counts) EXPECT_EQ(count, 1) << line;
}

TEST_F(DedupRedisTest, AnotherPlanIsRefused) {
  const StartedRedis server;
  const std::string in = In({"a"});
  EXPECT_EQ(RunDedup(in + Flags(server.address())).output, "a\n");
  const std::string before = server.Ask({"get", "winnow-dedup:plan"});
  const std::string port = server.address().substr(server.address().find(':'));
  for (const std::string& flags : {"--capacity=200001 --redis=" + server.address(),
                                   "--capacity=200000 --rate=1e-6 --redis=" + server.address(),
                                   "--capacity=200000 --redis=127.1" + port}) {
    const ChildResult refused = RunDedup(in + flags);
    EXPECT_EQ(refused.status, 2) << flags;
    EXPECT_THAT(refused.output, IsEmpty()) << flags;
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("has another plan"), HasSubstr("capacity=200000")));
  }
  EXPECT_EQ(server.Ask({"get", "winnow-dedup:plan"}), before);
}

TEST_F(DedupRedisTest, WhatVanishedEndsTheStream) {
  StartedRedis server;
  const std::string in = In({"a"});
  for (const std::vector<std::string>& gone :
       {std::vector<std::string>{"flushall"}, {"del", "winnow-dedup:0"}}) {
    ASSERT_EQ(RunDedup(in + Flags(server.address())).status, 0);
    const std::string fifo = folder_ / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    const auto running = Start("'" + fifo + "' " + Flags(server.address()), "out");
    const int input = open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(write(input, "b\n", 2), 2);
    while (!running->HasEnded() && ReadFile(folder_ / "out").empty()) usleep(5'000);
    server.Ask(gone);
    ASSERT_EQ(write(input, "c\n", 2), 2);
    const int status = running->Wait();
    close(input);
    EXPECT_EQ(WEXITSTATUS(status), 2) << gone[0];
    EXPECT_THAT(running->Errors(), HasSubstr("vanished")) << gone[0];
    unlink(fifo.c_str());
    if (gone[0] != "flushall") {
      const ChildResult again = RunDedup(in + Flags(server.address()));
      EXPECT_EQ(again.status, 2);
      EXPECT_THAT(again.errors, HasSubstr("vanished"));
    }
    server.Ask({"flushall"});
  }
  ASSERT_EQ(RunDedup(in + Flags(server.address())).status, 0);
  server.Ask({"del", "winnow-dedup:plan"});
  EXPECT_THAT(RunDedup(in + Flags(server.address())).errors, HasSubstr("the plan of the stream"));
}

// The lines of all clients count.
TEST_F(DedupRedisTest, PastTheRateTheStreamEnds) {
  const StartedRedis server;
  const std::string flags = "--capacity=2000 --rate=1e-3 --inflight=20 --redis=" + server.address();
  std::vector<std::string> lines;
  for (int i = 0; i < 6'000; ++i) lines.push_back("line " + std::to_string(i));
  EXPECT_EQ(RunDedup(In({lines.begin(), lines.begin() + 1'500}) + flags).status, 0);
  const ChildResult past = RunDedup(In({lines.begin() + 1'500, lines.end()}) + flags);
  EXPECT_EQ(past.status, 1);
  EXPECT_THAT(past.errors, AllOf(HasSubstr("warning: there are more than the 2000 new lines"),
                                 HasSubstr("past --rate=0.001"), HasSubstr("another --name")));
  EXPECT_NEAR(static_cast<double>(LinesOf(past.output).size()), 520, 100);
}

// Whatever is in flight: a filter for few lines is full before so many are sent.
TEST_F(DedupRedisTest, SmallStreamsEndSoonPastTheRateAndLaterRunsAtOnce) {
  const StartedRedis server;
  const std::string flags = "--capacity=1000 --rate=1e-3 --redis=" + server.address();
  const std::vector<std::string> lines = testing::Numbered(0, 5'000);
  const ChildResult past = RunDedup(In(lines) + flags);
  EXPECT_EQ(past.status, 1);
  EXPECT_THAT(past.errors, HasSubstr("past --rate=0.001"));
  EXPECT_GE(LinesOf(past.output).size(), 950u);
  EXPECT_LE(LinesOf(past.output).size(), 1'100u);
  const ChildResult later = RunDedup(In({"new"}) + flags);
  EXPECT_EQ(later.status, 1);
  EXPECT_EQ(later.output, "");
  EXPECT_THAT(later.errors, HasSubstr("after 0 lines, 0 of them new"));
}

// From its log, slowly: it answers once for a thousand commands there.
TEST_F(DedupRedisTest, AServerThatLoadsItsDataIsWaitedFor) {
  StartedRedis server({"--appendonly", "yes"});
  const std::vector<std::string> lines = RandomLines(20'000, 15'000, 9);
  EXPECT_EQ(RunDedup(In(lines) + Flags(server.address())).status, 0);
  // Loaded one by one at a tenth of a millisecond each, however few commands the lines were sent
  // in.
  server.Ask({"eval", "for i = 1, 10000 do redis.call('set', 'other' .. i, i) end", "0"});
  server.Stop();
  server.Restart({"--key-load-delay", "100"});
  ASSERT_THAT(server.Ask({"ping"}), HasSubstr("LOADING"));
  const ChildResult after = RunDedup(In(lines) + Flags(server.address()));
  EXPECT_EQ(after.status, 0) << after.errors;
  EXPECT_EQ(after.output, "");
}

TEST_F(DedupRedisTest, RefusalsOfTheServerAreSentences) {
  const StartedRedis server;
  const std::string run = In({"a", "b"}) + Flags(server.address());
  const auto says = [&](const char* what) {
    const ChildResult outcome = RunDedup(run);
    EXPECT_EQ(outcome.status, 2) << what;
    EXPECT_THAT(outcome.output, IsEmpty()) << what;
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr(server.address()), HasSubstr(what)));
    EXPECT_EQ(LinesOf(outcome.errors).size(),
              outcome.errors.find("lines, ") == std::string::npos ? 1u : 2u)
        << outcome.errors;
  };
  server.Ask({"config", "set", "maxmemory", "1"});
  says("its memory is full");
  server.Ask({"config", "set", "maxmemory", "0"});
  EXPECT_EQ(RunDedup(run).output, "a\nb\n");
  server.Ask({"config", "set", "maxmemory", "1"});
  says("its memory is full");
  server.Ask({"config", "set", "maxmemory", "0"});
  server.Ask({"replicaof", "127.0.0.1", "1"});
  says("it is a replica");
  server.Ask({"replicaof", "no", "one"});
  EXPECT_EQ(RunDedup(run).status, 0);
  const StartedRedis cluster({"--cluster-enabled", "yes"});
  const ChildResult moved = RunDedup(In({"a"}) + Flags(cluster.address()));
  EXPECT_EQ(moved.status, 2);
  EXPECT_THAT(moved.errors, HasSubstr("part of a cluster"));
  const ChildResult nobody = RunDedup(Flags("127.0.0.1:1") + "</dev/null");
  EXPECT_EQ(nobody.status, 2);
  EXPECT_THAT(nobody.errors, HasSubstr("Connection refused"));
  for (const char* address : {"nohost", "host:0", "host:x", "[::1", "''", "127.0.0.1:1,"}) {
    EXPECT_EQ(RunDedup(Flags(address) + "</dev/null").status, 2) << address;
  }
  EXPECT_THAT(RunDedup(Flags("host:x") + "</dev/null").errors,
              HasSubstr("winnow dedup: 'host:x' is no address of a server"));
}

TEST_F(DedupRedisTest, PasswordsComeFromAFileOrTheEnvironment) {
  const StartedRedis server({"--requirepass", "open sesame"});
  const std::string run = In({"a"}) + Flags(server.address());
  WriteFile(folder_ / "right", "open sesame\n");
  WriteFile(folder_ / "crlf", "open sesame\r\n");
  WriteFile(folder_ / "wrong", "sesame\n");
  EXPECT_THAT(RunDedup(run).errors,
              HasSubstr("it wants a password: give --password_file, or WINNOW_REDIS_PASSWORD in"));
  const ChildResult wrong = RunDedup(run + "--password_file='" + folder_ / "wrong" + "'");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, AllOf(HasSubstr("refuses the password"), Not(HasSubstr("sesame"))));
  EXPECT_EQ(RunDedup(run + "--password_file='" + folder_ / "right" + "'").output, "a\n");
  EXPECT_EQ(RunDedup(run + "--name=c --password_file='" + folder_ / "crlf" + "'").output, "a\n");
  EXPECT_EQ(RunProgram({"sh", "-c", "'" WINNOW_TOOL "' dedup --name=n " + run},
                       {"WINNOW_REDIS_PASSWORD=open sesame"})
                .output,
            "a\n");
  // The variable of `pages` is none of this verb's, and the file goes before the own one.
  EXPECT_THAT(
      RunProgram({"sh", "-c", "'" WINNOW_TOOL "' dedup " + run}, {"REDISCLI_AUTH=open sesame"})
          .errors,
      HasSubstr("NOAUTH"));
  EXPECT_EQ(RunProgram({"sh", "-c",
                        "'" WINNOW_TOOL "' dedup --name=f --password_file='" + folder_ / "right" +
                            "' " + run},
                       {"WINNOW_REDIS_PASSWORD=sesame"})
                .output,
            "a\n");
  EXPECT_EQ(RunDedup(run + "--password_file='" + folder_ / "none" + "'").status, 2);
}

// Bits are set before a line is printed: what is in flight is lost, and nothing comes twice.
TEST_F(DedupRedisTest, AKilledClientLosesTheLinesInFlight) {
  const StartedRedis server;
  const std::vector<std::string> lines = RandomLines(60'000, 50'000, 5);
  const std::string run = In(lines) + Flags(server.address());
  std::mt19937_64 random(6);
  std::unordered_map<std::string, int> counts;
  uint64_t kills = 0;
  for (int i = 0; i < Kills(); ++i) {
    const auto tool = Start(run, "out");
    usleep(static_cast<useconds_t>(random() % 600'000));
    kill(tool->process(), SIGKILL);
    kills += WIFSIGNALED(tool->Wait());
    Count("out", &counts);
  }
  EXPECT_EQ(Start(run, "out")->Wait(), 0);
  Count("out", &counts);
  const uint64_t distinct = FirstOfEach(lines).size();
  for (const auto& [line, count] : counts) EXPECT_EQ(count, 1) << line;
  EXPECT_GE(counts.size() + kills * kInflight, distinct);
  RecordProperty("lost", static_cast<int>(distinct - counts.size()));
  std::printf("%d kills, %d lines lost\n", static_cast<int>(kills),
              static_cast<int>(distinct - counts.size()));
}

// A server with append-only persistence that is killed and comes back: no line is lost.
TEST_F(DedupRedisTest, AKilledServerIsWaitedForAndNoLineIsLost) {
  StartedRedis server({"--appendonly", "yes"});
  const std::vector<std::string> lines = RandomLines(60'000, 50'000, 7);
  const std::string run = In(lines) + Flags(server.address());
  std::mt19937_64 random(8);
  std::unordered_map<std::string, int> counts;
  int during = 0;
  for (int kills = 0, runs = 0; kills < Kills(); ++runs) {
    const std::string name = "--name=s" + std::to_string(runs) + " ";
    counts.clear();
    const auto tool = Start(name + run, "out");
    // Nobody waits for a server that was never there.
    const std::vector<std::string> plan = {"get", "s" + std::to_string(runs) + ":plan"};
    while (!tool->HasEnded() && server.Ask(plan).find("whole") == std::string::npos) {
      usleep(1'000);
    }
    while (!tool->HasEnded() && kills < Kills()) {
      usleep(static_cast<useconds_t>(random() % 300'000));
      during += !tool->HasEnded();
      server.Stop();
      usleep(static_cast<useconds_t>(random() % 100'000));
      server.Restart();
      ++kills;
    }
    EXPECT_EQ(tool->Wait(), 0) << tool->Errors();
    Count("out", &counts);
    EXPECT_EQ(counts.size(), FirstOfEach(lines).size()) << tool->Errors();
    std::printf("%s", tool->Errors().c_str());
  }
  EXPECT_GE(during, 1);
}

}  // namespace
}  // namespace winnow
