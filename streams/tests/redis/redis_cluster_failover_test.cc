// Tests of the cluster client with real servers, while slots move and masters are killed.

#include <absl/cleanup/cleanup.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "streams/redis/redis_cluster.h"
#include "streams/tests/support/started_cluster.h"
#include "tests/support/becomes.h"

namespace redis_cluster_failover_test {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;
using winnow::redis::kNumSlots;
using winnow::redis::Pipeline;
using winnow::redis::RedisCluster;
using winnow::redis::Reply;
using winnow::redis::TagOfSlot;
using winnow::testing::Becomes;
using winnow::testing::StartedCluster;

// A pipeline in which each command sets a bit that no other sets, in a key of one of 64 evenly
// spaced slots.
class SetBits : public Pipeline {
 public:
  static constexpr unsigned kNumKeys = 64;

  explicit SetBits(size_t num_commands, size_t first_bit = 0)
      : first_bit_(first_bit), was_set(num_commands, -1), may_be_second(num_commands) {}

  static unsigned SlotOfKey(size_t key) {
    return static_cast<unsigned>(key % kNumKeys) * (kNumSlots / kNumKeys) + 7;
  }
  static std::string Key(size_t key) { return "bits:{" + TagOfSlot(SlotOfKey(key)) + "}"; }

  unsigned SlotOf(size_t command) const override { return SlotOfKey(command); }
  void Append(size_t command, std::string* bytes) const override {
    bytes->append("*4\r\n");
    const std::string bit = std::to_string(first_bit_ + command / kNumKeys);
    for (const std::string& word : {std::string("SETBIT"), Key(command), bit, std::string("1")}) {
      winnow::redis::AppendWord(word, bytes);
    }
  }
  absl::Status Take(size_t command, const redisReply& reply, bool again) override {
    EXPECT_EQ(was_set[command], -1) << "a second answer to " << command;
    EXPECT_EQ(reply.type, REDIS_REPLY_INTEGER) << (reply.str == nullptr ? "" : reply.str);
    was_set[command] = static_cast<int>(reply.integer);
    may_be_second[command] = again;
    return absl::OkStatus();
  }

 private:
  const size_t first_bit_;

