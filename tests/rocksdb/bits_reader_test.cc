#include "src/rocksdb/bits_reader.h"

#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/builders/bits_builder.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/lookups/kept_key.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/rocksdb/ranges/range_part.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/options.h"

namespace winnow::plugin {
namespace bits_reader_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using testing::MakePolicyFrom;

constexpr uint64_t kSeed = 20240607;

std::string Key(uint64_t i) { return "key" + std::to_string(i * 7919); }

// Returns a Winnow filter of the keys 0 to n - 1.
std::string Build(FilterKind kind, uint64_t n) {
  FilterOptions options;
  options.kind = kind;
  BitsBuilder builder(options, false);
  for (uint64_t i = 0; i < n; ++i) {
    builder.AddKey(Key(i));
  }
  std::unique_ptr<const char[]> bytes;
  return builder.Finish(&bytes).ToString();
}

// Returns a filter of the keys 0 to n - 1, built by the built-in policy `policy`.
std::string BuildBuiltin(const std::string& policy, uint64_t n) {
  const BlockBasedTableOptions table;
  const FilterBuildingContext context(table);
  const std::unique_ptr<FilterBitsBuilder> builder(
      MakePolicyFrom(policy)->GetBuilderWithContext(context));
  for (uint64_t i = 0; i < n; ++i) {
    builder->AddKey(Key(i));
  }
  std::unique_ptr<const char[]> bytes;
  return builder->Finish(&bytes).ToString();
}

class BitsReaderTest : public ::testing::Test {
 protected:
  BitsReaderTest() { EXPECT_TRUE(NewBuiltinReader(&builtin_).ok()); }

  std::unique_ptr<FilterBitsReader> Read(const Slice& contents) const {
    return std::unique_ptr<FilterBitsReader>(NewBitsReader(contents, *builtin_));
  }
  std::unique_ptr<FilterBitsReader> ReadAsStock(const Slice& contents) const {
    return std::unique_ptr<FilterBitsReader>(builtin_->GetFilterBitsReader(contents));
  }

  std::shared_ptr<const FilterPolicy> builtin_;
};

// Returns how many of 1000 absent keys the reader rejects.
int CountMisses(FilterBitsReader& reader) {
  int misses = 0;
  for (uint64_t i = 1000000; i < 1001000; ++i) {
    misses += reader.MayMatch(Key(i)) ? 0 : 1;
  }
  return misses;
}

TEST_F(BitsReaderTest, AnswersForOurFiltersAtAnyAddress) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    const std::string block = Build(kind, 4000);
    std::vector<char> memory(block.size() + 64);
    for (size_t offset = 0; offset < 64; offset += 7) {
      std::copy(block.begin(), block.end(), memory.begin() + static_cast<std::ptrdiff_t>(offset));
      const auto reader = Read(Slice(memory.data() + offset, block.size()));
      for (uint64_t i = 0; i < 4000; ++i) {
        ASSERT_TRUE(reader->MayMatch(Key(i)));
      }
      EXPECT_GT(CountMisses(*reader), 960);
    }
  }
}

// Keys of every length, at unaligned addresses. The keys with even indexes are in the filter.
class KeysOfAllLengths {
 public:
  static constexpr size_t kMaxBytes = 1100;
  static constexpr size_t kOfEachLength = 8;

  KeysOfAllLengths() {
    std::mt19937_64 random(kSeed);
    keys_.reserve((kMaxBytes + 1) * kOfEachLength);
    for (size_t length = 0; length <= kMaxBytes; ++length) {
      for (size_t i = 0; i < kOfEachLength; ++i) {
        // Allocations begin at even addresses, so an odd offset gives an odd address.
        memory_.emplace_back(length + 2 * i + 1);
        std::vector<char>& bytes = memory_.back();
        std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
        keys_.emplace_back(bytes.data() + 2 * i + 1, length);
      }
    }
  }

  const std::vector<Slice>& keys() const { return keys_; }

  std::string Build(FilterKind kind) const {
    FilterOptions options;
    options.kind = kind;
    FilterBuilder builder(options);
    for (size_t i = 0; i < keys_.size(); i += 2) {
      builder.Add(HashKey(keys_[i].ToStringView()));
    }
    return std::string(builder.Finish().bytes());
  }

 private:
  std::vector<std::vector<char>> memory_;
  std::vector<Slice> keys_;
};

