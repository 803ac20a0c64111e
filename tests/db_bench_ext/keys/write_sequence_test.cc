// Tests of the keys, order and omissions of write sequences.

#include "db_bench_ext/read_amplification/keys/write_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace winnow::bench {
namespace write_sequence_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kKeys = 1000;

std::vector<uint64_t> Numbers(const WriteSequence& sequence) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < sequence.size(); ++i) numbers.push_back(sequence[i]);
  return numbers;
}

TEST(WriteSequenceTest, InOrderIsFromTheFirstToTheLast) {
  const WriteSequence sequence(5, 1, {{WriteKind::kInOrder, 0}});
  EXPECT_THAT(Numbers(sequence), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(sequence.EachOnce());
}

TEST(WriteSequenceTest, OnceIsEveryKeyInAnOrderOfTheSeed) {
  std::vector<uint64_t> numbers = Numbers(WriteSequence::Once(kKeys, 1));
  EXPECT_EQ(numbers, Numbers(WriteSequence::Once(kKeys, 1)));
  EXPECT_NE(numbers, Numbers(WriteSequence::Once(kKeys, 2)));
  EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
  std::sort(numbers.begin(), numbers.end());
  for (uint64_t i = 0; i < kKeys; ++i) EXPECT_EQ(numbers[i], i);
}

TEST(WriteSequenceTest, InTimeIsEveryKeyButForALittleDisorder) {
  for (const uint64_t keys : {1u, 30u, 1000u, 1049u}) {
    const WriteSequence sequence(keys, 1, {{WriteKind::kInTime, 0}});
    EXPECT_TRUE(sequence.EachOnce());
    std::vector<uint64_t> numbers = Numbers(sequence);
    uint64_t newest = 0;
    for (const uint64_t number : numbers) {
      newest = std::max(newest, number);
      EXPECT_LT(newest - number, std::max<uint64_t>(1, keys / 50)) << keys;
    }
    EXPECT_EQ(std::is_sorted(numbers.begin(), numbers.end()), keys < 100) << keys;
    std::sort(numbers.begin(), numbers.end());
    for (uint64_t i = 0; i < keys; ++i) ASSERT_EQ(numbers.at(i), i) << keys;
  }
}

TEST(WriteSequenceTest, DrawsRepeatSomeKeysAndLeaveSomeOut) {
  const WriteSequence sequence(kKeys, 1, {{WriteKind::kDrawn, 0}});
  EXPECT_EQ(sequence.size(), kKeys);
  EXPECT_FALSE(sequence.EachOnce());
  const std::vector<uint64_t> numbers = Numbers(sequence);
  const std::set<uint64_t> different(numbers.begin(), numbers.end());
  EXPECT_LT(*different.rbegin(), kKeys);
  // Drawing as many times as there are keys omits 1/e of the keys.
  EXPECT_NEAR(static_cast<double>(different.size()), 632, 40);
  const WrittenKeys written(sequence);
  EXPECT_EQ(written.count(), different.size());
  for (uint64_t i = 0; i < kKeys; ++i) EXPECT_EQ(written.Has(i), different.count(i) > 0) << i;
}

TEST(WrittenKeysTest, TheNthIsTheOneThatHasSoManyBeforeIt) {
  for (const uint64_t draws : {1u, 10u, 1000u, 20'000u}) {
    constexpr uint64_t kMany = 5000;
    const WrittenKeys written(WriteSequence(kMany, 3, {{WriteKind::kDrawn, draws}}));
    uint64_t n = 0;
    for (uint64_t i = 0; i < kMany; ++i) {
      if (written.Has(i)) {
        EXPECT_EQ(written.Nth(n++), i) << draws;
      }
    }
    EXPECT_EQ(n, written.count());
  }
  EXPECT_EQ(WrittenKeys(WriteSequence::Once(kKeys, 1)).Nth(17), 17u);
}

TEST(WrittenKeysTest, LookingEndsWhenItIsToldTo) {
  const WriteSequence sequence(kKeys, 3, {{WriteKind::kDrawn, 0}});
  EXPECT_EQ(WrittenKeys::Of(sequence, [](uint64_t) { return false; }).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(WrittenKeys::Of(sequence, [](uint64_t) { return true; })->count(),
            WrittenKeys(sequence).count());
}

TEST(WriteSequenceTest, StepsFollowEachOther) {
  const WriteSequence sequence(kKeys, 1,
                               {{WriteKind::kCompact, 0},
                                {WriteKind::kInOrder, 0},
                                {WriteKind::kDrawn, 300},
                                {WriteKind::kCompact, 0},
                                {WriteKind::kCompact, 0},
                                {WriteKind::kDrawn, 300},
                                {WriteKind::kCompact, 0}});
  EXPECT_EQ(sequence.size(), kKeys + 600);
  EXPECT_THAT(sequence.compactions(), ElementsAre(kKeys + 300, kKeys + 600));
  const std::vector<uint64_t> numbers = Numbers(sequence);
  for (uint64_t i = 0; i < kKeys; ++i) EXPECT_EQ(numbers[i], i);
  const auto first = numbers.begin() + kKeys;
  EXPECT_FALSE(std::equal(first, first + 300, first + 300)) << "draws of their own";
  EXPECT_EQ(WrittenKeys(sequence).count(), kKeys);
}

TEST(WriteSequenceTest, OneKeyIsEnough) {
  for (const WriteKind kind : {WriteKind::kInOrder, WriteKind::kOnce, WriteKind::kDrawn}) {
    const WriteSequence sequence(1, 1, {{kind, 0}});
    EXPECT_THAT(Numbers(sequence), ElementsAre(0));
    EXPECT_THAT(sequence.compactions(), IsEmpty());
    EXPECT_TRUE(WrittenKeys(sequence).Has(0));
  }
}

}  // namespace write_sequence_test
}  // namespace winnow::bench
