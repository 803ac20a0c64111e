#include "src/rocksdb/ranges/transformed_keys.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace winnow::plugin {
namespace transformed_keys_test {

using Origin = TransformedKey::Origin;
using ROCKSDB_NAMESPACE::Slice;

const char* Note(const Slice& key) { return NoteTransformedKey(key, __builtin_frame_address(0)); }

// Notes a key from a stack frame that is `bytes` lower.
const char* NoteFarBelow(const Slice& key, size_t bytes) {
  return NoteTransformedKey(key, static_cast<const char*>(__builtin_frame_address(0)) - bytes);
}

class TransformedKeysTest : public ::testing::Test {
 protected:
  Slice begin_;
  Slice end_;
};

TEST_F(TransformedKeysTest, TheBoundsOfASeekAreAKeyAndTheNextOne) {
  const char* const sought = Note("b");
  Note("d");
  ASSERT_TRUE(FindSeekBounds(sought, &begin_, &end_));
  EXPECT_EQ(begin_, Slice("b"));
  EXPECT_EQ(end_, Slice("d"));
}

TEST_F(TransformedKeysTest, AKeyAloneHasNoBound) {
  // The next slot of the ring has an old note, from an equally near frame.
  for (size_t i = 0; i < kNotes; ++i) Note("x");
  const char* const sought = Note("b");
  EXPECT_FALSE(FindSeekBounds(sought, &begin_, &end_));
}

TEST_F(TransformedKeysTest, TheBoundIsNoKeyFromFarBelow) {
  const char* sought = Note("b");
  NoteFarBelow("d", kMaxDepth / 2);
  EXPECT_TRUE(FindSeekBounds(sought, &begin_, &end_));
  sought = Note("b");
  NoteFarBelow("d", 2 * kMaxDepth);
  EXPECT_FALSE(FindSeekBounds(sought, &begin_, &end_));
}

TEST_F(TransformedKeysTest, WhatWasOverwrittenIsLost) {
  const char* const sought = Note("b");
  Note("d");
  for (size_t i = 2; i < kNotes; ++i) Note("x");
  EXPECT_TRUE(FindSeekBounds(sought, &begin_, &end_));
  Note("x");
  EXPECT_FALSE(FindSeekBounds(sought, &begin_, &end_));
  EXPECT_EQ(FindTransformedKey(sought).origin, Origin::kForgotten);
}

TEST_F(TransformedKeysTest, EveryNumberIsFoundOnceAroundAllAddresses) {
  std::string key = "k";
  for (size_t i = 0; i < kAddresses + 100; ++i) {
    const char* const address = Note(key);
    const TransformedKey found = FindTransformedKey(address);
    ASSERT_EQ(found.origin, Origin::kFound) << i;
    ASSERT_EQ(found.key.data(), key.data());
    ASSERT_NE(address, Note("other"));
  }
}

TEST_F(TransformedKeysTest, AnotherThreadsKeyIsLost) {
  const char* sought = nullptr;
  std::thread([&] {
    sought = Note("b");
    Note("d");
  }).join();
  std::thread([&] {
    // This thread reuses the other thread's ring.
    Note("x");
    EXPECT_FALSE(FindSeekBounds(sought, &begin_, &end_));
    EXPECT_EQ(FindTransformedKey(sought).origin, Origin::kForgotten);
  }).join();
  Note("here");
  EXPECT_FALSE(FindSeekBounds(sought, &begin_, &end_));
  EXPECT_EQ(FindTransformedKey(sought).origin, Origin::kForgotten);
}

TEST_F(TransformedKeysTest, OtherAddressesAreElsewhere) {
  const std::string key = "key";
  Note(key);
  for (const char* address : {key.data(), "", static_cast<const char*>(nullptr)}) {
    EXPECT_EQ(FindTransformedKey(address).origin, Origin::kElsewhere);
    EXPECT_FALSE(FindSeekBounds(address, &begin_, &end_));
  }
}

// A comparator may read eight bytes even of a shorter key.
TEST_F(TransformedKeysTest, AtEachAddressThereAreZerosToRead) {
  for (int i = 0; i < 1000; ++i) {
    const char* const address = Note("b");
    for (int byte = 0; byte < 64; ++byte) ASSERT_EQ(address[byte], '\0');
  }
}

TEST_F(TransformedKeysTest, ThreadsAtOnceHaveRingsOfTheirOwn) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([t] {
      const std::string from = "b" + std::to_string(t);
      const std::string to = "d" + std::to_string(t);
      for (int i = 0; i < 10'000; ++i) {
        const char* const sought = Note(from);
        Note(to);
        Slice begin;
        Slice end;
        ASSERT_TRUE(FindSeekBounds(sought, &begin, &end));
        ASSERT_EQ(begin, Slice(from));
        ASSERT_EQ(end, Slice(to));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TransformedKeysTest, NumbersDiffer) {
  std::set<uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) numbers.insert(DifferentNumber());
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) numbers.insert(DifferentNumber());
  }).join();
  EXPECT_EQ(numbers.size(), 2000u);
}

}  // namespace transformed_keys_test
}  // namespace winnow::plugin
