// Tests of the cluster client after errors: which commands may have been executed, and which slots
// may have lost writes; with scripted servers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "streams/redis/redis_cluster.h"
#include "streams/tests/redis/fake_server.h"
#include "tests/support/becomes.h"

namespace redis_cluster_error_test {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using winnow::redis::kNumSlots;
using winnow::redis::Pipeline;
using winnow::redis::RedisAccess;
using winnow::redis::RedisCluster;
using winnow::redis::Slots;
using winnow::redis::Waits;
using winnow::testing::Becomes;
using winnow::testing::FakeServer;

RedisAccess AccessTo(const FakeServer& server) {
  return winnow::redis::ParseServers(server.address(), {}).value().front();
}

// A pipeline in which command i is PUT i in slots[i]; records the result of each command.
class Notes : public Pipeline {
 public:
  Notes(const RedisCluster* cluster, std::vector<unsigned> slots)
      : all(slots.size(), '-'), cluster_(cluster), slots_(std::move(slots)) {}

  unsigned SlotOf(size_t command) const override { return slots_[command]; }
  void Append(size_t command, std::string* bytes) const override {
    bytes->append("*2\r\n");
    winnow::redis::AppendWord("PUT", bytes);
    winnow::redis::AppendWord(std::to_string(command), bytes);
  }
  absl::Status Take(size_t command, const redisReply& reply, bool again) override {
    const bool is_error = reply.type == REDIS_REPLY_ERROR;
    Note(command, is_error ? (again ? 'E' : 'e') : (again ? 'A' : 'a'));
    return is_error ? cluster_->ErrorOf(reply) : absl::OkStatus();
  }
  void TakeLost(size_t command) override { Note(command, 'L'); }

  // Result of each command. a: answered, e: error answer, in capitals for a possibly repeated
  // command; L: lost; -: none.
  std::string all;

 private:
  void Note(size_t command, char what) {
    EXPECT_EQ(all[command], '-') << "once more: " << command;
    all[command] = what;
  }

  const RedisCluster* const cluster_;
  const std::vector<unsigned> slots_;
};

// Three servers, each with a third of the slots.
struct Thirds {
  static constexpr unsigned kSlots[] = {0, kNumSlots / 3, kNumSlots - 1};  // one of each
  static std::string Echo(const FakeServer::Words& words) { return ":" + words[1] + "\r\n"; }

  Thirds() {
    constexpr int kThird = kNumSlots / 3;
    for (FakeServer* server : {&one, &two, &three}) {
      server->SetSlots({{0, kThird - 1, &one},
                        {kThird, 2 * kThird - 1, &two},
                        {2 * kThird, kNumSlots - 1, &three}});
    }
  }

  FakeServer one{Echo}, two{Echo}, three{Echo};
};

// Commands sent to a silent server may have been executed; other unanswered commands were not.
TEST(RedisClusterErrorTest, AfterAnOutageOnlyWhatWasSentMayBeDone) {
  Thirds servers;
  servers.one.SetAnswer(
      [](const FakeServer::Words& words) { return words[1] == "0" ? Thirds::Echo(words) : ""; });
  servers.two.SetAnswer(
      [](const FakeServer::Words&) { return "-CLUSTERDOWN The cluster is down\r\n"; });
  RedisCluster cluster({AccessTo(servers.one)}, Waits{std::chrono::seconds(5)});
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  const auto& slots = Thirds::kSlots;
  Notes notes(&cluster, {slots[0], slots[0], slots[1], slots[0], slots[2]});
  const absl::Status status = cluster.AskAll(notes.all.size(), &notes);
  EXPECT_THAT(std::string(status.message()), HasSubstr("it was not better after 5 seconds"));
  EXPECT_EQ(notes.all, "aL-La");
}

// The first server closes its connection and then refuses new ones. The third server's error then
// ends the pipeline, while the lost commands wait or are in flight again.
TEST(RedisClusterErrorTest, AfterAnErrorLostCommandsMayBeDoneAndRefusedOnesAreNot) {
  for (const bool are_under_way : {false, true}) {
    Thirds servers;
    std::atomic<bool> refuses(false), ended(false);
    servers.one.SetAnswer([&, n = 0](const FakeServer::Words&) mutable -> std::string {
      if (++n == 1) return "";
      if (n == 2) throw FakeServer::Cut{""};
      refuses = true;
      if (are_under_way) {
        EXPECT_TRUE(Becomes([&] { return ended.load(); }));
        std::this_thread::sleep_for(milliseconds(50));  // the error arrives first
      }
      return "-CLUSTERDOWN The cluster is down\r\n";
    });
    servers.two.SetAnswer(
        [](const FakeServer::Words&) { return "-CLUSTERDOWN The cluster is down\r\n"; });
    servers.three.SetAnswer([&](const FakeServer::Words& words) -> std::string {
      if (words[1] != "3") return Thirds::Echo(words);
      EXPECT_TRUE(Becomes([&] { return refuses.load(); }));
      ended = true;
      return "-OOM command not allowed\r\n";
    });
    RedisCluster cluster({AccessTo(servers.one)});
    ASSERT_EQ(cluster.Connect(), absl::OkStatus());
    const auto& slots = Thirds::kSlots;
    Notes notes(&cluster, {slots[0], slots[0], slots[1], slots[2], slots[2]});
    const absl::Status status = cluster.AskAll(notes.all.size(), &notes);
    EXPECT_THAT(std::string(status.message()), HasSubstr("its memory is full"));
    EXPECT_EQ(notes.all, "LL-ea") << are_under_way;
  }
}

// Commands acknowledged by the importing server may be lost with it, although the slot still
// belongs to another server.
TEST(RedisClusterErrorTest, WhoTakesASlotOverAndIsLostLeavesItInDoubt) {
  Thirds servers;
  const auto& slots = Thirds::kSlots;
  const auto ask_of = [](const FakeServer& server) {
    return "-ASK 0 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
  };
  servers.one.SetAnswer([&](const FakeServer::Words&) { return ask_of(servers.two); });
  const auto takes_over = [](const FakeServer::Words& words) {
    return words[0] == "ASKING" ? "+OK\r\n" : Thirds::Echo(words);
  };
  servers.two.SetAnswer(takes_over);
  servers.three.SetAnswer(takes_over);
  RedisCluster cluster({AccessTo(servers.one)});
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  const auto ask = [&] {
    Notes notes(&cluster, {slots[0], slots[0], slots[2]});
    EXPECT_EQ(cluster.AskAll(notes.all.size(), &notes), absl::OkStatus());
    EXPECT_EQ(notes.all, "aaa");
  };
  ask();
  EXPECT_TRUE(cluster.TakeDoubtful().none());
  servers.two.CutAll();
  ASSERT_TRUE(Becomes([&] {
    EXPECT_EQ(cluster.Refresh(milliseconds(0)), absl::OkStatus());
    const auto doubtful = cluster.TakeDoubtful();
    EXPECT_FALSE(doubtful.test(1) || doubtful.test(slots[2]));
    EXPECT_EQ(doubtful.test(slots[0]), doubtful.test(slots[1]));
    return doubtful.any();
  }));
  ask();
  EXPECT_TRUE(cluster.TakeDoubtful().none());
  // Its replica was promoted, or the slot migrates to another server.
  servers.one.SetAnswer([&](const FakeServer::Words&) { return ask_of(servers.three); });
  ask();
  EXPECT_EQ(cluster.TakeDoubtful(), Slots().set(slots[0]));
}

}  // namespace redis_cluster_error_test
