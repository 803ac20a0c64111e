// Tests of which clients begin a stream, join it, or are refused because a part of it is missing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "streams/dedup/line_command.h"
#include "streams/dedup/redis_lines.h"
#include "streams/dedup/stream_plan.h"
#include "streams/redis/key_slots.h"
#include "streams/redis/patience.h"
#include "streams/redis/redis_access.h"
#include "streams/tests/redis/fake_server.h"
#include "streams/tests/support/started_cluster.h"
#include "streams/tests/support/started_redis.h"

namespace winnow::dedup {
namespace redis_joins_test {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::StartedCluster;
using testing::StartedRedis;
using testing::WithAStream;

constexpr char kPlan[] = "s:plan";

class RedisJoinsTest : public testing::RedisTest {
 protected:
  RedisPlan PlanFor(const std::string& servers, const std::string& name = "s") {
    RedisPlan plan;
    plan.servers = redis::ParseServers(servers, {}).value();
    plan.name = name;
    plan.capacity = 1'000;
    plan.rate = 1e-9;
    plan.warn = [this](const std::string& what) {
      if (what.find("append-only log") == std::string::npos) warnings_.push_back(what);
    };
    // Messages about waiting come soon, and the time limit passes then unless other clients make
    // progress. A server's answer may take longer.
    plan.waits.until_said = plan.waits.between_said = std::chrono::milliseconds(10);
    plan.waits.now = [this] { return redis::Waits::Clock::now() + passed_; };
    plan.waits.say = [this](const std::string& what) {
      if (what.find("is not whole on all servers") == std::string::npos) return;
      said_ = what;
      if (go_on_) return std::exchange(go_on_, nullptr)();
      passed_ += seconds(11);
    };
    return plan;
  }
  // Opens and closes the stream; returns its error message, or an empty string.
  static std::string Open(const RedisPlan& plan) {
    return std::string(OpenRedis(plan).status().message());
  }
  // Returns how many of `num_lines` lines are new.
  static int NumNew(const RedisPlan& plan, int num_lines) {
    auto lines = OpenRedis(plan);
    if (!lines.ok()) {
      ADD_FAILURE() << lines.status();
      return -1;
    }
    int num_new = 0;
    for (int i = 0; i < num_lines; ++i) {
      const KeyHash hash = HashKey("line " + std::to_string(i));
      bool is_new = false;
      EXPECT_EQ((*lines)->Add(&hash, 1, &is_new), absl::OkStatus());
      num_new += is_new;
    }
    return num_new;
  }

