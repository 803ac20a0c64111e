// Sampled lookups of threads in each state of hash sharing, from the hash to the record.

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "src/rocksdb/lookups/sampled_hashes.h"
#include "src/rocksdb/lookups/shared_hash.h"
#include "tests/rocksdb/lookups/sampled_lookups_testing.h"
#include "tests/rocksdb/trees/sampled_tree.h"
#include "tests/support/counted_memory.h"
#include "winnow/hash.h"

// Allocates the thread states.
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return winnow::plugin::memory_is_short
             ? nullptr
             : winnow::testing::Allocate(size, static_cast<std::size_t>(alignment));
}

namespace winnow::plugin {
namespace sampled_lookups_test {

using ROCKSDB_NAMESPACE::Slice;

class SampledLookupsTest : public ::testing::TestWithParam<std::tuple<State, size_t, bool>> {
 protected:
  SampledLookupsTest() {
    ChangeSalt();  // initially zero
    use_.Set(true);
  }
  SamplingUse use_;
};

INSTANTIATE_TEST_SUITE_P(States, SampledLookupsTest,
                         ::testing::Combine(::testing::Values(State::kNew, State::kSharing,
                                                              State::kWatching, State::kSurplus,
                                                              State::kEnded),
                                            ::testing::Values(0, 8, 24, 40, 64, 100, 1024, 1025),
                                            ::testing::Bool()));

TEST_P(SampledLookupsTest, RecordsAreWhatLookupsWere) {
  const auto [state, length, is_batch] = GetParam();
  SampledTree tree(length);
  for (int i = 0; length == 0 && !IsSampled(HashKey("").value); ++i) {
    ASSERT_LT(i, 64);
    ChangeSalt();
  }
  std::vector<uint64_t> numbers;
  const auto look_up = [&, is_batch = is_batch] {
    if (is_batch) {
      tree.MultiGet(numbers);
    } else {
      for (const uint64_t i : numbers) tree.Get(i);
    }
  };
  const uint64_t lookups = length == 0 ? 20 : state == State::kNew ? 900 : kKeys;
  const uint64_t in_one = length == 0 ? 1 : state == State::kNew && !is_batch ? 1 : 30;
  const auto look_up_all = [&] {
    for (uint64_t i = 0; i < lookups; i += in_one) {
      numbers.clear();
      for (uint64_t k = 0; k < in_one; ++k) numbers.push_back((i + k) * 7 % kKeys);
      if (state == State::kNew) {
        InThread(look_up);
      } else {
        look_up();
        if (i % 4 == 0) look_up();
      }
    }
  };
  if (state == State::kNew) {
    look_up_all();
  } else if (!CallIn(state, look_up_all)) {
    GTEST_SKIP() << "skipped: this process may not have as many threads as there are states";
  }
  ASSERT_GT(tree.Expected().size(), 5u);
  const bool has_state = state != State::kSurplus && state != State::kEnded;
  ExpectRecords(tree.Found(), has_state ? tree.Expected() : std::vector<Record>());
}

// ---- What other keys notice

LookupCounts CountIn(State state, const std::function<void()>& call) {
  const LookupCounts before = CurrentLookupCounts();
  EXPECT_TRUE(CallIn(state, call));
  const LookupCounts after = CurrentLookupCounts();
  return {after.computed - before.computed, after.shared - before.shared};
}

TEST(SampledLookups, OtherKeysHaveTheHashesThatTheyHadWithoutSampling) {
  for (const State state : {State::kSharing, State::kWatching}) {
    for (const size_t length : {24u, 40u, 100u, 1025u}) {
      if (length == 1025 && state == State::kSharing) continue;  // long keys end sharing
      SCOPED_TRACE(std::to_string(length) + " bytes");
      SampledTree tree(length);
      SamplingUse use;
      use.Set(true);
      std::vector<uint64_t> others;
      for (uint64_t i = 0; i < kKeys; ++i) {
        if (!IsSampled(HashKey(tree.KeyOf(i)).value)) others.push_back(i);
      }
      use.Set(false);
      const LookupCounts without = CountIn(state, [&] {
        for (const uint64_t i : others) tree.Get(i);
      });
      use.Set(true);
      const LookupCounts with = CountIn(state, [&] {
        for (uint64_t i = 0; i < kKeys; ++i) tree.Get(i);
      });
      EXPECT_GT(tree.sampled_checks(), 100u);
      EXPECT_EQ(with.computed - tree.sampled_checks(), without.computed);
      EXPECT_EQ(with.shared, without.shared);
    }
  }
}

TEST(SampledLookups, BatchesShareAsManyHashesAsWithoutSampling) {
  for (const size_t length : {24u, 100u}) {
    SampledTree tree(length);
    const auto look_up = [&tree] {
      for (uint64_t i = 0; i < kKeys; i += 20) {
        std::vector<uint64_t> numbers;
        for (uint64_t k = i; k < i + 20; ++k) numbers.push_back(k);
        tree.MultiGet(numbers);
      }
    };
    const LookupCounts without = CountIn(State::kSharing, look_up);
    SamplingUse use;
    use.Set(true);
    const LookupCounts with = CountIn(State::kSharing, look_up);
    EXPECT_EQ(with.computed, without.computed);
    EXPECT_EQ(with.shared, without.shared);
    EXPECT_GT(tree.Found().size(), 20u);
  }
}

// Lookups of whole keys and of prefixes alternate if files differ in whole_key_filtering.
TEST(SampledLookups, APrefixIsSharedWhereItsKeyIsSampled) {
  SamplingUse use;
  use.Set(true);
  constexpr uint64_t kRounds = 20'000;
  constexpr uint64_t kAsked = 6;
  uint64_t sampled_checks = 0;
  uint64_t unsampled = 0;
  SampledTree tree(24);
  const LookupCounts counts = CountIn(State::kSharing, [&] {
    for (uint64_t i = 0; i < kRounds; ++i) {
      const std::string key = "some bytes " + std::to_string(i) + " and a tail";
      const std::string prefix = key.substr(0, key.size() - 11);
      for (const std::string* asked : {&key, &prefix}) {
        const bool is_sampled = IsSampled(HashKey(*asked).value);
        (is_sampled ? sampled_checks : unsampled) += is_sampled ? kAsked : 1;
      }
      for (uint64_t file = 0; file < kAsked; ++file) {
        tree.reader(file % kFiles).MayMatch(key);
        tree.reader(file % kFiles).MayMatch(prefix);
      }
    }
  });
  EXPECT_GT(sampled_checks, 1000u);
  EXPECT_EQ(counts.computed, sampled_checks + unsampled + 1);  // plus the first lookup
}

// ---- What weighs whether sharing pays

std::vector<uint64_t> SampledNumbers(const SampledTree& tree, size_t n) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; numbers.size() < n; ++i) {
    if (IsSampled(HashKey(tree.KeyOf(i)).value)) numbers.push_back(i);
  }
  return numbers;
}

