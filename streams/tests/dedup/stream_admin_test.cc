// Tests of `winnow dedup --list`, `--check` and `--remove` with real servers, single ones and
// clusters, and of warnings about servers when a stream begins.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "streams/tests/dedup/redis_stream_testing.h"
#include "streams/tests/redis/fake_server.h"
#include "streams/tests/support/started_cluster.h"
#include "streams/tests/support/started_redis.h"
#include "tests/support/becomes.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace stream_admin_test {

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::ContainsRegex;
using testing::FakeServer;
using ::testing::HasSubstr;
using testing::LinesOf;
using ::testing::Not;
using testing::Numbered;
using testing::RunDedup;
using testing::StartedCluster;
using testing::StartedRedis;
using testing::WithAStream;

class StreamAdminTest : public testing::RedisStreamTest {
 protected:
  // Runs the tool with --json, expects this exit code, and returns the output.
  static json Ask(const std::string& arguments, int code) {
    const ChildResult outcome = RunDedup(arguments + " --json");
    EXPECT_EQ(outcome.status, code) << arguments << outcome.errors;
    json document = json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(document.is_object()) << outcome.output << outcome.errors;
    EXPECT_EQ(document["schema"], "winnow.dedup/1");
    return document;
  }
  void Print(const std::vector<std::string>& lines, const std::string& flags) {
    const ChildResult outcome = RunDedup(In(lines) + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
  }
};

TEST_F(StreamAdminTest, StreamsOfAServerAreListedWithTheirState) {
  const StartedRedis server;
  const std::string at = " --redis=" + server.address();
  EXPECT_EQ(RunDedup("--list" + at).output, "no streams\n");
  Print({"a"}, Flags(server.address()));
  Print({"a", "b"}, "--capacity=1e7 --rate=1e-3 --name='with a blank'" + at);
  Print({"a"}, "--capacity=1000 --name=lost" + at);
  server.Ask({"del", "lost:0"});
  // Unrelated keys are not listed.
  server.Ask({"set", "other:plan", "for tomorrow: nothing"});
  server.Ask({"sadd", "set:plan", "a"});
  EXPECT_THAT(RunDedup("--list" + at).output,
              ContainsRegex("\nlost +1000 +1e-09 +1 +[0-9.]+ KiB +keys missing\n"));
  const json document = Ask("--list" + at, 0);
  EXPECT_EQ(document["action"], "list");
  EXPECT_EQ(document["cluster"], false);
  EXPECT_EQ(document["servers"], json::array({server.address()}));
  ASSERT_EQ(document["streams"].size(), 3u);
  EXPECT_EQ(document["streams"][0]["keys_missing"], 1);
  EXPECT_EQ(document["streams"][2]["name"], "with a blank");
  EXPECT_EQ(document["streams"][2]["bits_set_by_a_line"], 6);
}

TEST_F(StreamAdminTest, ACheckCountsTheBitsAndNamesWhatIsMissing) {
  const StartedRedis a, b;
  const std::string both = " --redis=" + a.address() + "," + b.address();
  Print(Numbered(0, 2'900), "--capacity=3000 --rate=1e-3" + both);
  const json whole = Ask("--check=winnow-dedup" + both, 0)["streams"][0];
  EXPECT_EQ(whole["state"], "whole");
  EXPECT_EQ(whole["servers"], json::array({a.address(), b.address()}));
  EXPECT_NEAR(whole["lines"].get<double>(), 2'900, 100);
  EXPECT_LE(whole["expected_fpr"].get<double>(), 1e-3);
  EXPECT_GT(whole["expected_fpr"].get<double>(), 0.6e-3);
  EXPECT_GT(whole["bits_set"], 10'000);
  EXPECT_THAT(RunDedup("--check=winnow-dedup" + both).output,
              AllOf(HasSubstr("winnow-dedup: whole\nplan  winnow dedup 1 capacity=3000 "),
                    HasSubstr("\nkeys  2 keys, 0 missing, of "), HasSubstr("\nrate  0.")));

  EXPECT_THAT(testing::ErrorsOf("--check=winnow-dedup --redis=" + a.address(), 1),
              HasSubstr("lies on " + a.address() + "," + b.address()));
  b.Ask({"del", "winnow-dedup:0"});
  const ChildResult missing = RunDedup("--check=winnow-dedup" + both);
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.errors,
              AllOf(HasSubstr("the server " + b.address()), HasSubstr("1 of the 1 keys")));
  EXPECT_THAT(missing.output, HasSubstr("winnow-dedup: keys missing\n"));
  b.Ask({"del", "winnow-dedup:plan"});
  EXPECT_THAT(Ask("--check=winnow-dedup" + both, 1)["streams"][0]["faults"][0].get<std::string>(),
              HasSubstr(b.address() + ": it has no plan"));
  // A full stream: it was used beyond its capacity.
  Print(Numbered(0, 1'000), "--capacity=1000 --rate=1e-3 --name=full --redis=" + a.address());
  a.Ask({"eval", "redis.call('setrange', KEYS[1], 0, string.rep('\\255', 1500))", "1", "full:0"});
  EXPECT_THAT(testing::ErrorsOf("--check=full --redis=" + a.address(), 1),
              HasSubstr("past the planned 0.001"));
  EXPECT_THAT(testing::ErrorsOf("--check=none" + both, 1), HasSubstr("there is no stream none"));
  EXPECT_EQ(RunDedup("--check=winnow-dedup --redis=127.0.0.1:1").status, 2);
  b.Ask({"set", "none:0", "x"});
  for (const std::string action : {"--check=none", "--remove=none"}) {
    EXPECT_THAT(RunDedup(action + both).errors,
                AllOf(HasSubstr("the server " + b.address() + " has the key none:0, and no server"),
                      HasSubstr("set none:plan again"), HasSubstr("delete its keys")));
  }
  EXPECT_EQ(b.Ask({"exists", "none:0"}), "1");
}

TEST_F(StreamAdminTest, ARemovedStreamLeavesNothingOfItAndAllOfOthers) {
  const StartedRedis a, b;
  const std::string both = " --redis=" + a.address() + "," + b.address();
  Print({"a"}, "--capacity=1000" + both);
  Print({"a"}, "--capacity=1e9 --rate=0.1 --name=large" + both);
  a.Ask({"set", "large:other", "mine"});
  EXPECT_EQ(RunDedup("--remove" + both).status, 2) << "without a name";
  EXPECT_THAT(testing::ErrorsOf("--remove=large --redis=" + a.address()), HasSubstr("lies on "));
  const uint64_t before = std::stoull(a.Ask({"dbsize"}));
  const json removed = Ask("--remove=large" + both, 0);
  EXPECT_EQ(removed["keys_removed"].get<uint64_t>() / 2, before - 3);
  EXPECT_EQ(a.Ask({"dbsize"}), "3");
  EXPECT_EQ(b.Ask({"dbsize"}), "2");
  EXPECT_EQ(RunDedup("--remove=large" + both).status, 1);
  EXPECT_EQ(RunDedup(In({"a"}) + "--capacity=1000" + both).output, "") << "another is there";
  // An interrupted removal, or a server that restarted empty, leaves a partial stream.
  b.Ask({"flushall"});
  const ChildResult rest = RunDedup("--remove=winnow-dedup" + both);
  EXPECT_EQ(rest.status, 0) << rest.errors;
  EXPECT_THAT(rest.output, HasSubstr("winnow-dedup: removed, 2 keys of at most 4\n"));
  a.Ask({"set", "mine:plan", "for tomorrow"});
  EXPECT_THAT(testing::ErrorsOf("--remove=mine" + both), HasSubstr("nothing was done with it"));
  EXPECT_EQ(a.Ask({"get", "mine:plan"}), "for tomorrow");
}

TEST_F(StreamAdminTest, StreamsOfOneNameAreNotRemovedTogether) {
  const StartedRedis a, b;
  Print({"a"}, "--capacity=1000 --redis=" + a.address());
  Print({"a"}, "--capacity=2000 --redis=" + b.address());
  const std::string remove = "--remove=winnow-dedup --redis=";
  EXPECT_THAT(testing::ErrorsOf(remove + a.address() + "," + b.address()),
              AllOf(HasSubstr("'winnow dedup 1 capacity=1000 "),
                    HasSubstr("'winnow dedup 1 capacity=2000 ")));
  EXPECT_EQ(a.Ask({"dbsize"}), "2");
  EXPECT_EQ(b.Ask({"dbsize"}), "2");
  EXPECT_EQ(RunDedup(remove + b.address()).status, 0);
  EXPECT_EQ(a.Ask({"dbsize"}), "2");
  EXPECT_EQ(b.Ask({"dbsize"}), "0");
}

TEST_F(StreamAdminTest, AStreamInTwoDatabasesOfAServerIsRemovedFromBoth) {
  const StartedRedis server;
  const std::string one = "redis://" + server.address() + "/1";
  const std::string both = one + ",redis://" + server.address() + "/2";
  Print({"a"}, "--capacity=1000 --redis=" + both);
  EXPECT_THAT(testing::ErrorsOf("--remove=winnow-dedup --redis=" + one), HasSubstr("lies on "));
  EXPECT_EQ(server.Ask({"-n", "1", "dbsize"}), "2");
  EXPECT_EQ(Ask("--remove=winnow-dedup --redis=" + both, 0)["keys_removed"], 4);
  EXPECT_EQ(server.Ask({"info", "keyspace"}).find("db"), std::string::npos);
}

TEST_F(StreamAdminTest, KeysWithoutAPlanAreRemovedFromServersOfTheStreamOnly) {
  const StartedRedis a, b, other;
  const std::string both = " --redis=" + a.address() + "," + b.address();
  Print({"a"}, "--capacity=1000" + both);
  b.Ask({"del", "winnow-dedup:plan"});
  other.Ask({"set", "winnow-dedup:0", "mine"});
  EXPECT_EQ(Ask("--remove=winnow-dedup" + both + "," + other.address(), 0)["keys_removed"], 3);
  EXPECT_EQ(a.Ask({"dbsize"}), "0");
  EXPECT_EQ(b.Ask({"dbsize"}), "0");
  EXPECT_EQ(other.Ask({"get", "winnow-dedup:0"}), "mine");
}

// The clients wait for input, have no line yet, or send lines continuously.
TEST_F(StreamAdminTest, ClientsOfARemovedStreamEndWithAnErrorAndLeaveNothing) {
  const StartedRedis server;
  const std::string flags = "--capacity=1e7 --inflight=50 --redis=" + server.address();
  Fed idle(this, flags, "idle");
  idle.Write({"a"});
  idle.Await(1);
  Fed fresh(this, flags, "fresh");
  const auto busy = Start(In(Numbered(0, 1'000'000)) + flags, "busy");
  EXPECT_TRUE(testing::Becomes(
      [&] { return busy->HasEnded() || !testing::ReadFile(folder_ / "busy").empty(); }));
  const ChildResult removed = RunDedup("--remove=winnow-dedup --redis=" + server.address());
  EXPECT_EQ(removed.status, 0) << removed.errors;
  EXPECT_THAT(removed.output, HasSubstr("removed, 2 keys of at most 2"));
  for (const Fed* const client : {&idle, &fresh}) client->Write({"b"});
  for (Fed* const client : {&idle, &fresh}) {
    EXPECT_EQ(client->End(), 2);
    EXPECT_THAT(client->Errors(), HasSubstr("vanished"));
  }
  EXPECT_EQ(WEXITSTATUS(busy->Wait()), 2) << busy->Errors();
  EXPECT_THAT(busy->Errors(), HasSubstr("vanished"));
  EXPECT_EQ(server.Ask({"dbsize"}), "0");
  EXPECT_EQ(RunDedup(In({"a"}) + flags).output, "a\n") << "the next client begins it anew";
}

// Another program recreates keys without checking that they are complete.
TEST_F(StreamAdminTest, AStreamWhoseKeysComeBackIsNotSaidToBeRemoved) {
  const FakeServer server([answer = WithAStream("standalone")](const FakeServer::Words& words) {
    return words[0] == "DEL" ? std::string(":1\r\n") : answer(words);
  });
  const std::string at = " --redis=" + server.address();
  Print({"a"}, "--capacity=1000" + at);
  const json refused = Ask("--remove=winnow-dedup" + at, 2);
  ASSERT_EQ(refused["faults"].size(), 1u);
  EXPECT_THAT(refused["faults"][0].get<std::string>(),
              AllOf(HasSubstr("the stream winnow-dedup is not removed: clients go on with it"),
                    HasSubstr("remove it again")));
  EXPECT_EQ(refused["cluster"], false);
  EXPECT_THAT(server.Received(), Not(::testing::Contains("DEL winnow-dedup:plan")));
  EXPECT_THAT(testing::Refusal("--remove=winnow-dedup" + at),
              HasSubstr("is not removed: clients go on with it"));
}

TEST_F(StreamAdminTest, StreamsOfAClusterAreThoseOfAllMasters) {
  const StartedCluster cluster(3, 0);
  for (const char* const name : {"a", "b", "c", "d"}) {
    Print(Numbered(0, 2'000), Flags(cluster.address(0)) + "--name=" + name);
  }
  const std::string at = " --redis=" + cluster.address(1);
  const json listed = Ask("--list" + at, 0);
  EXPECT_EQ(listed["cluster"], true);
  ASSERT_EQ(listed["streams"].size(), 4u);
  for (const json& stream : listed["streams"]) {
    EXPECT_EQ(stream["state"], "whole");
    EXPECT_EQ(stream["keys"], 256);
    EXPECT_TRUE(stream["servers"].is_null());
  }
  const json checked = Ask("--check=b" + at, 0)["streams"][0];
  EXPECT_NEAR(checked["lines"].get<double>(), 2'000, 30);
  EXPECT_EQ(Ask("--remove=b" + at, 0)["keys_removed"], 257);
  EXPECT_EQ(Ask("--list" + at, 0)["streams"].size(), 3u);
  cluster.Ask(2, {"flushall"});
  EXPECT_EQ(Ask("--check=c" + at, 1)["streams"].size() +
                Ask("--check=d" + at, 1)["streams"].size() +
                Ask("--check=a" + at, 1)["streams"].size(),
            Ask("--list" + at, 0)["streams"].size());
  for (const json& stream : Ask("--list" + at, 0)["streams"]) {
    EXPECT_EQ(stream["state"], "keys missing");
  }
}

TEST_F(StreamAdminTest, WrongUsageIsSaid) {
  const struct {
    const char* arguments;
    const char* said;
  } rows[] = {
      {"--list", "--list is of streams in servers: give --redis=SERVER as well"},
      {"--list --check=n --redis=a", "--list and --check: one at a time"},
      {"--list --redis=a file", "--list reads no lines: leave 'file' out"},
      {"--list --redis=a --name=b", "--name does nothing with --list"},
      {"--check=winnow-dedup --redis=a --capacity=5", "--capacity does nothing with --check"},
      {"--check=winnow-dedup --redis=a --count", "--count does nothing with --check"},
      {"--remove= --redis=a", "--remove needs a value"},
      {"--remove --redis=a", "--remove"},
      {"--remove=b --redis=a --name=b", "--name does nothing with --remove"},
      {"--json", "--json goes only with --list, --check and --remove"},
  };
  for (const auto& [arguments, said] : rows) {
    EXPECT_THAT(testing::Refusal(std::string(arguments) + " </dev/null"), HasSubstr(said))
        << arguments;
  }
}

// ---- What is said of servers

TEST_F(StreamAdminTest, TheSameServerTwiceIsRefused) {
  const StartedRedis server, other;
  const std::string port = server.address().substr(server.address().find(':'));
  std::vector<std::string> names = {server.address(), "127.1" + port,
                                    "redis://" + server.address() + "/0"};
  // A bare Debian has no /etc/hosts.
  if (testing::RunProgram({"getent", "hosts", "localhost"}).status == 0) {
    names.push_back("localhost" + port);
  }
  for (const std::string& again : names) {
    EXPECT_THAT(
        testing::Refusal(In({"a"}) + Flags(server.address() + "," + other.address() + "," + again)),
        HasSubstr("are the same server"))
        << again;
    EXPECT_EQ(server.Ask({"dbsize"}), "0") << again;
    EXPECT_EQ(other.Ask({"dbsize"}), "0") << again;
  }
  // Another database has its own bits.
  EXPECT_EQ(
      RunDedup(In({"a"}) + Flags(server.address() + ",redis://" + server.address() + "/1")).output,
      "a\n");
}

TEST_F(StreamAdminTest, WhatMayEndAStreamIsSaidOnceOfAllServers) {
  const StartedRedis kept({"--appendonly", "yes"}), a, b({"--maxmemory-policy", "allkeys-lru"});
  EXPECT_THAT(RunDedup(In({"a"}) + Flags(kept.address())).errors, Not(HasSubstr("warning")));
  const ChildResult outcome = RunDedup(
      In({"a"}) + Flags(kept.address() + "," + a.address() + "," + b.address()) + "--name=three");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "a\n");
  EXPECT_THAT(
      outcome.errors,
      AllOf(HasSubstr("warning: " + a.address() + ", " + b.address() + " keep no append-only log"),
            HasSubstr("lines since the last snapshot may be printed again"),
            HasSubstr("warning: " + b.address() + " has the maxmemory-policy allkeys-lru")));
  EXPECT_EQ(LinesOf(outcome.errors).size(), 4u) << outcome.errors;
  // No warning is given if the user may not run INFO.
  a.Ask({"acl", "setuser", "few", "on", ">word", "~*", "+@all", "-info"});
  EXPECT_THAT(
      testing::ErrorsOf(In({"a"}) + Flags("redis://few:word@" + a.address()) + "--name=n", 0),
      Not(HasSubstr("warning")));
  const StartedCluster cluster(3, 0, {"--maxmemory-policy", "allkeys-lfu"});
  EXPECT_THAT(RunDedup(In({"a"}) + Flags(cluster.address(0))).errors,
              AllOf(ContainsRegex("warning: [^ ]*, [^ ]*, [^ ]* keep no append-only log"),
                    ContainsRegex("warning: [^ ]*, [^ ]*, [^ ]* have no replica"),
                    ContainsRegex("warning: [^ ]*, [^ ]*, [^ ]* have the maxmemory-policy")));
}

// No memory is used: the fake server answers everything and stores nothing.
TEST_F(StreamAdminTest, APlanOfMuchOfAServerIsSaidAsItBegins) {
  const FakeServer server(WithAStream("standalone"));
  const std::string at = " --redis=" + server.address();
  EXPECT_THAT(testing::ErrorsOf(In({"a"}) + "--capacity=4e9" + at, 0),
              HasSubstr("warning: the stream winnow-dedup takes 23.5 GiB of " + server.address()));
  EXPECT_THAT(RunDedup(In({"a"}) + "--capacity=4e9" + at).errors, Not(HasSubstr("GiB of 127")));
  const FakeServer other(WithAStream("standalone"));
  EXPECT_THAT(RunDedup(In({"a"}) + "--capacity=2e9 --redis=" + other.address()).errors,
              Not(HasSubstr("warning")));
}

}  // namespace stream_admin_test
}  // namespace winnow
