#include "src/rocksdb/lookups/shared_hash.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "src/core/hash_inline.h"
#include "tests/rocksdb/lookups/shared_hash_testing.h"
#include "tests/support/sanitized.h"

namespace winnow::plugin {
namespace shared_hash_test {

constexpr uint64_t kSeed = 20260213;

class SharedHashTest : public ::testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Lengths, SharedHashTest,
                         ::testing::Values(6, 8, 15, 16, 17, 24, 32, 33, 63, 64, 65, 100, 256, 1000,
                                           1024));

TEST_P(SharedHashTest, ComputesOneHashForAllFilesOfALookup) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 5000; ++i) {
      asker.Ask(Key(i, GetParam()), 12);
    }
  });
  EXPECT_EQ(counts.computed, 5000u);
  EXPECT_EQ(counts.shared, 5000u * 11);
}

TEST_P(SharedHashTest, ComputesOneHashWhereLookupsEndAtAnyFile) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    std::mt19937_64 random(kSeed);
    for (uint64_t i = 0; i < 5000; ++i) {
      asker.Ask(Key(i, GetParam()), 1 + static_cast<int>(random() % 12));
    }
  });
  EXPECT_EQ(counts.computed, 5000u) << "seed " << kSeed;
}

TEST_P(SharedHashTest, ComputesOneHashForThreeFilesALookup) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 5000; ++i) {
      asker.Ask(Key(i, GetParam()), 3);
    }
  });
  EXPECT_EQ(counts.computed, 5000u);
}

TEST_P(SharedHashTest, KeepsNothingWhereLookupsAskOneFile) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 5000; ++i) {
      asker.Ask(Key(i, GetParam()), 1);
    }
    EXPECT_EQ(this_thread_key->length, LastKey::kNone);
    EXPECT_EQ(this_thread_key->long_length, LastKey::kNoLong);
    EXPECT_EQ(this_thread_key->hashed_in_line, HashedInLine::kShortKeys);
  });
  EXPECT_EQ(counts.computed, 5000u);
  EXPECT_EQ(counts.shared, 0u);
}

TEST_P(SharedHashTest, SwitchesOnAgainWhereFilesBecomeMany) {
  LookupCounts counts;
  std::thread([&counts] {
    Asker asker;
    uint64_t number = 0;
    for (int change = 0; change < 3; ++change) {
      for (int i = 0; i < 5000; ++i) {
        asker.Ask(Key(++number, GetParam()), 1);
      }
      for (int i = 0; i < 2000; ++i) {
        asker.Ask(Key(++number, GetParam()), 12);
      }
      const LookupCounts before = CurrentLookupCounts();
      for (int i = 0; i < 2000; ++i) {
        asker.Ask(Key(++number, GetParam()), 12);
      }
      counts = CurrentLookupCounts() - before;
      EXPECT_EQ(counts.computed, 2000u);
      EXPECT_EQ(counts.shared, 2000u * 11);
    }
  }).join();
}

TEST_P(SharedHashTest, ComputesTwoHashesForAPrefixAndAWholeKeyInTurn) {
  for (const size_t prefix_length : {GetParam() / 2, GetParam() - 1}) {
    const LookupCounts counts = CountInThread([prefix_length] {
      Asker asker;
      for (uint64_t i = 0; i < 3000; ++i) {
        // The number is in the prefix and thus in the key.
        std::string key = Key(i, prefix_length) + std::string(GetParam() - prefix_length, 'e');
        for (int file = 0; file < 6; ++file) {
          asker.Ask(key, 1);
          asker.Ask(key.substr(0, prefix_length), 1);
        }
      }
    });
    EXPECT_LE(counts.computed, 2u * 3000);
    EXPECT_EQ(counts.computed + counts.shared, 12u * 3000);
  }
}

TEST_P(SharedHashTest, ComputesOneHashForEachKeyOfABatch) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 300; ++i) {
      asker.AskAll(Keys(32 * i, 32, GetParam()), 12);
    }
  });
  EXPECT_EQ(counts.computed, 300u * 32);
  EXPECT_EQ(counts.shared, 300u * 32 * 11);
}

TEST_P(SharedHashTest, SwitchesBatchesOffAndOn) {
  LookupCounts few;
  LookupCounts many;
  std::thread([&few, &many] {
    Asker asker;
    uint64_t number = 0;
    const LookupCounts before = CurrentLookupCounts();
    for (int i = 0; i < 300; ++i) {
      asker.AskAll(Keys(number += 32, 32, GetParam()), 1);
    }
    few = CurrentLookupCounts() - before;
    EXPECT_FALSE(LooksFirst(*this_thread_key));
    for (int i = 0; i < 300; ++i) {
      asker.AskAll(Keys(number += 32, 32, GetParam()), 12);
    }
    const LookupCounts on = CurrentLookupCounts();
    for (int i = 0; i < 300; ++i) {
      asker.AskAll(Keys(number += 32, 32, GetParam()), 12);
    }
    many = CurrentLookupCounts() - on;
  }).join();
  EXPECT_EQ(few.shared, 0u);
  EXPECT_EQ(many.computed, 300u * 32);
  EXPECT_EQ(many.shared, 300u * 32 * 11);
}

