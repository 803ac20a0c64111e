// Tests that all kernels of the machine return the portable one's answers for many segments, which
// are those of single probes.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/core/bloom.h"
#include "src/core/format.h"
#include "src/core/ribbon.h"
#include "src/simd/kernels.h"
#include "tests/support/random_hashes.h"
#include "tests/support/usable_kernels.h"

namespace winnow::simd {
namespace segments_test {

constexpr size_t kCounts[] = {0, 1, 2, 7, 8, 9, 24, 63, 64, 65, 127, 128, 129, 300};
constexpr Ahead kAheads[] = {
    {}, {true, false, false}, {true, false, true}, {true, true, false}, {true, true, true}};

bool BitOf(const std::vector<uint64_t>& words, size_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}

uint64_t BitsFrom(uint64_t bits, size_t n) { return n < 64 ? bits >> n : 0; }

// Fills the stack, so that bytes that a kernel reads but never wrote are not 0 by chance.
__attribute__((noinline)) void DirtyStack() {
  volatile unsigned char bytes[4096];
  for (volatile unsigned char& byte : bytes) byte = 0xa5;
}

// Unaligned Bloom filters of various sizes, in separate allocations, so that the address sanitizer
// detects reads outside.
struct Blooms {
  Blooms(size_t count, testing::RandomHashes& random) {
    for (size_t i = 0; i < count; ++i) {
      num_blocks.push_back(static_cast<uint32_t>(1 + random.Below(20)));
      std::vector<unsigned char> bytes(num_blocks[i] * kBloomBlockBytes + i % 64);
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.Next());
      // Many bits are set, so that answers differ.
      for (unsigned char& byte : bytes) byte |= static_cast<unsigned char>(random.Next());
      blocks.push_back(bytes.data() + i % 64);
      memory.push_back(std::move(bytes));
    }
  }
  BloomSegments segments() const { return {blocks.data(), num_blocks.data()}; }

  std::vector<std::vector<unsigned char>> memory;
  std::vector<const unsigned char*> blocks;
  std::vector<uint32_t> num_blocks;
};

TEST(SegmentsTest, BloomsAnswerAsOneProbeAfterTheOther) {
  testing::RandomHashes random(testing::TestSeed());
  size_t found = 0;
  for (const size_t count : kCounts) {
    const Blooms blooms(count, random);
    for (int round = 0; round < 200; ++round) {
      const uint64_t hash = random.Next();
      const uint16_t* words =
          core::BloomWordSets(1 + static_cast<unsigned>(round) % kBloomMaxProbes);
      std::vector<bool> expected;
      for (size_t i = 0; i < count; ++i) {
        const BloomLayer layer{{}, blooms.blocks[i], blooms.num_blocks[i], words};
        expected.push_back(kPortableKernels.bloom_probe(layer, hash));
        found += expected[i] ? 1 : 0;
      }
      for (const Kernels* kernels : testing::UsableKernels()) {
        const Ahead ahead = kAheads[round % 5];
        std::vector<uint64_t> answers(count / 64 + 2, 0x5a5a);
        if (count != 0) {
          kernels->bloom_probe_segments(blooms.segments(), count, words, hash, ahead,
                                        answers.data());
        }
        for (size_t i = 0; i < count; ++i) {
          ASSERT_EQ(BitOf(answers, i), expected[i]) << kernels->name << ", segment " << i;
        }
        if (count % 64 != 0) {
          ASSERT_EQ(BitsFrom(answers[count / 64], count % 64), 0u) << kernels->name;
        }
        ASSERT_EQ(answers[(count + 63) / 64], 0x5a5au) << kernels->name << ", " << count;

        // Lookups in two steps, of listed seats and of consecutive ones.
        const size_t n = random.Below(std::min<size_t>(count, kMaxPlaces) + 1);
        std::vector<uint32_t> seats(n);
        for (uint32_t& seat : seats) seat = static_cast<uint32_t>(random.Below(count));
        const unsigned char* places[kMaxPlaces + 7];
        kernels->bloom_locate(blooms.segments(), seats.data(), n, hash, ahead, places);
        DirtyStack();
        uint64_t bits = kernels->bloom_test(places, n, words, hash);
        ASSERT_EQ(BitsFrom(bits, n), 0u);
        for (size_t i = 0; i < n; ++i) ASSERT_EQ((bits >> i & 1) != 0, expected[seats[i]]);
        kernels->bloom_locate(blooms.segments(), nullptr, n, hash, ahead, places);
        bits = kernels->bloom_test(places, n, words, hash);
        ASSERT_EQ(BitsFrom(bits, n), 0u);
        for (size_t i = 0; i < n; ++i) ASSERT_EQ((bits >> i & 1) != 0, expected[i]);
      }
    }
  }
  EXPECT_GT(found, 1000u);
}

bool Always(const RibbonLayer& /*layer*/, uint64_t /*hash*/) noexcept { return true; }
bool Never(const RibbonLayer& /*layer*/, uint64_t /*hash*/) noexcept { return false; }

// Ribbon layers of random words and thresholds, of many shapes.
struct Ribbons {
  Ribbons(size_t count, testing::RandomHashes& random) {
    for (size_t i = 0; i < count; ++i) {
      const core::Columns columns =
          core::UnpackColumns(static_cast<uint16_t>(random.Below(15 * 4096 + 1)));
      const auto shard_bits = static_cast<unsigned>(random.Below(4));
      const core::BumpedLayout layout = core::LayOut(shard_bits, 3, columns);
      std::vector<unsigned char> bytes(i % 64 + layout.words_bytes + layout.thresholds_bytes +
                                       kReadableBehind);
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.Next());
      const RibbonLayer layer =
          core::LayerForKernels(shard_bits, 3, columns, bytes.data() + i % 64);
      layers.push_back(layer);
      words.push_back(layer.words);
      thresholds.push_back(layer.thresholds);
      starts.push_back(layer.starts);
      split.push_back(layer.split);
      shape.push_back(layer.shard_shift | uint32_t{layer.columns} << kShapeColumns |
                      uint32_t{layer.fingerprint_shift} << kShapeFingerprint);
      memory.push_back(std::move(bytes));
    }
  }
  RibbonSegments segments() const {
    return {layers.data(), words.data(), thresholds.data(),
            starts.data(), split.data(), shape.data()};
  }

