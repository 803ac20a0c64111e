// Tests of `winnow dedup --redis` with real servers: one stream for several clients, while clients
// and servers are killed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "streams/tests/dedup/redis_stream_testing.h"
#include "streams/tests/redis/fake_server.h"
#include "streams/tests/support/started_cluster.h"
#include "streams/tests/support/started_redis.h"
#include "tests/support/becomes.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_tool.h"

namespace winnow {
namespace dedup_redis_test {

using ::testing::AllOf;
using testing::BitsWere;
using testing::ChildResult;
using testing::FakeServer;
using testing::FirstOfEach;
using ::testing::HasSubstr;
using testing::LinesOf;
using ::testing::Not;
using testing::RandomLines;
using testing::RunDedup;
using testing::StartedCluster;
using testing::StartedRedis;
using testing::TextOf;
using testing::WithAStream;
using testing::WriteFile;

class DedupRedisTest : public testing::RedisStreamTest {};

// Streams on a server and on a cluster, which the parameter tells apart.
class AnyStreamTest : public testing::RedisStreamTest, public ::testing::WithParamInterface<bool> {
 protected:
  static void SetUpTestSuite() {
    if (!testing::HasRedis()) return;
    const std::vector<std::string> options = {"--appendonly", "yes"};
    server_ = std::make_unique<StartedRedis>(options);
    cluster_ = std::make_unique<StartedCluster>(3, 1, options);
  }
  static void TearDownTestSuite() {
    server_ = nullptr;
    cluster_ = nullptr;
  }
  void TearDown() override {
    if (!IsSkipped()) FlushAll();
  }

  static std::string Address(int i = 0) {
    return GetParam() ? cluster_->address(i) : server_->address();
  }
  static void FlushAll() {
    server_->Ask({"flushall"});
    for (const int master : cluster_->Masters()) cluster_->Ask(master, {"flushall"});
    cluster_->WaitUntilReplicated();
  }

