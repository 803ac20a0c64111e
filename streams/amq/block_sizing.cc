#include "streams/amq/block_sizing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "streams/amq/block_pattern.h"
#include "streams/amq/plan.h"

namespace winnow::amq {
namespace {

constexpr unsigned kMaxDoubleWords = 5;  // Maximum words of patterns with two bits per word.

// Probability that all bits of a pattern are set, by inclusion-exclusion: a sum over the sets of
// unset positions. Sets that patterns miss with equal probability form one term.
struct Terms {
  struct Term {
    // Two counts in four bits each, for each of a pattern's 8 possible first words: words of the
    // pattern with one of the positions, and words with two of them.
    std::array<uint8_t, 8> overlaps;
    double factor;
    double misses;  // probability that a pattern has one of the positions
  };
  std::array<Term, 256> terms;
  unsigned count = 0;

  const Term* begin() const noexcept { return terms.data(); }
  const Term* end() const noexcept { return terms.data() + count; }
};

Terms MakeTerms(PatternShape shape) noexcept {
  // A word has none, one or two of the positions; two may be equal. In the word with the preset
  // bit, positions on that bit count as none.
  constexpr double kFactors[2][3] = {{1, -1, 0}, {1, -127.0 / 64, 63.0 / 64}};
  constexpr double kFactorsBesideABit[2][3] = {{1, -63.0 / 64, 0},
                                               {1, -63.0 * 127 / 4096, 63.0 * 62 / 4096}};
  const unsigned choices = shape.bits_a_word + 1;
  unsigned sets = 1;
  for (unsigned i = 0; i < shape.words; ++i) sets *= choices;
  Terms made{};
  for (unsigned set = 0; set < sets; ++set) {
    std::array<unsigned, kBlockWords> places{};
    double factor = 1;
    // Factor beside the preset bit, averaged over the position of its word relative to the window.
    double beside_a_bit = 1;
    for (unsigned i = 0, rest = set; i < shape.words; ++i, rest /= choices) {
      places[i] = rest % choices;
      factor *= kFactors[shape.bits_a_word - 1][places[i]];
      const double of_word = kFactorsBesideABit[shape.bits_a_word - 1][places[i]] /
                             kFactors[shape.bits_a_word - 1][places[i]];
      if (shape.has_bit_set) beside_a_bit += (of_word - 1) / kBlockWords;
    }
    factor *= beside_a_bit;
    std::array<uint8_t, 8> overlaps{};
    double q = 0;
    for (unsigned first = 0; first < kBlockWords; ++first) {
      unsigned with_one = 0;
      unsigned with_two = 0;
      for (unsigned i = 0; i < shape.words; ++i) {
        with_one += places[(first + i) % kBlockWords] == 1;
        with_two += places[(first + i) % kBlockWords] == 2;
      }
      overlaps[first] = static_cast<uint8_t>(with_one << 4 | with_two);
      q += std::pow(63.0 / 64, with_one * shape.bits_a_word) *
           std::pow(62.0 / 64, with_two * shape.bits_a_word) / kBlockWords;
    }
    std::sort(overlaps.begin(), overlaps.end());
    const auto same =
        std::find_if(made.terms.begin(), made.terms.begin() + made.count,
                     [&](const Terms::Term& term) { return term.overlaps == overlaps; });
    if (same == made.terms.begin() + made.count) {
      made.terms[made.count++] = {overlaps, factor, 1 - q};
    } else {
      same->factor += factor;
    }
  }
  return made;
}

const Terms& TermsOf(PatternShape shape) noexcept {
  static const std::array<Terms, kBlockWords + 1> single = [] {
    std::array<Terms, kBlockWords + 1> made;
    for (unsigned i = 0; i <= kBlockWords; ++i) made[i] = MakeTerms(i);
    return made;
  }();
  using Pairs = std::array<Terms, kMaxDoubleWords + 1>;
  static const std::array<Pairs, 2> pairs = [] {
    std::array<Pairs, 2> made;
    for (unsigned i = 0; i <= kMaxDoubleWords; ++i) {
      for (const bool has_bit_set : {false, true})
        made[has_bit_set][i] = MakeTerms({i, 2, has_bit_set});
    }
    return made;
  }();
  static const Terms two_beside_a_bit = MakeTerms({2, 1, true});
  if (shape.bits_a_word == 2) return pairs[shape.has_bit_set][shape.words];
  return shape.has_bit_set ? two_beside_a_bit : single[shape.words];
}

// Returns the smallest number of blocks for which meets() is true; `estimate` is close to it.
template <typename Meets>
uint64_t FewestBlocks(double estimate, const Meets& meets) noexcept {
  // The estimate is inexact only for few blocks, and by rounding for many.
  uint64_t low = static_cast<uint64_t>(estimate * 0.999);  // too few blocks, or 0
  if (low > 0 && meets(low)) low = 0;
  uint64_t high = std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(estimate * 1.001)));
  while (!meets(high)) high *= 2;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (meets(middle) ? high : low) = middle;
  }
  return high;
}

