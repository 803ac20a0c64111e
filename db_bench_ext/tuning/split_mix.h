// Seeded random numbers that are the same on every machine.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_SPLIT_MIX_H_
#define WINNOW_DB_BENCH_EXT_TUNING_SPLIT_MIX_H_

#include <cstdint>

namespace winnow::bench {

// SplitMix64 (Steele, Lea, Flood, 2014): good enough to stand for hashes.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

 private:
  uint64_t state_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_SPLIT_MIX_H_
