// Tests of the peak memory of building a filter, measured at operator new, and of builds that run
// out of memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/core/range_filter_testing.h"
#include "tests/support/counted_memory.h"
#include "tests/support/random_hashes.h"
#include "tests/support/sanitized.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace {

using testing::allocations_left;
using testing::bytes_in_use;
using testing::most_bytes_in_use;
using testing::RandomHashes;

constexpr int kAllOfThem = -1;

constexpr size_t kMaxTemporary = size_t{4} << 20;

// Returns the peak memory of building a filter, less 8 bytes per hash and the filter, on a thread
// that keeps no memory yet.
size_t TemporaryBytes(FilterKind kind, uint64_t n) {
  size_t temporary = 0;
  std::thread([&] {
    RandomHashes random(n);
    const size_t before = bytes_in_use;
    most_bytes_in_use = before;
    FilterBuilder builder(testing::OptionsOf(kind, 10));
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

// 4.36 million hashes are the maximum with 128 sub-shards; 12 million are distributed to groups
// first.
TEST_F(BuildMemoryTest, BesideTheHashesAndTheFilterIsAConstant) {
  for (const FilterKind kind : testing::kKinds) {
    for (const uint64_t n : {1u, 1000u, 300'000u, 4'360'000u, 12'000'000u}) {
      EXPECT_LE(TemporaryBytes(kind, n), kMaxTemporary) << n;
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
      // The tolerance covers the builder itself, the headers of blocks, and the rest of their last
      // pages.
      EXPECT_LE(kept, counted + counted / 100 + 8192) << n;
    }
    FilterBuilder::FreeThreadMemory();
    EXPECT_EQ(FilterBuilder::ThreadMemory(), 0u);
    EXPECT_LE(bytes_in_use - before, 1024u);
  }).join();
}

// Returns whether building throws if only this many allocations succeed. A builder that threw must
// not return a filter afterwards, which would deny the lost keys.
bool ThrowsAt(int allocations, FilterKind kind, const std::vector<KeyHash>& hashes) {
  FilterBuilder::FreeThreadMemory();
  FilterBuilder builder(testing::OptionsOf(kind, 10));
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

// Returns the peak memory of building a range filter of n keys with this many random bytes, less
// the filter. With is_one_length false, keys have up to seven more bytes.
size_t RangeBytes(size_t key_bytes, uint64_t n, bool is_one_length = true) {
  size_t peak = 0;
  std::thread([&] {
    const uint64_t step = UINT64_MAX / n;
    RandomHashes random(n);
    const size_t before = bytes_in_use;
    most_bytes_in_use = before;
    RangeFilterBuilder builder{RangeFilterOptions()};
    std::string key;
    for (uint64_t i = 0; i < n; ++i) {
      key = testing::BigEndian(i * step + random.Below(step));
      while (key.size() < key_bytes) key += testing::BigEndian(random.Next());
      if (!is_one_length) key.append(random.Below(8), 'x');
      builder.Add(key);
    }
    EXPECT_EQ(builder.num_keys(), n);
    const FilterBlock filter = builder.Finish();
    EXPECT_NE(filter.size, 0u);
    peak = most_bytes_in_use - before - filter.size;
  }).join();
  return peak;
}

TEST_F(BuildMemoryTest, ARangeFilterTakesThreeWordsAKeyAtMost) {
  for (const uint64_t n : {1000u, 300'000u, 3'000'000u}) {
    EXPECT_LE(RangeBytes(8, n), 8 * n + kMaxTemporary) << n;
    EXPECT_LE(RangeBytes(16, n), 16 * n + kMaxTemporary) << n;
    EXPECT_LE(RangeBytes(40, n), 24 * n + kMaxTemporary) << n;
    EXPECT_LE(RangeBytes(40, n, false), 8 * n + kMaxTemporary) << n;
  }
}

TEST_F(BuildMemoryTest, WithoutMemoryThereIsNoRangeFilter) {
  RandomHashes random(1);
  for (const testing::KindOfKeys* kind :
       {&testing::KindsOfKeys()[0], &testing::KindsOfSeveralLengths()[2]}) {
    const testing::Keys keys = testing::SomeKeys(*kind, 60'000, &random);
    int allocations = 0;
    for (bool is_there = false; !is_there; ++allocations) {
      FilterBuilder::FreeThreadMemory();
      RangeFilterBuilder builder{RangeFilterOptions()};
      allocations_left = allocations;
      for (const std::string& key : keys) builder.Add(key);
      const FilterBlock filter = builder.Finish();
      allocations_left = kAllOfThem;
      is_there = filter.size != 0;
      const uint64_t num_keys = RangeFilterView(filter.bytes()).info().num_keys;
      EXPECT_EQ(num_keys, is_there ? keys.size() : 0);
      builder.Add("k1");
      EXPECT_NE(builder.Finish().size, 0u) << "the next file has one, after " << allocations;
    }
    EXPECT_GT(allocations, 10);
  }
}

}  // namespace
}  // namespace winnow