// Returns the mean number of patterns per block that set half of the bits, for very many blocks.
double LoadAtHalf(unsigned bits) noexcept { return kBlockBits * std::log(2.0) / bits; }

}  // namespace

double PatternRate(double patterns, double blocks, PatternShape shape) noexcept {
  double sum = 0;
  for (const Terms::Term& term : TermsOf(shape)) {
    sum += term.factor * std::exp(patterns * std::log1p(-term.misses / blocks));
  }
  return std::clamp(sum, 0.0, 1.0);
}

double PatternRateAtLoad(double patterns_per_block, PatternShape shape) noexcept {
  double sum = 0;
  for (const Terms::Term& term : TermsOf(shape)) {
    sum += term.factor * std::exp(-patterns_per_block * term.misses);
  }
  return std::clamp(sum, 0.0, 1.0);
}

double LoadForPatternRate(double rate, PatternShape shape) noexcept {
  double low = 0;
  double high = 4096;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (PatternRateAtLoad(middle, shape) <= rate ? low : high) = middle;
  }
  return low;
}

// Returns the squared coefficient of variation of PatternRate over sets of patterns. A block with L
// patterns has the rate sum f (1 - m)^L over the terms. The numbers of patterns per block are
// multinomial. In addition, L patterns set a varying number of bits in a word.
double RelativeVariance(double patterns, double blocks, double rate, PatternShape shape) noexcept {
  double one_block = 0;   // mean square of a block's rate
  double two_blocks = 0;  // mean product of two blocks' rates
  for (const Terms::Term& a : TermsOf(shape)) {
    for (const Terms::Term& b : TermsOf(shape)) {
      const double factor = a.factor * b.factor;
      const double either = a.misses + b.misses;
      one_block +=
          factor * std::exp(patterns * std::log1p((a.misses * b.misses - either) / blocks));
      // A single block has no pairs.
      if (blocks > 1) two_blocks += factor * std::exp(patterns * std::log1p(-either / blocks));
    }
  }
  const double fill = std::pow(rate, 1.0 / (shape.words * shape.bits_a_word));
  const double empty = 1 - fill;
  const double of_word =
      std::max(0.0, empty - (1 - std::log(empty)) * empty * empty) / (64 * fill * fill);
  one_block *= std::exp(shape.words * std::log1p(of_word));
  const double mean_square = one_block / blocks + two_blocks * (1 - 1 / blocks);
  return std::max(0.0, mean_square / (rate * rate) - 1);
}

double BlockedRate(uint64_t n, const BlockedShape& shape) noexcept {
  const double patterns = static_cast<double>(n) * shape.blocks_per_key;
  const double blocks = static_cast<double>(shape.num_blocks);
  const double rate = PatternRate(patterns, blocks, shape.bits_per_block);
  // The difference is below the rounding error for more blocks.
  const bool varies = shape.blocks_per_key > 1 && rate > 1e-6 && rate < 1 && blocks < 1e5;
  const double variance =
      varies ? RelativeVariance(patterns, blocks, rate, shape.bits_per_block) : 0;
  return std::min(1.0, MeanOfPower(rate, variance, shape.blocks_per_key));
}

