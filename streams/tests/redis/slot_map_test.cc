// Tests of parsing answers about slots from servers of various versions and settings.

#include "streams/redis/slot_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slot_map_test {

using ::testing::HasSubstr;
using winnow::redis::HostAndPort;
using winnow::redis::ParseEpochs;
using winnow::redis::ParseRedirect;
using winnow::redis::ParseSlotRanges;
using winnow::redis::Redirect;
using winnow::redis::Refusal;
using winnow::redis::SlotRange;

struct FreeReader {
  void operator()(redisReader* reader) const { redisReaderFree(reader); }
};
struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

Reply ReplyOf(const std::string& bytes) {
  const std::unique_ptr<redisReader, FreeReader> reader(redisReaderCreate());
  redisReaderFeed(reader.get(), bytes.data(), bytes.size());
  void* reply = nullptr;
  EXPECT_EQ(redisReaderGetReply(reader.get(), &reply), REDIS_OK);
  EXPECT_NE(reply, nullptr) << "only a part of an answer: " << bytes;
  return Reply(static_cast<redisReply*>(reply));
}

std::string Bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

// Returns HOST PORT, which cannot be confused with a printed address.
std::string Text(const HostAndPort& server) {
  return server.host + " " + std::to_string(server.port);
}

TEST(SlotMapTest, RangesHaveAMasterAndItsReplicas) {
  const Reply reply = ReplyOf(
      "*2\r\n"
      "*4\r\n:0\r\n:5460\r\n*4\r\n" +
      Bulk("10.0.0.1") + ":7000\r\n" + Bulk("a1") + "*2\r\n" + Bulk("hostname") +
      Bulk("one.example") + "*3\r\n" + Bulk("10.0.0.2") + ":7001\r\n" + Bulk("b2") +
      "*3\r\n:5461\r\n:5461\r\n*2\r\n" + Bulk("10.0.0.3") + ":7002\r\n");  // before Redis 4.0
  const auto ranges = ParseSlotRanges(*reply, "asked");
  ASSERT_EQ(ranges.status(), absl::OkStatus());
  ASSERT_EQ(ranges->size(), 2U);
  const SlotRange& first = ranges->front();
  EXPECT_EQ(first.first, 0U);
  EXPECT_EQ(first.last, 5460U);
  EXPECT_EQ(Text(first.master), "10.0.0.1 7000");
  EXPECT_EQ(first.master_id, "a1");
  ASSERT_EQ(first.replicas.size(), 1U);
  EXPECT_EQ(Text(first.replicas[0]), "10.0.0.2 7001");
  EXPECT_EQ(ranges->back().first, ranges->back().last);
  EXPECT_EQ(Text(ranges->back().master), "10.0.0.3 7002");
  EXPECT_EQ(ranges->back().master_id, "");
}

TEST(SlotMapTest, HostsAreNamesOrNumbersOrThatOfWhoAnswers) {
  const struct {
    std::string said;
    const char* understood;
  } hosts[] = {
      {Bulk("127.0.0.1"), "127.0.0.1 7"},
      {Bulk("redis-0.example"), "redis-0.example 7"},
      {Bulk("fe80::1"), "fe80::1 7"},
      {Bulk(""), "asked 7"},
      {Bulk("?"), "asked 7"},
      {"$-1\r\n", "asked 7"},
  };
  for (const auto& [said, understood] : hosts) {
    const Reply reply =
        ReplyOf("*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n" + said + ":7\r\n" + Bulk("id"));
    const auto ranges = ParseSlotRanges(*reply, "asked");
    ASSERT_EQ(ranges.status(), absl::OkStatus());
    EXPECT_EQ(Text(ranges->front().master), understood);
  }
}

// Server with cluster-preferred-endpoint-type hostname.
TEST(SlotMapTest, AServerWithoutANameHasItsAddress) {
  const auto understood = [](const std::string& pairs) {
    const Reply reply =
        ReplyOf("*1\r\n*3\r\n:0\r\n:1\r\n*4\r\n" + Bulk("?") + ":7\r\n" + Bulk("id") + pairs);
    const auto ranges = ParseSlotRanges(*reply, "asked");
    EXPECT_EQ(ranges.status(), absl::OkStatus());
    return ranges.ok() ? Text(ranges->front().master) : "";
  };
  EXPECT_EQ(understood("*2\r\n" + Bulk("ip") + Bulk("10.0.0.2")), "10.0.0.2 7");
  EXPECT_EQ(understood("*4\r\n" + Bulk("x") + Bulk("y") + Bulk("ip") + Bulk("10.0.0.2")),
            "10.0.0.2 7");
  for (const std::string& pairs :
       {std::string("*0\r\n"), std::string(":1\r\n"), "*1\r\n" + Bulk("ip"),
        "*2\r\n" + Bulk("ip") + Bulk(""), "*2\r\n" + Bulk("ip") + Bulk("?"),
        "*2\r\n" + Bulk("ip") + "$-1\r\n", "*2\r\n:1\r\n" + Bulk("10.0.0.2")}) {
    EXPECT_EQ(understood(pairs), "asked 7") << pairs;
  }
}