  static inline std::unique_ptr<StartedRedis> server_;
  static inline std::unique_ptr<StartedCluster> cluster_;
};

INSTANTIATE_TEST_SUITE_P(, AnyStreamTest, ::testing::Bool(),
                         [](const auto& it) { return it.param ? "Cluster" : "Server"; });

TEST_P(AnyStreamTest, EachLineComesOnceAndLaterRunsGoOnFromAnyServer) {
  const std::vector<std::string> lines = RandomLines(60'000, 30'000, 1);
  const ChildResult first = RunDedup(In(lines) + Flags(Address()));
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_TRUE(first.output == TextOf(FirstOfEach(lines)));
  EXPECT_THAT(first.errors,
              AllOf(HasSubstr("with k = 16; 0 uncertain"), Not(HasSubstr("warning"))));
  for (int seed = 0; seed < cluster_->size(); ++seed) {
    EXPECT_EQ(RunDedup(In(lines) + Flags(Address(seed))).output, "") << seed;
  }
  EXPECT_EQ(RunDedup(In({lines[0], "new"}) + Flags(Address(1))).output, "new\n");
  EXPECT_EQ(RunDedup(In({lines[0]}) + Flags(Address(2)) + "--name=other").output, lines[0] + "\n");
  if (!GetParam()) return;
  EXPECT_THAT(first.errors, HasSubstr("0 lost by fail-overs and set again; which of the last 60000 "
                                      "lines a fail-over loses from now on is unknown"));
  EXPECT_EQ(RunDedup(In({"more"}) + Flags("127.0.0.1:1," + Address(1))).output, "more\n");
}

TEST_P(AnyStreamTest, OfTwoClientsExactlyOnePrintsALine) {
  std::vector<std::string> lines = RandomLines(100'000, 50'000, 3);
  const std::string one = In(lines, "one");
  std::shuffle(lines.begin() + 10'000, lines.end(), std::mt19937_64(4));
  const std::string two = In(lines, "two");
  const auto first = Start(one + Flags(Address(0)), "first");
  const auto second = Start(two + Flags(Address(1)), "second");
  EXPECT_EQ(first->Wait(), 0) << first->Errors();
  EXPECT_EQ(second->Wait(), 0) << second->Errors();
  std::unordered_map<std::string, int> counts;
  Count("first", &counts);
  EXPECT_LT(counts.size(), FirstOfEach(lines).size()) << "the second one had nothing to print";
  Count("second", &counts);
  EXPECT_EQ(counts.size(), FirstOfEach(lines).size());
  for (const auto& [line, count] : counts) EXPECT_EQ(count, 1) << line;
}

// The new stream has complete keys: with bits of another line, or with the first lines of the old
// one set again.
TEST_P(AnyStreamTest, AStreamThatIsBegunAnewEndsForClientsThatWereIdle) {
  const std::vector<std::string> lines = testing::Numbered(0, 1'000);
  for (const std::vector<std::string>& others :
       {std::vector<std::string>{"x"}, testing::Numbered(0, 500)}) {
    Fed running(this, Flags(Address()), "out");
    running.Write(lines);
    running.Await(lines.size());
    FlushAll();
    EXPECT_EQ(RunDedup(In(others) + Flags(Address())).output, TextOf(others));
    sleep(1);  // the stream is checked once per second
    running.Write(lines);
    EXPECT_EQ(running.End(), 2);
    EXPECT_EQ(LinesOf(running.Output()).size(), lines.size());
    EXPECT_THAT(running.Errors(), HasSubstr("was begun anew"));
    EXPECT_EQ(RunDedup(In(others) + Flags(Address())).output, "");
    FlushAll();
  }
}

// The lines of all clients count, on all masters.
TEST_P(AnyStreamTest, PastTheRateTheStreamEnds) {
  const std::string flags = "--capacity=20000 --rate=1e-3 --inflight=100 --redis=" + Address();
  EXPECT_EQ(RunDedup(In(testing::Numbered(0, 15'000)) + flags).status, 0);
  const ChildResult past = RunDedup(In(testing::Numbered(15'000, 60'000)) + flags);
  EXPECT_EQ(past.status, 1);
  EXPECT_THAT(past.errors, AllOf(HasSubstr("warning: there are more than the 20000 new lines"),
                                 HasSubstr("past --rate=0.001"), HasSubstr("another --name")));
  EXPECT_NEAR(static_cast<double>(LinesOf(past.output).size()), 5'500, 500);
}

// Bits are set before a line is printed: lines in flight are lost, and no line is printed twice.
TEST_P(AnyStreamTest, AKilledClientLosesTheLinesInFlight) {
  const std::vector<std::string> lines = RandomLines(60'000, 50'000, 5);
  const std::string run = In(lines) + Flags(Address());
  std::mt19937_64 random(6);
  std::unordered_map<std::string, int> counts;
  uint64_t kills = 0;
  for (int i = 0; i < Kills(8); ++i) {
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
  std::printf("%d kills, %d lines lost\n", static_cast<int>(kills),
              static_cast<int>(distinct - counts.size()));
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
  // Digest of the bits that clients of each version have set.
  const auto digest = [](const StartedRedis& server) {
    return server.Ask(
        {"eval", "return redis.sha1hex(redis.call('get', KEYS[1]))", "1", "winnow-dedup:0"});
  };
  EXPECT_EQ(digest(a), "3fa6c7f5d7c27b433ed868a856d0e0e174bdd68a");
  EXPECT_EQ(digest(b), "b286bc64125dc978e8d0c383aef9d7b137192e1f");
  EXPECT_THAT(testing::ErrorsOf(In(lines) + Flags(a.address())), HasSubstr("has another plan"));
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
    EXPECT_THAT(testing::Refusal(in + flags),
                AllOf(HasSubstr("has another plan"), HasSubstr("capacity=200000")));
  }
  EXPECT_EQ(server.Ask({"get", "winnow-dedup:plan"}), before);
}

TEST_F(DedupRedisTest, WhatVanishedEndsTheStream) {
  StartedRedis server;
  const std::string in = In({"a"});
  for (const std::vector<std::string>& gone :
       {std::vector<std::string>{"flushall"}, {"del", "winnow-dedup:0"}}) {
    ASSERT_EQ(RunDedup(in + Flags(server.address())).status, 0);
    Fed running(this, Flags(server.address()), "out");
    running.Write({"b"});
    running.Await(1);
    server.Ask(gone);
    running.Write({"b"});
    EXPECT_EQ(running.End(), 2) << gone[0];
    EXPECT_EQ(running.Output(), "b\nb\n") << gone[0];
    EXPECT_THAT(running.Errors(), AllOf(HasSubstr("vanished"), HasSubstr("; 1 uncertain")))
        << gone[0];
    if (gone[0] != "flushall") {
      EXPECT_THAT(testing::ErrorsOf(in + Flags(server.address())), HasSubstr("vanished"));
    }
    server.Ask({"flushall"});
  }
  ASSERT_EQ(RunDedup(in + Flags(server.address())).status, 0);
  server.Ask({"del", "winnow-dedup:plan"});
  EXPECT_THAT(RunDedup(in + Flags(server.address())).errors, HasSubstr("the plan of the stream"));
}

TEST_F(DedupRedisTest, AnOutputThatFailsSaysHowManyLinesAreInNone) {
  const StartedRedis server;
  const std::string flags = Flags(server.address());
  const std::vector<std::string> lines = testing::Numbered(0, 3 * kInflight);
  EXPECT_EQ(NumberBefore(testing::ErrorsOf(In(lines) + flags + ">/dev/full"),
                         "new lines are set in the stream and in no output"),
            kInflight);
  EXPECT_EQ(LinesOf(RunDedup(In(lines) + flags).output).size(), 2 * kInflight);
  EXPECT_THAT(RunDedup(In(lines) + flags + "--seen >/dev/full").errors,
              AllOf(HasSubstr("could not be written"), Not(HasSubstr("in no output"))));
}

// The plan is deleted before the client's next check.
TEST_F(DedupRedisTest, AClientWhosePlanIsDeletedBeforeItConnectsAnewGoesOnAsWell) {
  const StartedRedis server;
  Fed running(this, Flags(server.address()), "out");
  running.Write({"a"});
  running.Await(1);
  server.Ask({"del", "winnow-dedup:plan"});
  server.Ask({"client", "kill", "type", "normal"});
  running.Write({"a", "b"});
  running.Await(2);
  EXPECT_EQ(running.End(), 0);
  EXPECT_EQ(running.Output(), "a\nb\n");
  EXPECT_THAT(running.Errors(), HasSubstr("was deleted: this client goes on"));
}

TEST_F(DedupRedisTest, AClientWhosePlanIsDeletedSaysSoAndGoesOn) {
  const StartedRedis server;
  Fed running(this, Flags(server.address()), "out");
  running.Write({"a"});
  running.Await(1);
  const std::string plan = server.Ask({"get", "winnow-dedup:plan"});
  server.Ask({"del", "winnow-dedup:plan"});
  sleep(1);  // the stream is checked once per second
  running.Write({"a", "b"});
  running.Await(2);
  EXPECT_THAT(running.Errors(), AllOf(HasSubstr("the plan of the stream winnow-dedup"),
                                      HasSubstr("was deleted: this client goes on")));
  server.Ask({"client", "kill", "type", "normal"});
  running.Write({"a", "d"});
  running.Await(3);
  EXPECT_EQ(RunDedup(In({"c"}) + Flags(server.address())).status, 2);
  EXPECT_THAT(running.Errors(), HasSubstr("'" + plan + "'"));
  server.Ask({"set", "winnow-dedup:plan", plan});
  EXPECT_EQ(RunDedup(In({"b", "c"}) + Flags(server.address())).output, "c\n");
  EXPECT_EQ(running.End(), 0);
}

// Small filters end the run soon, although they are full before --inflight lines are sent.
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

TEST_F(DedupRedisTest, RefusalsOfTheServerAreSentences) {
  const StartedRedis server({"--appendonly", "yes"});
  const std::string run = In({"a", "b"}) + Flags(server.address());
  const auto says = [&](const char* what) {
    const std::string errors = testing::Refusal(run);
    EXPECT_THAT(errors, AllOf(HasSubstr(server.address()), HasSubstr(what)));
    EXPECT_EQ(LinesOf(errors).size(), errors.find("lines, ") == std::string::npos ? 1u : 2u)
        << errors;
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
  EXPECT_THAT(testing::ErrorsOf(Flags("127.0.0.1:1") + "</dev/null"),
              HasSubstr("Connection refused"));
  EXPECT_THAT(testing::ErrorsOf(Flags("host:x") + "</dev/null"),
              HasSubstr("winnow dedup: 'host:x' is no address of a server"));
}

// Answers of a hostile server, or of an application that uses the protocol differently.
TEST_F(DedupRedisTest, WhatAServerSaysIsCutAndEscaped) {
  const std::string long_text = std::string("\033[2J\a\x9b") + std::string(3'000'000, 'x');
  for (const char* const refused : {"HELLO", "GET", "BITFIELD", "plan"}) {
    const auto answer = [&, others =
                                WithAStream("standalone")](const FakeServer::Words& words) mutable {
      if (refused == std::string("plan") && words[0] == "GET") {
        return "$" + std::to_string(long_text.size()) + "\r\n" + long_text + "\r\n";
      }
      return words[0] == refused ? "-ERR " + long_text + "\r\n" : others(words);
    };
    const FakeServer server(answer);
    const ChildResult outcome = RunDedup(In({"a"}) + Flags(server.address()));
    EXPECT_EQ(outcome.status == 0, refused == std::string("HELLO")) << refused;
    EXPECT_LE(outcome.errors.size(), 2'000u) << refused;
    for (const char byte : outcome.errors) {
      ASSERT_TRUE((byte >= ' ' && byte <= '~') || byte == '\n') << refused;
    }
    if (outcome.status != 0) {
      EXPECT_THAT(outcome.errors, HasSubstr("\\x1b[2J\\x07\\x9bxxx")) << refused;
    }
  }
}

// Nothing is sent on a closed connection.
TEST_F(DedupRedisTest, LinesThatWereNotSentAreNotPrinted) {
  StartedRedis server;
  Fed running(this, Flags(server.address()), "out");
  running.Write({"a"});
  running.Await(1);
  server.Stop();
  server.Restart();
  const std::vector<std::string> lines = testing::Numbered(0, 1'000);
  running.Write(lines);
  EXPECT_EQ(running.End(), 2);
  EXPECT_THAT(running.Errors(), HasSubstr("vanished"));
  EXPECT_EQ(running.Output(), "a\n");
  EXPECT_EQ(NumberBefore(running.Errors(), "uncertain"), 0U);
}

// Repeats are recognized, whichever lines are printed.
TEST_F(DedupRedisTest, WhatTheServerClosedWhileItWasIdleLeavesNoDoubt) {
  const StartedRedis server({"--timeout", "1"});
  const char* const flags[] = {"", "--count ", "--seen "};
  std::vector<std::unique_ptr<Fed>> clients;
  for (const char* flag : flags) {
    const std::string name = "s" + std::to_string(clients.size());
    clients.push_back(
        std::make_unique<Fed>(this, flag + Flags(server.address()) + "--name=" + name, name));
  }
  for (size_t i = 1; i <= 3; ++i) {
    for (const auto& client : clients) client->Write({"x"});
    const std::string calls = "cmdstat_bitfield:calls=" + std::to_string(3 * i) + ",";
    EXPECT_TRUE(testing::Becomes([&] {
      return server.Ask({"info", "commandstats"}).find(calls) != std::string::npos;
    })) << calls;
    // The only connection is that of the query itself.
    EXPECT_TRUE(testing::Becomes([&] {
      return LinesOf(server.Ask({"client", "list"})).size() == 1;
    }));
  }
  const char* const outputs[] = {"x\n", "1\n", "x\nx\n"};
  for (size_t i = 0; i < clients.size(); ++i) {
    EXPECT_EQ(clients[i]->End(), 0) << clients[i]->Errors();
    EXPECT_EQ(clients[i]->Output(), outputs[i]) << flags[i];
    EXPECT_THAT(clients[i]->Errors(),
                AllOf(HasSubstr("3 lines, 1 new, 2 seen before"), HasSubstr("; 0 uncertain")));
  }
}

TEST_F(DedupRedisTest, WhatIsWaitedForIsSaid) {
  std::atomic<bool> loads(true);
  const FakeServer server(WithAStream("standalone", [&](const FakeServer::Words&) {
    return loads ? "-LOADING Redis is loading\r\n" : BitsWere(0);
  }));
  const auto tool = Start(In({"a"}) + Flags(server.address()), "out");
  const std::string line = "winnow dedup: the server " + server.address() +
                           ": LOADING Redis is loading; it is waited for, as long as it says so\n";
  EXPECT_TRUE(testing::Becomes(
      [&] { return tool->HasEnded() || tool->Errors().find(line) != std::string::npos; }));
  loads = false;
  EXPECT_EQ(tool->Wait(), 0);
  EXPECT_THAT(tool->Errors(), AllOf(HasSubstr(line), HasSubstr("1 new")));
}

TEST_F(DedupRedisTest, RefusedLinesAreUncertainOnlyIfTheyWereSentBefore) {
  const std::string full = "-OOM command not allowed\r\n";
  const std::string loading = "-LOADING Redis is loading the dataset in memory\r\n";
  const struct {
    std::vector<std::string> answers;  // answers to three lines and to resent ones
    const char* output;
    const char* totals;
  } rows[] = {
      // First three answers are lost; the resent lines are then seen, refused and new.
      {{"", "", "cut", BitsWere(1), full, BitsWere(0)}, "a\nb\nc\n", "3 new, 0 seen before"},
      {{"", "", "cut", full, full, full}, "a\nb\nc\n", "3 new, 0 seen before"},
      {{BitsWere(0), loading, loading, BitsWere(1), full}, "a\n", "1 new, 1 seen before"},
      {{full, BitsWere(0), BitsWere(1)}, "b\n", "2 lines, 1 new, 1 seen before"},
      {{full, BitsWere(0), "cut"}, "b\nc\n", "2 lines, 2 new, 0 seen before"},
  };
  const uint64_t uncertain[] = {2, 3, 0, 0, 1};
  for (size_t row = 0; row < std::size(rows); ++row) {
    const auto of_line = [&, n = size_t{0}](const FakeServer::Words&) mutable {
      const size_t i = n++;
      if (i >= rows[row].answers.size()) return std::string("-ERR one line too many\r\n");
      if (rows[row].answers[i] == "cut") throw FakeServer::Cut{""};
      return rows[row].answers[i];
    };
    const FakeServer server(WithAStream("standalone", of_line));
    const ChildResult outcome = RunDedup(In({"a", "b", "c"}) + Flags(server.address()));
    EXPECT_EQ(outcome.status, 2) << row;
    EXPECT_EQ(outcome.output, rows[row].output) << row;
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr("its memory is full"), HasSubstr(rows[row].totals)))
        << row;
    EXPECT_EQ(NumberBefore(outcome.errors, "uncertain"), uncertain[row]) << row;
  }
}

TEST_F(DedupRedisTest, PasswordsComeFromAFileOrTheEnvironment) {
  const StartedRedis server({"--requirepass", "open sesame"});
  const std::string run = In({"a"}) + Flags(server.address());
  WriteFile(folder_ / "right", "open sesame\n");
  WriteFile(folder_ / "crlf", "open sesame\r\n");
  WriteFile(folder_ / "wrong", "sesame\n");
  EXPECT_THAT(RunDedup(run).errors,
              HasSubstr("it wants a password: give --password_file, or WINNOW_REDIS_PASSWORD or "
                        "REDISCLI_AUTH in the environment"));
  EXPECT_THAT(testing::ErrorsOf(run + "--password_file='" + folder_ / "wrong" + "'"),
              AllOf(HasSubstr("refuses the password"), Not(HasSubstr("sesame"))));
  EXPECT_EQ(RunDedup(run + "--password_file='" + folder_ / "right" + "'").output, "a\n");
  EXPECT_EQ(RunDedup(run + "--name=c --password_file='" + folder_ / "crlf" + "'").output, "a\n");
  EXPECT_EQ(RunDedup("--name=n " + run, {"WINNOW_REDIS_PASSWORD=open sesame"}).output, "a\n");
  // The file has precedence over Winnow's variable, which has precedence over that of redis-cli.
  EXPECT_EQ(RunDedup("--name=f --password_file='" + folder_ / "right" + "' " + run,
                     {"WINNOW_REDIS_PASSWORD=sesame"})
                .output,
            "a\n");
  EXPECT_EQ(RunDedup("--name=r " + run, {"REDISCLI_AUTH=open sesame"}).output, "a\n");
  EXPECT_EQ(
      RunDedup("--name=v " + run, {"WINNOW_REDIS_PASSWORD=open sesame", "REDISCLI_AUTH=sesame"})
          .output,
      "a\n");
  EXPECT_THAT(RunDedup(run, {"REDISCLI_AUTH=sesame"}).errors,
              HasSubstr("check REDISCLI_AUTH in the environment (WRONGPASS"));
  EXPECT_EQ(RunDedup(run + "--password_file='" + folder_ / "none" + "'").status, 2);
}

TEST_F(DedupRedisTest, AUrlNamesTheSameServerAsItsAddress) {
  const StartedRedis server({"--requirepass", "open sesame"});
  const auto as_admin = [&](const std::vector<std::string>& command) {
    return server.Ask(command, {"REDISCLI_AUTH=open sesame"});
  };
  ASSERT_EQ(as_admin({"acl", "setuser", "me", "on", ">a,b@c", "~*", "+@all"}), "OK");
  const std::string in = In({"a"});
  EXPECT_EQ(RunDedup(in + Flags(server.address()), {"REDISCLI_AUTH=open sesame"}).output, "a\n");
  const std::string plan = as_admin({"get", "winnow-dedup:plan"});
  // All logins join the stream, whose plan has only the address.
  for (const std::string login : {":open%20sesame@", "me:a%2Cb%40c@", "default@"}) {
    const ChildResult same = RunDedup(in + Flags("redis://" + login + server.address() + "/0"),
                                      {"REDISCLI_AUTH=open sesame"});
    EXPECT_EQ(same.output, "") << login;
    EXPECT_THAT(same.errors, AllOf(HasSubstr("1 seen before"), Not(HasSubstr("sesame")))) << login;
  }
  EXPECT_EQ(as_admin({"get", "winnow-dedup:plan"}), plan);
  EXPECT_THAT(plan, HasSubstr("servers=" + server.address() + " "));
  // Another database has other streams.
  const std::string third = Flags("redis://me:a%2Cb%40c@" + server.address() + "/3");
  EXPECT_EQ(RunDedup(in + third).output, "a\n");
  EXPECT_EQ(RunDedup(in + third).output, "");
  EXPECT_EQ(as_admin({"-n", "3", "get", "winnow-dedup:plan"}), plan);
  EXPECT_THAT(testing::ErrorsOf(in + Flags("redis://:open%20sesame@" + server.address() + "/99")),
              HasSubstr("DB index is out of range"));
  for (const std::string login : {"me:sesame@", "nobody:sesame@", ":sesame@"}) {
    EXPECT_THAT(testing::ErrorsOf(in + Flags("redis://" + login + server.address())),
                AllOf(HasSubstr("the server " + server.address() + ": it refuses the password"),
                      HasSubstr("check the URL"), Not(HasSubstr("sesame"))));
  }
}

TEST_F(DedupRedisTest, ASentinelIsRefused) {
  const StartedRedis sentinel({"--sentinel"});
  EXPECT_THAT(testing::ErrorsOf(In({"a"}) + Flags(sentinel.address())),
              AllOf(HasSubstr("it is a Sentinel"), HasSubstr("give the address of the master")));
}

// A server with an append-only file that is killed and restarted: no line is lost.
TEST_F(DedupRedisTest, AKilledServerIsWaitedForAndNoLineIsLost) {
  StartedRedis server({"--appendonly", "yes"});
  const std::vector<std::string> lines = RandomLines(60'000, 50'000, 7);
  const std::string run = In(lines) + Flags(server.address());
  std::mt19937_64 random(8);
  std::unordered_map<std::string, int> counts;
  int during = 0;
  for (int kills = 0, runs = 0; kills < Kills(8); ++runs) {
    const std::string name = "--name=s" + std::to_string(runs) + " ";
    counts.clear();
    const auto tool = Start(name + run, "out");
    // The client does not wait for a server that was never reachable.
    const std::vector<std::string> plan = {"get", "s" + std::to_string(runs) + ":plan"};
    EXPECT_TRUE(testing::Becomes(
        [&] { return tool->HasEnded() || server.Ask(plan).find("whole") != std::string::npos; }));
    while (!tool->HasEnded() && kills < Kills(8)) {
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

}  // namespace dedup_redis_test
}  // namespace winnow
