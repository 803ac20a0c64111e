#include "winnow/amq/concurrent_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "tests/support/sanitized.h"

namespace winnow::amq {
namespace concurrent_bloom_test {

using testing::ExpectContainsAll;
using testing::ExpectReportedRate;
using testing::RandomHashes;
using testing::TestSeed;

TEST(ConcurrentBloom, FullLinesReportTheRateThatTheyHave) {
  ConcurrentBloom filter({10, 0.01});
  for (const KeyHash key : RandomHashes(3).Take(5000)) filter.Add(key);
  ExpectReportedRate(filter, 1'000'000, 5);
  for (const KeyHash key : RandomHashes(3).Take(100'000)) filter.Add(key);
  EXPECT_EQ(filter.fill_ratio(), 1);
  EXPECT_EQ(filter.expected_fpr(), 1);
}

TEST(ConcurrentBloom, BatchesAreTheSameAsOneByOne) {
  testing::ExpectBatchedAddsAsOneByOne<ConcurrentBloom>({0.1, 0.01, 1e-6}, 16);
}

TEST(ConcurrentBloom, AddingAloneIsTheSame) {
  for (const double rate : {0.1, 0.01, 1e-3, 1e-6}) {
    ConcurrentBloom together({500, rate});
    ConcurrentBloom alone({500, rate});
    ConcurrentBloom batched({500, rate});
    const std::vector<KeyHash> keys = RandomHashes(3).Take(2000);
    const auto results = std::make_unique<bool[]>(keys.size());
    batched.AddAlone(keys.data(), keys.size(), results.get());
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool is_new = together.Add(keys[i]);
      ASSERT_EQ(alone.AddAlone(keys[i]), is_new) << i;
      ASSERT_EQ(results[i], is_new) << i;
      ASSERT_FALSE(alone.AddAlone(keys[i]));
    }
    for (const ConcurrentBloom* filter : {&alone, &batched}) {
      EXPECT_EQ(filter->num_added(), together.num_added());
      EXPECT_EQ(filter->fill_ratio(), together.fill_ratio());
      EXPECT_EQ(filter->expected_fpr(), together.expected_fpr());
      ExpectContainsAll(*filter, keys);
    }
  }
}

// Keys with some equal bits, as in a partition by hash, have an unchanged rate.
TEST(ConcurrentBloom, PartsByBitsOfTheHashHaveTheRateOfAll) {
  for (const unsigned shift : {0u, 28u, 56u}) {
    const uint64_t part = ~(uint64_t{0xff} << shift);
    ConcurrentBloom filter({100'000, 0.01});
    for (const KeyHash key : RandomHashes(8).Take(100'000)) filter.Add({key.value & part});
    RandomHashes absent(9);
    constexpr int kLookups = 300'000;
    int found = 0;
    for (int i = 0; i < kLookups; ++i) found += filter.MayContain({absent.Next() & part});
    EXPECT_NEAR(static_cast<double>(found) / kLookups, 0.0102, 0.0007) << shift;
  }
}

// No counts are lost while more threads run than there are per-thread counters.
TEST(ConcurrentBloom, ManyThreadsAtOnceCountEachNewKeyOnce) {
  constexpr unsigned kMany = 50;
  ConcurrentBloom filter({kMany * 1000, 1e-6});
  std::atomic<unsigned> arrived{0};
  std::vector<std::thread> threads;
  std::atomic<uint64_t> said_new{0};
  for (unsigned thread = 0; thread < kMany; ++thread) {
    threads.emplace_back([&, thread] {
      const std::vector<KeyHash> keys = RandomHashes(thread).Take(1000);
      filter.Add(keys[0]);
      arrived.fetch_add(1);
      while (arrived.load() < kMany) std::this_thread::yield();
      said_new += 1;
      for (size_t i = 1; i < keys.size(); ++i) said_new += filter.Add(keys[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(filter.num_added(), said_new);
}

constexpr unsigned kThreads = 3;

// Calls run(index) in kThreads threads concurrently.
void InThreads(const std::function<void(unsigned)>& run) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
}

// All threads add equal keys in equal order, in rounds that they begin together. The leading thread
// waits for memory that the others then have in their caches, so that the threads stay close and
// many additions of one key race. With a plain OR of each word, two threads could each set a bit of
// a key that the other did not.
TEST(ConcurrentBloom, OfRacingAdditionsOfAKeyExactlyOneIsNew) {
  constexpr unsigned kKeys = 4096;
  const unsigned rounds = testing::kSanitized ? 50 : 2500;
  const uint64_t seed = TestSeed();
  std::atomic<uint64_t> wrong{0};
  std::atomic<uint64_t> denied{0};
  // Each line has hardly more than one key, so that no key is a false positive.
  ConcurrentBloom filter({200'000, 1e-6});
  std::vector<std::atomic<unsigned>> said_new(kKeys);
  std::atomic<unsigned> arrived{0};
  const auto wait_for_all = [&arrived](unsigned* barrier) {
    *barrier += kThreads;
    arrived.fetch_add(1);
    while (arrived.load() < *barrier) std::this_thread::yield();
  };
  InThreads([&](unsigned thread) {
    RandomHashes random(seed);
    unsigned barrier = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      const std::vector<KeyHash> keys = random.Take(kKeys);
      wait_for_all(&barrier);
      for (unsigned i = 0; i < kKeys; ++i) {
        if (filter.Add(keys[i])) said_new[i].fetch_add(1);
        if (!filter.MayContain(keys[i])) denied.fetch_add(1);
      }
      wait_for_all(&barrier);
      if (thread != 0) continue;
      for (std::atomic<unsigned>& count : said_new) wrong += count.exchange(0) != 1;
      if (round % 16 == 15) filter.Clear();
    }
  });
  std::cout << uint64_t{rounds} * kKeys << " races of " << kThreads << " threads\n";
  EXPECT_EQ(denied, 0u);
  // False positives, at a rate of 1e-6 and below.
  EXPECT_LE(wrong, uint64_t{rounds} * kKeys / 1'000'000 + 1);
}

// Single additions and batches, in more short-lived threads than there are counters.
TEST(ConcurrentBloom, ThreadsTogetherCountEachNewKeyOnce) {
  const std::vector<KeyHash> keys = RandomHashes(7).Take(1000);
  ConcurrentBloom filter({keys.size(), 1e-6});
  std::atomic<uint64_t> said_new{0};
  for (int round = 0; round < 30; ++round) {
    InThreads([&](unsigned thread) {
      if (thread == 0) {
        for (const KeyHash key : keys) said_new += filter.Add(key);
        return;
      }
      bool is_new[64];
      for (size_t begin = 0; begin < keys.size(); begin += 64) {
        const size_t n = std::min<size_t>(64, keys.size() - begin);
        filter.Add(&keys[begin], n, is_new);
        said_new += static_cast<uint64_t>(std::count(is_new, is_new + n, true));
      }
    });
    ASSERT_EQ(filter.num_added(), said_new.exchange(0));
    ASSERT_GE(filter.num_added(), keys.size() - 1);
    ASSERT_LE(filter.num_added(), keys.size());
    ExpectContainsAll(filter, keys);
    filter.Clear();
  }
}

// Keys that another thread added and then published are found.
TEST(ConcurrentBloom, ReadersFindWhatWasAddedBefore) {
  const std::vector<KeyHash> keys = RandomHashes(6).Take(testing::kSanitized ? 20'000 : 500'000);
  ConcurrentBloom filter({keys.size(), 0.01});
  std::atomic<size_t> added{0};
  std::atomic<uint64_t> denied{0};
  InThreads([&](unsigned thread) {
    if (thread == 0) {
      for (size_t i = 0; i < keys.size(); ++i) {
        filter.Add(keys[i]);
        added.store(i + 1, std::memory_order_release);
      }
      return;
    }
    for (size_t seen = 0; seen < keys.size();) {
      const size_t now = added.load(std::memory_order_acquire);
      for (; seen < now; ++seen) denied += !filter.MayContain(keys[seen]);
    }
  });
  EXPECT_EQ(denied, 0u);
}

// Different keys in few lines: no bit is lost.
TEST(ConcurrentBloom, AdditionsToTheSameLinesLoseNothing) {
  const size_t n = testing::kSanitized ? 20'000 : 300'000;
  ConcurrentBloom together({100, 0.01});
  ConcurrentBloom alone({100, 0.01});
  // Few keys per round, so that the lines do not fill up.
  for (unsigned round = 0; round < n / 300; ++round) {
    std::vector<KeyHash> keys = RandomHashes(round).Take(300);
    InThreads([&](unsigned thread) {
      for (size_t i = thread; i < keys.size(); i += kThreads) together.Add(keys[i]);
    });
    for (const KeyHash key : keys) alone.Add(key);
    ASSERT_EQ(together.fill_ratio(), alone.fill_ratio());
    ASSERT_EQ(together.expected_fpr(), alone.expected_fpr());
    ExpectContainsAll(together, keys);
    together.Clear();
    alone.Clear();
  }
}

}  // namespace concurrent_bloom_test
}  // namespace winnow::amq
