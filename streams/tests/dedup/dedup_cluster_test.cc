// Tests of `winnow dedup --redis` with clusters: one stream on several masters, while clients and
// masters are killed and slots move.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "streams/tests/dedup/redis_stream_testing.h"
#include "streams/tests/redis/fake_server.h"
#include "streams/tests/support/started_cluster.h"

namespace winnow {
namespace dedup_cluster_test {

using ::testing::AllOf;
using testing::BitsWere;
using testing::ChildResult;
using testing::ErrorsOf;
using testing::FakeServer;
using testing::FirstOfEach;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesOf;
using ::testing::Not;
using testing::Numbered;
using testing::RandomLines;
using testing::ReadFile;
using testing::RunDedup;
using testing::StartedCluster;
using testing::StartedRedis;
using testing::TextOf;

class DedupClusterTest : public testing::RedisStreamTest {
 protected:
  static int MasterOfKey(const StartedCluster& cluster, const std::string& key) {
    return cluster.MasterOf(atoi(cluster.Ask(0, {"cluster", "keyslot", key}).c_str()));
  }
  // Returns the output of a run, which must succeed.
  std::string Printed(const std::vector<std::string>& lines, const std::string& flags) {
    const ChildResult outcome = RunDedup(In(lines) + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return outcome.output;
  }

  // Adds lines that the replica of one master lacks when it takes over, and then more lines;
  // returns the totals.
  enum class Failure { kDead, kSilent };
  std::string LoseLines(const std::string& flags, Failure failure,
                        const std::vector<std::string>& lost,
                        const std::vector<std::string>& after);
};

TEST_F(DedupClusterTest, OtherPlansAreRefusedWithTheReason) {
  const StartedCluster cluster(3, 0);
  const StartedRedis server;
  const auto refused = [&](const std::string& flags) {
    const std::string errors = testing::Refusal(In({"a"}) + flags);
    EXPECT_EQ(LinesOf(errors).size(), 1u) << errors;
    return errors;
  };
  const std::string plan = "winnow-dedup:plan";
  const int holder = MasterOfKey(cluster, plan);
  EXPECT_EQ(Printed({"a"}, Flags(server.address())), "a\n");
  EXPECT_EQ(cluster.Ask(holder, {"set", plan, server.Ask({"get", plan})}), "OK");
  EXPECT_THAT(refused(Flags(cluster.address(0))),
              AllOf(HasSubstr("is one of servers without cluster mode, 'winnow dedup 1 "),
                    HasSubstr("Go on with it on such servers")));
  EXPECT_EQ(cluster.Ask(holder, {"del", plan}), "1");
  EXPECT_EQ(Printed({"a"}, Flags(cluster.address(0))), "a\n");
  EXPECT_THAT(refused("--capacity=200001 --redis=" + cluster.address(0)),
              AllOf(HasSubstr("has another plan"), HasSubstr("capacity=200001")));
  EXPECT_EQ(server.Ask({"set", plan, cluster.Ask(holder, {"get", plan})}), "OK");
  EXPECT_THAT(refused(Flags(server.address())),
              AllOf(HasSubstr("is one of a cluster, 'winnow dedup 2 "),
                    HasSubstr("this server has no cluster mode")));
  EXPECT_THAT(refused(Flags(server.address()) + "--name=n --replay=10"),
              HasSubstr("--replay does nothing with servers without cluster mode"));
  for (const char* const name : {"{a}", "a{", "a}"}) {
    const std::string flag = std::string("--name='") + name + "' ";
    EXPECT_THAT(refused(Flags(cluster.address(0)) + flag), HasSubstr("has a brace")) << name;
    EXPECT_EQ(Printed({"a"}, Flags(server.address()) + flag), "a\n") << name;
  }
  EXPECT_THAT(refused(Flags(server.address() + "," + cluster.address(0)) + "--name=m"),
              HasSubstr("it is one of a cluster, and " + server.address() + " is not"));
  EXPECT_THAT(refused(Flags(cluster.address(0) + "," + server.address()) + "--name=m"),
              HasSubstr("it is not part of a cluster"));
}

TEST_F(DedupClusterTest, AUserNeedsNoMoreThanThePageSays) {
  const StartedCluster cluster(3, 1, {"--requirepass", "secret", "--appendonly", "yes"});
  const auto allow = [&](std::vector<std::string> words) {
    for (std::string& word : words) word = word == ">PASSWORD" ? ">word" : word;
    for (int i = 0; i < cluster.size(); ++i) EXPECT_EQ(cluster.Ask(i, words), "OK");
  };
  int rows = 0;
  for (const std::string& line : LinesOf(ReadFile(WINNOW_SOURCE_DIR "/streams/docs/dedup.md"))) {
    if (line.rfind("    ACL SETUSER ", 0) != 0) continue;
    std::istringstream words(line.substr(0, line.find('#')));
    allow({std::istream_iterator<std::string>(words), {}});
    ++rows;
  }
  EXPECT_EQ(rows, 2);
  const std::string run = Flags("redis://dedup:word@" + cluster.address(0));
  const ChildResult outcome = RunDedup(In({"a", "b", "a"}) + run);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "a\nb\n");
  EXPECT_THAT(outcome.errors, Not(HasSubstr("warning")));
  testing::WriteFile(folder_ / "password", "secret");
  EXPECT_EQ(Printed({"a", "c"},
                    Flags(cluster.address(0)) + "--password_file='" + folder_ / "password" + "'"),
            "c\n");
  allow({"acl", "setuser", "dedup", "-cluster|nodes"});
  EXPECT_THAT(RunDedup(In({"d"}) + run).errors,
              AllOf(HasSubstr("warning: the server 127.0.0.1:"), HasSubstr("+cluster|nodes"),
                    HasSubstr("is not noticed")));
  for (const char* const command : {"bitfield", "setbit", "wait", "cluster|slots"}) {
    allow({"acl", "setuser", "dedup", std::string("-") + command});
    EXPECT_THAT(ErrorsOf(In({"e"}) + run + "--name='winnow-dedup:" + command + "'"),
                HasSubstr("NOPERM"));
    allow({"acl", "setuser", "dedup", std::string("+") + command});
  }
}

TEST_F(DedupClusterTest, WhatVanishedEndsTheStream) {
  const StartedCluster cluster(3, 0);
  Fed running(this, Flags(cluster.address(0)), "out");
  const std::vector<std::string> lines = Numbered(0, 1'000);
  running.Write(lines);
  running.Await(lines.size());
  cluster.Ask(1, {"flushall"});
  running.Write(lines);
  EXPECT_EQ(running.End(), 2);
  EXPECT_THAT(running.Errors(), HasSubstr("vanished"));
  // Lines on the other masters are still known.
  const uint64_t repeats = LinesOf(running.Output()).size() - lines.size();
  EXPECT_EQ(NumberBefore(running.Errors(), "uncertain"), repeats);
  EXPECT_GE(repeats, 1u);
  EXPECT_LE(repeats, 400u);
  EXPECT_EQ(NumberBefore(running.Errors(), "new,"), lines.size() + repeats);
  EXPECT_THAT(RunDedup(In({"a"}) + Flags(cluster.address(0))).errors, HasSubstr("vanished"));
}

// The next run finds the refused lines unchanged, whether they were sent or not.
TEST_F(DedupClusterTest, LinesThatAreRefusedAreNeitherNewNorSeen) {
  const StartedCluster cluster(3, 0);
  const std::string run = Flags(cluster.address(0));
  std::vector<std::string> lines = Numbered(0, 3'000);
  EXPECT_EQ(Printed({"a"}, run), "a\n");
  cluster.Ask(1, {"config", "set", "maxmemory", "1"});
  const auto refused = [&](const std::string& flags) {
    const ChildResult outcome = RunDedup(In(lines) + run + flags);
    EXPECT_EQ(outcome.status, 2) << flags;
    EXPECT_THAT(outcome.errors, HasSubstr("its memory is full")) << flags;
    return outcome;
  };
  const ChildResult first = refused("");
  const std::vector<std::string> printed = LinesOf(first.output);
  EXPECT_GE(printed.size(), 1u);
  EXPECT_LE(printed.size(), 750u) << "of the first round of a thousand, but those of one master";
  const std::string number = std::to_string(printed.size());
  EXPECT_THAT(first.errors, HasSubstr(number + " lines, " + number + " new, 0 seen before"));
  EXPECT_EQ(NumberBefore(first.errors, "uncertain"), 0u);
  // None of the next thousand lines was seen.
  lines.erase(lines.begin(), lines.begin() + kInflight);
  EXPECT_THAT(refused("--seen").output, IsEmpty());
  lines = Numbered(0, 1'000);
  cluster.Ask(1, {"config", "set", "maxmemory", "0"});
  for (const std::string& line : printed) lines.erase(std::find(lines.begin(), lines.end(), line));
  EXPECT_EQ(Printed(Numbered(0, 1'000), run), TextOf(lines));
}

TEST_F(DedupClusterTest, AClusterThatIsNotMadeIsASentence) {
  const StartedRedis alone({"--cluster-enabled", "yes"});
  EXPECT_THAT(ErrorsOf(In({"a"}) + Flags(alone.address())),
              AllOf(HasSubstr(alone.address()), HasSubstr("cluster is not made")));
}

std::string DedupClusterTest::LoseLines(const std::string& flags, Failure failure,
                                        const std::vector<std::string>& lost,
                                        const std::vector<std::string>& after) {
  StartedCluster cluster(3, 1, StartedCluster::FailsOverSoon());
  const std::string run = Flags(cluster.addresses()) + flags;
  const std::vector<std::string> before = Numbered(0, 3'000);
  Fed client(this, run, "out");
  client.Write(before);
  client.Await(before.size());
  cluster.WaitUntilReplicated();
  const int master = cluster.Masters()[0];
  const int replica = cluster.ReplicaOf(master);
  // Closes the connection, so that no data is buffered in it for the replica.
  cluster.StopNode(replica);
  cluster.Ask(master, {"client", "kill", "type", "replica"});
  client.Write(lost);
  client.Await(before.size() + lost.size());
  if (failure == Failure::kDead) {
    cluster.Kill(master);
    cluster.ContinueNode(replica);
    cluster.WaitUntilWhole();
    client.Write(after);
  } else {
    cluster.StopNode(master);
    client.Write(after);
    cluster.ContinueNode(replica);
  }
  EXPECT_EQ(client.End(), 0) << client.Errors();
  const size_t again = LinesOf(Printed(lost, run)).size();
  return std::to_string(again) + " lines again, output " +
         std::to_string(LinesOf(client.Output()).size()) + " lines; " + client.Errors();
}

TEST_F(DedupClusterTest, WhatAFailOverLosesIsSetAgainAndCountedAndNotPrintedAgain) {
  const std::vector<std::string> lost = Numbered(10'000, 13'000);
  const std::vector<std::string> more = {"one more"};
  const struct {
    const char* flags;
    Failure failure;
    std::vector<std::string> lost, after;
    const char* output;
    double counted;
  } rows[] = {
      // The client waits for lines while the master fails, and learns of the fail-over from the
      // next line.
      {"", Failure::kDead, lost, more, "output 6001 lines;", 1'000},
      // Lines acknowledged longer ago than --replay may still be lost, if the client has not
      // checked the stream since: they are sent again as well.
      {"--replay=2", Failure::kDead, Numbered(10'000, 11'000), more, "output 4001 lines;", 333},
      {"", Failure::kDead, lost, lost, "output 6000 lines;", 1'000},
      // The lost lines are in flight when the master fails, and its successor answers that they
      // are new before any can be resent.
      {"", Failure::kSilent, lost, lost, "output 6000 lines;", 1'000},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.output);
    const std::string totals = LoseLines(row.flags, row.failure, row.lost, row.after);
    EXPECT_THAT(totals, AllOf(HasSubstr("0 lines again, "), HasSubstr(row.output)));
    EXPECT_NEAR(static_cast<double>(NumberBefore(totals, "lost by fail-overs")), row.counted, 150);
    EXPECT_TRUE(row.after != more || NumberBefore(totals, "uncertain") == 0) << totals;
  }
}

TEST_F(DedupClusterTest, WithoutReplayLostLinesComeAgainAndAreNotCounted) {
  const std::string totals =
      LoseLines("--replay=0", Failure::kDead, Numbered(10'000, 13'000), {"one more"});
  EXPECT_NEAR(static_cast<double>(NumberBefore(totals, "lines again")), 1'000, 150);
  EXPECT_THAT(totals, AllOf(HasSubstr("; 0 uncertain; what fail-overs lost is unknown"),
                            Not(HasSubstr("set again"))));
}

// Two lines are acknowledged, and the connection is lost: the answers to the resent lines show what
// was lost with it.
TEST_F(DedupClusterTest, LinesThatAreSentAgainAreCountedByWhatIsKnown) {
  const std::string full = "-OOM command not allowed\r\n";
  const struct {
    std::vector<std::string> answers;  // answers after those to the first two lines
    int status;
    const char* totals;
  } rows[] = {
      {{BitsWere(1), BitsWere(0), BitsWere(0)},
       0,
       "3 new, 0 seen before;.*; 0 uncertain, 1 lost by fail-overs and set again; which of the "
       "last 3 lines a fail-over loses from now on is unknown\n"},
      // Both lines are lost and resent, and resent once more, since that connection is lost as
      // well.
      {{"", "cut", BitsWere(1), BitsWere(1), BitsWere(1), BitsWere(1), BitsWere(0)},
       0,
       "3 new, 0 seen before;.*; 0 uncertain, 0 lost by fail-overs and set again, 2 more perhaps; "
       "which .*; 0 commands were sent elsewhere, 2 again\n"},
      {{full, full},
       2,
       "2 new, 0 seen before;.*; 0 uncertain, 0 lost by fail-overs and set again; which of the "
       "last 2 lines a fail-over has lost or loses from now on is unknown\n"},
  };
  for (const auto& row : rows) {
    const auto of_line = [&, n = size_t{0}](const FakeServer::Words&) mutable {
      const size_t i = n++;
      if (i < 2) return BitsWere(0);
      if (i - 2 >= row.answers.size()) return std::string("-ERR one line too many\r\n");
      if (row.answers[i - 2] == "cut") throw FakeServer::Cut{""};
      return row.answers[i - 2];
    };
    FakeServer server(testing::WithAStream("cluster", of_line));
    server.SetSlots({{0, StartedCluster::kNumSlots - 1, &server}});
    Fed client(this, Flags(server.address()), "out");
    client.Write({"a", "b"});
    client.Await(2);
    server.CutAll();
    client.Write({"c"});
    EXPECT_EQ(client.End(), row.status);
    EXPECT_THAT(client.Errors(), ::testing::ContainsRegex(row.totals));
  }
}

// The old master goes away during a check of the stream. The new master has the plan and all keys,
// but lacks the line.
TEST_F(DedupClusterTest, AFailOverThatTheLookFindsIsFollowed) {
  std::mutex mutex;
  std::string sentinel;
  FakeServer::Answer stream = testing::WithAStream("cluster");
  const auto is_of_line = [&](const FakeServer::Words& words) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (words[0] == "SETBIT") sentinel = words[2];
    return words[0] == "GETBIT" && words[2] != sentinel;
  };
  const auto of_stream = [&](const FakeServer::Words& words) {
    const std::lock_guard<std::mutex> lock(mutex);
    return stream(words);
  };
  FakeServer next([&](const FakeServer::Words& words) {
    return is_of_line(words) ? ":0\r\n" : of_stream(words);
  });
  FakeServer old([&](const FakeServer::Words& words) {
    if (!is_of_line(words)) return of_stream(words);
    next.SetSlots({{0, StartedCluster::kNumSlots - 1, &next}});
    next.SetEpochs({{&next, 2}});
    throw FakeServer::Cut{""};
  });
  for (FakeServer* const server : {&old, &next}) {
    server->SetSlots({{0, StartedCluster::kNumSlots - 1, &old}});
    server->SetEpochs({{&old, 1}});
  }
  Fed client(this, Flags(old.address() + "," + next.address()), "out");
  client.Write({"a"});
  client.Await(1);
  sleep(1);  // the stream is checked once per second
  client.Write({"b"});
  client.Await(2);
  EXPECT_EQ(client.End(), 0);
  EXPECT_THAT(client.Errors(), HasSubstr("; 0 uncertain, 1 lost by fail-overs and set again"));
}

// Two clients send equal lines. Each line is printed. Each client prints no line twice except
// uncertain ones, and both clients print at most the lines that were in flight at a kill.
TEST_F(DedupClusterTest, KilledMastersLoseNoLineAndRepeatFewOnes) {
  StartedCluster cluster(3, 1, StartedCluster::FailsOverSoon());
  std::mt19937_64 random(8);
  std::vector<std::string> lines = RandomLines(200'000, 100'000, 7);
  const uint64_t distinct = FirstOfEach(lines).size();
  const std::string one = In(lines, "one");
  std::shuffle(lines.begin(), lines.end(), random);
  const std::string two = In(lines, "two");
  const int kills = Kills(2);
  uint64_t uncertain = 0, lost = 0, by_both = 0;
  int done = 0, during = 0, checked = 0;
  for (int runs = 0; done < kills; ++runs) {
    const std::string flags = "--name=s" + std::to_string(runs) + " " + Flags(cluster.addresses());
    const std::unique_ptr<testing::Started> tools[] = {Start(one + flags, "first"),
                                                       Start(two + flags, "second")};
    const auto run_still = [&] { return !tools[0]->HasEnded() && !tools[1]->HasEnded(); };
    const int before = done;
    bool saw_all = true;
    while (run_still() && done < kills) {
      usleep(static_cast<useconds_t>(random() % 700'000));
      const std::vector<int> masters = cluster.Masters();
      const int master = masters[random() % masters.size()];
      during += run_still();
      cluster.KillMaster(master);
      saw_all = run_still();
      cluster.Restart(master);
      ++done;
    }
    std::unordered_map<std::string, int> all;
    uint64_t of_this_run = 0, printed = 0;
    for (const int i : {0, 1}) {
      EXPECT_EQ(tools[i]->Wait(), 0) << tools[i]->Errors();
      std::unordered_map<std::string, int> own;
      Count(i == 0 ? "first" : "second", &own);
      uint64_t repeated = 0;
      for (const auto& [line, count] : own) {
        repeated += static_cast<uint64_t>(count) - 1;
        printed += 1;
        ++all[line];
      }
      const uint64_t said = NumberBefore(tools[i]->Errors(), "uncertain");
      EXPECT_LE(repeated, said) << tools[i]->Errors();
      of_this_run += said;
      lost += NumberBefore(tools[i]->Errors(), "lost by fail-overs");
    }
    EXPECT_EQ(all.size(), distinct);
    EXPECT_LE(printed - all.size(),
              of_this_run + 2 * kInflight * static_cast<uint64_t>(done - before));
    uncertain += of_this_run;
    by_both += printed - all.size();
    // Lines of a client that ended before the fail-over are not resent.
    if (saw_all) {
      EXPECT_EQ(RunDedup(one + flags).output, "");
      ++checked;
    }
  }
  EXPECT_GE(during, 1);
  std::printf(
      "%d kills, %d while clients ran: %d lines by both, %d uncertain, %d lost and set again; of "
      "%d runs no bit was missing\n",
      done, during, static_cast<int>(by_both), static_cast<int>(uncertain), static_cast<int>(lost),
      checked);
}

TEST_F(DedupClusterTest, SlotsThatMoveLoseAndRepeatNothing) {
  StartedCluster cluster(3, 1);
  const std::vector<std::string> lines = RandomLines(150'000, 100'000, 9);
  const std::string in = In(lines);
  std::mt19937_64 random(10);
  int during = 0;
  for (int moves = 0, runs = 0; moves < Kills(4); ++runs) {
    const auto tool = Start(in + "--capacity=200000 --inflight=200 --redis=" + cluster.addresses() +
                                " --name=m" + std::to_string(runs),
                            "out");
    while (!tool->HasEnded() && moves < Kills(4)) {
      // Picks a slot with a key.
      const int slot = static_cast<int>(random() % 256) * 64 + 32;
      const std::vector<int> masters = cluster.Masters();
      const int to = masters[random() % masters.size()];
      if (cluster.MasterOf(slot) == to) continue;
      cluster.MoveSlot(slot, to);
      during += !tool->HasEnded();
      ++moves;
    }
    EXPECT_EQ(tool->Wait(), 0) << tool->Errors();
    EXPECT_TRUE(ReadFile(folder_ / "out") == TextOf(FirstOfEach(lines))) << tool->Errors();
    EXPECT_THAT(tool->Errors(), HasSubstr("; 0 uncertain, 0 lost"));
  }
  EXPECT_GE(during, 1);
  std::printf("%d moves, %d while the client ran\n", Kills(4), during);
}

}  // namespace dedup_cluster_test
}  // namespace winnow
