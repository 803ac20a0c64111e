// What building a filter takes of memory at its peak, as the program's allocator is asked for it,
// and what becomes of it where there is none.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/support/counted_memory.h"
#include "tests/support/random_hashes.h"
#include "tests/support/sanitized.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow {
namespace {

using testing::allocations_left;
using testing::bytes_in_use;
using testing::most_bytes_in_use;
using testing::RandomHashes;

constexpr int kAllOfThem = -1;

constexpr size_t kMaxTemporary = size_t{4} << 20;

// The peak of building a filter, less 8 bytes a hash and the filter, on a thread that keeps nothing
// yet.
size_t TemporaryBytes(FilterKind kind, uint64_t n) {
  size_t temporary = 0;
  std::thread([&] {
    RandomHashes random(n);
    FilterOptions options;
    options.kind = kind;
    const size_t before = bytes_in_use;
    most_bytes_in_use = before;
    FilterBuilder builder(options);
    for (uint64_t i = 0; i < n; ++i) builder.Add({random.Next()});
    const FilterBlock block = builder.Finish();
    EXPECT_EQ(builder.num_hashes(), 0u);
    const size_t peak = most_bytes_in_use - before;
    const size_t wanted = n * sizeof(KeyHash) + block.size;
    EXPECT_GE(peak, wanted);
    temporary = peak - std::min(peak, wanted);
  }).join();
  return temporary;
}

class BuildMemoryTest : public ::testing::Test {
  void SetUp() override {
    if (testing::kSanitized) GTEST_SKIP() << "skipped: a sanitizer has an allocator of its own";
  }
};

// 4.4 million hashes are the most that have 128 sub-shards; 12 million are dealt into groups first.
TEST_F(BuildMemoryTest, BesideTheHashesAndTheFilterIsAConstant) {
  for (const FilterKind kind : testing::kKinds) {
    for (const uint64_t n : {1u, 1000u, 300'000u, 4'360'000u, 12'000'000u}) {
      const size_t bytes = TemporaryBytes(kind, n);
      EXPECT_LE(bytes, kMaxTemporary) << n;
    }
  }
}

TEST_F(BuildMemoryTest, AThreadCountsWhatItKeeps) {
  std::thread([] {
    const size_t before = bytes_in_use;
    FilterBuilder builder((FilterOptions()));
    for (const uint64_t n : {300u, 100'000u, 2'000'000u}) {
      RandomHashes random(n);
      for (uint64_t i = 0; i < n; ++i) builder.Add({random.Next()});
      builder.Finish();
      const size_t kept = bytes_in_use - before;
      const size_t counted = FilterBuilder::ThreadMemory();
      EXPECT_LE(counted, FilterBuilder::kMostThreadMemory) << n;
      EXPECT_LE(counted, kept) << n;
      // The builder itself, the headers of blocks, and the rest of their last pages.
      EXPECT_LE(kept, counted + counted / 100 + 8192) << n;
    }
    FilterBuilder::FreeThreadMemory();
    EXPECT_EQ(FilterBuilder::ThreadMemory(), 0u);
    EXPECT_LE(bytes_in_use - before, 1024u);
  }).join();
}

// Whether building threw where only so many allocations succeed. A builder that threw never gives a
// filter again, which would deny the keys that it lost.
bool ThrowsAt(int allocations, FilterKind kind, const std::vector<KeyHash>& hashes) {
  FilterBuilder::FreeThreadMemory();
  FilterOptions options;
  options.kind = kind;
  FilterBuilder builder(options);
  FilterBlock block;
  bool has_thrown = false;
  allocations_left = allocations;
  try {
    builder.Add(hashes.data(), hashes.size());
    block = builder.Finish();
  } catch (const std::bad_alloc&) {
    has_thrown = true;
  }
  allocations_left = kAllOfThem;
  if (has_thrown) {
    EXPECT_THROW(builder.Finish(), std::bad_alloc) << "allocation " << allocations;
    builder.Add(hashes.data(), hashes.size());
    EXPECT_THROW(builder.Finish(), std::bad_alloc) << "allocation " << allocations;
  } else {
    EXPECT_EQ(testing::FalseNegatives(FilterView(block.bytes()), hashes), 0u);
  }
  return has_thrown;
}

TEST_F(BuildMemoryTest, ABuilderThatLostKeysNeverGivesAFilter) {
  for (const FilterKind kind : testing::kKinds) {
    const std::vector<KeyHash> hashes = RandomHashes(1).Take(60'000);
    int allocations = 0;
    while (ThrowsAt(allocations, kind, hashes)) ++allocations;
    EXPECT_GT(allocations, 5) << "of all, for " << ToString(kind);
  }
}

}  // namespace
}  // namespace winnow
