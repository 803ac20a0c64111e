// Memory allocator for block caches: blocks do not overlap and keep their bytes, and free memory
// returns to the system.

#include "src/rocksdb/huge_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "tests/support/sanitized.h"
#include "winnow/rocksdb_huge_pages.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace huge_pages_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::MemoryAllocator;
using ROCKSDB_NAMESPACE::Options;
using ::testing::HasSubstr;
using testing::MakePolicyFrom;

constexpr size_t kGrain = HugePageHeap::kGrain;
constexpr size_t kPage = HugePageHeap::kPage;
constexpr size_t kMin = HugePageAllocator::kMinBytes;
constexpr size_t kMiB = size_t{1} << 20;

size_t Rounded(size_t size) { return (size + kGrain - 1) / kGrain * kGrain; }

// Writes the block's mark to the first byte of each 4 KiB and to the last byte.
void Mark(void* block, size_t size, unsigned char mark) {
  auto* const bytes = static_cast<unsigned char*>(block);
  for (size_t i = 0; i < size; i += kGrain) bytes[i] = mark;
  bytes[size - 1] = mark;
}
bool HasMark(const void* block, size_t size, unsigned char mark) {
  const auto* const bytes = static_cast<const unsigned char*>(block);
  for (size_t i = 0; i < size; i += kGrain) {
    if (bytes[i] != mark) return false;
  }
  return bytes[size - 1] == mark;
}

size_t ResidentBytes(const void* begin, size_t size) {
  std::vector<unsigned char> pages(size / kGrain);
  EXPECT_EQ(::mincore(const_cast<void*>(begin), size, pages.data()), 0);
  return kGrain * static_cast<size_t>(std::count_if(pages.begin(), pages.end(),
                                                    [](unsigned char page) { return page & 1; }));
}

TEST(HugePageHeap, OwnsNothingElse) {
  HugePageHeap heap(kPage);
  auto* const block = static_cast<char*>(heap.Allocate(kPage));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kPage, 0u);
  EXPECT_TRUE(heap.Owns(block + kPage - 1));
  EXPECT_FALSE(heap.Owns(block + kPage));
  EXPECT_FALSE(heap.Owns(block - 1));
  EXPECT_FALSE(heap.Owns(nullptr));
  EXPECT_FALSE(heap.Owns(&heap));
}

TEST(HugePageHeap, HasNoRoomBeyondItsRange) {
  HugePageHeap heap(2 * kPage);
  EXPECT_EQ(heap.Allocate(0), nullptr);
  EXPECT_EQ(heap.Allocate(2 * kPage + 1), nullptr);
  EXPECT_EQ(heap.Allocate(SIZE_MAX), nullptr);
  void* const block = heap.Allocate(2 * kPage);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(heap.Allocate(1), nullptr);
  heap.Free(block);
  EXPECT_NE(heap.Allocate(1), nullptr);
}

TEST(HugePageHeap, WithoutARangeGivesNothing) {
  for (const size_t most : {size_t{0}, kPage - 1, size_t{1} << 62, SIZE_MAX}) {
    HugePageHeap heap(most);
    EXPECT_FALSE(heap.HasRange()) << most;
    EXPECT_EQ(heap.Allocate(1), nullptr) << most;
    EXPECT_FALSE(heap.Owns(nullptr)) << most;
  }
}

// Adjacent free blocks are joined, and the best fit is used.
TEST(HugePageHeap, JoinsFreeNeighboursAndTakesTheSmallestThatFits) {
  HugePageHeap heap(2 * kPage);
  std::vector<char*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(static_cast<char*>(heap.Allocate(kMin)));
  ASSERT_EQ(blocks[63] - blocks[0], static_cast<ptrdiff_t>(63 * kMin));
  for (const int i : {10, 12, 11}) heap.Free(blocks[i]);      // joined on both sides
  for (const int i : {20, 21}) heap.Free(blocks[i]);          // joined with the block before
  for (const int i : {41, 40, 43, 42}) heap.Free(blocks[i]);  // joined with the block after
  EXPECT_EQ(heap.Allocate(2 * kMin), blocks[20]);
  EXPECT_EQ(heap.Allocate(4 * kMin), blocks[40]);
  EXPECT_EQ(heap.Allocate(kMin), blocks[10]);
  EXPECT_EQ(heap.Allocate(2 * kMin), blocks[11]);
  EXPECT_EQ(heap.Allocate(kGrain), nullptr);
}

