// Positions of a key in m bits or counters, by enhanced double hashing.

#ifndef WINNOW_STREAMS_AMQ_DOUBLE_HASHING_H_
#define WINNOW_STREAMS_AMQ_DOUBLE_HASHING_H_

#include <cstdint>

#include "streams/amq/mix.h"

namespace winnow::amq {

// Enhanced double hashing, g_i = h1 + i h2 + c (i^3 - i) / 6, for i = 0, 1, … in turn. The cubic
// term keeps the positions of a key apart if h2 is close to a simple fraction of 2^64, and keeps
// the sequence of one key from being the shifted or reversed sequence of another. c is large, since
// Reduce() uses the high bits, in which c = 1 would have no effect.
class DoubleHashing {
 public:
  explicit DoubleHashing(uint64_t hash) noexcept
      : position_(HashBits(hash, 0)), step_(HashBits(hash, 1)) {}

  // Returns the next position, from 0 to m - 1.
  uint64_t Next(uint64_t m) noexcept {
    const uint64_t position = Reduce(position_, m);
    position_ += step_;
    increment_ += kGolden;
    step_ += increment_;
    return position;
  }

 private:
  uint64_t position_;
  uint64_t step_;
  uint64_t increment_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_DOUBLE_HASHING_H_
