#include "src/core/counted_rate.h"

#include "src/core/bloom.h"
#include "src/simd/kernels.h"

namespace winnow::core {
namespace {

constexpr unsigned kWords = 16;
constexpr unsigned kWordBytes = simd::kBloomBlockBytes / kWords;
constexpr double kWordBits = 8 * kWordBytes;

// Words of each pattern, ascending.
struct PatternWords {
  unsigned char of[simd::kBloomPatterns][simd::kBloomMaxProbes];

  explicit PatternWords(unsigned probes) noexcept {
    const uint16_t* const patterns = BloomPatterns(probes);
    for (unsigned pattern = 0; pattern < simd::kBloomPatterns; ++pattern) {
      unsigned found = 0;
      for (unsigned word = 0; word < kWords; ++word) {
        if ((patterns[pattern] >> word & 1) != 0) {
          of[pattern][found++] = static_cast<unsigned char>(word);
        }
      }
    }
  }
};

}  // namespace

double CountBloomRate(const unsigned char* blocks, uint32_t num_blocks, unsigned probes) noexcept {
  const PatternWords patterns(probes);
  double sum = 0;
  for (uint64_t block = 0; block < num_blocks; ++block) {
    const unsigned char* bytes = blocks + block * simd::kBloomBlockBytes;
    double shares[2 * kWords];  // repeated, so that a rotated pattern does not wrap
    for (unsigned word = 0; word < kWords; ++word) {
      int bits = 0;
      for (unsigned i = 0; i < kWordBytes; ++i) bits += __builtin_popcount(*bytes++);
      shares[word] = shares[kWords + word] = bits / kWordBits;
    }
    double of_rotation[kWords] = {};
    for (const auto& words : patterns.of) {
      double passes[kWords];
      for (unsigned turn = 0; turn < kWords; ++turn) passes[turn] = shares[words[0] + turn];
      for (unsigned i = 1; i < probes; ++i) {
        for (unsigned turn = 0; turn < kWords; ++turn) passes[turn] *= shares[words[i] + turn];
      }
      for (unsigned turn = 0; turn < kWords; ++turn) of_rotation[turn] += passes[turn];
    }
    for (const double of_turn : of_rotation) sum += of_turn;
  }
  return sum / simd::kBloomWordSets / num_blocks;
}

}  // namespace winnow::core
