// One thread's way to look keys up: get, MultiGet, seek.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_READERS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_READERS_H_

#include <absl/status/status.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/lookups/asked_keys.h"

namespace winnow::bench {

// For one thread. What it was made of outlives it.
class Reader {
 public:
  virtual ~Reader() = default;

  // One call of RocksDB's for `n` keys, at most KeysOfCall. An error if a key is not what it has to
  // be.
  virtual absl::Status Read(const Asked* asked, size_t n) = 0;

  uint64_t found() const { return found_; }                // keys that were there
  uint64_t value_bytes() const { return value_bytes_; }    // of these
  bool last_was_empty() const { return last_was_empty_; }  // of a seek: nothing with its prefix

 protected:
  uint64_t found_ = 0;
  uint64_t value_bytes_ = 0;
  bool last_was_empty_ = false;
};

std::unique_ptr<Reader> MakeReader(rocksdb::DB* db, const Lookups& lookups);

// How many keys a call asks for, but for the last one of a pass.
uint64_t KeysOfCall(const Lookups& lookups);

// The keys of some calls, made ahead, so that making them is no part of what is measured.
class PreparedCalls {
 public:
  // Room for so many calls. `lookups` outlives it.
  PreparedCalls(const Lookups& lookups, size_t most)
      : lookups_(lookups),
        step_(KeysOfCall(lookups)),
        sizes_(most),
        asked_(most * step_),
        rooms_(most * step_) {}

  void Clear() { size_ = 0; }

  // The keys of the call with this number of those for the first n lookups. There is room.
  void Add(uint64_t call, uint64_t n);

  struct Call {
    const Asked* asked;
    size_t size;
  };
  size_t size() const { return size_; }
  Call operator[](size_t i) const { return {&asked_[i * step_], sizes_[i]}; }

 private:
  const Lookups& lookups_;
  const uint64_t step_;
  size_t size_ = 0;
  std::vector<size_t> sizes_;
  std::vector<Asked> asked_;
  std::vector<std::string> rooms_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_READERS_H_
