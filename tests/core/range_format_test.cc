// Tests of range filters in filter blocks: a reader written from FORMAT.md alone returns the
// library's answers, for ranges and for keys, and the builder's output does not change.

#include "src/core/ranges/range_format.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "src/core/format.h"
#include "src/core/notes.h"
#include "tests/core/filter_testing.h"
#include "tests/core/golden_blocks.h"
#include "tests/core/range_filter_testing.h"
#include "tests/support/files.h"
#include "tests/support/hex.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace range_format_test {

using testing::BuildRangeFilter;
using testing::Hex;
using testing::Keys;
using testing::KindOfKeys;
using testing::RandomHashes;
using testing::SomeKeys;
using testing::StandaloneMayContain;
using testing::StandaloneMayContainRange;

FilterBlock PointFilter(FilterKind kind, const Keys& keys) {
  FilterBuilder builder(testing::OptionsOf(kind, 10));
  for (const std::string& key : keys) builder.Add(key);
  return builder.Finish();
}

std::string Changed(std::string bound, RandomHashes* random) {
  if (random->Below(3) == 0) bound.resize(random->Below(bound.size() + 1));
  if (random->Below(3) == 0) bound += static_cast<char>(random->Next());
  if (!bound.empty() && random->Below(2) == 0) {
    char& byte = bound[random->Below(3) == 0 ? random->Below(bound.size()) : bound.size() - 1];
    byte = static_cast<char>(byte + static_cast<char>(random->Below(5)) - 2);
  }
  return bound;
}

TEST(RangeFormatTest, AStrangersReaderGivesTheSameAnswers) {
  RandomHashes random(testing::TestSeed());
  for (const KindOfKeys& kind : testing::AllKindsOfKeys()) {
    for (const size_t n : {1u, 2u, 50u, 600u}) {
      Keys keys = SomeKeys(kind, n, &random);
      if (*keys.rbegin() == "") keys.insert("a");
      const std::vector<std::string> sorted(keys.begin(), keys.end());
      const FilterBlock range = BuildRangeFilter(keys, 1 + static_cast<double>(random.Below(16)),
                                                 testing::SomeKind(keys, &random));
      const FilterBlock block =
          WithRangeFilter(PointFilter(FilterKind::kBloom, keys).bytes(), range.bytes());
      const RangeFilterView view(RangeFilterOf(block.bytes()));
      ASSERT_EQ(view.fault(), Fault::kNone);
      for (int i = 0; i < 1500; ++i) {
        std::string begin = Changed(sorted[random.Below(sorted.size())], &random);
        std::string end =
            Changed(random.Below(2) == 0 ? begin : sorted[random.Below(sorted.size())], &random);
        if (end < begin) std::swap(begin, end);
        ASSERT_EQ(StandaloneMayContainRange(block.bytes(), begin, end), view.MayContain(begin, end))
            << kind.name << ", " << n << " keys";
      }
    }
  }
}

// Readers of version 1.0 are the reader in C, without its new function, and FilterView.
TEST(RangeFormatTest, AFilterBlockAnswersForKeysAsBefore) {
  RandomHashes random(testing::TestSeed());
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    for (const size_t n : {0u, 1u, 40u, 5000u}) {
      const Keys keys = SomeKeys(testing::KindsOfKeys()[0], n, &random);
      const FilterBlock before = PointFilter(kind, keys);
      const FilterBlock range = BuildRangeFilter(std::vector<std::string>{"k1", "k2", "k3"});
      const FilterBlock block = WithRangeFilter(before.bytes(), range.bytes());
      EXPECT_EQ(block.size, before.size + range.size + core::kEntryBytes);
      EXPECT_EQ(RangeFilterOf(block.bytes()), range.bytes());
      EXPECT_EQ(RangeFilterOf(before.bytes()), "");
      const FilterView old_view(before.bytes());
      const FilterView view = FilterView::Verified(block.bytes());
      ASSERT_EQ(view.fault(), Fault::kNone);
      EXPECT_EQ(view.info().kind, old_view.info().kind);
      EXPECT_EQ(view.info().num_hashes, old_view.info().num_hashes);
      for (const std::string& key : keys) {
        ASSERT_TRUE(view.MayContain(HashKey(key)) &&
                    StandaloneMayContain(block.bytes(), HashKey(key)));
      }
      for (const KeyHash hash : random.Take(3000)) {
        ASSERT_EQ(view.MayContain(hash), old_view.MayContain(hash));
        ASSERT_EQ(StandaloneMayContain(block.bytes(), hash), old_view.MayContain(hash));
      }
      EXPECT_TRUE(StandaloneMayContainRange(before.bytes(), "a", "b")) << "a block without one";
    }
  }
}