// Hashing a batch's short key takes as long as comparing it.
TEST(SharedHash, IsOnForBatchesOfFourFilesWhereKeysAreLong) {
  for (const size_t length : {8u, 32u, 33u, 256u}) {
    CountInThread([length] {
      Asker asker;
      for (uint64_t i = 0; i < 1000; ++i) {
        asker.AskAll(Keys(32 * i, 32, length), 4);
      }
      EXPECT_EQ(LooksFirst(*this_thread_key), length > 32) << length << " bytes";
    });
  }
}

TEST(SharedHash, TellsKeysApartThatDifferInOneByte) {
  CountInThread([] {
    Asker asker;
    for (size_t length = 0; length <= 300; ++length) {
      const std::string key(length, 'k');
      for (size_t i = 0; i < length; ++i) {
        std::string other = key;
        other[i] = 'x';
        asker.Ask(key, 3);
        asker.Ask(other, 3);
        asker.Ask(other.substr(0, i), 3);
      }
    }
    EXPECT_TRUE(LooksFirst(*this_thread_key)) << "it was off";
  });
}

TEST(SharedHash, IsRightForEveryLengthOnAndOff) {
  for (const int files : {1, 5}) {
    CountInThread([files] {
      Asker asker;
      std::mt19937_64 random(kSeed);
      for (int i = 0; i < 30000; ++i) {
        std::string key(random() % 100 == 0 ? random() % 1100 : random() % 80, '\0');
        std::generate(key.begin(), key.end(), [&] { return static_cast<char>(random()); });
        asker.Ask(key, files);
        if (i % 50 == 0) {
          asker.AskAll({key, key, key + "1", key}, files);
        }
      }
    });
  }
}

TEST(SharedHash, ComputesAHashForEachFileOfVeryLongKeysAndStaysOff) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 2000; ++i) {
      asker.Ask(Key(i, kMaxSharedBytes + 1), 12);
    }
  });
  EXPECT_EQ(counts.computed, 2000u * 12);
  EXPECT_EQ(counts.shared, 0u);
}

TEST(SharedHash, CountsEveryLookupOfThreadsThatRunOrEnded) {
  constexpr uint64_t kThreads = 8;
  constexpr uint64_t kRounds = 3;
  constexpr uint64_t kKeys = 5000;
  const LookupCounts before = CurrentLookupCounts();
  for (uint64_t round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([t] {
        Asker asker;
        for (uint64_t i = 0; i < kKeys; ++i) {
          asker.Ask(Key(t * kKeys + i, 24 + t * 20), t % 2 == 0 ? 4 : 1);
        }
        asker.AskAll(Keys(t * kKeys, 10, 100), 3);
      });
    }
    LookupCounts last = before;
    for (int i = 0; i < 100; ++i) {
      const LookupCounts now = CurrentLookupCounts();
      EXPECT_GE(now.computed, last.computed);
      EXPECT_GE(now.shared, last.shared);
      last = now;
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  const LookupCounts counts = CurrentLookupCounts() - before;
  EXPECT_EQ(counts.computed + counts.shared, kRounds * kThreads / 2 * (5 * kKeys + 2 * 10 * 3));
}

TEST(SharedHash, GivesAThreadTheStateOfOneThatEndedButNotItsKeys) {
  const LastKey* first = nullptr;
  const LastKey* second = nullptr;
  std::thread([&first] {
    Asker().Ask(Key(1, 24), 3);
    first = this_thread_key;
  }).join();
  const LookupCounts counts = CountInThread([&second] {
    Asker().Ask(Key(1, 24), 1);
    second = this_thread_key;
  });
  EXPECT_EQ(first->thread, second->thread);
  EXPECT_NE(first->thread, nullptr);
  EXPECT_EQ(counts.computed, 1u);
}

// Counters that only increase: no thread reads less than another thread has read before.
class RisingCounts {
 public:
  void Look() {
    const uint64_t computed = computed_.load();
    const uint64_t shared = shared_.load();
    const LookupCounts now = CurrentLookupCounts();
    EXPECT_GE(now.computed, computed);
    EXPECT_GE(now.shared, shared);
    Raise(&computed_, now.computed);
    Raise(&shared_, now.shared);
  }

 private:
  static void Raise(std::atomic<uint64_t>* most, uint64_t now) {
    for (uint64_t before = *most; before < now && !most->compare_exchange_weak(before, now);) {
    }
  }
  std::atomic<uint64_t> computed_{0};
  std::atomic<uint64_t> shared_{0};
};

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
    EXPECT_NE(this_thread_key->thread, nullptr);
    ++ready_;
    begun_.wait();
    const std::string key = Key(2, 24);
    uint64_t hashes = 0;
    for (uint64_t i = 0; i < kRounds; ++i) {
      for (int file = 0; file < 100; ++file) hashes += HashForReader(key);
      asker.AskAll(Keys(i, 5, 40), 1);
      if (i % 10 == 0) counts_.Look();
    }
    EXPECT_EQ(hashes, 100 * kRounds * HashKey(key).value);
  }

  std::promise<void> begin_;
  const std::shared_future<void> begun_ = begin_.get_future().share();
  std::atomic<size_t> ready_{0};
  RisingCounts counts_;
  std::vector<std::thread> threads_;
};