// Each length runs in a new thread, whose shared hash is empty. Every second key is in the filter,
// and keys of one length replace each other: no key may get the previous key's answer.
TEST_F(BitsReaderTest, SharesHashesOfEveryLengthAndAnswersAsTheCoreDoes) {
  const KeysOfAllLengths all;
  const std::string block = all.Build(FilterKind::kBloom);
  const FilterView view(block);
  const auto reader = Read(block);
  constexpr size_t kEach = KeysOfAllLengths::kOfEachLength;
  for (size_t length = 0; length <= KeysOfAllLengths::kMaxBytes; ++length) {
    const Counters before = CurrentCounters();
    std::thread([&, length] {
      for (int round = 0; round < 4; ++round) {
        for (size_t i = length * kEach; i < (length + 1) * kEach; ++i) {
          const Slice& key = all.keys()[i];
          const bool expected = view.MayContain(HashKey(key.ToStringView()));
          for (int file = 0; file < 5; ++file) {
            ASSERT_EQ(reader->MayMatch(key), expected)
                << length << " bytes, key " << i << ", file " << file << ", seed " << kSeed;
          }
        }
      }
    }).join();
    constexpr uint64_t kKeys = 4 * kEach;
    const uint64_t computed = CurrentCounters().hashes - before.hashes;
    EXPECT_EQ(CurrentCounters().lookups - before.lookups, 5 * kKeys);
    const bool can_share = length != 0 && length <= kMaxKeptBytes;
    EXPECT_EQ(computed, can_share ? kKeys : 5 * kKeys) << length << " bytes";
  }
}

TEST_F(BitsReaderTest, HashesKeysOfEveryLengthInBatchesAsTheCoreDoes) {
  const KeysOfAllLengths all;
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    const std::string block = all.Build(kind);
    const FilterView view(block);
    const auto reader = Read(block);
    std::vector<Slice> keys = all.keys();
    constexpr size_t kBatch = 45;  // batches of several lengths are split
    for (size_t first = 0; first < keys.size(); first += kBatch) {
      const size_t n = std::min(kBatch, keys.size() - first);
      Slice* pointers[kBatch];
      bool results[kBatch];
      for (size_t i = 0; i < n; ++i) {
        pointers[i] = &keys[first + i];
        results[i] = i % 3 == 0;
      }
      reader->MayMatch(static_cast<int>(n), pointers, results);
      for (size_t i = 0; i < n; ++i) {
        const Slice& key = keys[first + i];
        const bool expected = view.MayContain(HashKey(key.ToStringView()));
        ASSERT_EQ(results[i], expected)
            << ToString(kind) << ", " << key.size() << " bytes, seed " << kSeed;
        ASSERT_TRUE(expected || (first + i) % 2 == 1) << key.size() << " bytes, seed " << kSeed;
      }
    }
  }
}

// Batches of random sizes on filters of random sizes: some threads change the filter each time and
// some repeat one filter, so filters move in and out of the CPU cache. The answers must not depend
// on this.
TEST_F(BitsReaderTest, BatchesAnswerAsTheKeysOneByOneWhicheverFilterWasAskedBefore) {
  struct Filter {
    std::set<std::string> keys;
    std::string memory;
    std::unique_ptr<FilterBitsReader> reader;
    bool is_damaged = false;
  };
  std::mt19937_64 random(kSeed);
  std::vector<Filter> filters(18);
  for (size_t number = 0; number < filters.size(); ++number) {
    Filter& filter = filters[number];
    FilterOptions options;
    options.kind = number % 6 == 5 ? FilterKind::kRibbon : FilterKind::kBloom;
    // All filters together exceed a core's private cache, which some of them fit in.
    constexpr size_t kSizes[] = {1, 50, 4'000, 40'000, 100'000, 400'000};
    const size_t n = kSizes[number % 6] >> number / 6;
    FilterBuilder builder(options);
    for (size_t i = 0; i <= n; ++i) {
      const std::string key = Key(random() % 1'000'000);
      if (filter.keys.size() < 2'000) filter.keys.insert(key);
      builder.Add(HashKey(key));
    }
    // Filters are at any alignment and end at the end of their allocation.
    const FilterBlock block = builder.Finish();
    filter.memory = std::string(number, 'x') + std::string(block.bytes());
    filter.is_damaged = number % 7 == 6;
    if (filter.is_damaged) filter.memory[filter.memory.size() - 9] ^= 1;
    filter.reader = Read(Slice(filter.memory.data() + number, filter.memory.size() - number));
  }
  const auto ask = [&filters](uint64_t seed, bool again_and_again) {
    std::mt19937_64 choices(seed);
    size_t number = 0;
    for (int round = 0; round < 400; ++round) {
      if (!again_and_again || round % 40 == 0) number = choices() % filters.size();
      const Filter& filter = filters[number];
      constexpr size_t kBatches[] = {0, 1, 2, 4, 5, 8, 31, 32, 33, 1000};
      const size_t n = kBatches[choices() % std::size(kBatches)];
      std::vector<std::string> keys;
      std::vector<bool> are_there;
      for (size_t i = 0; i < n; ++i) {
        const std::string any = Key(choices() % 2'000'000);
        const auto there = filter.keys.lower_bound(any);
        are_there.push_back(i % 2 == 0 && there != filter.keys.end());
        keys.push_back(are_there.back() ? *there : any);
      }
      std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<Slice*> pointers;
      for (Slice& slice : slices) pointers.push_back(&slice);
      const std::unique_ptr<bool[]> results(new bool[n + 1]);
      std::fill_n(results.get(), n + 1, round % 2 == 0);
      filter.reader->MayMatch(static_cast<int>(n), pointers.data(), results.get());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(results[i], filter.reader->MayMatch(slices[i]))
            << "filter " << number << ", key " << i << " of " << n << ", seed " << seed;
        ASSERT_TRUE(results[i] || !(are_there[i] || filter.is_damaged))
            << "filter " << number << ", key " << i << " of " << n << ", seed " << seed;
      }
      ASSERT_EQ(results[n], round % 2 == 0) << "the one behind the last";
    }
  };
  std::thread in_turn(ask, kSeed, false);
  std::thread again_and_again(ask, kSeed + 1, true);
  in_turn.join();
  again_and_again.join();
}

