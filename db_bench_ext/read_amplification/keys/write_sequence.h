// Sequence of what is written in a run, by numbers of keys.

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
  kInOrder,  // every key once, from number 0 on
  kOnce,     // every key once, in an order that looks random
  kInTime,   // every key once, ascending but for a random order within each fiftieth of them
  kDrawn,    // keys drawn with replacement, all alike
  kCompact,  // no key; all files are merged into one level
};

struct WriteStep {
  WriteKind kind = WriteKind::kOnce;
  uint64_t draws = 0;  // of kDrawn; 0: as many as there are keys
};

// The same for the same arguments. Takes no memory for the keys. Safe from several threads.
class WriteSequence {
 public:
  // Writes of keys numbered from 0 to keys - 1, of which there is at least one.
  WriteSequence(uint64_t keys, uint64_t seed, std::vector<WriteStep> steps);

  // Every key once, in an order that looks random.
  static WriteSequence Once(uint64_t keys, uint64_t seed);

  uint64_t keys() const { return keys_; }
  uint64_t size() const { return size_; }  // writes

  // The number of the key that is written at this position, below size().
  uint64_t operator[](uint64_t position) const;

  // After how many writes all files are merged into one level: ascending, from 1 to size().
  const std::vector<uint64_t>& compactions() const { return compactions_; }

  // Returns whether every key is written exactly once.
  bool EachOnce() const;

 private:
  struct Part {
    WriteKind kind;
    uint64_t begin;  // position of its first write
    uint64_t seed;
  };

  uint64_t keys_;
  uint64_t size_ = 0;
  WriteOrder order_;
  WriteOrder in_time_;       // of each part of the keys but the last
  std::vector<Part> parts_;  // without compactions
  std::vector<uint64_t> compactions_;
};

// Which keys a sequence writes. About a bit a key, unless it is all of them. Safe from several
// threads.
class WrittenKeys {
 public:
  explicit WrittenKeys(const WriteSequence& sequence);

  // The same, but asks now and then whether to go on, with the number of writes looked at; an error
  // if not.
  static absl::StatusOr<WrittenKeys> Of(const WriteSequence& sequence,
                                        absl::FunctionRef<bool(uint64_t looked_at)> go_on);

  bool Has(uint64_t key) const { return all_ || (bits_[key / 64] >> (key % 64) & 1) != 0; }
  uint64_t count() const { return count_; }

  // The number of the nth of them in ascending order, n being below count().
  uint64_t Nth(uint64_t n) const;

 private:
  WrittenKeys() = default;

  absl::Status Fill(const WriteSequence& sequence, absl::FunctionRef<bool(uint64_t)> go_on);

  bool all_ = false;
  uint64_t count_ = 0;
  std::vector<uint64_t> bits_;
  std::vector<uint64_t> before_;  // by block of words: how many keys were written before it
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_SEQUENCE_H_