  seconds passed_{0};
  std::string said_;
  std::function<void()> go_on_;  // called when the client says that it waits for others
  std::vector<std::string> warnings_;
};

TEST_F(RedisJoinsTest, WhoBeginsSaysSoAndWhoGoesOnDoesNot) {
  const StartedRedis a, b;
  const RedisPlan plan = PlanFor(a.address() + "," + b.address());
  EXPECT_EQ(NumNew(plan, 100), 100);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the stream s is begun anew")));
  EXPECT_EQ(NumNew(plan, 100), 0);
  EXPECT_EQ(warnings_.size(), 1U);
  a.Ask({"flushall"});
  b.Ask({"flushall"});
  EXPECT_EQ(NumNew(plan, 100), 100);
  EXPECT_EQ(warnings_.size(), 2U);
}

TEST_F(RedisJoinsTest, AServerThatCameBackEmptyIsNoReasonToBegin) {
  const StartedRedis a, b, c;
  const RedisPlan plan = PlanFor(a.address() + "," + b.address() + "," + c.address());
  ASSERT_EQ(NumNew(plan, 100), 100);
  for (const StartedRedis* empty : {&a, &b, &c}) {
    std::vector<std::string> before;
    for (const char* key : {kPlan, "s:0"}) before.push_back(empty->Ask({"dump", key}));
    empty->Ask({"rename", kPlan, "kept:plan"});
    empty->Ask({"rename", "s:0", "kept:0"});
    EXPECT_THAT(Open(plan), AllOf(HasSubstr("the server " + empty->address() + ": "),
                                  HasSubstr("the plan of the stream s vanished")));
    EXPECT_THAT(said_, HasSubstr("the stream s is not whole on all servers; it is waited for"));
    EXPECT_EQ(empty->Ask({"exists", kPlan, "s:0"}), "0");
    empty->Ask({"rename", "kept:plan", kPlan});
    empty->Ask({"rename", "kept:0", "s:0"});
  }
  EXPECT_EQ(warnings_.size(), 1U);
  EXPECT_EQ(NumNew(plan, 100), 0);
}

TEST_F(RedisJoinsTest, AKeyWithoutAPlanIsNoReasonToBegin) {
  const StartedRedis a, b;
  const RedisPlan plan = PlanFor(a.address() + "," + b.address());
  ASSERT_EQ(NumNew(plan, 100), 100);
  for (const StartedRedis* each : {&a, &b}) each->Ask({"del", kPlan});
  a.Ask({"del", "s:0"});
  EXPECT_THAT(Open(plan), AllOf(HasSubstr("the server " + b.address() + ": "),
                                HasSubstr("the plan of the stream s vanished")));
  EXPECT_EQ(a.Ask({"dbsize"}), "0");
  EXPECT_EQ(b.Ask({"exists", kPlan}), "0");
}

TEST_F(RedisJoinsTest, AKeyOfSomethingElseIsNotSaidToBeAStreamThatVanished) {
  const StartedRedis server;
  server.Ask({"lpush", "s:0", "a"});
  EXPECT_THAT(Open(PlanFor(server.address())),
              HasSubstr("vanished, or these keys are something else's"));
  EXPECT_EQ(server.Ask({"dbsize"}), "1");
}

// One master of a cluster restarts empty.
TEST_F(RedisJoinsTest, AMasterThatCameBackEmptyIsNoReasonToBegin) {
  const StartedCluster cluster(3, 0);
  std::string name;
  for (int i = 0; name.empty() || redis::SlotOf(name + ":plan") >= redis::kNumSlots / 3; ++i) {
    name = "s" + std::to_string(i);
  }
  const RedisPlan plan = PlanFor(cluster.addresses(), name);
  ASSERT_EQ(NumNew(plan, 100), 100);
  ASSERT_EQ(cluster.Ask(0, {"exists", name + ":plan"}), "1");
  warnings_.clear();
  cluster.Ask(0, {"flushall"});
  EXPECT_THAT(Open(plan), HasSubstr("the plan of the stream " + name + " vanished"));
  EXPECT_EQ(cluster.Ask(0, {"dbsize"}), "0");
  EXPECT_THAT(warnings_, IsEmpty());
}

// Clients of version 1.0 complete one server after the other.
TEST_F(RedisJoinsTest, OlderClientsThatBeginAreWaitedFor) {
  const StartedRedis a, b;
  const RedisPlan plan = PlanFor(a.address() + "," + b.address());
  const StreamPlan stream = StreamPlan::OfServers(plan);
  const auto make = [&](const StartedRedis& server, const char* phase) {
    server.Ask({"set", kPlan, stream.Text("begun")});
    server.Ask({"setbit", stream.Key(0), Sentinel(stream.shape), "1"});
    server.Ask({"set", kPlan, stream.Text(phase)});
  };
  for (const char* phase : {"whole", "begun"}) {
    make(a, "whole");
    go_on_ = [&] { make(b, phase); };
    EXPECT_EQ(Open(plan), "");
    for (const StartedRedis* each : {&a, &b}) {
      EXPECT_EQ(each->Ask({"get", kPlan}), stream.Text("whole"));
      each->Ask({"flushall"});
    }
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

// This order guarantees that no client sees a complete server beside one without a plan.
TEST_F(RedisJoinsTest, AllPlansAreBegunBeforeAKeyIsMadeAndAllKeysBeforeAPlanIsWhole) {
  std::mutex mutex;
  std::vector<std::string> all;
  const auto answer = [&](std::string server) {
    return [&, server,
            of = WithAStream("standalone", nullptr)](const FakeServer::Words& words) mutable {
      const std::lock_guard<std::mutex> lock(mutex);
      if (words[0] == "SET" || words[0] == "SETBIT" || words[0] == "EXISTS") {
        const size_t blank = words[0] == "SET" ? words[2].rfind(' ') : std::string::npos;
        all.push_back(server + words[0] +
                      (blank == std::string::npos ? "" : words[2].substr(blank)));
      }
      return of(words);
    };
  };
  const FakeServer a(answer("a ")), b(answer("b "));
  EXPECT_EQ(Open(PlanFor(a.address() + "," + b.address())), "");
  EXPECT_THAT(all, ElementsAre("a EXISTS", "b EXISTS", "a SET begun", "b SET begun", "a SETBIT",
                               "b SETBIT", "a SET whole", "b SET whole"));
}

TEST_F(RedisJoinsTest, WhatWasBegunIsMadeWhole) {
  const StartedRedis a, b;
  const RedisPlan plan = PlanFor(a.address() + "," + b.address());
  a.Ask({"set", kPlan, StreamPlan::OfServers(plan).Text("begun")});
  EXPECT_EQ(NumNew(plan, 100), 100);
  b.Ask({"set", kPlan, StreamPlan::OfServers(plan).Text("begun")});
  EXPECT_EQ(NumNew(plan, 100), 0);
}

TEST_F(RedisJoinsTest, WhoOnlyJoinsBeginsNothing) {
  const StartedRedis a, b;
  RedisPlan plan = PlanFor(a.address() + "," + b.address());
  plan.may_begin = false;
  EXPECT_THAT(Open(plan), HasSubstr("there is no stream s, and --join begins none"));
  EXPECT_EQ(said_, "") << "there is nobody to wait for";
  a.Ask({"set", kPlan, StreamPlan::OfServers(plan).Text("begun")});
  EXPECT_THAT(Open(plan), HasSubstr("the stream s was begun, and nobody makes it whole"));
  b.Ask({"set", kPlan, StreamPlan::OfServers(plan).Text("begun")});
  EXPECT_THAT(Open(plan), HasSubstr("the stream s was begun, and nobody makes it whole"));
  EXPECT_EQ(a.Ask({"dbsize"}) + b.Ask({"dbsize"}), "11");
  plan.may_begin = true;
  EXPECT_EQ(Open(plan), "");
  plan.may_begin = false;
  EXPECT_EQ(NumNew(plan, 100), 100);
}

// Creating the keys of a large stream takes far longer than a single wait.
TEST_F(RedisJoinsTest, WhoOnlyJoinsWaitsAsLongAsKeysAreMade) {
  RedisPlan plan;
  std::atomic<uint64_t> num_made(0);
  std::atomic<bool> is_whole(false);
  const FakeServer server([&, of = WithAStream("standalone", nullptr)](
                              const FakeServer::Words& words) mutable -> std::string {
    const StreamPlan stream = StreamPlan::OfServers(plan);
    if (words[0] == "GET") {
      const std::string text = stream.Text(is_whole ? "whole" : "begun");
      return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }
    if (words[0] != "EXISTS") return of(words);
    uint64_t number = 0;
    while (stream.Key(number) != words[1]) ++number;
    return number < num_made ? ":1\r\n" : ":0\r\n";
  });
  plan = PlanFor(server.address());
  plan.capacity = 200'000'000;
  plan.may_begin = false;
  const uint64_t num_keys = StreamPlan::OfServers(plan).shape.num_keys;
  ASSERT_GE(num_keys, 15U);
  plan.waits.say = [&](const std::string& what) {
    if (what.find("is not whole on all servers") == std::string::npos) return;
    said_ = what;
    passed_ += seconds(40);
    is_whole = num_made == num_keys;
    if (!is_whole) ++num_made;
  };
  EXPECT_EQ(Open(plan), "");
  EXPECT_GE(passed_, seconds(40) * num_keys);
  EXPECT_THAT(said_, HasSubstr("it is waited for, 60 seconds at most"));
  // The client that creates the keys is killed.
  is_whole = false;
  num_made = num_keys / 2;
  plan.waits.say = [&](const std::string& what) {
    passed_ += seconds(what.find("is not whole on all servers") == std::string::npos ? 0 : 40);
  };
  EXPECT_THAT(Open(plan), HasSubstr("the stream s was begun, and nobody makes it whole"));
}

}  // namespace redis_joins_test
}  // namespace winnow::dedup
