// What is written in a run, in order, by numbers of keys.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_SEQUENCE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_SEQUENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/write_order.h"

namespace winnow::bench {

enum class WriteKind {
  kInOrder,  // every key once, from number 0 on
  kOnce,     // every key once, in an order that looks random
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
  // Of keys numbered from 0 to keys - 1, of which there is at least one.
  WriteSequence(uint64_t keys, uint64_t seed, std::vector<WriteStep> steps);

  // Every key once, in an order that looks random.
  static WriteSequence Once(uint64_t keys, uint64_t seed);

  uint64_t keys() const { return keys_; }
  uint64_t size() const { return size_; }  // writes

  // The number of the key that is written at this position, below size().
  uint64_t operator[](uint64_t position) const;

  // After how many writes all files are merged into one level: ascending, from 1 to size().
  const std::vector<uint64_t>& compactions() const { return compactions_; }

  // Whether every key is written exactly once.
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
  std::vector<Part> parts_;  // without compactions
  std::vector<uint64_t> compactions_;
};

// Which keys a sequence writes. A bit a key, unless it is all of them. Safe from several threads.
class WrittenKeys {
 public:
  explicit WrittenKeys(const WriteSequence& sequence);

  bool Has(uint64_t key) const { return all_ || written_[key]; }
  uint64_t count() const { return count_; }

 private:
  bool all_ = false;
  uint64_t count_ = 0;
  std::vector<bool> written_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_WRITE_SEQUENCE_H_