TEST(HugePageHeap, RandomOperationsAgreeWithAModel) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr size_t kMax = 48 * kMiB;
  HugePageHeap heap(kMax);
  std::map<char*, std::pair<size_t, unsigned char>> blocks;  // size, mark
  size_t allocated = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 64 == 0 || (random() % 16 < 9 && blocks.size() < 400)) {
      const size_t size = 1 + random() % (random() % 8 == 0 ? 3 * kPage : 40 * kGrain);
      auto* const block = static_cast<char*>(heap.Allocate(size));
      if (block == nullptr) {
        ASSERT_GT(allocated + size, kMax / 4);
        continue;
      }
      ASSERT_EQ(heap.SizeOf(block), Rounded(size));
      ASSERT_TRUE(heap.Owns(block));
      ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % kGrain, 0u);
      const auto after = blocks.lower_bound(block);
      ASSERT_TRUE(after == blocks.end() || block + Rounded(size) <= after->first);
      if (after != blocks.begin()) {
        const auto before = std::prev(after);
        ASSERT_LE(before->first + Rounded(before->second.first), block);
      }
      const auto mark = static_cast<unsigned char>(1 + random() % 255);
      Mark(block, size, mark);
      blocks[block] = {size, mark};
      allocated += Rounded(size);
    } else if (!blocks.empty()) {
      auto chosen = blocks.lower_bound(blocks.begin()->first + random() % kMax);
      if (chosen == blocks.end()) chosen = blocks.begin();
      const auto [size, mark] = chosen->second;
      ASSERT_TRUE(HasMark(chosen->first, size, mark));
      heap.Free(chosen->first);
      blocks.erase(chosen);
      allocated -= Rounded(size);
    }
    const HugePageHeap::Usage usage = heap.CurrentUsage();
    ASSERT_EQ(usage.allocated, allocated);
    std::set<uintptr_t> pages;
    if (i % 64 == 0) {
      for (const auto& [block, about] : blocks) {
        const auto first = reinterpret_cast<uintptr_t>(block);
        for (uintptr_t page = first / kPage; page * kPage < first + about.first; ++page) {
          pages.insert(page);
        }
      }
      ASSERT_GE(usage.resident, pages.size() * kPage);
      ASSERT_LE(usage.resident, (pages.size() + HugePageHeap::kMaxIdlePages) * kPage);
    }
  }
  for (const auto& [block, about] : blocks) {
    ASSERT_TRUE(HasMark(block, about.first, about.second));
    heap.Free(block);
  }
  // All memory is one free block again.
  EXPECT_EQ(heap.CurrentUsage().allocated, 0u);
  EXPECT_NE(heap.Allocate(kMax), nullptr);
}

TEST(HugePageHeap, GivesPagesWithoutBlocksBack) {
  constexpr size_t kPages = 24;
  HugePageHeap heap(kPages * kPage);
  std::vector<void*> blocks;
  for (size_t i = 0; i < 2 * kPages; ++i) {
    blocks.push_back(heap.Allocate(kPage / 2));
    ASSERT_NE(blocks.back(), nullptr);
    Mark(blocks.back(), kPage / 2, 1);
  }
  EXPECT_EQ(heap.CurrentUsage().resident, kPages * kPage);
  EXPECT_EQ(ResidentBytes(blocks[0], kPages * kPage), kPages * kPage);
  // No page is free while half of each is in use.
  for (size_t i = 0; i < 2 * kPages; i += 2) heap.Free(blocks[i]);
  EXPECT_EQ(heap.CurrentUsage().resident, kPages * kPage);
  for (size_t i = 1; i < 2 * kPages; i += 2) heap.Free(blocks[i]);
  EXPECT_EQ(heap.CurrentUsage().resident, HugePageHeap::kMaxIdlePages * kPage);
  EXPECT_EQ(ResidentBytes(blocks[0], kPages * kPage), HugePageHeap::kMaxIdlePages * kPage);
  // The pages are allocated again.
  void* const block = heap.Allocate(kPages * kPage);
  ASSERT_EQ(block, blocks[0]);
  Mark(block, kPages * kPage, 2);
  EXPECT_TRUE(HasMark(block, kPages * kPage, 2));
  EXPECT_EQ(heap.CurrentUsage().resident, kPages * kPage);
}

