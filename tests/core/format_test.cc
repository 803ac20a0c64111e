// Tests of FORMAT.md: its tables match the code, and a reader written from its text alone returns
// the library's answers. golden_blocks_test tests the golden blocks, range_format_test the page's
// blocks in hexadecimal.

#include "src/core/format.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "src/core/bloom.h"
#include "tests/core/filter_testing.h"
#include "tests/core/golden_blocks.h"
#include "tests/support/files.h"
#include "tests/support/random_hashes.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow {
namespace format_test {

TEST(FormatTest, TablesAreThoseOfTheCode) {
  const std::string format = testing::ReadFile(WINNOW_FORMAT_MD);
  const auto expect_row = [&](std::string line, auto words, unsigned n, int digits) {
    for (unsigned i = 0; i < n; ++i) {
      char word[16];
      std::snprintf(word, sizeof word, " %0*x", digits, unsigned{words[i]});
      line += word;
    }
    EXPECT_NE(format.find(line + "\n"), std::string::npos) << line;
  };
  for (unsigned row = 0; row < 2; ++row) {
    expect_row("   ", &simd::kBloomSalts[row * 8], 8, 8);
  }
  for (unsigned probes = 1; probes <= simd::kBloomMaxProbes; ++probes) {
    const std::string begin = (probes < 10 ? "     " : "    ") + std::to_string(probes) + " ";
    expect_row(begin, core::BloomPatterns(probes), simd::kBloomPatterns, 4);
  }
}

// Large filters, whose blocks would be too large for the source tree.
TEST(FormatTest, AReaderWrittenFromTheTextAgrees) {
  testing::RandomHashes random(testing::TestSeed());
  struct Case {
    double bits_per_key;
    uint64_t keys;
  };
  for (const FilterKind kind : testing::kKinds) {
    for (const Case& c :
         {Case{1, 5000}, Case{10, 300000}, Case{16, 30000}, Case{32, 5000}, Case{32, 10000}}) {
      std::vector<KeyHash> hashes;
      for (uint64_t i = 0; i < c.keys; ++i) hashes.push_back(HashKey("key" + std::to_string(i)));
      const FilterBlock block = testing::Build(testing::OptionsOf(kind, c.bits_per_key), hashes);
      const FilterView view(block.bytes());
      for (uint64_t i = 0; i < 20000; ++i) {
        const KeyHash hash =
            i % 2 == 0 ? KeyHash{random.Next()} : hashes[random.Below(hashes.size())];
        ASSERT_EQ(view.MayContain(hash), testing::StandaloneMayContain(block.bytes(), hash))
            << ToString(kind) << ", " << c.keys << " keys, " << c.bits_per_key << " bits, hash "
            << hash.value;
      }
    }
  }
}

TEST(FormatTest, ColumnsSurvivePacking) {
  for (unsigned packed = 0; packed < 65536; ++packed) {
    EXPECT_EQ(core::PackColumns(core::UnpackColumns(static_cast<uint16_t>(packed))), packed);
  }
}

}  // namespace format_test
}  // namespace winnow
