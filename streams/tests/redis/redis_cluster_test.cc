// Tests of the cluster client with scripted servers: which commands it sends where and how often,
// and what it reports.

#include "streams/redis/redis_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "streams/tests/redis/fake_server.h"
#include "tests/support/becomes.h"

namespace redis_cluster_test {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using winnow::redis::kNumSlots;
using winnow::redis::Pipeline;
using winnow::redis::RedisAccess;
using winnow::redis::RedisCluster;
using winnow::redis::Reply;
using winnow::redis::Slots;
using winnow::redis::Waits;
using winnow::testing::FakeServer;

constexpr int kHalf = kNumSlots / 2;
constexpr int kLast = kNumSlots - 1;

// A pipeline in which command i is PUT i with another word, in slots[i].
class Puts : public Pipeline {
 public:
  explicit Puts(std::vector<unsigned> slots)
      : answers(slots.size(), -1),
        may_be_second(slots.size()),
        all(slots.size(), '-'),
        slots_(std::move(slots)) {}

  unsigned SlotOf(size_t command) const override { return slots_[command]; }
  void Append(size_t command, std::string* bytes) const override {
    bytes->append("*3\r\n");
    for (const std::string& word : {std::string("PUT"), std::to_string(command), last_word}) {
      winnow::redis::AppendWord(word, bytes);
    }
  }
  absl::Status Take(size_t command, const redisReply& reply, bool again) override {
    const bool is_error = reply.type == REDIS_REPLY_ERROR;
    answers[command] = static_cast<int>(reply.integer);
    may_be_second[command] = again;
    Note(command, is_error ? (again ? 'E' : 'e') : (again ? 'A' : 'a'));
    return is_error ? cluster->ErrorOf(reply) : absl::OkStatus();
  }
  void TakeLost(size_t command) override { Note(command, 'L'); }

  std::string last_word = "x";
  const RedisCluster* cluster = nullptr;  // source of error messages
  std::vector<int> answers;               // -1: none
  std::vector<bool> may_be_second;
  // Result of each command. a: answered, e: error answer, in capitals for a possibly repeated
  // command; L: lost; -: none.
  std::string all;

 private:
  void Note(size_t command, char what) {
    EXPECT_EQ(all[command], '-') << "once more: " << command;
    all[command] = what;
  }

  const std::vector<unsigned> slots_;
};

// Longer than an answer takes on a busy machine.
constexpr milliseconds kShortOutage(2000);

// Returns the commands in the form of FakeServer::Received().
std::vector<std::string> PutsOf(const std::vector<int>& numbers) {
  std::vector<std::string> lines;
  for (const int number : numbers) lines.push_back("PUT " + std::to_string(number) + " x");
  return lines;
}

std::string Echo(const FakeServer::Words& words) { return ":" + words[1] + "\r\n"; }

// Returns an answer function that gives `first` for the first commands, and then Echo().
FakeServer::Answer FirstThenEcho(int times, std::string first) {
  return [times, first](const FakeServer::Words& words) mutable {
    return times-- > 0 ? first : Echo(words);
  };
}

std::vector<RedisAccess> SeedsOf(const std::string& list) {
  return winnow::redis::ParseServers(list, {"", "--password"}).value();
}

// Two servers: the first has the lower half of the slots, the second the upper half.
class RedisClusterTest : public ::testing::Test {
 protected:
  RedisClusterTest() {
    for (FakeServer* server : {&low_, &high_}) {
      server->SetSlots({{0, kHalf - 1, &low_}, {kHalf, kLast, &high_}});
    }
  }

  // Gives the slots of both servers to this one.
  void GiveAllTo(const FakeServer& server) {
    for (FakeServer* each : {&low_, &high_}) each->SetSlots({{0, kLast, &server}});
  }
  void Connect(milliseconds longest_outage = std::chrono::minutes(1)) {
    cluster_ = std::make_unique<RedisCluster>(SeedsOf(low_.address()), Waits{longest_outage});
    ASSERT_EQ(cluster_->Connect(), absl::OkStatus());
  }
  absl::Status Ask(Puts* puts) {
    puts->cluster = cluster_.get();
    return cluster_->AskAll(puts->answers.size(), puts);
  }