uint64_t BlocksForRate(uint64_t n, double rate, unsigned blocks_per_key,
                       unsigned bits_per_block) noexcept {
  const double load = LoadForPatternRate(std::pow(rate, 1.0 / blocks_per_key), bits_per_block);
  const double estimate = static_cast<double>(n) * blocks_per_key / std::max(load, 1e-3);
  return FewestBlocks(estimate, [&](uint64_t blocks) {
    return BlockedRate(n, {blocks, blocks_per_key, bits_per_block}) <= rate;
  });
}

uint64_t BlocksForPatterns(uint64_t n, double rate, PatternShape shape) noexcept {
  const auto patterns = static_cast<double>(n);
  const double estimate = patterns / std::max(LoadForPatternRate(rate, shape), 1e-3);
  return FewestBlocks(estimate, [&](uint64_t blocks) {
    return PatternRate(patterns, static_cast<double>(blocks), shape) <= rate;
  });
}

BlockedShape BlockedBloom::ShapeFor(const Plan& plan) noexcept {
  const Plan valid = NearestValid(plan);
  const double own = OwnRate(valid);
  BlockedShape shape;
  shape.blocks_per_key = static_cast<unsigned>(
      std::clamp(std::round(std::log2(1 / own) / 8), 1.0, 1.0 * kMaxBlocksPerKey));
  const double rate = std::pow(own, 1.0 / shape.blocks_per_key);
  double most_load = 0;
  for (unsigned bits = 1; bits <= kBlockWords; ++bits) {
    const double load = LoadForPatternRate(rate, bits);
    if (load > most_load) {
      most_load = load;
      shape.bits_per_block = bits;
    }
  }
  shape.num_blocks = BlocksForRate(valid.capacity, own, shape.blocks_per_key, shape.bits_per_block);
  return shape;
}

double FirstLookFill(const BlockedShape& shape, double rate) noexcept {
  const double load = std::min(
      LoadAtHalf(shape.bits_per_block),
      LoadForPatternRate(std::pow(rate, 1.0 / shape.blocks_per_key), shape.bits_per_block));
  const double fill = -std::expm1(-load * shape.bits_per_block / kBlockBits);
  // The fill at which the filter reaches its rate is less certain with fewer blocks.
  const double share = 1 - 1 / std::sqrt(static_cast<double>(shape.num_blocks) + 1);
  return RoundedFill(fill * share);
}

double RoundedFill(double fill) noexcept {
  return std::ldexp(std::floor(std::ldexp(fill, 20)), -20);
}

BlockedShape ShapeByFill(uint64_t n, double rate) noexcept {
  BlockedShape shape;
  unsigned fewest = UINT32_MAX;
  for (unsigned blocks = 1; blocks <= kMaxBlocksPerKey; ++blocks) {
    for (unsigned bits = 1; bits <= kBlockWords; ++bits) {
      const double at_half = std::pow(PatternRateAtLoad(LoadAtHalf(bits), bits), blocks);
      if (at_half <= rate && blocks * bits < fewest) {
        fewest = blocks * bits;
        shape.blocks_per_key = blocks;
        shape.bits_per_block = bits;
      }
    }
  }
  if (fewest == UINT32_MAX) {
    shape.blocks_per_key = kMaxBlocksPerKey;
    shape.bits_per_block = kBlockWords;
  }
  const double at_half =
      static_cast<double>(n) * shape.blocks_per_key / LoadAtHalf(shape.bits_per_block);
  shape.num_blocks = std::max(BlocksForRate(n, rate, shape.blocks_per_key, shape.bits_per_block),
                              static_cast<uint64_t>(std::ceil(at_half)));
  return shape;
}

}  // namespace winnow::amq
