// Memory of the shared hash, and its behavior when allocations fail.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <future>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/core/hash_inline.h"
#include "src/rocksdb/lookups/shared_hash.h"
#include "tests/rocksdb/lookups/shared_hash_testing.h"
#include "tests/support/sanitized.h"

namespace {

thread_local bool memory_is_short = false;
thread_local void (*at_allocation)() = nullptr;  // called once, at the next allocation

// Blocks that the code under test has allocated and not freed.
class LiveBlocks {
 public:
  void Add(void* block) {
    for (std::atomic<void*>& one : blocks_) {
      void* none = nullptr;
      if (one.compare_exchange_strong(none, block)) {
        return;
      }
    }
  }
  void Remove(void* block) {
    for (std::atomic<void*>& one : blocks_) {
      void* expected = block;
      if (one.load(std::memory_order_relaxed) == block &&
          one.compare_exchange_strong(expected, nullptr)) {
        return;
      }
    }
  }
  int Count() const {
    int count = 0;
    for (const std::atomic<void*>& one : blocks_) {
      count += one.load() != nullptr ? 1 : 0;
    }
    return count;
  }

 private:
  std::array<std::atomic<void*>, 100> blocks_{};
};
LiveBlocks live_blocks;

// Fills new memory with bytes that look like these tests' keys.
void* Allocate(void* block, size_t size) {
  if (void (*const call)() = std::exchange(at_allocation, nullptr)) {
    call();
  }
  live_blocks.Add(block);
  return std::memset(block, 'k', size);
}

}  // namespace

// The nothrow forms are used by the shared hash alone.
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return memory_is_short ? nullptr : Allocate(operator new(size), size);
}
void* operator new[](size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return memory_is_short ? nullptr : Allocate(operator new[](size), size);
}

// Allocates the thread states.
void* operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
  return memory_is_short ? nullptr : operator new(size, alignment);
}

// A sanitizer's operator delete must match its operator new. Not inlined, since the compiler warns
// of free() if it sees the matching operator new.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((noinline)) void operator delete(void* block) noexcept {
  live_blocks.Remove(block);
  std::free(block);
}
void operator delete(void* block, size_t /*size*/) noexcept { operator delete(block); }
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete[](void* block, size_t /*size*/) noexcept { operator delete(block); }
#endif

namespace winnow::plugin {
namespace {

TEST(SharedHashMemory, IsFreedWhenAThreadEnds) {
  if (testing::kSanitized) {
    GTEST_SKIP() << "skipped: a sanitizer's own functions don't say what is freed";
  }
  const int before = live_blocks.Count();
  constexpr int kThreads = 4;
  std::atomic<int> ready{0};
  std::atomic<bool> may_end{false};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&ready, &may_end] {
      Asker asker;
      asker.Ask(Key(1, 100), 3);
      asker.AskAll(Keys(1, 5, 40), 3);
      asker.AskAll(Keys(1, 5, 400), 3);
      ++ready;
      while (!may_end.load()) {
        std::this_thread::yield();
      }
    });
  }
  while (ready.load() < kThreads) {
    std::this_thread::yield();
  }
  // Three blocks per thread: long keys, the batch, and the batch's keys.
  EXPECT_EQ(live_blocks.Count(), before + 3 * kThreads);
  may_end = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(live_blocks.Count(), before);
}

TEST(SharedHashMemory, IsNotAllocatedForShortKeysOfSingleLookups) {
  const int before = live_blocks.Count();
  std::thread([before] {
    Asker asker;
    for (uint64_t i = 0; i < 1000; ++i) {
      asker.Ask(Key(i, 64), 12);
    }
    EXPECT_EQ(live_blocks.Count(), before);
  }).join();
}

TEST(SharedHashMemory, FindsNoKeyInFreshMemory) {
  CountInThread([] {
    Asker asker;
    for (const size_t longer : {65u, 200u, 400u, 800u}) {
      const size_t length = longer - 10;
      asker.AskAll(Keys(longer, 32, length), 4);
      asker.AskAll(Keys(longer + 32, 32, length), 4);
      asker.AskAll(Keys(longer, 1, longer), 1);
      asker.AskAll({std::string(length, 'k')}, 1);
    }
    EXPECT_TRUE(LooksFirst(*this_thread_key)) << "it was off";
  });
}

