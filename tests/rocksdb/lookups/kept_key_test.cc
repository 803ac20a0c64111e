#include "src/rocksdb/lookups/kept_key.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <future>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "src/core/hash_inline.h"
#include "tests/rocksdb/lookups/kept_key_testing.h"
#include "tests/support/sanitized.h"

namespace winnow::plugin {
namespace kept_key_test {

constexpr uint64_t kSeed = 20260213;

class KeptKeyTest : public ::testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Lengths, KeptKeyTest,
                         ::testing::Values(6, 8, 15, 16, 17, 24, 32, 33, 63, 64, 65, 100, 256, 1000,
                                           1024));

TEST_P(KeptKeyTest, ComputesOneHashWhereLookupsEndAtAnyFile) {
  uint64_t asked = 0;
  const LookupCounts counts = CountInThread([&asked] {
    Asker asker;
    std::mt19937_64 random(kSeed);
    for (uint64_t i = 0; i < 5000; ++i) {
      const uint64_t files = 1 + random() % 12;
      asker.Ask(Key(i, GetParam()), static_cast<int>(files));
      asked += files;
    }
  });
  EXPECT_EQ(counts.computed, 5000u) << "seed " << kSeed;
  EXPECT_EQ(counts.computed + counts.shared, asked);
}

TEST_P(KeptKeyTest, KeepsNothingWhereLookupsAskOneFile) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    int keeps = 0;
    for (uint64_t i = 0; i < 100'000; ++i) {
      asker.Ask(Key(i, GetParam()), 1);
      if (i >= 50'000) keeps += this_thread_key->is_keeping ? 1 : 0;
    }
    EXPECT_LT(keeps, 2000) << "but for trials";
  });
  EXPECT_EQ(counts.computed, 100'000u);
  EXPECT_EQ(counts.shared, 0u);
}

TEST_P(KeptKeyTest, SwitchesOnAgainWhereFilesBecomeMany) {
  for (uint32_t gap : {64u, 1024u}) {
    SetMeanGap(gap);
    std::thread([gap] {
      Asker asker;
      uint64_t number = 0;
      for (int change = 0; change < 3; ++change) {
        while (this_thread_key->is_keeping) asker.Ask(Key(++number, GetParam()), 1);
        const uint64_t changed = number;
        while (!this_thread_key->is_keeping || this_thread_key->rest >= 0) {
          asker.Ask(Key(++number, GetParam()), 12);
        }
        EXPECT_LT(12 * (number - changed), 32 * 20 * gap);
      }
    }).join();
  }
  SetMeanGap(kNoSetGap);
}

// Lookups in turn with and without a hash to share.
TEST_P(KeptKeyTest, ComputesTwoHashesAtMostForAPrefixAndAWholeKey) {
  for (const size_t prefix_length : {GetParam() / 2, GetParam() - 1}) {
    const LookupCounts counts = CountInThread([prefix_length] {
      Asker asker;
      for (uint64_t i = 0; i < 3000; ++i) {
        // The number is in the prefix and thus in the key.
        std::string key = Key(i, prefix_length) + std::string(GetParam() - prefix_length, 'e');
        asker.Ask(key, 6);
        asker.Ask(key.substr(0, prefix_length), 6);
      }
    });
    EXPECT_EQ(counts.computed, 2u * 3000);
    EXPECT_EQ(counts.computed + counts.shared, 12u * 3000);
  }
}

TEST_P(KeptKeyTest, KeepsLongKeysOfBatchesWhileTheyComeAgain) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 300; ++i) asker.AskAll(Keys(32 * i, 32, GetParam()), 12);
  });
  EXPECT_EQ(counts.computed + counts.shared, 300u * 32 * 12);
  if (GetParam() <= core::kMaxShortKeyBytes) {
    EXPECT_EQ(counts.shared, 0u) << "hashing takes as long as comparing";
  } else {
    EXPECT_LE(counts.computed, 300u * 32 + 50 * 12 * 32) << "but for the first ones";
  }
  const LookupCounts of_one = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 300; ++i) asker.AskAll(Keys(32 * i, 32, GetParam()), 1);
    EXPECT_FALSE(this_thread_key->is_batch_kept);
    EXPECT_EQ(this_thread_key->batch, nullptr);
  });
  EXPECT_EQ(of_one.computed, 300u * 32);
}