  static constexpr size_t kReadableBehind = 8;
  std::vector<std::vector<unsigned char>> memory;
  std::vector<RibbonLayer> layers;
  std::vector<const unsigned char*> words;
  std::vector<const unsigned char*> thresholds;
  std::vector<uint32_t> starts;
  std::vector<uint32_t> split;
  std::vector<uint32_t> shape;
};

enum class Answer { kAbsent, kMatch, kBumped };

// Returns the layer's answer. A bumped hash is detected by its answer from if_bumped.
Answer Ask(RibbonLayer layer, uint64_t hash) {
  layer.if_bumped = Always;
  const bool if_always = kPortableKernels.ribbon_probe(layer, hash);
  layer.if_bumped = Never;
  const bool if_never = kPortableKernels.ribbon_probe(layer, hash);
  if (if_always != if_never) return Answer::kBumped;
  return if_always ? Answer::kMatch : Answer::kAbsent;
}

TEST(SegmentsTest, RibbonsAnswerAsOneProbeAfterTheOther) {
  testing::RandomHashes random(testing::TestSeed());
  size_t counts[3] = {};
  for (const size_t count : kCounts) {
    const Ribbons ribbons(count, random);
    for (int round = 0; round < 300; ++round) {
      const uint64_t hash = random.Next();
      const size_t n = random.Below(std::min<size_t>(count, kMaxPlaces) + 1);
      std::vector<uint32_t> seats(n);
      for (uint32_t& seat : seats) seat = static_cast<uint32_t>(random.Below(count));
      for (const Kernels* kernels : testing::UsableKernels()) {
        for (const bool listed : {false, true}) {
          const RibbonLayer* layers[kMaxPlaces];
          const unsigned char* words[kMaxPlaces];
          const unsigned char* thresholds[kMaxPlaces];
          uint32_t start[kMaxPlaces];
          uint32_t columns[kMaxPlaces];
          uint32_t shape[kMaxPlaces];
          const RibbonPlaces places{layers, words, thresholds, start, columns, shape};
          kernels->ribbon_locate(ribbons.segments(), listed ? seats.data() : nullptr, n, hash,
                                 kAheads[round % 5], places);
          uint64_t bumped = ~uint64_t{0};
          DirtyStack();
          const uint64_t bits = kernels->ribbon_test(places, n, hash, &bumped);
          ASSERT_EQ(BitsFrom(bits | bumped, n), 0u);
          for (size_t i = 0; i < n; ++i) {
            const Answer answer = Ask(ribbons.layers[listed ? seats[i] : i], hash);
            ++counts[static_cast<int>(answer)];
            ASSERT_EQ((bits >> i & 1) != 0, answer == Answer::kMatch) << kernels->name;
            ASSERT_EQ((bumped >> i & 1) != 0, answer == Answer::kBumped) << kernels->name;
          }
        }
      }
    }
  }
  for (const size_t answers : counts) EXPECT_GT(answers, 1000u);
}

}  // namespace segments_test
}  // namespace winnow::simd
