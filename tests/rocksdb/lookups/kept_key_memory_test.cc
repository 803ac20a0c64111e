// Memory of kept keys, and their behavior when allocations fail.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/rocksdb/lookups/kept_key.h"
#include "tests/rocksdb/lookups/kept_key_testing.h"
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

// The nothrow forms are used by kept keys alone.
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return memory_is_short ? nullptr : Allocate(operator new(size), size);
}
void* operator new[](size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return memory_is_short ? nullptr : Allocate(operator new[](size), size);
}

// Allocates the states of threads.
void* operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
  if (memory_is_short) return nullptr;
  if (void (*const call)() = std::exchange(at_allocation, nullptr)) call();
  return operator new(size, alignment);
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

TEST(KeptKeyMemory, IsFreedWhenAThreadEnds) {
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
      for (uint64_t i = 0; i < 100; ++i) asker.AskAll(Keys(5 * i, 5, 40), 30);
      ++ready;
      while (!may_end.load()) std::this_thread::yield();
    });
  }
  while (ready.load() < kThreads) std::this_thread::yield();
  EXPECT_EQ(live_blocks.Count(), before + kThreads) << "a batch per thread";
  may_end = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(live_blocks.Count(), before);
}

TEST(KeptKeyMemory, FindsNoKeyInFreshMemory) {
  CountInThread([] {
    Asker asker;
    for (const size_t longer : {65u, 200u, 400u, 800u}) {
      const size_t length = longer - 10;
      asker.AskAll(Keys(longer, 32, length), 8);
      asker.AskAll(Keys(longer + 32, 32, length), 4);
      asker.AskAll(Keys(longer, 1, longer), 1);
      asker.AskAll({std::string(length, 'k')}, 1);
    }
  });
}

TEST(KeptKeyMemory, IsRightWhereMemoryIsShort) {
  const LookupCounts counts = CountInThread([] {
    Asker asker;
    memory_is_short = true;
    for (uint64_t i = 0; i < 1000; ++i) {
      asker.Ask(Key(i, 24), 12);
      asker.Ask(Key(i, 100), 2);
      asker.AskAll(Keys(i, 5, 24), 2);
      asker.AskAll(Keys(i, 5, 90), 2);
    }
    EXPECT_EQ(this_thread_key->state, KeptKey::State::kNew);
    memory_is_short = false;
    for (uint64_t i = 0; i < 1000; ++i) {
      if (i == 1) memory_is_short = true;  // for batches
      asker.Ask(Key(i, 100), 3);
      asker.AskAll(Keys(10 * i, 5, 40), 12);
    }
    memory_is_short = false;
    EXPECT_EQ(this_thread_key->batch, nullptr);
  });
  EXPECT_EQ(counts.computed + counts.shared, 1000u * (3 + 5 * 12)) << "of the second half";
  EXPECT_EQ(counts.shared, 1000u * 2);
}

// An allocator may itself look up keys.
TEST(KeptKeyMemory, IsAskedForWhileNoKeyIsHalfKept) {
  CountInThread([] {
    Asker asker;
    at_allocation = [] {
      Asker other;
      other.Ask(Key(1, 24), 2);
      other.Ask(Key(2, 30), 2);
      other.AskAll(Keys(3, 5, 50), 6);
    };
    asker.Ask(Key(4, 100), 3);
    EXPECT_EQ(at_allocation, nullptr) << "nothing was allocated";
    asker.Ask(Key(2, 30), 2);
    asker.Ask(Key(4, 100), 2);
  });
}

}  // namespace
}  // namespace winnow::plugin
