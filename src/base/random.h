// Chance that is the same on every machine for the same seed.

#ifndef WINNOW_SRC_BASE_RANDOM_H_
#define WINNOW_SRC_BASE_RANDOM_H_

#include <cstdint>

namespace winnow::bench {

// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014), after its step: every bit of the input changes half of the output's.
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// SplitMix64, the one source of chance of a run: to begin a sequence costs nothing, so that each
// lookup of a workload can have its own and need not be kept in memory.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t operator()() {
    const uint64_t number = Mix(state_);
    state_ += 0x9e3779b97f4a7c15;
    return number;
  }

 private:
  uint64_t state_;
};

// The sequence of one position of many that share a seed.
inline Random RandomAt(uint64_t seed, uint64_t position) {
  return Random(Mix(seed ^ Mix(position)));
}

// A number below n, which is at least 1.
inline uint64_t RandomBelow(Random* random, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>((*random)()) * n) >> 64);
}

}  // namespace winnow::bench

#endif  // WINNOW_SRC_BASE_RANDOM_H_