TEST_F(BitsReaderTest, CountsLookupsOfOurFiltersOnly) {
  const std::string ours = Build(FilterKind::kBloom, 10);
  const std::string theirs = BuildBuiltin("bloomfilter:10", 10);
  const auto our_reader = Read(ours);
  const auto their_reader = Read(theirs);
  Slice key("a");
  Slice* keys[3] = {&key, &key, &key};
  bool results[3];
  const Counters before = CurrentCounters();
  our_reader->MayMatch(key);
  our_reader->MayMatch(3, keys, results);
  their_reader->MayMatch(key);
  const Counters after = CurrentCounters();
  EXPECT_EQ(after.lookups - before.lookups, 4u);
  EXPECT_EQ(after.hashes - before.hashes, 4u);
}

TEST_F(BitsReaderTest, ReadsBuiltinFilters) {
  for (const char* policy :
       {"bloomfilter:10", "ribbonfilter:10", "rocksdb.internal.LegacyBloomFilter:10"}) {
    const std::string block = BuildBuiltin(policy, 2000);
    const auto reader = Read(block);
    for (uint64_t i = 0; i < 2000; ++i) {
      ASSERT_TRUE(reader->MayMatch(Key(i))) << policy;
    }
    EXPECT_GT(CountMisses(*reader), 950) << policy;
  }
}

TEST_F(BitsReaderTest, ShortBlocksAreEmptyFiltersAsForRocksDB) {
  for (size_t size = 0; size <= 5; ++size) {
    const std::string block(size, '\x01');
    EXPECT_FALSE(Read(block)->MayMatch("any")) << size;
    EXPECT_FALSE(ReadAsStock(block)->MayMatch("any")) << size;
  }
}

TEST_F(BitsReaderTest, StockRocksDBTakesOurFiltersForMayMatch) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    for (const uint64_t n : {0u, 1u, 60u, 5000u}) {
      const std::string block = Build(kind, n);
      const auto reader = ReadAsStock(block);
      EXPECT_EQ(CountMisses(*reader), 0) << ToString(kind) << " of " << n;
    }
  }
}

TEST_F(BitsReaderTest, NoFlippedBitOfTheTailMakesAKeyAbsent) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    for (const uint64_t n : {1u, 3u, 60u, 400u}) {
      const std::string block = Build(kind, n);
      constexpr size_t kTailBytes = 32;
      for (size_t bit = (block.size() - kTailBytes) * 8; bit < block.size() * 8; ++bit) {
        std::string damaged = block;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        const auto reader = Read(damaged);
        for (uint64_t i = 0; i < n; ++i) {
          ASSERT_TRUE(reader->MayMatch(Key(i)))
              << ToString(kind) << " of " << n << ", bit " << bit << " of " << block.size() * 8;
        }
      }
    }
  }
}