TEST(HugePageHeap, LeavesNoAddressesBehind) {
  const void* block = nullptr;
  {
    HugePageHeap heap(4 * kPage);
    block = heap.Allocate(kPage);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(ResidentBytes(block, kPage), 0u);  // no page is resident before the first write
  }
  unsigned char page = 0;
  EXPECT_EQ(::mincore(const_cast<void*>(block), kGrain, &page), -1);
}

TEST(HugePageHeap, ServesThreadsAtOnce) {
  HugePageHeap heap(256 * kMiB);
  std::vector<std::thread> threads;
  for (unsigned char t = 1; t <= 4; ++t) {
    threads.emplace_back([&heap, t] {
      std::mt19937 random(t);
      std::vector<std::pair<void*, size_t>> blocks;
      for (int i = 0; i < 2000; ++i) {
        if (blocks.size() < 16) {
          const size_t size = kMin + random() % kMiB;
          void* const block = heap.Allocate(size);
          ASSERT_NE(block, nullptr);
          Mark(block, size, t);
          blocks.emplace_back(block, size);
        } else {
          std::swap(blocks[random() % blocks.size()], blocks.back());
          ASSERT_GE(heap.SizeOf(blocks.back().first), blocks.back().second);
          ASSERT_TRUE(HasMark(blocks.back().first, blocks.back().second, t));
          heap.Free(blocks.back().first);
          blocks.pop_back();
        }
      }
      for (const auto& [block, size] : blocks) heap.Free(block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(heap.CurrentUsage().allocated, 0u);
}

// Allocates and frees blocks until `may_end` is set.
void KeepAllocating(MemoryAllocator* allocator, const std::atomic<bool>& may_end) {
  std::vector<void*> blocks;
  while (!may_end.load()) {
    for (int i = 0; i < 8; ++i) blocks.push_back(allocator->Allocate(kMin));
    for (void* const block : blocks) allocator->Deallocate(block);
    blocks.clear();
  }
}

// Checks in a forked child that `allocators` work. SIGALRM ends a child that hangs.
[[noreturn]] void AllocateInChild(const std::vector<MemoryAllocator*>& allocators) {
  ::alarm(120);
  HugePageAllocator made_here(64 * kMiB, "");
  bool is_right = true;
  for (MemoryAllocator* const allocator : allocators) {
    void* const block = allocator->Allocate(kPage);
    Mark(block, kPage, 3);
    is_right = is_right && HasMark(block, kPage, 3);
    allocator->Deallocate(block);
  }
  void* const block = made_here.Allocate(kPage);
  Mark(block, kPage, 4);
  made_here.Deallocate(block);
  ::_exit(is_right ? 0 : 1);
}

// fork() during other threads' allocations leaves the child a working allocator, as with malloc.
TEST(HugePageAllocator, ServesAForkedChildWhileThreadsAllocate) {
  if (testing::kSanitized) GTEST_SKIP() << "skipped: a sanitizer's malloc may hang in such a child";
  HugePageAllocator first(256 * kMiB, "");
  HugePageAllocator second(256 * kMiB, "");
  std::atomic<bool> may_end{false};
  std::vector<std::thread> threads;
  for (MemoryAllocator* const allocator : {&first, &second, &first}) {
    threads.emplace_back([&may_end, allocator] { KeepAllocating(allocator, may_end); });
  }
  threads.emplace_back([&may_end] {
    while (!may_end.load()) {
      HugePageAllocator passing(kPage, "");
      passing.Deallocate(passing.Allocate(kMin));
    }
  });
  for (int i = 0; i < 100 && !::testing::Test::HasFailure(); ++i) {
    const pid_t child = ::fork();
    if (child == 0) AllocateInChild({&first, &second});
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "child " << i << " ended by signal " << WTERMSIG(status);
  }
  may_end = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(first.CurrentUsage().allocated, 0u);
  EXPECT_EQ(second.CurrentUsage().allocated, 0u);
}

TEST(HugePageAllocator, TakesTheLargeBlocksOnly) {
  HugePageAllocator allocator(64 * kMiB, "");
  EXPECT_STREQ(allocator.Name(), "winnow.HugePages");
  size_t in_heap = 0;
  std::vector<void*> blocks;
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{4101}, kMin - 1, kMin, kMin + 1, kPage, 3 * kPage + 5}) {
    void* const block = allocator.Allocate(size);
    ASSERT_NE(block, nullptr) << size;
    const size_t usable = allocator.UsableSize(block, size);
    EXPECT_GE(usable, size);
    if (size >= kMin) {
      in_heap += Rounded(size);
      EXPECT_EQ(usable, Rounded(size));
    }
    if (size > 0) Mark(block, size, 7);
    EXPECT_EQ(allocator.CurrentUsage().allocated, in_heap) << size;
    blocks.push_back(block);
  }
  for (void* const block : blocks) allocator.Deallocate(block);
  allocator.Deallocate(nullptr);
  EXPECT_EQ(allocator.CurrentUsage().allocated, 0u);
}

TEST(HugePageAllocator, TakesMallocWhereThereIsNoRoom) {
  HugePageAllocator allocator(kPage, "");
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(allocator.Allocate(kPage - kMin));
    ASSERT_NE(blocks.back(), nullptr);
    Mark(blocks.back(), kPage - kMin, static_cast<unsigned char>(i));
    EXPECT_GE(allocator.UsableSize(blocks.back(), 0), kPage - kMin);
  }
  EXPECT_EQ(allocator.CurrentUsage().allocated, kPage - kMin);
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(HasMark(blocks[i], kPage - kMin, static_cast<unsigned char>(i)));
    allocator.Deallocate(blocks[i]);
  }
  EXPECT_EQ(allocator.CurrentUsage().allocated, 0u);
}

