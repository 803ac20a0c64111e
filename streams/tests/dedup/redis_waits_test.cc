// Tests of how long a stream waits for a server, and of its messages during the wait, with scripted
// server failures and a simulated clock.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "streams/dedup/redis_lines.h"
#include "streams/dedup/stream_admin.h"
#include "streams/redis/patience.h"
#include "streams/redis/redis_access.h"
#include "streams/tests/redis/fake_server.h"
#include "tests/support/becomes.h"
#include "winnow/hash.h"

namespace winnow::dedup {
namespace redis_waits_test {

using std::chrono::seconds;
using ::testing::AllOf;
using testing::BitsWere;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeServer;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::WithAStream;

class RedisWaitsTest : public ::testing::TestWithParam<const char*> {
 protected:
  using Clock = redis::Waits::Clock;

  // Sets the answer to lines from now on.
  void Answer(const FakeServer::Answer& of_line) {
    server_.SetAnswer(WithAStream(GetParam(), of_line));
    server_.SetSlots({{0, 16'383, &server_}});
  }
  RedisPlan Plan() {
    RedisPlan plan;
    plan.servers = redis::ParseServers(server_.address() + more_servers_, {}).value();
    plan.name = "s";
    plan.capacity = 1'000;
    plan.rate = 1e-9;
    plan.waits = waits_;
    plan.replay = replay_;
    return plan;
  }
  absl::Status Open() {
    auto lines = OpenRedis(Plan());
    if (lines.ok()) lines_ = *std::move(lines);
    return lines.status();
  }
  absl::Status Add(const std::vector<std::string>& lines) {
    std::vector<KeyHash> hashes;
    for (const std::string& line : lines) hashes.push_back(HashKey(line));
    const std::unique_ptr<bool[]> is_new(new bool[lines.size()]);
    absl::Status status = lines_->Add(hashes.data(), lines.size(), is_new.get());
    is_new_.assign(is_new.get(), is_new.get() + lines.size());
    return status;
  }
  static bool IsCluster() { return std::string(GetParam()) == "cluster"; }
  void Pass(seconds time) { passed_ += time.count(); }

  std::atomic<int64_t> passed_{0};
  std::vector<std::string> said_;
  redis::Waits waits_ = [this] {
    redis::Waits waits;
    waits.now = [this] { return Clock::now() + seconds(passed_.load()); };
    waits.say = [this](const std::string& what) { said_.push_back(what); };
    return waits;
  }();
  std::optional<int> replay_;
  std::string more_servers_;
  bool is_under_way_ = false;
  std::vector<bool> is_new_;
  FakeServer server_{[](const FakeServer::Words&) { return ""; }};
  std::unique_ptr<SeenLines> lines_;
};

INSTANTIATE_TEST_SUITE_P(, RedisWaitsTest, ::testing::Values("standalone", "cluster"),
                         [](const auto& kind) { return std::string(kind.param); });

// Single servers do not resend lines, and a cluster is queried as a whole.
class RedisWaitsOfAClusterTest : public RedisWaitsTest {};
INSTANTIATE_TEST_SUITE_P(, RedisWaitsOfAClusterTest, ::testing::Values("cluster"));
class RedisWaitsOfServersTest : public RedisWaitsTest {};
INSTANTIATE_TEST_SUITE_P(, RedisWaitsOfServersTest, ::testing::Values("standalone"));

// The server answers everything else, so that the stream is complete after each connection.
TEST_P(RedisWaitsTest, AServerThatClosesAtEachLineIsGivenUp) {
  std::atomic<int> times(0);
  Answer([&](const FakeServer::Words&) -> std::string {
    ++times;
    Pass(seconds(10));
    throw FakeServer::Cut{""};
  });
  ASSERT_EQ(Open(), absl::OkStatus());
  const absl::Status status = Add({"a", "b"});
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("the server " + server_.address() + ": "),
                    HasSubstr("it was not better after 60 seconds")));
  EXPECT_LE(times, 7);
  EXPECT_THAT(said_, ElementsAre(AllOf(HasSubstr("the server " + server_.address() + ": "),
                                       HasSubstr("it is waited for, 60 seconds at most"))));
  EXPECT_THAT(is_new_, Each(true)) << "both were sent";
  EXPECT_THAT(lines_->Remark(), HasSubstr("2 uncertain"));
}

TEST_P(RedisWaitsTest, EachAnswerToALineGivesAMinute) {
  std::atomic<int> times(0);
  Answer([&](const FakeServer::Words&) -> std::string {
    Pass(seconds(25));
    if (++times % 2 != 0) throw FakeServer::Cut{""};
    return BitsWere(0);
  });
  if (IsCluster()) replay_ = 0;
  ASSERT_EQ(Open(), absl::OkStatus());
  for (const char* line : {"a", "b", "c", "d"}) ASSERT_EQ(Add({line}), absl::OkStatus());
  EXPECT_EQ(times, 8);
}

// Acknowledged lines are resent each time, in vain.
TEST_P(RedisWaitsOfAClusterTest, AServerThatClosesAtEachSecondLineIsGivenUp) {
  std::atomic<int> times(0);
  Answer([&](const FakeServer::Words&) -> std::string {
    Pass(seconds(10));
    if (++times % 2 != 0) throw FakeServer::Cut{""};
    return BitsWere(1);
  });
  ASSERT_EQ(Open(), absl::OkStatus());
  EXPECT_THAT(std::string(Add({"a"}).message()),
              AllOf(HasSubstr("lost each time that lines are sent to it again"),
                    HasSubstr("it was not better after 60 seconds")));
}

// A client that checks between the end of the time and the answer first says "no reply yet".
TEST_P(RedisWaitsTest, AServerThatLoadsIsWaitedForAsLongAsItSaysSo) {
  std::atomic<int> times(0);
  Answer([&](const FakeServer::Words&) -> std::string {
    if (++times > 5) return BitsWere(0);
    Pass(seconds(40));
    return "-LOADING Redis is loading the dataset in memory\r\n";
  });
  ASSERT_EQ(Open(), absl::OkStatus());
  EXPECT_EQ(Add({"a"}), absl::OkStatus());
  EXPECT_EQ(times, 6);
  // Messages come at 40 and 120 seconds, and possibly at 200.
  EXPECT_THAT(said_, Contains(AllOf(HasSubstr("the server " + server_.address() + ": "),
                                    HasSubstr("LOADING Redis is loading"),
                                    HasSubstr("it is waited for, as long as it says so")))
                         .Times(Ge(2)));
  EXPECT_THAT(is_new_, ElementsAre(true));
  EXPECT_THAT(lines_->Remark(), HasSubstr("; 0 uncertain"));
}

// A server that has answered is not given up because another one takes long before the former gets
// lines.
TEST_P(RedisWaitsOfServersTest, TheTimeOfOneServerDoesNotEndThatOfAnother) {
  std::atomic<bool> is_to_load(false);
  const FakeServer other(
      [&, answer = WithAStream("standalone")](const FakeServer::Words& words) mutable {
        if (words[0] != "GET" || !is_to_load.exchange(false)) return answer(words);
        Pass(seconds(61));
        return std::string("-LOADING Redis is loading the dataset in memory\r\n");
      });
  more_servers_ = "," + other.address();
  std::vector<std::string> lines;
  for (int i = 0; i < 20; ++i) lines.push_back(std::to_string(i));
  Answer([](const FakeServer::Words&) {
    // The client waits for the other server.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return BitsWere(0);
  });
  for (const bool is_cut : {false, true}) {
    ASSERT_EQ(Open(), absl::OkStatus());
    is_to_load = true;
    if (is_cut) server_.CutAll();
    EXPECT_EQ(Add(lines), absl::OkStatus()) << is_cut;
    EXPECT_FALSE(is_to_load);
    EXPECT_THAT(lines_->Remark(), HasSubstr("; 0 uncertain"));
  }
}

TEST_P(RedisWaitsTest, WhoAsksForAStreamSaysThatAServerIsWaitedFor) {
  std::atomic<int> times(0);
  server_.SetAnswer(
      [&, answer = WithAStream(GetParam())](const FakeServer::Words& words) mutable -> std::string {
        if (words[0] != "GET" || ++times > 3) return answer(words);
        Pass(seconds(40));
        return "-LOADING Redis is loading the dataset in memory\r\n";
      });
  server_.SetSlots({{0, 16'383, &server_}});
  EXPECT_TRUE(absl::IsNotFound(AskStreams(StreamAction::kCheck, Plan()).status()));
  EXPECT_THAT(said_, Contains(HasSubstr("it is waited for, as long as it says so")));
}

// The minute passes as soon as the client says that it waits.
TEST_P(RedisWaitsTest, AServerThatDoesNotAnswerALineIsGivenUp) {
  Answer([](const FakeServer::Words&) { return ""; });
  waits_.until_said = waits_.between_said = std::chrono::milliseconds(10);
  waits_.say = [this](const std::string& what) {
    said_.push_back(what);
    if (is_under_way_) Pass(seconds(61));
  };
  ASSERT_EQ(Open(), absl::OkStatus());
  said_.clear();
  is_under_way_ = true;
  EXPECT_THAT(std::string(Add({"a"}).message()),
              AllOf(HasSubstr("no reply"), HasSubstr("it was not better after 60 seconds")));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("no reply yet; it is waited for, 60 seconds at most")));
}

// The first connection attempts are lost: the server accepts no connection for three and a half
// seconds, and then answers normally.
TEST_P(RedisWaitsOfServersTest, AServerThatIsSlowToConnectToHasTheOrdinaryTimeAtTheStart) {
  std::atomic<bool> is_busy(false);
  std::promise<void> is_over;
  server_.SetAnswer([&, answer = WithAStream("standalone")](
                        const FakeServer::Words& words) mutable -> std::string {
    if (words[0] != "BUSY") return answer(words);
    is_busy = true;
    is_over.get_future().wait();
    return "+OK\r\n";
  });
  // Fills the backlog of the listening socket; further connections are not answered.
  std::vector<int> sockets;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(server_.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (bool is_full = false; !is_full && sockets.size() < 100;) {
    const int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    pollfd polled = {one, POLLOUT, 0};
    is_full = poll(&polled, 1, 300) <= 0;
    if (sockets.empty()) {
      const std::string busy = "*1\r\n$4\r\nBUSY\r\n";
      ASSERT_EQ(send(one, busy.data(), busy.size(), 0), static_cast<ssize_t>(busy.size()));
      ASSERT_TRUE(testing::Becomes([&] { return is_busy.load(); }));
    }
    sockets.push_back(one);
  }
  std::thread later;
  waits_.say = [&](const std::string& what) {
    said_.push_back(what);
    if (later.joinable()) return;
    later = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
      is_over.set_value();
    });
  };
  EXPECT_EQ(Open(), absl::OkStatus());
  if (later.joinable()) {
    later.join();
  } else {
    is_over.set_value();
  }
  EXPECT_THAT(said_, Not(IsEmpty()));
  EXPECT_THAT(said_, Each(HasSubstr("it is waited for, 60 seconds at most")));
  for (const int one : sockets) close(one);
}

// The server accepts connections but answers nothing.
TEST_P(RedisWaitsTest, AServerThatAnswersNothingIsGivenUpAtTheStart) {
  waits_.until_said = waits_.between_said = std::chrono::milliseconds(10);
  waits_.say = [this](const std::string& what) {
    said_.push_back(what);
    Pass(seconds(61));
  };
  EXPECT_THAT(std::string(Open().message()),
              AllOf(HasSubstr("the server " + server_.address() + ": "), HasSubstr("no reply")));
  EXPECT_THAT(said_, Not(IsEmpty()));
}

// The server closes idle connections, as with `timeout`; the second line is a repeat.
TEST_P(RedisWaitsTest, NothingIsSentToAConnectionThatWasClosedMeanwhile) {
  std::atomic<int> times(0);
  Answer([&](const FakeServer::Words&) { return BitsWere(++times > 1); });
  ASSERT_EQ(Open(), absl::OkStatus());
  ASSERT_EQ(Add({"a"}), absl::OkStatus());
  EXPECT_THAT(is_new_, ElementsAre(true));
  for (int i = 0; i < 3; ++i) {
    server_.CutAll();
    ASSERT_EQ(Add({"a"}), absl::OkStatus());
    EXPECT_THAT(is_new_, ElementsAre(false));
  }
  server_.CutAll();
  EXPECT_EQ(lines_->Finish(), absl::OkStatus());
  EXPECT_THAT(lines_->Remark(), HasSubstr("; 0 uncertain"));
}

}  // namespace redis_waits_test
}  // namespace winnow::dedup