TEST(SharedHash, CountsEveryLookupOfManyThreadsAndNeverFalls) {
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

// pthread key destructor: it is called again as long as it sets a value, so the last call follows
// all other destructors.
void AskLate(void* rounds) {
  const int left = --*static_cast<int*>(rounds);
  Asker asker;
  for (uint64_t i = 0; i < 300; ++i) {
    asker.Ask(Key(i, 24), 3);
    asker.Ask(Key(i, 100), 3);
    asker.AskAll(Keys(i, 5, 100), 2);
  }
  ++late_calls;
  if (left != 0) {
    pthread_setspecific(late_key, rounds);
  }
}

TEST(SharedHash, IsRightWhileAThreadEnds) {
  ASSERT_EQ(pthread_key_create(&late_key, AskLate), 0);
  late_calls = 0;
  int rounds = 3;
  std::thread([&rounds] {
    Asker().Ask(Key(1, 100), 5);
    pthread_setspecific(late_key, &rounds);
  }).join();
  EXPECT_EQ(late_calls.load(), 3);
  pthread_key_delete(late_key);
}

TEST(SharedHash, CanBeForbiddenAndAllowedAgain) {
  std::thread([] {
    Asker asker;
    uint64_t number = 0;
    for (const bool may_share : {true, false, true, false}) {
      SetHashSharing(may_share);
      for (int i = 0; i < 2000; ++i) {
        asker.Ask(Key(++number, 24), 12);
      }
      const LookupCounts before = CurrentLookupCounts();
      for (int i = 0; i < 1000; ++i) {
        asker.Ask(Key(++number, 24), 12);
        asker.AskAll(Keys(10 * number, 5, 30), 3);
      }
      const LookupCounts counts = CurrentLookupCounts() - before;
      if (may_share) {
        EXPECT_EQ(counts.computed, 1000u * 6);
      } else {
        EXPECT_EQ(counts.shared, 0u);
      }
    }
  }).join();
  SetHashSharing(true);
}

// Child process, since WINNOW_SHARED_HASH is read once: prints to stderr what is shared with this
// setting.
void SayWhatIsShared(const char* setting) {
  setenv("WINNOW_SHARED_HASH", setting, 1);
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    for (uint64_t i = 0; i < 1000; ++i) {
      asker.Ask(Key(i, 24), 12);
    }
  });
  std::fprintf(stderr, "shared: %s.",
               counts.shared == 0         ? "none"
               : counts.computed == 1000u ? "all"
                                          : "some");
  std::exit(0);
}

// The first lookups of concurrent threads, some of which coincide in most runs.
void AskFirstInManyThreads(const char* setting) {
  setenv("WINNOW_SHARED_HASH", setting, 1);
  constexpr int kThreads = 16;
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&ready] {
      Asker asker;
      ++ready;
      while (ready.load() < kThreads) {
      }
      asker.Ask(Key(1, 24), 2);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::exit(0);
}

TEST(SharedHashDeathTest, SaysOnceWhatIsWrongWithTheEnvironment) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (int i = 0; i < 10; ++i) {
    EXPECT_EXIT(AskFirstInManyThreads("no"), ::testing::ExitedWithCode(0),
                "^winnow: WINNOW_SHARED_HASH is \"no\", but must be on or off; taken as on\n$");
  }
}

TEST(SharedHashDeathTest, SharesUnlessTheEnvironmentSaysOff) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto well = ::testing::ExitedWithCode(0);
  EXPECT_EXIT(SayWhatIsShared("off"), well, "^shared: none.$");
  EXPECT_EXIT(SayWhatIsShared("on"), well, "^shared: all.$");
  EXPECT_EXIT(SayWhatIsShared(""), well, "^shared: all.$");
  EXPECT_EXIT(SayWhatIsShared("no"), well,
              "^winnow: WINNOW_SHARED_HASH is \"no\", but must be on or off; taken as on\n"
              "shared: all.$");
}

}  // namespace shared_hash_test
}  // namespace winnow::plugin
