// Sequence of the writes of a run, by numbers of keys.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_SEQUENCE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_SEQUENCE_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

#include "db_bench_ext/read_amplification/keys/write_order.h"

namespace winnow::bench {

enum class WriteKind {
  kInOrder,  // every key once, in ascending order
  kOnce,     // every key once, in pseudorandom order
  kInTime,   // every key once, ascending but in random order within each fiftieth
  kDrawn,    // uniformly drawn keys, with replacement
  kCompact,  // no keys; all files are compacted into one level
};

struct WriteStep {
  WriteKind kind = WriteKind::kOnce;
  uint64_t draws = 0;  // number of draws, kDrawn only; 0: the number of keys
};

// Deterministic for given arguments. Takes no memory for the keys. Thread-safe.
class WriteSequence {
 public:
  // Writes keys numbered from 0 to keys - 1; `keys` must be at least 1.
  WriteSequence(uint64_t keys, uint64_t seed, std::vector<WriteStep> steps);

  // Returns the sequence of every key once, in pseudorandom order.
  static WriteSequence Once(uint64_t keys, uint64_t seed);

  uint64_t keys() const { return keys_; }
  uint64_t size() const { return size_; }  // number of writes

  // Returns the number of the key written at this position, below size().
  uint64_t operator[](uint64_t position) const;

  // Numbers of writes after which all files are compacted into one level: ascending, from 1 to
  // size().
  const std::vector<uint64_t>& compactions() const { return compactions_; }

  // Returns whether every key is written exactly once.
  bool EachOnce() const;

 private:
  struct Part {
    WriteKind kind;
    uint64_t begin;  // position of the part's first write
    uint64_t seed;
  };

  uint64_t keys_;
  uint64_t size_ = 0;
  WriteOrder order_;
  WriteOrder in_time_;       // order within each part of the keys except the last
  std::vector<Part> parts_;  // compactions are not included
  std::vector<uint64_t> compactions_;
};

// Set of the keys that a sequence writes. Takes about one bit per key, or nothing if all keys are
// written. Thread-safe.
class WrittenKeys {
 public:
  explicit WrittenKeys(const WriteSequence& sequence);

  // Builds the set, calling go_on(looked_at) occasionally with the number of examined writes;
  // returns an error if it returns false.
  static absl::StatusOr<WrittenKeys> Of(const WriteSequence& sequence,
                                        absl::FunctionRef<bool(uint64_t looked_at)> go_on);

  bool Has(uint64_t key) const { return all_ || (bits_[key / 64] >> (key % 64) & 1) != 0; }
  uint64_t count() const { return count_; }

  // Returns the number of the nth written key in ascending order; n must be below count().
  uint64_t Nth(uint64_t n) const;

 private:
  WrittenKeys() = default;

  absl::Status Fill(const WriteSequence& sequence, absl::FunctionRef<bool(uint64_t)> go_on);

  bool all_ = false;
  uint64_t count_ = 0;
  std::vector<uint64_t> bits_;
  std::vector<uint64_t> before_;  // number of written keys before each block of words
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_SEQUENCE_H_