TEST(SampledLookups, SampledKeysDoNotSwitchSharingOff) {
  for (const size_t length : {24u, 40u, 100u}) {
    SampledTree tree(length);
    SamplingUse use;
    use.Set(true);
    // Few enough that the three trees change neither the salt nor the sampling rate.
    const std::vector<uint64_t> sampled = SampledNumbers(tree, 300);
    InThread([&] {
      for (const uint64_t i : sampled) {
        for (size_t file = 0; file < kFiles; ++file) tree.reader(file).MayMatch(tree.KeyOf(i));
        ASSERT_TRUE(LooksFirst(*this_thread_key)) << length << " bytes, key " << i;
      }
      EXPECT_EQ(this_thread_key->length, LastKey::kNone);
      EXPECT_EQ(this_thread_key->long_length, LastKey::kNoLong);
    });
    EXPECT_EQ(tree.samples().total(), sampled.size());
  }
}

TEST(SampledLookups, SharingIsSwitchedOffAndOnAsWithoutSampling) {
  SampledTree tree(24);
  SamplingUse use;
  use.Set(true);
  InThread([&tree] {
    uint64_t number = 0;
    for (int change = 0; change < 3; ++change) {
      for (int i = 0; i < 5000; ++i) tree.reader(0).MayMatch(tree.KeyOf(++number));
      EXPECT_FALSE(LooksFirst(*this_thread_key));
      for (int i = 0; i < 2000; ++i) {
        ++number;
        for (int file = 0; file < 12; ++file) tree.reader(0).MayMatch(tree.KeyOf(number));
      }
      EXPECT_TRUE(LooksFirst(*this_thread_key));
    }
  });
}