// Files have some of a batch's keys, in its order.
TEST_P(KeptKeyTest, IsRightForPartsOfBatches) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    std::mt19937_64 random(kSeed);
    for (uint64_t i = 0; i < 2000; ++i) {
      std::vector<std::string> batch = Keys(32 * i, 1 + random() % 32, GetParam());
      batch.push_back(Key(i, 1100));
      batch.push_back(Key(i, 10));
      for (int file = 0; file < 8; ++file) {
        std::vector<std::string> part;
        for (const std::string& key : batch) {
          if (part.size() < kMaxBatchKeys && random() % 4 != 0) part.push_back(key);
        }
        asker.AskAll(part, 1);
      }
      asker.AskAll({}, 1);
    }
  });
  if (GetParam() > core::kMaxShortKeyBytes) {
    EXPECT_GT(5 * counts.shared, counts.computed);
  }
}

TEST(KeptKey, TellsKeysOfBatchesApartThatDifferInOneByte) {
  CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 100; ++i) asker.AskAll(Keys(32 * i, 32, 50), 12);
    for (const size_t length : {33u, 64u, 65u, 200u}) {
      const std::string key(length, 'k');
      for (size_t i = 0; i < length; ++i) {
        std::string other = key;
        other[i] = 'x';
        asker.AskAll({key, other, key}, 3);
        asker.AskAll({other, key, other.substr(0, i)}, 3);
      }
      EXPECT_TRUE(this_thread_key->is_batch_kept);
    }
  });
}

TEST(KeptKey, IsRightForEveryLengthWhereverItIsKept) {
  for (const int files : {1, 2, 5}) {
    CountInThread([files] {
      Asker asker;
      std::mt19937_64 random(kSeed);
      for (int i = 0; i < 30000; ++i) {
        std::string key(random() % 100 == 0 ? random() % 1100 : random() % 80, '\0');
        std::generate(key.begin(), key.end(), [&] { return static_cast<char>(random()); });
        asker.Ask(key, files);
        if (i % 50 == 0) asker.AskAll({key, key, key + "1", key}, files);
      }
    });
  }
}

TEST(KeptKey, ComputesAHashForEachFileOfVeryLongKeys) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 2000; ++i) asker.Ask(Key(i, kMaxKeptBytes + 1), 12);
  });
  EXPECT_EQ(counts.computed, 2000u * 12);
  EXPECT_EQ(counts.shared, 0u);
}

TEST(KeptKey, IsOfItsThreadAlone) {
  std::thread([] { Asker().Ask(Key(1, 24), 3); }).join();
  EXPECT_EQ(CountInThread([] { Asker().Ask(Key(1, 24), 1); }).computed, 1u);
}

// ---- Counted checks

// Counted checks stand for all: at any gap, for keys of any kind.
TEST(KeptKey, CountsChecksByTheirWeights) {
  for (const uint32_t gap : {1u, 2u, 7u, 64u, 1024u}) {
    SetMeanGap(gap);
    uint64_t asked = 0;
    uint64_t counted = 0;
    std::thread([&] {
      Asker asker;
      std::mt19937_64 random(kSeed);
      for (uint64_t i = 0; i < 200'000; ++i) {
        const int files = i % 50'000 < 25'000 ? 1 : 4;
        asker.Ask(Key(i, i % 3 == 0 ? 24 : i % 3 == 1 ? 50 : 500), files);
        asked += static_cast<uint64_t>(files);
        if (i % 10 != 0) continue;
        const std::vector<std::string> batch = Keys(i, random() % 33, i % 4 == 0 ? 20 : 90);
        counted += gap * asker.AskAll(batch, 1);
        asked += batch.size();
      }
      counted += HashOfKey::counted;
    }).join();
    const double deviation = std::sqrt(static_cast<double>(asked) * gap);
    EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(asked), 5 * deviation) << gap;
    if (gap == 1) {
      EXPECT_EQ(counted, asked);
    }
  }
  SetMeanGap(kNoSetGap);
}

// Threads end before their first gap, most of them.
TEST(KeptKey, CountsChecksOfShortThreads) {
  SetMeanGap(64);
  std::atomic<uint64_t> counted{0};
  constexpr int kThreads = 4000;
  for (int i = 0; i < kThreads; ++i) {
    std::thread([&counted] {
      Asker().Ask(Key(1, 24), 20);
      counted += HashOfKey::counted;
    }).join();
  }
  SetMeanGap(kNoSetGap);
  const double asked = 20.0 * kThreads;
  EXPECT_NEAR(static_cast<double>(counted.load()), asked, 5 * std::sqrt(asked * 64));
}