TEST(SharedHashMemory, IsRightWhereMemoryIsShort) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    memory_is_short = true;
    for (uint64_t i = 0; i < 1000; ++i) {
      asker.Ask(Key(i, 24), 12);  // keeps sharing on
      asker.Ask(Key(i, 100), 2);
      asker.AskAll(Keys(i, 5, 24), 2);
    }
    memory_is_short = false;
    for (uint64_t i = 0; i < 1000; ++i) {
      asker.Ask(Key(i, 100), 3);
      asker.AskAll(Keys(10 * i, 5, 40), 3);
    }
  });
  EXPECT_EQ(counts.shared, 1000u * (11 + 2 + 5 * 2));
}

// Some threads have a state while others fail to allocate theirs.
TEST(SharedHashMemory, IsRightWhereItIsShortForTheStateOfAThread) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  std::atomic<size_t> asked{0};
  std::atomic<bool> is_short{false};
  std::vector<std::thread> threads;
  const auto ask = [&] {
    Asker asker;
    memory_is_short = true;
    asker.Ask(Key(1, 24), 2);
    if (this_thread_key->thread == nullptr) is_short = true;
    ++asked;
    ended.wait();
  };
  while (!is_short.load() && threads.size() < 2000) {
    threads.emplace_back(ask);
    while (asked.load() < threads.size()) std::this_thread::yield();
  }
  EXPECT_TRUE(is_short);
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    memory_is_short = true;
    for (uint64_t i = 0; i < 1000; ++i) {
      asker.Ask(Key(i, 24), 3);
      asker.Ask(Key(i, 100), 3);
      asker.AskAll(Keys(i, 5, 40), 2);
    }
    EXPECT_EQ(this_thread_key->thread, nullptr);
    memory_is_short = false;
    for (uint64_t i = 0; i < 1000; ++i) asker.Ask(Key(i, 24), 3);
    EXPECT_NE(this_thread_key->thread, nullptr) << "it did not ask for memory again";
  });
  EXPECT_EQ(counts.computed + counts.shared, 1000u * (6 + 10 + 3));
  end.set_value();
  for (std::thread& thread : threads) thread.join();
}

// An allocator may itself look up keys.
TEST(SharedHashMemory, IsAskedForWhileNoKeyIsHalfKept) {
  CountInThread([] {
    Asker asker;
    at_allocation = [] {
      Asker other;
      other.Ask(Key(1, 24), 2);
      other.Ask(Key(2, 30), 2);
      other.Ask(Key(3, 24), 2);
    };
    asker.Ask(Key(4, 100), 3);
    EXPECT_EQ(at_allocation, nullptr) << "nothing was allocated";
    asker.Ask(Key(2, 30), 2);
    asker.Ask(Key(3, 24), 2);
    asker.Ask(Key(4, 100), 2);
  });
}

// Slots that cannot grow keep their content.
TEST(SharedHashMemory, KeepsABatchWhereThereIsNoneForLongerKeys) {
  BatchAsker asker;
  const auto kept = Keys(0, 32, 24);
  EXPECT_EQ(asker.Ask(kept), 32u);
  memory_is_short = true;
  for (const size_t length : {100u, 400u, 1000u}) {
    const auto longer = Keys(0, 32, length);
    for (int file = 0; file < 3; ++file) {
      EXPECT_EQ(asker.Ask(longer), 32u) << length << " bytes";
      EXPECT_EQ(asker.Ask(kept), 0u) << "after " << length << " bytes";
    }
  }
  memory_is_short = false;
  for (const size_t length : {100u, 24u, 400u, 1000u, 24u}) {
    const auto keys = Keys(32 * length, 32, length);
    EXPECT_EQ(asker.Ask(keys), 32u) << length << " bytes";
    EXPECT_EQ(asker.Ask(keys), 0u) << length << " bytes";
  }
}

}  // namespace
}  // namespace winnow::plugin
