// FORMAT.md is true: its tables are those of the code, its vectors are what the builder writes, and
// a reader that is written from its text alone gives the answers of the library.

#include "src/core/format.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "src/core/bloom.h"
#include "tests/random_hashes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow {
namespace {

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

// ---- Vectors

struct Vector {
  FilterKind kind;
  double bits_per_key;
  uint64_t keys;
};
constexpr Vector kVectors[] = {{FilterKind::kBloom, 10, 0},      {FilterKind::kBloom, 10, 1},
                               {FilterKind::kBloom, 9.5, 1000},  {FilterKind::kBloom, 1, 100},
                               {FilterKind::kBloom, 32, 5000},   {FilterKind::kRibbon, 10, 1},
                               {FilterKind::kRibbon, 10, 40},    {FilterKind::kRibbon, 10, 200},
                               {FilterKind::kRibbon, 10, 1000},  {FilterKind::kRibbon, 1, 5000},
                               {FilterKind::kRibbon, 16, 30000}, {FilterKind::kRibbon, 32, 10000},
                               {FilterKind::kRibbon, 10, 300000}};

std::string Describe(const Vector& vector) {
  const FilterBlock block = Build(vector.kind, vector.bits_per_key, vector.keys);
  const FilterView view(block.bytes());
  int passed = 0;
  for (int i = 0; i < 10000; ++i) passed += view.MayContain(HashKey("absent" + std::to_string(i)));
  char line[200];
  std::snprintf(line, sizeof line,
                "    %-6s %4.1f bits %6" PRIu64 " keys %6zu bytes %016" PRIx64 " %4d pass",
                std::string(ToString(vector.kind)).c_str(), vector.bits_per_key, vector.keys,
                block.size, XXH3_64bits(block.data.get(), block.size), passed);
  return line;
}

TEST(FormatTest, VectorsAreWhatTheBuilderWrites) {
  const bool print = std::getenv("WINNOW_PRINT_VECTORS") != nullptr;
  const std::string format = ReadFormat();
  for (const Vector& vector : kVectors) {
    const std::string line = Describe(vector);
    if (print) std::printf("%s\n", line.c_str());
    EXPECT_NE(format.find(line + "\n"), std::string::npos) << line;
  }
}

std::string Hex(std::string_view bytes) {
  std::string hex;
  char digits[3];
  for (const char byte : bytes) {
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    hex += digits;
  }
  return hex;
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

// ---- A reader from the text alone: slow, plain, and with nothing of ours but the two tables.

class ReferenceReader {
 public:
  explicit ReferenceReader(std::string_view block) : block_(block) {
    const size_t tail = block.size() - 32;
    layers_ = Byte(tail + 20);
    directory_ = tail - 5 * layers_;
    const uint64_t columns = Number(tail + 18, 2);
    whole_ = columns / 4096 + 1;
    fraction_ = columns % 4096;
    most_ = whole_ + (fraction_ != 0 ? 1 : 0);
  }

  bool MayContain(uint64_t h) const {
    uint64_t at = 0;
    for (uint64_t layer = 0; layer < layers_; ++layer) {
      const uint64_t type = Byte(directory_ + 5 * layer) & 7;
      const uint64_t parameter = Byte(directory_ + 5 * layer) >> 3;
      const uint64_t count = Number(directory_ + 5 * layer + 1, 4);
      if (type == 4) return Bloom(at, parameter, count, h);
      if (type == 3) return List(at, parameter + 1, count, h);
      if (type == 2) return Sum(at, Position(h, 64 * count - 47), 0, count, most_, most_, 0, h);
      if (type == 1) {
        const uint64_t shards = uint64_t{1} << parameter;
        const uint64_t start = Position(h, shards * count * 128);
        const uint64_t blocks = shards * (2 * count + 1);
        const uint64_t wide = (blocks * fraction_ + 2048) / 4096;
        const uint64_t words = 8 * (blocks * whole_ + wide);
        const uint64_t bucket = start / 128;
        const uint64_t offset = start % 128;
        const uint64_t bump_class = offset < 16 ? 2 : offset < 36 ? 1 : 0;
        const uint64_t threshold = Byte(at + words + bucket / 4) >> (2 * (bucket % 4)) & 3;
        if (bump_class < threshold) {
          const uint64_t shard = parameter == 0 ? 0 : h >> (64 - parameter);
          const uint64_t block = start / 64 + shard;
          const uint64_t columns = whole_ + (block >= blocks - wide ? 1 : 0);
          return Sum(at, start, shard, blocks, whole_, columns, blocks - wide, h);
        }
        at += words + (shards * count + 3) / 4;
        h *= 0xa0761d6478bd642f;
        h ^= h >> 32;
        continue;
      }
      return false;
    }
    return false;
  }

 private:
  uint64_t Byte(uint64_t at) const { return static_cast<unsigned char>(block_.at(at)); }
  uint64_t Number(uint64_t at, unsigned bytes) const {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= Byte(at + i) << (8 * i);
    return value;
  }
  static uint64_t Position(uint64_t h, uint64_t n) { return ((h >> 32) * n) >> 32; }
  static uint64_t Fingerprint(uint64_t h, uint64_t bits) {
    return ((h ^ h >> 31) * 0xd6e8feb86659fd93) >> (64 - bits);
  }

  bool Bloom(uint64_t at, uint64_t probes, uint64_t count, uint64_t h) const {
    const uint64_t block = at + 64 * Position(h, count);
    const uint64_t x = h & 0xffffffff;
    const uint64_t pattern = core::BloomPatterns(static_cast<unsigned>(probes))[(x >> 4) & 15];
    for (uint64_t w = 0; w < 16; ++w) {
      if ((pattern >> ((w + 16 - (x & 15)) % 16) & 1) == 0) continue;
      const uint64_t bit = ((x * simd::kBloomSalts[w]) & 0xffffffff) >> 27;
      if ((Number(block + 4 * w, 4) >> bit & 1) == 0) return false;
    }
    return true;
  }

  bool List(uint64_t at, uint64_t bits, uint64_t count, uint64_t h) const {
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t value = 0;
      for (uint64_t j = 0; j < bits; ++j) {
        const uint64_t bit = i * bits + j;
        value |= (Byte(at + bit / 8) >> (bit % 8) & 1) << j;
      }
      if (value == Fingerprint(h, bits)) return true;
    }
    return false;
  }

  // Slot by slot.
  bool Sum(uint64_t at, uint64_t start, uint64_t shard, uint64_t blocks, uint64_t whole,
           uint64_t columns, uint64_t split, uint64_t h) const {
    const uint64_t coefficient = ((h * 0x9e3779b97f4a7c15) >> 16) | 1;
    for (uint64_t j = 0; j < columns; ++j) {
      uint64_t sum = 0;
      for (uint64_t i = 0; i < 48; ++i) {
        if ((coefficient >> i & 1) == 0) continue;
        const uint64_t slot = start + i;
        const uint64_t block = slot / 64 + shard;
        EXPECT_LT(block, blocks);
        const uint64_t wide_before = whole == most_ || block < split ? 0 : block - split;
        sum ^= Byte(at + 8 * (block * whole + wide_before + j) + slot % 64 / 8) >> (slot % 8) & 1;
      }
      if (sum != (Fingerprint(h, most_) >> j & 1)) return false;
    }
    return true;
  }

  std::string_view block_;
  uint64_t layers_;
  uint64_t directory_;
  uint64_t whole_;
  uint64_t fraction_;
  uint64_t most_;
};

TEST(FormatTest, AReaderWrittenFromTheTextAgrees) {
  testing::RandomHashes random(testing::TestSeed());
  for (const Vector& vector : kVectors) {
    if (vector.keys == 0) continue;
    const FilterBlock block = Build(vector.kind, vector.bits_per_key, vector.keys);
    const FilterView view(block.bytes());
    const ReferenceReader reference(block.bytes());
    for (uint64_t i = 0; i < 20000; ++i) {
      const KeyHash hash = i % 2 == 0 ? KeyHash{random.Next()}
                                      : HashKey("key" + std::to_string(random.Below(vector.keys)));
      ASSERT_EQ(view.MayContain(hash), reference.MayContain(hash.value))
          << vector.keys << " keys, " << vector.bits_per_key << " bits, hash " << hash.value;
    }
  }
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

}  // namespace
}  // namespace winnow
