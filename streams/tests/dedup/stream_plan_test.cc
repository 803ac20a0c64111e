// Tests of the layout of streams in Redis, which is shared with clients of other versions and
// languages: names of keys, text of the plan, and commands of lines.

#include "streams/dedup/stream_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "streams/amq/paged_sizing.h"
#include "streams/dedup/line_command.h"
#include "streams/dedup/recent_lines.h"
#include "streams/redis/key_slots.h"
#include "streams/redis/redis_access.h"
#include "tests/support/files.h"
#include "winnow/hash.h"

namespace winnow::dedup {
namespace stream_plan_test {

RedisPlan PlanOf(uint64_t capacity, double rate,
                 const std::string& servers = "a:1,redis://me:word@b") {
  RedisPlan plan;
  plan.servers = redis::ParseServers(servers, {}).value();
  plan.name = "clicks";
  plan.capacity = capacity;
  plan.rate = rate;
  return plan;
}

// Clients that compute another plan text are refused by existing streams; clients that compute
// other keys or positions print lines again. The number is the XXH3-64 of all keys' names and of
// the commands of a thousand lines.
TEST(StreamPlanTest, IsTheSameInEachVersionOfWinnow) {
  const struct {
    const char* servers;  // empty: a cluster
    uint64_t capacity;
    double rate;
    const char* shape;
    uint64_t names_and_commands;
  } rows[] = {
      {"a:1", 1, 0.1, "k=2 hash=XXH3-64 keys=1 bits=64", 0x9728cd1765f767e1},
      {"a:1", 1'000, 1e-3, "k=6 hash=XXH3-64 keys=1 bits=15944", 0xb89df71efa5fbfd5},
      {"a:1", 1'000'000, 1e-6, "k=11 hash=XXH3-64 keys=1 bits=33144584", 0xcd2cf7d69d9967ec},
      {"a:1,b,c:9", 1'000'000, 1e-9, "k=16 hash=XXH3-64 keys=1 bits=16833992", 0xadeba931810fc4a5},
      {"a:1", 1'000'000'000, 1e-9, "k=16 hash=XXH3-64 keys=95 bits=531599536", 0xed7eef0a00fdc69f},
      {"a:1,b", 10'000'000'000, 1e-3, "k=6 hash=XXH3-64 keys=149 bits=534963008",
       0x9285e6dba9b2e38b},
      {"", 1, 0.1, "k=2 hash=XXH3-64 keys=256 bits=64", 0xa055140888fd0495},
      {"", 1'000, 1e-3, "k=6 hash=XXH3-64 keys=256 bits=104", 0xcae92909e492c257},
      {"", 1'000'000, 1e-6, "k=11 hash=XXH3-64 keys=256 bits=130120", 0xddc9497596c964ad},
      {"", 1'000'000'000, 1e-9, "k=16 hash=XXH3-64 keys=1507 bits=33545096", 0xe08ab0b89ef07998},
      {"", 10'000'000'000, 1e-3, "k=6 hash=XXH3-64 keys=4756 bits=33553072", 0x7c2b1dafd90e17ee},
      {"", 100'000'000'000, 1e-8, "k=15 hash=XXH3-64 keys=130425 bits=33553776",
       0x2629aa8e0d3aa685},
  };
  for (const auto& row : rows) {
    const std::string servers = row.servers;
    const StreamPlan plan = servers.empty()
                                ? StreamPlan::OfCluster(PlanOf(row.capacity, row.rate))
                                : StreamPlan::OfServers(PlanOf(row.capacity, row.rate, servers));
    std::ostringstream text;
    text << "winnow dedup " << (servers.empty() ? 2 : 1) << " capacity=" << row.capacity
         << " rate=" << row.rate << " " << row.shape
         << (servers.empty() ? "" : " servers=" + servers) << " whole";
    EXPECT_EQ(plan.Text("whole"), text.str());
    EXPECT_EQ(plan.PlanKey(), "clicks:plan");
    std::string bytes;
    for (uint64_t i = 0; i < plan.shape.num_keys; ++i) bytes += plan.Key(i) + "\n";
    const LineCommand command(plan.shape);
    for (int i = 0; i < 1'000; ++i) {
      const KeyHash line = HashKey("line " + std::to_string(i));
      command.Append(line, plan.Key(command.KeyOf(line)), &bytes);
    }
    EXPECT_EQ(HashKey(bytes).value, row.names_and_commands) << text.str();
  }
}

TEST(StreamPlanTest, KeysOfAClusterAreSpreadEvenlyOverItsSlots) {
  for (const double capacity : {1e3, 1e7, 1e9, 1e10, 1e11}) {
    const StreamPlan plan = StreamPlan::OfCluster(
        PlanOf(static_cast<uint64_t>(capacity), capacity > 1e10 ? 1e-8 : 1e-9));
    const uint64_t keys = plan.shape.num_keys;
    std::map<unsigned, uint64_t> of_master;  // one of twelve masters
    std::set<std::string> names;
    for (uint64_t i = 0; i < keys; ++i) {
      const std::string name = plan.Key(i);
      const unsigned slot = redis::SlotOf(name);
      ASSERT_EQ(slot, plan.SlotOfKey(i)) << name;
      ASSERT_EQ(slot,
                std::floor((static_cast<double>(i) + 0.5) * 16'384 / static_cast<double>(keys)));
      names.insert(name);
      ++of_master[slot * 12 / redis::kNumSlots];
    }
    EXPECT_EQ(names.size(), keys);
    ASSERT_EQ(of_master.size(), 12u);
    for (const auto& [master, count] : of_master) {
      EXPECT_NEAR(static_cast<double>(count), static_cast<double>(keys) / 12,
                  1 + static_cast<double>(keys) / redis::kNumSlots)
          << master;
    }
  }
}

TEST(RedisShapeTest, KeysOfAClusterAreManyAndBelow4MiBAndHaveTheRate) {
  for (const uint64_t capacity : {1ul, 100ul, 2'000ul, 100'000ul, 10'000'000ul, 1'000'000'000ul}) {
    for (const double rate : {1e-9, 1e-3, 0.1}) {
      const RedisShape shape = ShapeForCluster(capacity, rate);
      EXPECT_GE(shape.num_keys, 256u);
      // The size includes the sentinel bit and the header of the server's allocation.
      EXPECT_LE(shape.bits_per_key / 8 + 1 + 16, 4u << 20);
      EXPECT_EQ(shape.bits_per_key % 8, 0u);
      EXPECT_LE(
          amq::RatesOfPages(static_cast<double>(capacity), static_cast<double>(shape.num_keys),
                            static_cast<double>(shape.bits_per_key), shape.probes)
              .mean,
          rate)
          << capacity << " at " << rate;
      if (capacity < 1'000'000) continue;
      const RedisShape one = ShapeForServers(capacity, rate, 1);
      EXPECT_EQ(shape.probes, one.probes);
      EXPECT_NEAR(static_cast<double>(shape.num_keys * shape.bits_per_key),
                  static_cast<double>(one.num_keys * one.bits_per_key),
                  0.003 * static_cast<double>(one.num_keys * one.bits_per_key));
    }
  }
}

TEST(LineCommandTest, IsThatOfThePage) {
  const LineCommand command({2, 256, 1'000'000});
  const KeyHash hash = HashKey("a line");
  std::string bytes;
  command.Append(hash, "name", &bytes);
  EXPECT_EQ(bytes,
            "*13\r\n$8\r\nBITFIELD\r\n$4\r\nname\r\n"
            "$3\r\nSET\r\n$2\r\nu1\r\n$6\r\n873675\r\n$1\r\n1\r\n"
            "$3\r\nSET\r\n$2\r\nu1\r\n$6\r\n668347\r\n$1\r\n1\r\n"
            "$3\r\nGET\r\n$2\r\nu1\r\n$7\r\n1000000\r\n");
  EXPECT_EQ(command.KeyOf(hash), 130u);
}

TEST(StreamPlanTest, ThePageHasTheSizesOfItsTable) {
  const std::string page = winnow::testing::ReadFile(WINNOW_DEDUP_MD);
  const struct {
    double capacity;
    double rate;
    const char* row;
  } rows[] = {
      {1e9, 1e-9, "10⁹, 10⁻⁹"}, {1e10, 1e-9, "10¹⁰, 10⁻⁹"}, {1e11, 1e-8, "10¹¹, 10⁻⁸"},
      {1e9, 1e-3, "10⁹, 10⁻³"}, {1e10, 1e-3, "10¹⁰, 10⁻³"}, {1e11, 1e-3, "10¹¹, 10⁻³"},
  };
  for (const auto& row : rows) {
    const RedisShape shape = ShapeForCluster(static_cast<uint64_t>(row.capacity), row.rate);
    const double bits =
        static_cast<double>(shape.num_keys) * static_cast<double>(shape.bits_per_key);
    const double gib = bits / 8 / (1 << 30);
    std::string keys = std::to_string(shape.num_keys);
    if (keys.size() > 3) keys.insert(keys.size() - 3, ",");
    char text[100];
    snprintf(text, sizeof(text), "| %s | %.1f, %u | %.*f GiB | %s |", row.row, bits / row.capacity,
             shape.probes, gib < 100 ? 1 : 0, gib, keys.c_str());
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

TEST(RecentLinesTest, ForgetsWhatIsOlderAndNothingElse) {
  RecentLines lines;
  const RecentLines::Time start;
  const auto at = [&](int milliseconds) { return start + std::chrono::milliseconds(milliseconds); };
  for (int i = 0; i < 1'000; ++i) lines.Add(KeyHash{static_cast<uint64_t>(i)}, at(10 * i));
  EXPECT_EQ(lines.size(), 1'000u);
  lines.DropUntil(at(-1));
  EXPECT_EQ(lines.size(), 1'000u);
  lines.DropUntil(at(5'004));
  // Lines of the same tenth of a second are dropped together.
  EXPECT_GE(lines.size(), 499u);
  EXPECT_LE(lines.size(), 509u);
  EXPECT_EQ(lines[lines.size() - 1].value, 999u);
  EXPECT_EQ(lines[0].value, 1'000 - lines.size());
  lines.DropUntil(at(9'990));
  EXPECT_EQ(lines.size(), 0u);
}

}  // namespace stream_plan_test
}  // namespace winnow::dedup
