#include "src/workers/wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace winnow::inspect {
namespace {

enum class Colour : uint8_t { kRed, kGreen };

struct Inner {
  bool is_set = false;
  std::optional<double> rate;
  std::vector<std::string> names;

  template <typename Code>
  void Fields(Code& code) {
    code(is_set, rate, names);
  }
};

struct Outer {
  std::string name;
  int8_t small = 0;
  uint64_t large = 0;
  Colour colour = Colour::kRed;
  Inner one;
  std::optional<Inner> none;
  std::vector<Inner> many;
  std::map<std::string, Inner> by_name;
  std::vector<std::pair<std::string, int>> counts;

  template <typename Code>
  void Fields(Code& code) {
    code(name, small, large, colour, one, none, many, by_name, counts);
  }
};

Outer Sample() {
  Outer outer;
  outer.name = std::string("with\0nothing\xff", 13);
  outer.small = -7;
  outer.large = std::numeric_limits<uint64_t>::max();
  outer.colour = Colour::kGreen;
  outer.one = {true, 0.25, {"", "b"}};
  outer.many = {outer.one, Inner(), outer.one};
  outer.by_name = {{"x", outer.one}, {"y", Inner()}};
  outer.counts = {{"c", 3}, {"a", -1}};
  return outer;
}

TEST(WireTest, EveryFieldComesBack) {
  const std::optional<Outer> back = Unpack<Outer>(Pack(Sample()));
  ASSERT_TRUE(back);
  const Outer sample = Sample();
  EXPECT_EQ(back->name, sample.name);
  EXPECT_EQ(back->small, -7);
  EXPECT_EQ(back->large, sample.large);
  EXPECT_EQ(back->colour, Colour::kGreen);
  EXPECT_TRUE(back->one.is_set);
  EXPECT_EQ(back->one.rate, 0.25);
  EXPECT_EQ(back->one.names, sample.one.names);
  EXPECT_FALSE(back->none);
  ASSERT_EQ(back->many.size(), 3u);
  EXPECT_EQ(back->many[2].names, sample.one.names);
  ASSERT_EQ(back->by_name.size(), 2u);
  EXPECT_EQ(back->by_name.at("x").rate, 0.25);
  EXPECT_EQ(back->counts, sample.counts);
  EXPECT_EQ(Pack(*back), Pack(sample));
}

TEST(WireTest, BytesThatAreNotWholeAreNotTaken) {
  const std::string bytes = Pack(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Unpack<Outer>(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(Unpack<Outer>(std::string_view(bytes).substr(bytes.size() - size))) << size;
  }
  EXPECT_FALSE(Unpack<Outer>(bytes + '\0'));
  EXPECT_FALSE(Unpack<Outer>("its own words"));
}

// A sanitizer detects reads out of bounds and invalid bool values.
TEST(WireTest, DamagedBytesAreAnotherValuesOrNone) {
  const std::string bytes = Pack(Sample());
  int taken = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      // An exact-size copy, so that reads beyond the end are detected.
      const auto copy = std::make_unique<char[]>(bytes.size());
      bytes.copy(copy.get(), bytes.size());
      copy[at] = static_cast<char>(copy[at] ^ (1 << bit));
      const std::string_view damaged(copy.get(), bytes.size());
      if (const std::optional<Outer> other = Unpack<Outer>(damaged)) {
        EXPECT_EQ(Pack(*other), damaged) << at;
        ++taken;
      }
    }
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, static_cast<int>(8 * bytes.size()));
}

TEST(WireTest, AnAnswerThatDoesNotComeSaysWhy) {
  std::string problem;
  EXPECT_EQ(Unpack<int>(ChildAnswer{Pack(3), ""}, &problem), 3);
  EXPECT_EQ(problem, "");
  EXPECT_FALSE(Unpack<int>(ChildAnswer{"ab", ""}, &problem));
  EXPECT_EQ(problem, "its answer did not arrive whole");
  EXPECT_FALSE(Unpack<int>(ChildAnswer{std::nullopt, "it ended"}, &problem));
  EXPECT_EQ(problem, "it ended");
}

}  // namespace
}  // namespace winnow::inspect
