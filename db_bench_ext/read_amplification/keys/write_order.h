// Numbers in an order that looks random: in which keys are written, and where hot ones lie.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_ORDER_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_ORDER_H_

#include <cstdint>

namespace winnow::bench {

// A random-looking order of 0 to n - 1 that takes no memory: each number comes once, and where it
// comes depends only on n and the seed. n is at least 1 and at most 2^62. Safe from several
// threads.
//
// A Feistel network over the smallest even number of bits that n fits into, walked along its cycle
// until it gives a number below n (Black and Rogaway, "Ciphers with Arbitrary Finite Domains",
// 2002).
class WriteOrder {
 public:
  WriteOrder(uint64_t n, uint64_t seed);

  // The number at this position, which is below n.
  uint64_t operator[](uint64_t position) const;

 private:
  uint64_t Step(uint64_t x) const;

  uint64_t n_;
  int half_bits_ = 1;
  uint64_t seed_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_ORDER_H_
