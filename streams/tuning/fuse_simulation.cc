#include "streams/tuning/fuse_simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace winnow::bench {
namespace {

using amq::FuseShape;

// Slots of one filter, each with the XOR of its keys' indices and their number.
template <unsigned kArity>
class Peeling {
 public:
  bool Place(const FuseShape& shape, uint64_t keys, std::mt19937_64* random) {
    const uint64_t segment = uint64_t{1} << shape.segment_bits;
    const uint64_t starts = shape.segments - (kArity - 1);
    sums_.assign(shape.segments * segment, 0);
    counts_.assign(shape.segments * segment, 0);
    // Keys are ordered by the segment of their first slot, for locality of memory accesses.
    keys_of_.assign(starts, 0);
    for (uint64_t i = 0; i < keys; ++i) ++keys_of_[((*random)() >> 32) * starts >> 32];
    slots_.clear();
    for (uint64_t first = 0; first < starts; ++first) {
      for (uint32_t i = 0; i < keys_of_[first]; ++i) Put(first, segment, (*random)(), (*random)());
    }
    return TakeAll() == keys;
  }

 private:
  void Put(uint64_t first, uint64_t segment, uint64_t random, uint64_t more_random) {
    const auto key = static_cast<uint32_t>(slots_.size());
    std::array<uint32_t, kArity> slots{};
    for (unsigned i = 0; i < kArity; ++i) {
      const uint64_t bits = (i < 2 ? random : more_random) >> i % 2 * 32;
      slots[i] = static_cast<uint32_t>((first + i) * segment + (bits & (segment - 1)));
      sums_[slots[i]] ^= key;
      ++counts_[slots[i]];
    }
    slots_.push_back(slots);
  }

  // Peels the filter and returns the number of removed keys.
  uint64_t TakeAll() {
    uint64_t taken = 0;
    for (uint32_t slot = 0; slot < counts_.size(); ++slot) {
      if (counts_[slot] == 1) waiting_.push_back(slot);
      while (!waiting_.empty()) {
        const uint32_t alone = waiting_.back();
        waiting_.pop_back();
        if (counts_[alone] != 1) continue;
        ++taken;
        const uint32_t key = sums_[alone];
        for (const uint32_t other : slots_[key]) {
          sums_[other] ^= key;
          if (--counts_[other] == 1) waiting_.push_back(other);
        }
      }
    }
    return taken;
  }

  std::vector<uint32_t> sums_;
  std::vector<uint32_t> counts_;
  std::vector<uint32_t> keys_of_;
  std::vector<uint32_t> waiting_;
  std::vector<std::array<uint32_t, kArity>> slots_;
};

template <unsigned kArity>
double Simulate(const FuseShape& shape, uint64_t keys, unsigned tries, uint64_t seed) {
  std::mt19937_64 random(seed);
  Peeling<kArity> peeling;
  unsigned failed = 0;
  for (unsigned i = 0; i < tries; ++i) failed += !peeling.Place(shape, keys, &random);
  return static_cast<double>(failed) / tries;
}

}  // namespace

FuseShape PublishedShapeOfFuse(uint64_t keys, unsigned arity) {
  const double n = static_cast<double>(std::max<uint64_t>(keys, 2));
  const bool three = arity == 3;
  const double bits =
      three ? std::log(n) / std::log(3.33) + 2.25 : std::log(n) / std::log(2.91) - 0.5;
  const double slots_a_key = three ? std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(n))
                                   : std::max(1.075, 0.77 + 0.305 * std::log(6e5) / std::log(n));
  FuseShape shape;
  shape.segment_bits = static_cast<unsigned>(std::clamp(std::floor(bits), 1.0, 18.0));
  const double segments =
      std::ceil(std::ldexp(n * slots_a_key, -static_cast<int>(shape.segment_bits)));
  shape.segments = std::max<uint64_t>(static_cast<uint64_t>(segments), arity);
  return shape;
}

uint64_t MostKeysInTheSlotsOf(uint64_t keys, unsigned arity, FuseSizing sizing) {
  const FuseShape shape = sizing(keys, arity);
  uint64_t low = keys;
  uint64_t high = shape.segments << shape.segment_bits;
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    const FuseShape there = sizing(middle, arity);
    const bool same = there.segment_bits == shape.segment_bits && there.segments == shape.segments;
    if (same) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

double SimulateFuse(const FuseShape& shape, unsigned arity, uint64_t keys, unsigned tries,
                    uint64_t seed) {
  return arity == 3 ? Simulate<3>(shape, keys, tries, seed) : Simulate<4>(shape, keys, tries, seed);
}

}  // namespace winnow::bench