  // Expects that commands in these slots are answered, each once.
  void ExpectAnswered(const std::vector<unsigned>& slots) {
    Puts puts(slots);
    ASSERT_EQ(Ask(&puts), absl::OkStatus());
    for (size_t i = 0; i < slots.size(); ++i) EXPECT_EQ(puts.answers[i], static_cast<int>(i));
    EXPECT_THAT(puts.may_be_second, Each(false));
  }

  FakeServer low_{Echo};
  FakeServer high_{Echo};
  std::unique_ptr<RedisCluster> cluster_;
};

TEST_F(RedisClusterTest, EachServerGetsItsCommandsInTheirOrder) {
  Connect();
  ExpectAnswered({1, kHalf, 2, kLast, 0, kHalf - 1});
  EXPECT_THAT(low_.Received(), ElementsAreArray(PutsOf({0, 2, 4, 5})));
  EXPECT_THAT(high_.Received(), ElementsAreArray(PutsOf({1, 3})));
  EXPECT_TRUE(cluster_->TakeDoubtful().none());
}

TEST_F(RedisClusterTest, MovedCommandsGoToTheNamedServerAndSoDoLaterOnes) {
  Connect();
  FakeServer unknown(Echo);
  unknown.SetSlots(
      {{0, 4, &low_}, {5, 5, &unknown}, {6, kHalf - 1, &low_}, {kHalf, kLast, &high_}});
  low_.SetAnswer([&](const FakeServer::Words& words) {
    return words[1] == "1" ? "-MOVED 5 127.0.0.1:" + std::to_string(unknown.port()) + "\r\n"
                           : Echo(words);
  });
  ExpectAnswered({4, 5, 6});
  EXPECT_THAT(low_.Received(), ElementsAreArray(PutsOf({0, 1, 2})));
  EXPECT_THAT(unknown.Received(), ElementsAreArray(PutsOf({1})));
  EXPECT_EQ(cluster_->redirects().moved, 1U);
  EXPECT_EQ(cluster_->TakeDoubtful(), Slots().set(5));
  EXPECT_TRUE(cluster_->TakeDoubtful().none());
  ExpectAnswered({5});
  EXPECT_THAT(unknown.Received(), ElementsAreArray(PutsOf({1, 0})));
  EXPECT_EQ(cluster_->redirects().moved, 1U);
}

TEST_F(RedisClusterTest, AHostThatIsNotSaidIsThatOfWhoAnswers) {
  Connect();
  for (const std::string host : {"", "?"}) {
    low_.SetAnswer(
        FirstThenEcho(1, "-MOVED 5 " + host + ":" + std::to_string(high_.port()) + "\r\n"));
    ExpectAnswered({5});
    EXPECT_THAT(high_.Received(), ElementsAreArray(PutsOf({0})));
    EXPECT_TRUE(cluster_->TakeDoubtful().test(5)) << "who moved it knows, whatever others say";
    high_.SetAnswer(Echo);
    ASSERT_EQ(cluster_->Refresh(milliseconds(0)), absl::OkStatus());
  }
}

TEST_F(RedisClusterTest, AHostThatNobodyKnowsIsAskedFor) {
  Connect();
  const std::string nowhere = std::to_string(FakeServer(Echo).port());
  low_.SetAnswer(FirstThenEcho(1, "-MOVED 5 ?:" + nowhere + "\r\n"));
  for (FakeServer* server : {&low_, &high_}) {
    server->SetSlots({{0, 4, &low_}, {5, kLast, &high_}});
  }
  ExpectAnswered({5});
  EXPECT_THAT(high_.Received(), ElementsAreArray(PutsOf({0})));
  // The migrating keys are on neither server: the command waits until they have arrived.
  high_.SetAnswer(FirstThenEcho(1, "-ASK 5 ?:" + nowhere + "\r\n"));
  ExpectAnswered({5});
  EXPECT_THAT(high_.Received(), ElementsAreArray(PutsOf({0, 0})));
}

TEST_F(RedisClusterTest, AskingIsForOneCommandAndChangesNoMap) {
  Connect();
  low_.SetAnswer(FirstThenEcho(2, "-ASK 5 127.0.0.1:" + std::to_string(high_.port()) + "\r\n"));
  high_.SetAnswer([](const FakeServer::Words& words) {
    return words[0] == "ASKING" ? "+OK\r\n" : Echo(words);
  });
  ExpectAnswered({5, 5, 5, kHalf});
  EXPECT_THAT(low_.Received(), ElementsAreArray(PutsOf({0, 1, 2})));
  EXPECT_THAT(high_.Received(), ElementsAre("PUT 3 x", "ASKING", "PUT 0 x", "ASKING", "PUT 1 x"));
  EXPECT_EQ(cluster_->redirects().ask, 2U);
  EXPECT_TRUE(cluster_->TakeDoubtful().none());
}

TEST_F(RedisClusterTest, RefusedCommandsAreSentAgainAndWereNotCarriedOut) {
  for (const char* refusal : {"TRYAGAIN Multiple keys request during rehashing of slot",
                              "CLUSTERDOWN The cluster is down", "LOADING Redis is loading",
                              "MASTERDOWN Link with MASTER is down", "READONLY You can't write",
                              "NOREPLICAS Not enough good replicas to write."}) {
    low_.SetAnswer(FirstThenEcho(7, "-" + std::string(refusal) + "\r\n"));
    Connect();
    ExpectAnswered({1, 2, 3});
    EXPECT_EQ(low_.Received().size(), 10U);
    EXPECT_EQ(cluster_->redirects().try_again + cluster_->redirects().cluster_down, 7U);
    EXPECT_EQ(cluster_->redirects().lost, 0U);
    EXPECT_TRUE(cluster_->TakeDoubtful().none());
  }
}

// The server closes the connection after it has read everything and answered some commands.
TEST_F(RedisClusterTest, OnlyCommandsWhoseAnswerWasLostMayBeSecond) {
  for (const int answered : {0, 1, 5, 9}) {
    for (const std::string half : {"", ":", ":7\r"}) {
      low_.SetAnswer([answered, half, n = 0](const FakeServer::Words& words) mutable {
        ++n;
        if (n == 10) throw FakeServer::Cut{answered == 9 ? half : ""};
        if (n == answered + 1) return half;
        return n <= answered || n > 10 ? Echo(words) : "";
      });
      high_.SetAnswer(Echo);
      Connect();
      std::vector<unsigned> slots(10, 1);
      slots.push_back(kHalf);
      Puts puts(slots);
      ASSERT_EQ(Ask(&puts), absl::OkStatus());
      for (int i = 0; i < 11; ++i) {
        EXPECT_EQ(puts.answers[static_cast<size_t>(i)], i);
        EXPECT_EQ(puts.may_be_second[static_cast<size_t>(i)], answered <= i && i < 10) << i;
      }
      EXPECT_EQ(cluster_->redirects().lost, static_cast<uint64_t>(10 - answered));
      EXPECT_EQ(low_.Received().size(), static_cast<size_t>(10 + 10 - answered));
      EXPECT_THAT(high_.Received(), ElementsAre("PUT 10 x"));
      const Slots doubtful = cluster_->TakeDoubtful();
      EXPECT_EQ(doubtful.count(), static_cast<size_t>(kHalf));
      EXPECT_TRUE(doubtful.test(0) && !doubtful.test(kHalf));
    }
  }
}

// The command is larger than the connection's buffers. The server answers the first one or not, and
// then stops reading.
TEST_F(RedisClusterTest, ACommandOfWhichHalfWasSentIsNotCarriedOut) {
  for (const bool is_answered : {false, true}) {
    low_.SetAnswer([is_answered, n = 0](const FakeServer::Words& words) mutable {
      // The rest of the second command is then in no buffer.
      if (++n == 1) throw FakeServer::Cut{is_answered ? ":0\r\n" : ""};
      return Echo(words);
    });
    Connect();
    Puts puts({1, 2});
    puts.last_word.assign(size_t{32} << 20, 'x');
    ASSERT_EQ(Ask(&puts), absl::OkStatus());
    EXPECT_THAT(puts.answers, ElementsAre(0, 1));
    EXPECT_THAT(puts.may_be_second, ElementsAre(!is_answered, false));
    EXPECT_EQ(low_.Received().size(), is_answered ? 2U : 3U);
  }
}

TEST_F(RedisClusterTest, WhoCantWriteAnyMoreStillReads) {
  low_.SetAnswer([](const FakeServer::Words&) -> std::string { throw FakeServer::Cut{":7\r\n"}; });
  winnow::redis::RedisClient client(SeedsOf(low_.address()).front());
  ASSERT_EQ(client.Open(std::chrono::seconds(10)), absl::OkStatus());
  ASSERT_EQ(client.Append("*1\r\n$3\r\nPUT\r\n"), absl::OkStatus());
  ASSERT_EQ(client.Write(), absl::OkStatus());
  pollfd closed = {client.socket(), POLLRDHUP, 0};
  ASSERT_EQ(poll(&closed, 1, 60'000), 1);
  // The first data after that is answered by a reset, after which writes fail.
  ASSERT_EQ(client.Append(std::string(size_t{32} << 20, 'x')), absl::OkStatus());
  closed.events = POLLOUT;
  do {
    ASSERT_EQ(client.Write(), absl::OkStatus());
    ASSERT_EQ(poll(&closed, 1, 60'000), 1);
  } while ((closed.revents & POLLHUP) == 0);
  ASSERT_EQ(client.Write(), absl::OkStatus());
  EXPECT_GT(client.num_unsent(), 0U);
  ASSERT_EQ(client.Read(), absl::OkStatus());
  Reply reply;
  ASSERT_EQ(client.Next(&reply), absl::OkStatus());
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->integer, 7);
  EXPECT_TRUE(winnow::redis::IsLost(client.Read()));
}

TEST_F(RedisClusterTest, RefreshFindsConnectionsThatWereClosed) {
  Connect();
  ExpectAnswered({1, kHalf});
  EXPECT_TRUE(cluster_->TakeDoubtful().none());
  high_.CutAll();
  ASSERT_EQ(cluster_->Refresh(std::chrono::hours(1)), absl::OkStatus());
  const Slots doubtful = cluster_->TakeDoubtful();
  EXPECT_EQ(doubtful.count(), static_cast<size_t>(kHalf));
  EXPECT_TRUE(doubtful.test(kLast));
}

// The server was demoted for a while, and may lack writes to the other master.
TEST_F(RedisClusterTest, AMasterThatIsOneAgainMayHaveLostWrites) {
  low_.SetEpochs({{&low_, 1}, {&high_, 2}});
  Connect();
  const auto doubtful = [this] {
    EXPECT_EQ(cluster_->Refresh(milliseconds(0)), absl::OkStatus());
    return cluster_->TakeDoubtful();
  };
  EXPECT_TRUE(doubtful().none());
  low_.SetEpochs({{&low_, 1}, {&high_, 4}});
  const Slots again = doubtful();
  EXPECT_EQ(again.count(), static_cast<size_t>(kHalf));
  EXPECT_TRUE(again.test(kHalf));
  EXPECT_TRUE(doubtful().none());
  // The server that was asked last had older information.
  low_.SetEpochs({{&low_, 1}, {&high_, 3}});
  EXPECT_TRUE(doubtful().none());
  // A server that takes over a slot also gets a new epoch, which does not affect its other slots.
  low_.SetEpochs({{&low_, 5}, {&high_, 4}});
  low_.SetSlots({{0, kHalf, &low_}, {kHalf + 1, kLast, &high_}});
  EXPECT_EQ(doubtful(), Slots().set(kHalf));
  EXPECT_TRUE(doubtful().none());
}

TEST_F(RedisClusterTest, ASilentServerIsGivenUpWhenAnotherHasItsSlots) {
  Connect();
  high_.SetAnswer([](const FakeServer::Words&) { return ""; });
  GiveAllTo(low_);
  Puts puts({1, kHalf, kLast});
  ASSERT_EQ(Ask(&puts), absl::OkStatus());
  EXPECT_THAT(puts.answers, ElementsAre(0, 1, 2));
  EXPECT_THAT(puts.may_be_second, ElementsAre(false, true, true));
  EXPECT_THAT(low_.Received(), ElementsAreArray(PutsOf({0, 1, 2})));
  EXPECT_EQ(cluster_->redirects().lost, 2U);
  EXPECT_TRUE(cluster_->TakeDoubtful().test(kHalf + 1));
}

TEST_F(RedisClusterTest, ASlowServerThatKeepsItsSlotsIsWaitedFor) {
  Connect();
  // Longer than an answer is awaited before other servers are asked.
  const auto silent_until = std::chrono::steady_clock::now() + milliseconds(1200);
  low_.SetAnswer([=](const FakeServer::Words& words) {
    std::this_thread::sleep_until(silent_until);
    return Echo(words);
  });
  ExpectAnswered({1, 2});
  EXPECT_EQ(cluster_->redirects().lost, 0U);
}

// The partitioned server still names itself, while the others have given its slots to another one.
TEST_F(RedisClusterTest, AServerThatIsCutOffIsNotAskedAgainWhoHasItsSlots) {
  Connect();
  low_.SetAnswer([](const FakeServer::Words&) { return "-CLUSTERDOWN The cluster is down\r\n"; });
  high_.SetSlots({{0, kLast, &high_}});
  ExpectAnswered({1, kHalf});
  EXPECT_THAT(high_.Received(), ElementsAreArray(PutsOf({1, 0})));
}

TEST_F(RedisClusterTest, WhoLacksSlotsIsBelievedOnlyIfAllDo) {
  Connect();
  low_.SetSlots({{0, kHalf - 1, &low_}});
  high_.SetSlots({{0, kLast, &high_}});
  ASSERT_EQ(cluster_->AwaitWhole(), absl::OkStatus());
  ASSERT_EQ(cluster_->masters().size(), 1U);
  EXPECT_EQ(cluster_->masters()[0].address, high_.address());
}

TEST_F(RedisClusterTest, ADeadServersCommandsGoToItsSuccessor) {
  auto dead = std::make_unique<FakeServer>(Echo);
  for (FakeServer* server : {&low_, &high_}) {
    server->SetSlots({{0, kHalf - 1, dead.get()}, {kHalf, kLast, &high_}});
  }
  Connect();
  dead = nullptr;
  Puts puts({1, kHalf, 2});
  // Servers that still name the dead one do not represent its successor.
  high_.SetAnswer([this](const FakeServer::Words& words) { return Echo(words); });
  std::thread successor([this] {
    EXPECT_TRUE(winnow::testing::Becomes([this] { return !high_.Received().empty(); }));
    GiveAllTo(high_);
  });
  EXPECT_EQ(Ask(&puts), absl::OkStatus());
  successor.join();
  EXPECT_THAT(puts.answers, ElementsAre(0, 1, 2));
  EXPECT_THAT(puts.may_be_second, Each(false));
  EXPECT_TRUE(cluster_->TakeDoubtful().test(1));
}

// The server writes before it continues to read.
TEST_F(RedisClusterTest, NobodyWaitsForTheOther) {
  const std::string much = "$1000000\r\n" + std::string(1'000'000, 'x') + "\r\n";
  for (FakeServer* server : {&low_, &high_}) {
    server->SetAnswer([&](const FakeServer::Words&) { return much; });
  }
  Connect();
  std::vector<unsigned> slots;
  for (unsigned i = 0; i < 200; ++i) slots.push_back(i % 2 == 0 ? i : kHalf + i);
  Puts puts(slots);
  puts.last_word.assign(100'000, 'x');
  ASSERT_EQ(Ask(&puts), absl::OkStatus());
  EXPECT_THAT(puts.answers, Each(0));
}

TEST_F(RedisClusterTest, AnErrorOfOneCommandEndsTheWhole) {
  Connect();
  low_.SetAnswer([](const FakeServer::Words& words) {
    return words[1] == "1" ? "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
                           : Echo(words);
  });
  Puts puts({1, 2, 3, kHalf});
  const absl::Status status = Ask(&puts);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the server " + low_.address() + ": its memory is full"));
  // Commands in flight are still answered.
  EXPECT_EQ(puts.answers[0], 0);
  EXPECT_EQ(puts.answers[2], 2);
  low_.SetAnswer(Echo);
  ExpectAnswered({1, 2});
}

TEST_F(RedisClusterTest, OneCommandIsAskedInTheSameWay) {
  Connect();
  low_.SetAnswer(
      FirstThenEcho(1, "-MOVED 12182 127.0.0.1:" + std::to_string(high_.port()) + "\r\n"));
  high_.SetAnswer(FirstThenEcho(1, "-TRYAGAIN\r\n"));
  Reply reply;
  ASSERT_EQ(cluster_->Ask("foo", {"GET", "3"}, &reply), absl::OkStatus());
  EXPECT_EQ(reply->integer, 3);
  EXPECT_THAT(high_.Received(), ElementsAre("GET 3", "GET 3"));
  high_.SetAnswer([](const FakeServer::Words&) { return "-CROSSSLOT Keys don't hash\r\n"; });
  EXPECT_THAT(std::string(cluster_->Ask("foo", {"GET", "3"}, &reply).message()),
              HasSubstr("the server " + high_.address() + ": its keys are not all in one slot"));
}

TEST_F(RedisClusterTest, AnOutageEndsWithASentence) {
  Connect(kShortOutage);
  low_.SetAnswer([](const FakeServer::Words&) { return "-CLUSTERDOWN The cluster is down\r\n"; });
  Puts puts({1, kHalf});
  std::string message(Ask(&puts).message());
  EXPECT_THAT(message, HasSubstr("the server " + low_.address() + ": its cluster is down"));
  EXPECT_THAT(message, HasSubstr("it was not better after 2 seconds"));
  EXPECT_EQ(puts.answers[1], 1);

  low_.SetAnswer([](const FakeServer::Words&) { return ""; });
  Puts silent({1});
  EXPECT_THAT(std::string(Ask(&silent).message()), HasSubstr("no reply"));

  // Two servers that redirect commands to each other.
  const auto moved_to = [](const FakeServer& server) {
    return [&server](const FakeServer::Words&) {
      return "-MOVED 1 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
    };
  };
  low_.SetAnswer(moved_to(high_));
  high_.SetAnswer(moved_to(low_));
  Puts moving({1});
  EXPECT_THAT(std::string(Ask(&moving).message()), HasSubstr("that one back (MOVED 1 127.0.0.1:"));
  EXPECT_LT(low_.Received().size(), 300U) << "they were asked without a pause";
}

TEST_F(RedisClusterTest, SlotsThatNobodyHasAreCounted) {
  for (FakeServer* server : {&low_, &high_}) server->SetSlots({{0, 12'287, &low_}});
  Connect(kShortOutage);
  EXPECT_THAT(std::string(cluster_->AwaitWhole().message()),
              HasSubstr("its cluster is half down: no server that runs has 4096 of the 16384 slots "
                        "(25 %)"));
  Puts puts({1, kLast});
  EXPECT_THAT(std::string(Ask(&puts).message()), HasSubstr("no server has the slot 16383"));
  EXPECT_EQ(puts.answers[0], 0);
}

// Returns the error of connecting to a cluster by these seeds, or an empty string.
std::string Connecting(const std::string& seeds) {
  RedisCluster cluster(SeedsOf(seeds), Waits{kShortOutage});
  return std::string(cluster.Connect().message());
}

TEST_F(RedisClusterTest, SeedsThatLeadToNoClusterGetASentence) {
  const std::string list = low_.address() + "," + high_.address();
  EXPECT_EQ(Connecting(list), "");
  EXPECT_EQ(Connecting("127.0.0.1:1," + list), "");
  const std::string away = Connecting("127.0.0.1:1,localhost:2");
  EXPECT_THAT(away, HasSubstr("127.0.0.1:1: Connection refused"));
  EXPECT_THAT(away, HasSubstr("localhost:2: "));

  const std::string about_high = "the server " + high_.address() + ": ";
  high_.SetAnswerToSlots("-ERR This instance has cluster support disabled\r\n");
  EXPECT_THAT(Connecting(list),
              HasSubstr(about_high + "it is not part of a cluster: give servers "));
  high_.SetAnswerToSlots("-NOPERM this user has no permissions to run 'cluster|slots'\r\n");
  EXPECT_THAT(Connecting(list), HasSubstr(about_high + "its user may not ask who has which slot: "
                                                       "allow it +cluster|slots"));
  high_.SetAnswerToSlots("-NOAUTH Authentication required.\r\n");
  EXPECT_THAT(Connecting(list), HasSubstr(about_high + "it wants a password"));
  high_.SetAnswerToSlots("*0\r\n");
  EXPECT_THAT(Connecting(high_.address()), HasSubstr("it knows no server that has slots"));
  high_.SetAnswerToSlots("*1\r\n*1\r\n:1\r\n");
  EXPECT_THAT(Connecting(list), HasSubstr(about_high + "it answers CLUSTER SLOTS with something"));
  high_.SetAnswerToSlots("*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$-1\r\n:7\r\n$5\r\nother\r\n");
  EXPECT_THAT(Connecting(list),
              HasSubstr(about_high + "it is of another cluster than " + low_.address()));

  low_.SetAnswer([](const FakeServer::Words&) { return "-WRONGPASS invalid\r\n"; });
  EXPECT_THAT(Connecting("redis://:secret@" + low_.address()),
              HasSubstr("the server " + low_.address() + ": it refuses the password"));
}

TEST_F(RedisClusterTest, WhoIsOneOfAClusterSaysSo) {
  const struct {
    const char* hello;
    bool is_cluster;
  } cases[] = {
      {"*4\r\n$5\r\nproto\r\n:2\r\n$4\r\nmode\r\n$7\r\ncluster\r\n", true},
      {"*4\r\n$5\r\nproto\r\n:2\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n", false},
      {"-ERR unknown command `HELLO`\r\n", true},
  };
  for (const auto& [hello, is_cluster] : cases) {
    low_.SetAnswer([hello = hello](const FakeServer::Words& words) {
      return words[0] == "HELLO" ? hello : "+PONG\r\n";
    });
    winnow::redis::RedisClient client(SeedsOf(low_.address()).front());
    ASSERT_EQ(client.Connect(), absl::OkStatus());
    const absl::StatusOr<bool> found = RedisCluster::IsCluster(&client);
    ASSERT_EQ(found.status(), absl::OkStatus());
    EXPECT_EQ(*found, is_cluster) << hello;
  }
  low_.SetAnswerToSlots("-ERR This instance has cluster support disabled\r\n");
  winnow::redis::RedisClient client(SeedsOf(low_.address()).front());
  ASSERT_EQ(client.Connect(), absl::OkStatus());
  EXPECT_FALSE(RedisCluster::IsCluster(&client).value());
}

// ---- After errors: which commands may have been executed, and which slots may have lost writes

// Three servers, each with a third of the slots.
struct Thirds {
  static constexpr unsigned kSlots[] = {0, kNumSlots / 3, kNumSlots - 1};  // one of each

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
      [](const FakeServer::Words& words) { return words[1] == "0" ? Echo(words) : ""; });
  servers.two.SetAnswer(
      [](const FakeServer::Words&) { return "-CLUSTERDOWN The cluster is down\r\n"; });
  RedisCluster cluster(SeedsOf(servers.one.address()), Waits{std::chrono::seconds(5)});
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  const auto& slots = Thirds::kSlots;
  Puts puts({slots[0], slots[0], slots[1], slots[0], slots[2]});
  puts.cluster = &cluster;
  const absl::Status status = cluster.AskAll(puts.all.size(), &puts);
  EXPECT_THAT(std::string(status.message()), HasSubstr("it was not better after 5 seconds"));
  EXPECT_EQ(puts.all, "aL-La");
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
        EXPECT_TRUE(winnow::testing::Becomes([&] { return ended.load(); }));
        std::this_thread::sleep_for(milliseconds(50));  // the error arrives first
      }
      return "-CLUSTERDOWN The cluster is down\r\n";
    });
    servers.two.SetAnswer(
        [](const FakeServer::Words&) { return "-CLUSTERDOWN The cluster is down\r\n"; });
    servers.three.SetAnswer([&](const FakeServer::Words& words) -> std::string {
      if (words[1] != "3") return Echo(words);
      EXPECT_TRUE(winnow::testing::Becomes([&] { return refuses.load(); }));
      ended = true;
      return "-OOM command not allowed\r\n";
    });
    RedisCluster cluster(SeedsOf(servers.one.address()));
    ASSERT_EQ(cluster.Connect(), absl::OkStatus());
    const auto& slots = Thirds::kSlots;
    Puts puts({slots[0], slots[0], slots[1], slots[2], slots[2]});
    puts.cluster = &cluster;
    const absl::Status status = cluster.AskAll(puts.all.size(), &puts);
    EXPECT_THAT(std::string(status.message()), HasSubstr("its memory is full"));
    EXPECT_EQ(puts.all, "LL-ea") << are_under_way;
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
    return words[0] == "ASKING" ? "+OK\r\n" : Echo(words);
  };
  servers.two.SetAnswer(takes_over);
  servers.three.SetAnswer(takes_over);
  RedisCluster cluster(SeedsOf(servers.one.address()));
  ASSERT_EQ(cluster.Connect(), absl::OkStatus());
  const auto ask = [&] {
    Puts puts({slots[0], slots[0], slots[2]});
    puts.cluster = &cluster;
    EXPECT_EQ(cluster.AskAll(puts.all.size(), &puts), absl::OkStatus());
    EXPECT_EQ(puts.all, "aaa");
  };
  ask();
  EXPECT_TRUE(cluster.TakeDoubtful().none());
  servers.two.CutAll();
  ASSERT_TRUE(winnow::testing::Becomes([&] {
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

}  // namespace redis_cluster_test