TEST(RangeFormatTest, WhatCantTakeANoteStaysAsItIs) {
  RandomHashes random(testing::TestSeed());
  const Keys keys = SomeKeys(testing::KindsOfKeys()[0], 1000, &random);
  const FilterBlock range = BuildRangeFilter(keys);
  const std::string block(PointFilter(FilterKind::kBloom, keys).bytes());
  const auto with = [](std::string_view filter, std::string_view added) {
    return std::string(WithRangeFilter(filter, added).bytes());
  };
  EXPECT_EQ(with(block, ""), block);
  EXPECT_EQ(with("somebody else's", range.bytes()), "somebody else's");
  EXPECT_EQ(with("", range.bytes()), "");
  const std::string noted = with(block, range.bytes());
  EXPECT_EQ(with(noted, range.bytes()), noted) << "it has one";
  std::string damaged = block;
  damaged[100] = static_cast<char>(damaged[100] ^ 1);
  EXPECT_EQ(with(damaged, range.bytes()), damaged) << "a right checksum would hide it";
  EXPECT_EQ(RangeFilterOf("somebody else's"), "");
  damaged = noted;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_EQ(RangeFilterOf(damaged), "");

  // The directory has the maximum number of entries.
  std::string full = block;
  for (uint8_t parameter = 10; parameter < 9 + core::kMaxEntries; ++parameter) {
    full = core::WithNote(full, parameter, {}, "a note").bytes();
  }
  core::ParsedBlock parsed;
  ASSERT_EQ(core::Parse(full, &parsed), Fault::kNone);
  ASSERT_EQ(parsed.tail.entries, core::kMaxEntries);
  EXPECT_EQ(with(full, range.bytes()), full);
}

// The page's examples in hexadecimal: a Ribbon filter, and two range filters.
TEST(RangeFormatTest, BlocksInHexAreWhatBuildersWrite) {
  const std::vector<KeyHash> hashes = {HashKey("key0"), HashKey("key1"), HashKey("key2")};
  for (const FilterBlock& block :
       {testing::Build(testing::OptionsOf(FilterKind::kRibbon, 10), hashes),
        BuildRangeFilter(Keys{"user0017", "user0018", "user0042"}),
        BuildRangeFilter(Keys{"a", "ab", "abc", "b/c"})}) {
    const std::string hex = Hex(block.bytes());
    if (std::getenv("WINNOW_PRINT_VECTORS") != nullptr) std::printf("    %s\n", hex.c_str());
    EXPECT_NE(testing::ReadFile(WINNOW_FORMAT_MD).find(hex + "\n"), std::string::npos) << hex;
  }
}

// Hash of the filter's bytes by kind of keys. A different hash means a different format, which
// needs a new version. WINNOW_PRINT_VECTORS=1 prints the hashes.
TEST(RangeFormatTest, TodaysBuilderWritesTheseBytes) {
  RandomHashes random(42);
  std::string found;
  const size_t of_one_length = testing::KindsOfKeys().size();
  size_t number = 0;
  for (const KindOfKeys& kind : testing::AllKindsOfKeys()) {
    const Keys keys = SomeKeys(kind, 3000, &random);
    const bool have_one_length = number++ < of_one_length;
    // Trees have no lengths below 11 bits.
    std::vector<std::pair<RangeFilterKind, double>> builds = {{RangeFilterKind::kTrees, 12},
                                                              {RangeFilterKind::kTrees, 8}};
    if (have_one_length) {
      builds = {{RangeFilterKind::kPositions, 12}, {RangeFilterKind::kRetrieval, 12}};
    }
    for (const auto& [of, range_bits] : builds) {
      const FilterBlock filter = BuildRangeFilter(keys, range_bits, of);
      // A retrieval that would not take fewer bits becomes kPositions.
      if (of == RangeFilterKind::kRetrieval && RangeFilterView(filter.bytes()).info().kind != of) {
        continue;
      }
      found += Hex(filter.bytes().substr(4, 2)) + " " +
               std::to_string(HashKey(filter.bytes()).value) + " " + kind.name + "\n";
    }
  }
  if (std::getenv("WINNOW_PRINT_VECTORS") != nullptr) std::printf("%s", found.c_str());
  EXPECT_EQ(found, R"(0101 9635120213241436773 random numbers
0103 2492393482395621870 random numbers
0101 13840707436731613880 dense numbers
0101 12836902249941391776 numbers with an outlier
0101 12180153767436252224 decimal text
0101 7477645624393905176 sparse decimal text
0103 13148232661676361508 sparse decimal text
0101 12547467781487064603 decimal text of 16 digits
0103 6626124112246414669 decimal text of 16 digits
0101 15687640744076079898 letters
0103 18338393378178153841 letters
0101 7694202836744769244 numbers of 5 bytes behind others
0103 9336479013961443260 numbers of 5 bytes behind others
0101 11575289151542752891 hexadecimal text
0103 11488645603795639302 hexadecimal text
0101 9277260066810733771 user and time
0103 12547205566771649938 user and time
0101 2799160156491454489 16 bytes of db_bench
0101 2543757829479417872 24 bytes of db_bench
0103 9146222315480551187 24 bytes of db_bench
0101 15964218515045443961 32 random bytes
0103 4068422615494275067 32 random bytes
0101 3107936201897685102 long keys that differ little
0103 17918835444370691322 long keys that differ little
0101 17116463008393431888 few values
0101 6364698605059604738 one byte
0105 17637528870285394209 words
0105 7117627204148934292 words
0105 2966923511724385032 bytes of zeros and ones
0105 11091455757125114547 bytes of zeros and ones
0105 1095469561906672957 bytes
0105 14779196592449348306 bytes
0105 13251085255213505532 numbers as text
0105 14691954951562568362 numbers as text
0105 17547093542482063353 paths
0105 2694723883426170627 paths
0105 2589614001276093918 addresses
0105 8576444821234639913 addresses
0105 6325786870646659588 long keys that differ little
0105 18345407769287905773 long keys that differ little
0105 3143948882313299516 numbers, few of them longer
0105 10221706193173118136 numbers, few of them longer
)");
}

}  // namespace range_format_test
}  // namespace winnow
