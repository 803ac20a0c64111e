// Pseudorandom permutation of numbers, for the order of writes and the location of hot keys.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_ORDER_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_ORDER_H_

#include <cstdint>

namespace winnow::bench {

// Pseudorandom permutation of 0 to n - 1 without tables; determined by n and the seed. n is at
// least 1 and at most 2^62. Thread-safe.
//
// Uses a Feistel network over the smallest even number of bits that n fits into, with cycle walking
// until the result is below n (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
class WriteOrder {
 public:
  WriteOrder(uint64_t n, uint64_t seed);

  // Returns the number at this position, which must be below n.
  uint64_t operator[](uint64_t position) const;

 private:
  uint64_t Step(uint64_t x) const;

  uint64_t n_;
  int half_bits_ = 1;
  uint64_t seed_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_ORDER_H_
