// Pseudorandom numbers that depend only on the seed, on every machine.

#ifndef WINNOW_SRC_BASE_RANDOM_H_
#define WINNOW_SRC_BASE_RANDOM_H_

#include <cstdint>

namespace winnow::bench {

// Finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// 2014), including its step: each input bit flips half of the output bits.
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// SplitMix64, the only random generator of a run. Starting a sequence is free, so each lookup of a
// workload can have its own sequence instead of being stored.
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

// Returns the sequence for one of many positions that share a seed.
inline Random RandomAt(uint64_t seed, uint64_t position) {
  return Random(Mix(seed ^ Mix(position)));
}

// Returns a number in [0, n). n must be at least 1.
inline uint64_t RandomBelow(Random* random, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>((*random)()) * n) >> 64);
}

}  // namespace winnow::bench

#endif  // WINNOW_SRC_BASE_RANDOM_H_