 public:
  std::vector<int> was_set;  // -1: no answer
  std::vector<bool> may_be_second;
};

using RealClusterTest = winnow::testing::RedisTest;

winnow::redis::RedisAccess AccessTo(const std::string& address) {
  return winnow::redis::ParseServers(address, {}).value().front();
}

TEST_F(RealClusterTest, EachCommandFindsItsServer) {
  StartedCluster servers(3, 1);
  for (const int seed : {0, 5}) {
    RedisCluster cluster({AccessTo(servers.address(seed))});
    ASSERT_EQ(cluster.Connect(), absl::OkStatus());
    ASSERT_EQ(cluster.AwaitWhole(), absl::OkStatus());
    const auto masters = cluster.masters();
    ASSERT_EQ(masters.size(), 3U);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(masters[i].address, servers.address(static_cast<int>(i)));
      EXPECT_EQ(masters[i].a_slot, kNumSlots * i / 3);
      // The map may lack replicas that were just started.
      const auto copied = cluster.AwaitReplica("{" + TagOfSlot(masters[i].a_slot) + "}");
      EXPECT_TRUE(copied.ok() && *copied == RedisCluster::Copied::kYes) << copied.status();
    }
    SetBits bits(200'000, seed == 0 ? 0 : 1'000'000);
    ASSERT_EQ(cluster.AskAll(bits.was_set.size(), &bits), absl::OkStatus());
    EXPECT_THAT(bits.was_set, Each(0));
    EXPECT_THAT(bits.may_be_second, Each(false));
    EXPECT_EQ(cluster.redirects().moved, 0U);
    EXPECT_TRUE(cluster.TakeDoubtful().none());
    Reply reply;
    ASSERT_EQ(cluster.Ask(SetBits::Key(5), {"BITCOUNT", SetBits::Key(5)}, &reply),
              absl::OkStatus());
    EXPECT_EQ(reply->integer, (seed == 0 ? 1 : 2) * 200'000 / SetBits::kNumKeys);
  }
}

// Sends batches of commands for bits that were never set, until the work is done, and one more
// batch. The work runs in this thread, because servers end with the thread that started them.
struct Flow {
  template <typename Work>
  Flow(RedisCluster* cluster, const Work& work, size_t first = 0) {
    std::atomic<bool> done(false);
    std::thread asker([&] {
      for (bool last = false; !last;) {
        last = done;
        SetBits bits(2048, first + num_commands);
        const absl::Status status = cluster->AskAll(bits.was_set.size(), &bits);
        EXPECT_EQ(status, absl::OkStatus());
        if (!status.ok()) break;
        for (size_t i = 0; i < bits.was_set.size(); ++i) {
          num_again += bits.may_be_second[i];
          num_strange += bits.was_set[i] != 0 && !bits.may_be_second[i];
        }
        num_commands += bits.was_set.size();
      }
    });
    {
      const absl::Cleanup end = [&] {
        done = true;
        asker.join();
      };
      work();
    }
    // A bit is found set only if the command was executed before and its answer was lost.
    EXPECT_EQ(num_strange, 0U);
    std::cout << num_commands << " commands, " << num_again << " of them again\n";
  }

  // Each command sets one bit of a key.
  size_t num_commands = 0;
  size_t num_again = 0;
  size_t num_strange = 0;
};

// Returns the number of set bits.
size_t NumSet(RedisCluster* cluster) {
  size_t num_set = 0;
  for (size_t key = 0; key < SetBits::kNumKeys; ++key) {
    Reply reply;
    EXPECT_EQ(cluster->Ask(SetBits::Key(key), {"BITCOUNT", SetBits::Key(key)}, &reply),
              absl::OkStatus());
    num_set += static_cast<size_t>(reply->integer);
  }
  return num_set;
}

TEST_F(RealClusterTest, SlotsThatMoveLoseAndRepeatNothing) {
  StartedCluster servers(3, 0);
  RedisCluster cluster({AccessTo(servers.address(0))});
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  std::set<unsigned> moved;
  const Flow flow(&cluster, [&] {
    for (size_t i = 0; i < 20; ++i) {
      const unsigned slot = SetBits::SlotOfKey(i % 10);  // half of them move back
      moved.insert(slot);
      const int number = static_cast<int>(slot);
      const int from = servers.MasterOf(number);
      const int to = (from + (i < 10 ? 1 : 2)) % 3;
      servers.BeginMove(number, to);
      servers.MoveKeys(number, to);
      const auto says = [&](const char* error) {
        return servers.Ask(from, {"info", "errorstats"}).find(error) != std::string::npos;
      };
      EXPECT_TRUE(Becomes([&] { return says("errorstat_ASK"); }));
      servers.EndMove(number, to);
      EXPECT_TRUE(Becomes([&] { return says("errorstat_MOVED"); }));
    }
  });
  EXPECT_EQ(flow.num_again, 0U);
  EXPECT_EQ(NumSet(&cluster), flow.num_commands);
  EXPECT_GT(cluster.redirects().moved, 0U);
  EXPECT_GT(cluster.redirects().ask, 0U);
  EXPECT_EQ(cluster.redirects().lost, 0U);
  const auto doubtful = cluster.TakeDoubtful();
  EXPECT_EQ(doubtful.count(), moved.size());
  for (const unsigned slot : moved) EXPECT_TRUE(doubtful.test(slot)) << slot;
}

TEST_F(RealClusterTest, AMasterThatDiesHasASuccessor) {
  StartedCluster servers(3, 1, StartedCluster::FailsOverSoon());
  RedisCluster cluster({AccessTo(servers.address(0))});
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  const Flow flow(&cluster, [&] {
    servers.WaitUntilReplicated();
    servers.KillMaster(1);
    servers.Restart(1);
    servers.KillMaster(servers.MasterOf(0));
  });
  EXPECT_EQ(servers.Ask(1, {"ping"}), "PONG");
  EXPECT_LE(flow.num_again, cluster.redirects().lost);
  // Slots of the first and the second master. The third may be suspected as failed on a busy
  // machine.
  const auto doubtful = cluster.TakeDoubtful();
  for (const unsigned slot : {0U, kNumSlots / 3 - 1, kNumSlots / 2})
    EXPECT_TRUE(doubtful.test(slot));
  // Commands that the dead masters had not replicated are missing.
  EXPECT_LE(NumSet(&cluster), flow.num_commands);
  EXPECT_EQ(cluster.masters().size(), 3U);
}

TEST_F(RealClusterTest, AMasterThatFallsSilentHasASuccessor) {
  StartedCluster servers(3, 1, StartedCluster::FailsOverSoon());
  RedisCluster cluster({AccessTo(servers.address(0))});
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  const Flow flow(&cluster, [&] {
    servers.StopNode(1);
    servers.WaitUntilWhole();
  });
  EXPECT_GT(cluster.redirects().lost, 0U);
  EXPECT_TRUE(cluster.TakeDoubtful().test(kNumSlots / 2));
  servers.ContinueNode(1);
  servers.WaitUntilWhole();
  const Flow after(
      &cluster, [] {}, flow.num_commands);
  EXPECT_EQ(after.num_again, 0U);
}

TEST_F(RealClusterTest, AMasterThatWasReplicaInBetweenIsNoticed) {
  StartedCluster servers(3, 1, StartedCluster::FailsOverSoon());
  RedisCluster cluster({AccessTo(servers.address(0))});
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  const Flow before(&cluster, [] {});
  EXPECT_TRUE(cluster.TakeDoubtful().none());
  servers.StopNode(1);
  servers.WaitUntilWhole();
  servers.ContinueNode(1);
  servers.WaitUntilWhole();
  ASSERT_EQ(servers.Ask(1, {"cluster", "failover"}), "OK");
  ASSERT_TRUE(Becomes([&] { return servers.MasterOf(kNumSlots / 2) == 1; }));
  servers.WaitUntilWhole();
  ASSERT_EQ(cluster.Refresh(milliseconds(0)), absl::OkStatus());
  const auto doubtful = cluster.TakeDoubtful();
  EXPECT_EQ(doubtful.count(), kNumSlots / 3);
  EXPECT_TRUE(doubtful.test(kNumSlots / 2));
}

TEST_F(RealClusterTest, AClusterWithoutAMasterSaysSo) {
  for (const char* full : {"yes", "no"}) {
    StartedCluster servers(
        3, 0, {"--cluster-require-full-coverage", full, "--cluster-node-timeout", "1000"});
    RedisCluster cluster({AccessTo(servers.address(0))},
                         winnow::redis::Waits{std::chrono::seconds(2)});
    ASSERT_EQ(cluster.Connect(), absl::OkStatus());
    ASSERT_EQ(cluster.AwaitWhole(), absl::OkStatus());
    EXPECT_THAT(cluster.masters(), ::testing::SizeIs(3));
    servers.Kill(1);
    const bool is_down = std::string(full) == "yes";
    std::string message;
    // The other servers detect the failure after a while.
    EXPECT_TRUE(Becomes([&] {
      message = std::string(cluster.AwaitWhole().message());
      return !message.empty();
    }));
    EXPECT_THAT(message, HasSubstr(is_down ? "its cluster is down (cluster_state:fail): "
                                           : "its cluster is half down: "));
    EXPECT_THAT(message, HasSubstr("no server that runs has 5461 of the 16384 slots (33 %)"));
    SetBits bits(100);
    EXPECT_THAT(std::string(cluster.AskAll(100, &bits).message()), HasSubstr("(33 %)"));
    Reply reply;
    EXPECT_EQ(cluster.Ask(SetBits::Key(0), {"GET", SetBits::Key(0)}, &reply).ok(), !is_down);
  }
}

}  // namespace redis_cluster_failover_test
