// Tests that damaged and foreign bytes do no harm and never deny a key.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/core/format.h"
#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow {
namespace filter_damage_test {

using testing::Build;
using testing::FalseNegatives;
using testing::kKinds;
using testing::OptionsOf;
using testing::RandomHashes;
using testing::TestSeed;

TEST(FilterDamageTest, EveryTruncationIsSafeAndNeverAbsentForItsKeys) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {0u, 1u, 20u, 60u, 700u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      const FilterBlock block = Build(OptionsOf(kind, 10), hashes);
      for (size_t cut = 1; cut <= block.size; ++cut) {
        // Copies, so that the address sanitizer detects reads past either end.
        const std::string front(block.bytes().substr(cut));
        const std::string back(block.bytes().substr(0, block.size - cut));
        for (const std::string& bytes : {front, back}) {
          const FilterView view(bytes);
          ASSERT_NE(view.fault(), Fault::kNone) << cut;
          ASSERT_EQ(FalseNegatives(view, hashes), 0u);
          ASSERT_EQ(view.info().num_hashes, 0u);
          ASSERT_FALSE(view.PayloadIntact());
        }
      }
    }
  }
}

TEST(FilterDamageTest, EveryBitFlipIsSafeAndNeverAbsentInTailOrDirectoryOrIfVerified) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 20u, 60u, 700u, 2500u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      const FilterBlock block = Build(OptionsOf(kind, 10), hashes);
      const std::string original(block.bytes());
      core::ParsedBlock parsed;
      ASSERT_EQ(core::Parse(original, &parsed), Fault::kNone);
      ASSERT_EQ(FilterView::Verified(original).fault(), Fault::kNone);
      for (size_t bit = 0; bit < original.size() * 8; ++bit) {
        std::string flipped = original;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        const FilterView view(flipped);
        ASSERT_FALSE(view.PayloadIntact()) << bit;
        (void)view.info();
        if (bit / 8 < parsed.payload_size) {
          for (const KeyHash hash : hashes) (void)view.MayContain(hash);
          const FilterView verified = FilterView::Verified(flipped);
          ASSERT_EQ(verified.fault(), Fault::kPayload) << bit;
          ASSERT_TRUE(verified.MayContain(hashes[0]) && verified.MayContain({random.Next()}));
          ASSERT_EQ(verified.info().size_bytes, flipped.size());
          ASSERT_FALSE(verified.PayloadIntact());
          continue;
        }
        ASSERT_NE(view.fault(), Fault::kNone) << bit;
        ASSERT_TRUE(core::LooksOurs(flipped)) << bit;
        ASSERT_EQ(FalseNegatives(view, hashes), 0u) << bit;
      }
    }
  }
}

TEST(FilterDamageTest, VerifyingKeepsTheFaultsThatAreSeenWithoutIt) {
  EXPECT_EQ(FilterView::Verified(std::string(100, 'x')).fault(), Fault::kForeign);
  EXPECT_EQ(FilterView::Verified({}).fault(), Fault::kForeign);
  const FilterBlock empty = Build(OptionsOf(FilterKind::kBloom, 10), {});
  EXPECT_EQ(FilterView::Verified(empty.bytes()).fault(), Fault::kNone);
  EXPECT_FALSE(FilterView::Verified(empty.bytes()).MayContain({1}));
}

TEST(FilterDamageTest, RandomBytesContainEverything) {
  RandomHashes random(TestSeed());
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random.Below(200), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    const FilterView view(bytes);
    ASSERT_NE(view.fault(), Fault::kNone);
    ASSERT_TRUE(view.MayContain({random.Next()}));
  }
}

// Tails have a correct checksum and values that no builder writes.
TEST(FilterDamageTest, ForgedTailsAreSafe) {
  RandomHashes random(TestSeed());
  int usable = 0;
  for (int round = 0; round < 200000; ++round) {
    core::Tail tail;
    tail.kind = static_cast<FilterKind>(random.Below(4));
    tail.num_hashes = random.Below(3);
    tail.columns = tail.kind == FilterKind::kRibbon ? static_cast<uint16_t>(random.Next()) : 0;
    tail.entries = static_cast<uint8_t>(random.Below(5));
    std::vector<core::LayerEntry> layers(tail.entries);
    for (core::LayerEntry& entry : layers) {
      entry = {static_cast<core::LayerType>(random.Below(8)),
               static_cast<uint8_t>(random.Below(32)),
               static_cast<uint32_t>(random.Below(4) == 0 ? random.Next() : random.Below(4))};
    }
    const size_t payload = random.Below(4) * 64 + random.Below(4) * 8;
    std::vector<unsigned char> bytes(payload + core::kTailBytes + 5 * layers.size());
    for (size_t i = 0; i < payload; ++i) bytes[i] = static_cast<unsigned char>(random.Next());
    core::WriteDirectoryAndTail(bytes.data(), payload, layers.data(), tail);
    const FilterView view({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    usable += view.fault() == Fault::kNone ? 1 : 0;
    for (int i = 0; i < 5; ++i) {
      const bool answer = view.MayContain({random.Next()});
      ASSERT_TRUE(answer || view.fault() == Fault::kNone);
    }
    (void)view.info();
  }
  EXPECT_GT(usable, 100);
}

TEST(FilterDamageTest, FaultsAreNamed) {
  RandomHashes random(1);
  const std::vector<KeyHash> hashes = random.Take(100);
  const FilterBlock block = Build(OptionsOf(FilterKind::kRibbon, 10), hashes);
  struct Case {
    void (*change)(core::Tail*);
    Fault expected;
  };
  const Case cases[] = {
      {[](core::Tail*) {}, Fault::kNone},
      {[](core::Tail* tail) { tail->version = 9; }, Fault::kVersion},
      {[](core::Tail* tail) { tail->version = 0; }, Fault::kVersion},
      {[](core::Tail* tail) { tail->kind = static_cast<FilterKind>(77); }, Fault::kKind},
      {[](core::Tail* tail) { tail->hash_id = 9; }, Fault::kHash},
      {[](core::Tail* tail) { tail->seed = 9; }, Fault::kHash},
      {[](core::Tail* tail) { tail->columns = 0xffff; }, Fault::kParameters},
      {[](core::Tail* tail) { tail->kind = FilterKind::kBloom; }, Fault::kParameters},
      {[](core::Tail* tail) { tail->columns = 0x7000; }, Fault::kSize},
  };
  for (const Case& c : cases) {
    core::ParsedBlock parsed;
    ASSERT_EQ(core::Parse(block.bytes(), &parsed), Fault::kNone);
    std::vector<core::LayerEntry> layers;
    for (unsigned i = 0; i < parsed.tail.entries; ++i) {
      layers.push_back(core::ReadLayerEntry(parsed.directory, i));
    }
    std::string bytes(block.bytes());
    core::Tail tail = parsed.tail;
    c.change(&tail);
    core::WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(&bytes[0]), parsed.payload_size,
                                layers.data(), tail);
    const FilterView view(bytes);
    EXPECT_EQ(view.fault(), c.expected) << ToString(view.fault());
    EXPECT_EQ(FalseNegatives(view, hashes), 0u);
  }
  EXPECT_EQ(FilterView(std::string(100, 'x')).fault(), Fault::kForeign);
  for (int fault = 0; fault <= static_cast<int>(Fault::kPayload); ++fault) {
    EXPECT_NE(ToString(static_cast<Fault>(fault)), "unknown fault");
  }
}

}  // namespace filter_damage_test
}  // namespace winnow