TEST(SlotMapTest, WhatIsNoMapIsRefused) {
  const std::string server = "*3\r\n" + Bulk("h") + ":7\r\n" + Bulk("id");
  EXPECT_EQ(ParseSlotRanges(*ReplyOf("*1\r\n*3\r\n:0\r\n:1\r\n" + server), "asked").status(),
            absl::OkStatus());
  EXPECT_TRUE(ParseSlotRanges(*ReplyOf("*0\r\n"), "asked")->empty());
  for (const std::string& bytes :
       {std::string(":1\r\n"), std::string("+OK\r\n"), std::string("$-1\r\n"),
        std::string("*1\r\n:1\r\n"), std::string("*1\r\n*2\r\n:0\r\n:1\r\n"),
        "*1\r\n*3\r\n:1\r\n:0\r\n" + server, "*1\r\n*3\r\n:-1\r\n:0\r\n" + server,
        "*1\r\n*3\r\n:0\r\n:16384\r\n" + server, "*1\r\n*3\r\n$1\r\n0\r\n:1\r\n" + server,
        "*1\r\n*3\r\n:0\r\n$1\r\n1\r\n" + server,
        std::string("*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:0\r\n"),
        std::string("*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:65536\r\n"),
        std::string("*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n$1\r\n7\r\n"),
        std::string("*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\nh\r\n")}) {
    EXPECT_THAT(std::string(ParseSlotRanges(*ReplyOf(bytes), "asked").status().message()),
                HasSubstr("it answers CLUSTER SLOTS with something else"))
        << bytes;
  }
}

TEST(SlotMapTest, EpochsAreThoseOfEachServer) {
  const std::string text =
      "07c3 127.0.0.1:30004@31004,hostname4 slave e7d1 0 1426238317239 4 connected\n"
      "e7d1 127.0.0.1:30001@31001,hostname1 myself,master - 0 0 17 connected 0-5460 [7->-07c3]\n"
      "6ec2 :0@0 noaddr - 0 0\n";
  const std::map<std::string, uint64_t> expected = {{"07c3", 4}, {"e7d1", 17}};
  EXPECT_EQ(ParseEpochs(*ReplyOf(Bulk(text))), expected);
  EXPECT_TRUE(ParseEpochs(*ReplyOf(":1\r\n")).empty());
}

TEST(SlotMapTest, RedirectsNameASlotAndAServer) {
  const struct {
    const char* words;
    Refusal refusal;
    unsigned slot;
    const char* target;
  } cases[] = {
      {"MOVED 3999 127.0.0.1:6381", Refusal::kMoved, 3999, "127.0.0.1 6381"},
      {"ASK 16383 redis-1.example:6381", Refusal::kAsk, 16'383, "redis-1.example 6381"},
      {"MOVED 0 ::1:6381", Refusal::kMoved, 0, "::1 6381"},
      {"MOVED 1 :6381", Refusal::kMoved, 1, "asked 6381"},
      {"MOVED 1 ?:6381", Refusal::kMoved, 1, " 6381"},
      {"ASK 1 ?:6381", Refusal::kAsk, 1, " 6381"},
      {"TRYAGAIN Multiple keys request", Refusal::kTryAgain, 0, " 0"},
      {"CLUSTERDOWN Hash slot not served", Refusal::kClusterDown, 0, " 0"},
      {"LOADING Redis is loading", Refusal::kNotYet, 0, " 0"},
      {"ERR unknown command", Refusal::kNone, 0, " 0"},
      {"CROSSSLOT Keys in request", Refusal::kNone, 0, " 0"},
      {"MOVED", Refusal::kNone, 0, " 0"},
  };
  for (const auto& [words, refusal, slot, target] : cases) {
    const Redirect redirect = ParseRedirect(*ReplyOf("-" + std::string(words) + "\r\n"), "asked");
    EXPECT_EQ(redirect.refusal, refusal) << words;
    EXPECT_EQ(redirect.slot, slot) << words;
    EXPECT_EQ(Text(redirect.target), target) << words;
  }
  // Malformed redirects are plain errors: their target is unknown.
  for (const char* words : {"MOVED 3999", "MOVED 16384 h:1", "MOVED -1 h:1", "MOVED x h:1",
                            "MOVED 1 h", "ASK 1 h:x", "MOVED 1 h:0", "ASK 1 h:65536", "MOVED "}) {
    const Reply reply = ReplyOf("-" + std::string(words) + "\r\n");
    EXPECT_EQ(ParseRedirect(*reply, "asked").refusal, Refusal::kNone) << words;
  }
  EXPECT_EQ(ParseRedirect(*ReplyOf("+MOVED 1 h:1\r\n"), "asked").refusal, Refusal::kNone);
}

}  // namespace slot_map_test