TEST(HugePageAllocator, SaysWhyItHasNone) {
  HugePageAllocator off(64 * kMiB, "they are off");
  EXPECT_STREQ(off.Name(), "winnow.HugePages, which has none: they are off");
  HugePageAllocator nowhere(size_t{1} << 62, "");
  EXPECT_STREQ(nowhere.Name(), "winnow.HugePages, which has none: no addresses could be reserved");
  for (HugePageAllocator* const allocator : {&off, &nowhere}) {
    void* const block = allocator->Allocate(kPage);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(allocator->CurrentUsage().allocated, 0u);
    EXPECT_GE(allocator->UsableSize(block, kPage), kPage);
    allocator->Deallocate(block);
  }
}

TEST(WhyNoHugePages, IsOfTheWordInBracketsAndTheSize) {
  constexpr char kAlways[] = "[always] madvise never";
  constexpr char kNever[] = "always madvise [never]";
  constexpr char kMadvise[] = "always [madvise] never";
  constexpr char kSize[] = "2097152";
  const struct {
    const char* enabled;
    const char* size;
    const char* of_size;  // hugepages-2048kB/enabled
    const char* why;
  } cases[] = {
      {kMadvise, kSize, "", ""},
      {kAlways, kSize, "", ""},
      {kNever, kSize, "", "transparent_hugepage/enabled is never"},
      {"", kSize, "", "no transparent_hugepage/enabled"},
      {"nonsense", kSize, "", "no transparent_hugepage/enabled"},
      {kAlways, "536870912", "", "this system's huge pages have 536870912 bytes"},
      {kAlways, "", "", "this system's huge pages have 0 bytes"},
      {kMadvise, kSize, "always [inherit] madvise never", ""},
      {kNever, kSize, "always [inherit] madvise never", "transparent_hugepage/enabled is never"},
      {kNever, kSize, "always inherit [madvise] never", ""},
      {kAlways, kSize, "always inherit madvise [never]",
       "transparent_hugepage/hugepages-2048kB/enabled is never"},
  };
  for (const auto& [enabled, size, of_size, why] : cases) {
    const testing::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "hugepages-2048kB");
    if (*enabled != 0) testing::WriteFile(folder / "enabled", std::string(enabled) + "\n");
    if (*size != 0) testing::WriteFile(folder / "hpage_pmd_size", size);
    if (*of_size != 0) testing::WriteFile(folder / "hugepages-2048kB/enabled", of_size);
    const std::string said = WhyNoHugePages(folder.path());
    EXPECT_THAT(said, HasSubstr(why)) << enabled << ", " << of_size;
    EXPECT_EQ(said.empty(), *why == 0) << said;
  }
}