TEST(SampledLookups, AThreadWatchesAllThatIsSampled) {
  SampledTree tree(24);
  SetHashSharing(false);
  InThread([&tree] {
    uint64_t number = 0;
    const auto look_up = [&](int lookups) {
      while (lookups-- > 0) tree.reader(0).MayMatch(tree.KeyOf(++number));
    };
    look_up(20'000);
    EXPECT_EQ(this_thread_key->not_watched, 255u);
    SamplingUse use;
    use.Set(true);
    ChangeSalt();
    look_up(5000);
    EXPECT_EQ(this_thread_key->not_watched, 63u);
    const uint64_t before = tree.samples().total();
    const uint64_t first = number + 1;
    look_up(5000);
    uint64_t expected = 0;
    for (uint64_t i = first; i <= number; ++i) {
      expected += IsSampled(HashKey(tree.KeyOf(i)).value) ? 1 : 0;
    }
    EXPECT_GT(expected, 40u);
    EXPECT_EQ(tree.samples().total() - before, expected);
    SetSamplingShift(7);
    look_up(5000);
    EXPECT_EQ(this_thread_key->not_watched, 127u);
    SetSamplingShift(16);
    look_up(5000);
    EXPECT_EQ(this_thread_key->not_watched, 255u);
    SetSamplingShift(kMinSamplingShift);
  });
  SetHashSharing(true);
}

// ---- Threads

// A new thread reuses the state of one that exited.
TEST(SampledLookups, AThreadDoesNotGoOnWithLookupsOfOneThatEnded) {
  SampledTree tree(24);
  SamplingUse use;
  use.Set(true);
  const std::string key = tree.KeyOf(SampledNumbers(tree, 1).front());
  LookupsUnderWay* lookups[2] = {};
  for (const size_t i : {0u, 1u}) {
    InThread([&] {
      tree.reader(2 + i).MayMatch(key);
      lookups[i] = LookupsOfThisThread();
    });
  }
  EXPECT_EQ(lookups[0], lookups[1]);
  EXPECT_EQ(tree.samples().total(), 2u);
}

TEST(SampledLookups, NothingIsAllocated) {
  for (const size_t length : {24u, 100u, 1025u}) {
    SampledTree tree(length);
    SamplingUse use;
    use.Set(true);
    const std::vector<uint64_t> sampled = SampledNumbers(tree, 20);
    std::vector<std::string> keys;
    for (const uint64_t i : sampled) keys.push_back(tree.KeyOf(i));
    std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<Slice*> pointers;
    for (Slice& slice : slices) pointers.push_back(&slice);
    InThread([&] {
      testing::allocations_left = 0;
      bool answers[20];
      for (size_t file = 0; file < kFiles; ++file) {
        for (size_t k = 0; k < 8; ++k) tree.reader(file).MayMatch(slices[k]);
      }
      for (size_t file = 0; file < kFiles; ++file) {
        tree.reader(file).MayMatch(8, pointers.data() + 8, answers);
      }
      testing::allocations_left = -1;
    });
    EXPECT_EQ(tree.samples().total(), 16u);
  }
}

TEST(SampledLookups, ReadersOutliveTheirTree) {
  SampledTree tree(24);
  SamplingUse use;
  use.Set(true);
  tree.DropFiles();
  for (uint64_t i = 0; i < kKeys; ++i) {
    const bool may_contain = tree.reader(0).MayMatch(tree.KeyOf(i));
    ASSERT_TRUE(may_contain || !IsIn(0, i, 24));
  }
}

TEST(SampledLookups, ManyThreadsLookUpWhileSamplesAreRead) {
  SampledTree tree(24);
  SamplingUse use;
  use.Set(true);
  std::atomic<int> running{4};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 40'000; ++i) {
        const uint64_t number = (i * 31 + t) % kKeys;
        const std::string key = tree.KeyOf(number);
        for (size_t file = 0; file < kFiles; ++file) {
          bool may_contain = false;
          Slice slice(key);
          Slice* pointer = &slice;
          if (i % 3 == 0) {
            tree.reader(file).MayMatch(1, &pointer, &may_contain);
          } else {
            may_contain = tree.reader(file).MayMatch(slice);
          }
          if (!IsIn(file, number, 24)) continue;
          EXPECT_TRUE(may_contain);
          break;
        }
      }
      --running;
    });
  }
  unsigned rounds = 0;
  std::vector<Record> records;
  do {
    tree.samples().Reserve();
    tree.samples().SetGrid(GridOfLetters(), [](double place) { return place; });
    ChangeSalt();
    SetSamplingShift(6 + ++rounds % 3);
    tree.samples().Snapshot(&records);
    for (const Record& record : records) {
      ASSERT_TRUE(record.place >= 0 && record.place < 1);
      ASSERT_GE(record.weight, 1);
      ASSERT_EQ(record.said_no & ~0b1001011, 0);
    }
  } while (running.load() > 0);
  for (std::thread& thread : threads) thread.join();
  SetSamplingShift(kMinSamplingShift);
  EXPECT_GT(tree.samples().total(), 100u);
}

}  // namespace sampled_lookups_test
}  // namespace winnow::plugin
