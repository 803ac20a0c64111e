// Absent keys that resemble present ones.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_NEAR_MISSES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_NEAR_MISSES_H_

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_table.h"

namespace winnow::bench {

// Absent keys that are similar to the keys of a table: a random key with one byte changed, with one
// byte appended, or without its last byte, between the smallest and the largest key. New bytes are
// drawn from the keys. Keys may repeat. Each key takes two bytes of memory, regardless of its size.
class NearMisses : public KeySet {
 public:
  // Finds `count` keys. `present` must not have duplicates. Temporarily takes memory for a set of
  // `present`. Calls go_on(found) occasionally; returns an error if it returns false, or if the
  // table is too small for such keys.
  static absl::StatusOr<NearMisses> Of(
      std::shared_ptr<const KeyTable> present, uint64_t count, uint64_t seed,
      absl::FunctionRef<bool(uint64_t found)> go_on = [](uint64_t) { return true; });

  uint64_t size() const override { return attempts_.size(); }
  uint64_t total_bytes() const override { return total_bytes_; }
  std::string_view Get(uint64_t i, std::string* room) const override;

 private:
  NearMisses(std::shared_ptr<const KeyTable> present, uint64_t seed)
      : present_(std::move(present)), seed_(seed) {}

  std::shared_ptr<const KeyTable> present_;
  uint64_t seed_;
  std::vector<uint16_t> attempts_;  // per key, rejected changes: present keys or out of range
  uint64_t total_bytes_ = 0;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_NEAR_MISSES_H_
