// Tests that slots are those that servers compute, and that each slot has a tag.

#include "streams/redis/key_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace key_slots_test {

using winnow::redis::kNumSlots;
using winnow::redis::SlotOf;
using winnow::redis::TagOfSlot;

// Expected values are from `CLUSTER KEYSLOT`.
TEST(KeySlotsTest, AreThoseOfTheServers) {
  EXPECT_EQ(SlotOf("123456789"), 12'739U);
  EXPECT_EQ(SlotOf("foo"), 12'182U);
  EXPECT_EQ(SlotOf("bar"), 5'061U);
  EXPECT_EQ(SlotOf("somekey"), 11'058U);
  EXPECT_EQ(SlotOf(""), 0U);
  EXPECT_EQ(SlotOf("\xff\x80"), SlotOf("{\xff\x80}"));
}

TEST(KeySlotsTest, OnlyTheFirstBracesWithSomethingBetweenThemCount) {
  EXPECT_EQ(SlotOf("{foo}"), SlotOf("foo"));
  EXPECT_EQ(SlotOf("stream:{foo}:17"), SlotOf("foo"));
  EXPECT_EQ(SlotOf("{foo}{bar}"), SlotOf("foo"));
  EXPECT_EQ(SlotOf("}{foo}"), SlotOf("foo"));
  EXPECT_EQ(SlotOf("foo{{bar}}zap"), SlotOf("{bar"));
  // An empty or unclosed tag: the whole key is hashed.
  EXPECT_EQ(SlotOf("foo{}{bar}"), 8'363U);
  EXPECT_EQ(SlotOf("{foo"), 13'308U);
  EXPECT_NE(SlotOf("{foo"), SlotOf("foo"));
  EXPECT_NE(SlotOf("foo}"), SlotOf("foo"));
}

TEST(KeySlotsTest, EverySlotHasTheLeastNumberAsItsTag) {
  std::set<std::string> tags;
  unsigned greatest = 0;
  for (unsigned slot = 0; slot < kNumSlots; ++slot) {
    const std::string& tag = TagOfSlot(slot);
    EXPECT_EQ(SlotOf(tag), slot);
    EXPECT_EQ(SlotOf("stream:{" + tag + "}:0"), slot);
    EXPECT_TRUE(tags.insert(tag).second) << tag;
    greatest = std::max(greatest, static_cast<unsigned>(std::stoul(tag)));
  }
  // No smaller number has the slot of a tag.
  for (unsigned number = 0; number < greatest; ++number) {
    const std::string digits = std::to_string(number);
    EXPECT_LE(std::stoul(TagOfSlot(SlotOf(digits))), number);
  }
}

}  // namespace key_slots_test
