// Tests of FORMAT.md: its tables match the code, and a reader written from its text alone returns
// the library's answers. golden_blocks_test tests the golden blocks.

#include "src/core/format.h"

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "src/core/bloom.h"
#include "tests/core/filter_testing.h"
#include "tests/core/golden_blocks.h"
#include "tests/support/hex.h"
#include "tests/support/matches.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow {
namespace format_test {

using testing::Hex;

std::string ReadFormat() {
  std::ifstream file(WINNOW_FORMAT_MD);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

FilterBlock Build(FilterKind kind, double bits_per_key, uint64_t keys) {
  FilterOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  FilterBuilder builder(options);
  for (uint64_t i = 0; i < keys; ++i) builder.Add(HashKey("key" + std::to_string(i)));
  return builder.Finish();
}

TEST(FormatTest, WholeBlockInHexIsWhatTheBuilderWrites) {
  const std::string hex = Hex(Build(FilterKind::kRibbon, 10, 3).bytes());
  if (std::getenv("WINNOW_PRINT_VECTORS") != nullptr) std::printf("    %s\n", hex.c_str());
  EXPECT_NE(ReadFormat().find(hex + "\n"), std::string::npos) << hex;
}

TEST(FormatTest, TablesAreThoseOfTheCode) {
  const std::string format = ReadFormat();
  for (unsigned row = 0; row < 2; ++row) {
    std::string line = "   ";
    char word[16];
    for (unsigned i = 0; i < 8; ++i) {
      std::snprintf(word, sizeof word, " %08x", simd::kBloomSalts[row * 8 + i]);
      line += word;
    }
    EXPECT_NE(format.find(line + "\n"), std::string::npos) << line;
  }
  for (unsigned probes = 1; probes <= simd::kBloomMaxProbes; ++probes) {
    char word[16];
    std::snprintf(word, sizeof word, "    %2u ", probes);
    std::string line = word;
    for (unsigned i = 0; i < simd::kBloomPatterns; ++i) {
      std::snprintf(word, sizeof word, " %04x", core::BloomPatterns(probes)[i]);
      line += word;
    }
    EXPECT_NE(format.find(line + "\n"), std::string::npos) << line;
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
      const FilterBlock block = Build(kind, c.bits_per_key, c.keys);
      const FilterView view(block.bytes());
      for (uint64_t i = 0; i < 20000; ++i) {
        const KeyHash hash = i % 2 == 0 ? KeyHash{random.Next()}
                                        : HashKey("key" + std::to_string(random.Below(c.keys)));
        ASSERT_EQ(view.MayContain(hash), testing::StandaloneMayContain(block.bytes(), hash))
            << ToString(kind) << ", " << c.keys << " keys, " << c.bits_per_key << " bits, hash "
            << hash.value;
      }
    }
  }
}

// Compares the text about golden blocks with their folder.
TEST(FormatTest, TheGoldenBlocksLieWhereItSaysInTheFormThatItSays) {
  const std::string format = ReadFormat();
  const std::string part = format.substr(format.find("\n## Golden blocks\n"));
  std::ifstream answers(WINNOW_GOLDEN_BLOCKS "/answers.txt");
  std::string heading;
  while (std::getline(answers, heading) && heading.rfind("# NAME ", 0) != 0) {
  }
  ASSERT_FALSE(heading.empty()) << "answers.txt has no heading";
  EXPECT_NE(part.find("\n    " + heading.substr(2) + "\n"), std::string::npos) << heading;
  EXPECT_NE(heading.find(" absent" + std::to_string(testing::kGoldenAbsent - 1) + " "),
            std::string::npos);
  const std::regex quoted("`([^`\n]+)`");
  int files = 0;
  for (const std::string& name : testing::AllMatches(part, quoted, 1)) {
    if (name.rfind("absent", 0) == 0) ADD_FAILURE() << name << " is in the heading alone";
    if (name.find_first_of("./") == std::string::npos || name == ".block") continue;
    ++files;
    const auto exists = [&](const std::string& folder) {
      return std::filesystem::exists(folder + "/" + name);
    };
    EXPECT_TRUE(exists(WINNOW_SOURCE_DIR) || exists(WINNOW_GOLDEN_BLOCKS)) << name;
  }
  EXPECT_GE(files, 3);
  // The definition is that of golden_blocks.cc, by which all readers are tested.
  EXPECT_NE(part.find("number i is BASE + i · STRIDE, both in hexadecimal"), std::string::npos);
  testing::GoldenBlock block;
  block.keys = 3;
  block.are_hashes = true;
  block.base = UINT64_MAX;
  block.stride = 0x10;
  EXPECT_EQ(block.KeyHashes().back().value, 0x1fu);
}

// ---- Fields

TEST(FormatTest, MarkerIsFarFromTheBuiltInKinds) {
  const FilterBlock block = Build(FilterKind::kBloom, 10, 1);
  const auto marker = static_cast<signed char>(block.bytes()[block.size - 5]);
  EXPECT_EQ(marker, -87);
}

TEST(FormatTest, TailHoldsWhatTheFilterWasBuiltFor) {
  FilterOptions options;
  options.level = 5;
  options.bits_per_key = 10;
  options.kind = FilterKind::kRibbon;
  FilterBuilder builder(options);
  testing::RandomHashes random(1);
  const std::vector<KeyHash> hashes = random.Take(5000);
  builder.Add(hashes.data(), hashes.size());
  const FilterBlock block = builder.Finish();
  const FilterInfo info = FilterView(block.bytes()).info();
  EXPECT_EQ(info.level, 5);
  EXPECT_EQ(info.num_hashes, 5000u);
  EXPECT_EQ(info.size_bytes, block.size);
  EXPECT_NEAR(info.target_fpr, 0.00962, 0.00001);
  EXPECT_NEAR(info.columns, 6.768, 0.001);
  EXPECT_GE(info.layers, 2);
}

TEST(FormatTest, ColumnsSurvivePacking) {
  for (unsigned packed = 0; packed < 65536; ++packed) {
    EXPECT_EQ(core::PackColumns(core::UnpackColumns(static_cast<uint16_t>(packed))), packed);
  }
}

}  // namespace format_test
}  // namespace winnow
