// Keys in memory: those of a list, those that are generated, and absent keys that resemble them.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEY_TABLE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEY_TABLE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::bench {

// The one source of chance of a run: the same numbers on every machine for the same seed.
using Random = std::mt19937_64;

// A number below n, which is at least 1.
uint64_t RandomBelow(Random* random, uint64_t n);

// A sequence of keys, in one piece of memory. Reading is safe from several threads.
class KeyTable {
 public:
  void Add(std::string_view key) {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }

  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  uint64_t total_bytes() const { return bytes_.size(); }

  std::string_view operator[](size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<uint64_t> ends_;
};

// The keys of `all` in their order, each one once.
KeyTable DropDuplicates(const KeyTable& all);

// 0 to n - 1 in an order that depends only on n and the seed. n is below 2^32.
std::vector<uint32_t> ShuffledOrder(size_t n, uint64_t seed);

// n numbers below `below`, with repetitions, that depend only on the arguments.
std::vector<uint32_t> RandomPicks(size_t n, size_t below, uint64_t seed);

// The smallest size of a generated key: a number of 8 bytes.
inline constexpr size_t kMinGeneratedKey = 8;

// n keys of `key_size` bytes in ascending order, as db_bench makes them: a number of 8 bytes, most
// significant first, then '0's. The numbers are even.
KeyTable GenerateKeys(size_t n, size_t key_size);

// Absent keys for GenerateKeys(n, key_size): `count` of them with odd numbers between the smallest
// and the largest key, with repetitions. n is at least 2.
KeyTable GenerateAbsentKeys(size_t count, size_t n, size_t key_size, uint64_t seed);

// `count` keys that are not in `present` but nearly: a random key of it with one byte changed, with
// one byte appended, or without its last byte, between the smallest and the largest of `present`.
// New bytes are drawn from the keys themselves. May repeat. `present` has no duplicates. An error
// if it is too small to have such keys.
absl::StatusOr<KeyTable> NearMisses(const KeyTable& present, size_t count, uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEY_TABLE_H_
