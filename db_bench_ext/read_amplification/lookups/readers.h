// Lookups of one thread: get, MultiGet, seek and scan.

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

// Not thread-safe. The constructor's arguments must outlive it.
class Reader {
 public:
  virtual ~Reader() = default;

  // Makes one RocksDB call for `n` keys, at most KeysOfCall(). Returns an error if a lookup does
  // not have its expected result.
  virtual absl::Status Read(const Asked* asked, size_t n) = 0;

  uint64_t found() const { return found_; }              // number of keys found
  uint64_t value_bytes() const { return value_bytes_; }  // total of their values
  // True if the last seek found no key with its prefix.
  bool last_was_empty() const { return last_was_empty_; }

 protected:
  uint64_t found_ = 0;
  uint64_t value_bytes_ = 0;
  bool last_was_empty_ = false;
};

std::unique_ptr<Reader> MakeReader(rocksdb::DB* db, const Lookups& lookups);

// Returns the number of keys per call, except for the last call of a pass.
uint64_t KeysOfCall(const Lookups& lookups);

// Keys of some calls, generated ahead, so that their generation is not measured.
class PreparedCalls {
 public:
  // Reserves room for `most` calls. `lookups` must outlive it.
  PreparedCalls(const Lookups& lookups, size_t most)
      : lookups_(lookups),
        step_(KeysOfCall(lookups)),
        sizes_(most),
        asked_(most * step_),
        rooms_(most * step_) {}

  void Clear() { size_ = 0; }

  // Adds the keys of call number `call` among the calls for the first n lookups. Requires remaining
  // room.
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
