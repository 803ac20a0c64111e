// Keys as db_bench generates them, computed from their numbers.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_GENERATED_KEYS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_GENERATED_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "db_bench_ext/read_amplification/keys/key_set.h"

namespace winnow::bench {

// Minimum size of a generated key: a number of 8 bytes.
inline constexpr size_t kMinGeneratedKey = 8;

// Sets *key to the key of a number: 8 bytes, big-endian, padded with '0' to key_size.
void MakeNumberedKey(uint64_t number, size_t key_size, std::string* key);

// Returns the number at the beginning of a key; missing bytes count as zero.
uint64_t NumberInKey(std::string_view key);

// Keys of every second number, in ascending order: 8 bytes, big-endian, padded with '0' to the key
// size.
class GeneratedKeys : public KeySet {
 public:
  // n keys of `key_size` bytes, with even numbers from 0 on. n is at most 2^62.
  GeneratedKeys(uint64_t n, size_t key_size) : GeneratedKeys(n, key_size, 0) {}

  // Returns keys that GeneratedKeys(n, key_size) does not have: all n - 1 keys with odd numbers
  // between its smallest and largest key. n is at least 1.
  static GeneratedKeys Absent(uint64_t n, size_t key_size) { return {n - 1, key_size, 1}; }

  // Returns the number of the greatest key that is less than or equal to `key`.
  static uint64_t NumberOf(std::string_view key);

  uint64_t size() const override { return n_; }
  uint64_t total_bytes() const override { return n_ * key_size_; }
  std::string_view Get(uint64_t i, std::string* room) const override;

 private:
  GeneratedKeys(uint64_t n, size_t key_size, uint64_t first)
      : n_(n), key_size_(key_size), first_(first) {}

  uint64_t n_;
  size_t key_size_;
  uint64_t first_;
};

// Keys of db_bench's readmissing: those of a set with an additional '0' at the end.
class LongerKeys : public KeySet {
 public:
  explicit LongerKeys(std::shared_ptr<const KeySet> keys) : keys_(std::move(keys)) {}

  uint64_t size() const override { return keys_->size(); }
  uint64_t total_bytes() const override { return keys_->total_bytes() + keys_->size(); }
  std::string_view Get(uint64_t i, std::string* room) const override;

 private:
  std::shared_ptr<const KeySet> keys_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_GENERATED_KEYS_H_