// Starts up to `count` threads, which wait for each other; fewer if the process's limit is lower.
class WaitingThreads {
 public:
  explicit WaitingThreads(size_t count) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count) threads_.emplace_back([this] { Run(); });
    } catch (const std::system_error&) {
    }
    while (ready_.load() < threads_.size()) std::this_thread::yield();
  }
  ~WaitingThreads() {
    for (std::thread& thread : threads_) thread.join();
  }
  size_t size() const { return threads_.size(); }
  void Begin() { begin_.set_value(); }

  static constexpr uint64_t kRounds = testing::kSanitized ? 20 : 500;
  static constexpr uint64_t kLookups = 2 + kRounds * (100 + 5);  // per thread

 private:
  void Run() {
    Asker asker;
    asker.Ask(Key(1, 24), 2);
    ++ready_;
    begun_.wait();
    const std::string key = Key(2, 24);
    uint64_t hashes = 0;
    for (uint64_t i = 0; i < kRounds; ++i) {
      for (int file = 0; file < 100; ++file) hashes += HashForReader(key);
      asker.AskAll(Keys(i, 5, 40), 1);
      if (i % 10 == 0) ExpectToRise();
    }
    EXPECT_EQ(hashes, 100 * kRounds * HashKey(key).value);
  }

  // No thread reads less than another thread has read before.
  void ExpectToRise() {
    uint64_t most = most_;
    const LookupCounts counts = CurrentLookupCounts();
    const uint64_t now = counts.computed + counts.shared;
    EXPECT_GE(now, most);
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }

  std::promise<void> begin_;
  const std::shared_future<void> begun_ = begin_.get_future().share();
  std::atomic<size_t> ready_{0};
  std::atomic<uint64_t> most_{0};  // lookups that some thread has read
  std::vector<std::thread> threads_;
};

TEST(KeptKey, CountsEveryLookupOfManyThreadsAndNeverFalls) {
  constexpr size_t kThreads = 1500;
  const LookupCounts before = CurrentLookupCounts();
  size_t num_threads = 0;
  {
    WaitingThreads threads(kThreads);
    num_threads = threads.size();
    threads.Begin();
  }
  const LookupCounts counts = CurrentLookupCounts() - before;
  EXPECT_EQ(counts.computed + counts.shared, num_threads * WaitingThreads::kLookups);
  if (num_threads < kThreads) {
    GTEST_SKIP() << "skipped: this process may have " << num_threads << " threads more, not "
                 << kThreads;
  }
}

pthread_key_t late_key;
std::atomic<int> late_calls{0};
std::atomic<int> ended_calls{0};

// pthread key destructor: it is called again as long as it sets a value, so the last call follows
// all other destructors.
void AskLate(void* rounds) {
  const int left = --*static_cast<int*>(rounds);
  // Destructors run in any order: in the first round, the thread may still have its state.
  const KeptKey* const before = this_thread_key;
  Asker asker;
  for (uint64_t i = 0; i < 300; ++i) {
    asker.Ask(Key(i, 24), 3);
    asker.Ask(Key(i, 100), 3);
    asker.AskAll(Keys(i, 5, 100), 2);
  }
  ++late_calls;
  if (before->state == KeptKey::State::kEnded) {
    EXPECT_EQ(this_thread_key, before) << "nobody would free another one";
    ++ended_calls;
  }
  if (left != 0) {
    pthread_setspecific(late_key, rounds);
  }
}

// The bytes of such a key are in no kept one.
TEST(KeptKey, IsNoKeyOfFourGigabytes) {
  const KeptKey none;
  EXPECT_FALSE(IsKept(none, ROCKSDB_NAMESPACE::Slice(none.bytes, KeptKey::kNoLong)));
}

TEST(KeptKey, IsRightWhileAThreadEnds) {
  ASSERT_EQ(pthread_key_create(&late_key, AskLate), 0);
  late_calls = 0;
  ended_calls = 0;
  int rounds = 3;
  std::thread([&rounds] {
    Asker().Ask(Key(1, 100), 5);
    pthread_setspecific(late_key, &rounds);
  }).join();
  EXPECT_EQ(late_calls.load(), 3);
  EXPECT_GE(ended_calls.load(), 2);
  pthread_key_delete(late_key);
}

}  // namespace kept_key_test
}  // namespace winnow::plugin