// The counters tell which reader answers, since the built-in reader's answers for Winnow's bytes
// are arbitrary.
TEST_F(BitsReaderTest, NoDamagedMarkerHandsOurFilterToTheBuiltinReader) {
  const std::string block = Build(FilterKind::kBloom, 100);
  for (int marker = 0; marker < 256; ++marker) {
    std::string damaged = block;
    damaged[block.size() - 5] = static_cast<char>(marker);
    const auto reader = Read(damaged);
    const uint64_t before = CurrentCounters().lookups;
    for (uint64_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(reader->MayMatch(Key(i))) << marker;
    }
    EXPECT_EQ(CurrentCounters().lookups, before + 100) << marker;
  }
}

TEST_F(BitsReaderTest, LivesWithEveryTruncationAndFlippedBit) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    const std::string block = Build(kind, 60);
    for (size_t size = 0; size <= block.size(); ++size) {
      // A separate allocation, so that AddressSanitizer finds reads past the end.
      const std::vector<char> cut(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size));
      const auto reader = Read(Slice(cut.data(), cut.size()));
      reader->MayMatch(Key(1));
    }
    for (size_t bit = 0; bit < block.size() * 8; ++bit) {
      std::vector<char> damaged(block.begin(), block.end());
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      const auto reader = Read(Slice(damaged.data(), damaged.size()));
      Slice key(block);
      Slice* keys[1] = {&key};
      bool result;
      reader->MayMatch(1, keys, &result);
    }
  }
}

TEST_F(BitsReaderTest, LivesWithRandomBytes) {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 20000; ++round) {
    std::vector<char> bytes(random() % 300);
    for (char& byte : bytes) {
      byte = static_cast<char>(random());
    }
    // Half of the blocks have Winnow's marker byte.
    if (bytes.size() >= 5 && round % 2 == 0) {
      bytes[bytes.size() - 5] = '\xa9';
    }
    const auto reader = Read(Slice(bytes.data(), bytes.size()));
    ASSERT_NE(reader, nullptr) << "seed " << kSeed << ", round " << round;
    reader->MayMatch("any");
  }
}

TEST(NewBuiltinReader, MakesRocksDBsReadOnlyPolicy) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_STATUS_OK(NewBuiltinReader(&policy));
  EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  const BlockBasedTableOptions table;
  const FilterBuildingContext context(table);
  EXPECT_EQ(policy->GetBuilderWithContext(context), nullptr);
}

// Several prefixes at once come from a MultiGet, not from the bounds of a seek.
TEST_F(BitsReaderTest, OnlyASinglePrefixAsksTheRangeFilter) {
  const RangeExtractor extractor;
  BitsBuilder builder(FilterOptions(), false, nullptr,
                      std::make_unique<RangePart>(core::TableRangePlan(), true, nullptr));
  for (int i = 100; i < 300; i += 2) {
    const std::string key = "k" + std::to_string(i);
    builder.AddKey(key);
    builder.AddKey(extractor.Transform(key));
  }
  std::unique_ptr<const char[]> bytes;
  const Slice block = builder.Finish(&bytes);
  const std::unique_ptr<FilterBitsReader> reader(NewBitsReader(block, *builtin_));
  Slice first = extractor.Transform("k101");
  Slice second = extractor.Transform("k102");
  EXPECT_FALSE(reader->MayMatch(first));
  EXPECT_TRUE(reader->MayMatch(second));
  Slice* prefixes[] = {&first, &second};
  bool may_match[2] = {false, false};
  reader->MayMatch(2, prefixes, may_match);
  EXPECT_TRUE(may_match[0]);
  EXPECT_TRUE(may_match[1]);
}

TEST(NewBitsReaderTest, CountsWhoseFiltersAreLoaded) {
  const auto builtin = MakePolicyFrom("rocksdb.BuiltinBloomFilter");
  const auto load = [&](const std::string& block) {
    const std::unique_ptr<FilterBitsReader> reader(NewBitsReader(block, *builtin));
    EXPECT_NE(reader, nullptr);
  };
  const Counters before = CurrentCounters();
  const std::string ours = Build(FilterKind::kBloom, 100);
  std::string damaged = ours;
  damaged[damaged.size() - 20] = static_cast<char>(damaged[damaged.size() - 20] ^ 1);
  load(ours);
  load(Build(FilterKind::kRibbon, 1000));
  load(damaged);
  load(BuildBuiltin("ribbonfilter:10", 100));
  load(BuildBuiltin("bloomfilter:10", 100));
  load("");
  const Counters after = CurrentCounters();
  EXPECT_EQ(after.loaded_winnow - before.loaded_winnow, 2u);
  EXPECT_EQ(after.loaded_builtin - before.loaded_builtin, 3u);
  EXPECT_EQ(after.loaded_unusable - before.loaded_unusable, 1u);
}

}  // namespace bits_reader_test
}  // namespace winnow::plugin