TEST(WhyNoHugePages, IsALimitOfAddresses) {
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "enabled", "[always] madvise never");
  testing::WriteFile(folder / "hpage_pmd_size", "2097152");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = std::min(before.rlim_max, RLIM_INFINITY - 1);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limited), 0);
  EXPECT_THAT(WhyNoHugePages(folder.path()), HasSubstr("ulimit -v"));
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
}

// A database with this allocator finds all keys, keeps filters in its memory, and frees the memory
// with the cache.
TEST(HugePagesInADatabase, HoldFilters) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const testing::TemporaryFolder scratch;
  auto allocator = std::make_shared<HugePageAllocator>(256 * kMiB, "");
  const std::weak_ptr<HugePageAllocator> watched = allocator;
  {
    Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.write_buffer_size = 64 * kMiB;
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom("winnow:10");
    table.cache_index_and_filter_blocks = true;
    ROCKSDB_NAMESPACE::LRUCacheOptions cache;
    cache.capacity = 64 * kMiB;
    cache.memory_allocator = allocator;
    table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(cache);
    options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    std::unique_ptr<DB> database = testing::OpenDatabase(options, scratch.path() + "/db");
    ASSERT_NE(database, nullptr);
    ROCKSDB_NAMESPACE::WriteOptions without_log;
    without_log.disableWAL = true;
    constexpr int kKeys = 120'000;  // filters of at least 75 KB
    for (int file = 0; file < 2; ++file) {
      for (int i = 0; i < kKeys; ++i) {
        ASSERT_TRUE(database->Put(without_log, "key" + std::to_string(2 * i + file), "v").ok());
      }
      ASSERT_TRUE(database->Flush({}).ok());
    }
    std::string value;
    for (int i = 0; i < 2 * kKeys; i += 97) {
      ASSERT_TRUE(database->Get({}, "key" + std::to_string(i), &value).ok()) << i;
    }
    EXPECT_GE(allocator->CurrentUsage().allocated, 2 * kMin);
    EXPECT_THAT(testing::ReadFile(scratch.path() + "/db/LOG"),
                HasSubstr("memory_allocator : winnow.HugePages"));
    database.reset();
    table.block_cache->EraseUnRefEntries();
    EXPECT_EQ(allocator->CurrentUsage().allocated, 0u);
  }
  allocator.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(NewHugePageAllocator, MakesOneForThisSystem) {
  ROCKSDB_NAMESPACE::LRUCacheOptions cache_options;
  cache_options.memory_allocator = winnow::NewHugePageAllocator();
  const std::shared_ptr<MemoryAllocator> allocator = cache_options.memory_allocator;
  ASSERT_NE(allocator, nullptr);
  EXPECT_THAT(allocator->Name(), HasSubstr("winnow.HugePages"));
  void* const block = allocator->Allocate(kPage);
  ASSERT_NE(block, nullptr);
  Mark(block, kPage, 3);
  EXPECT_GE(allocator->UsableSize(block, kPage), kPage);
  allocator->Deallocate(block);
}

}  // namespace huge_pages_test
}  // namespace winnow::plugin
