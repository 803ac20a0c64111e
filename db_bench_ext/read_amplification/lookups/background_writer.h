// Concurrent writes during lookups.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BACKGROUND_WRITER_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BACKGROUND_WRITER_H_

#include <absl/status/status.h>
#include <rocksdb/db.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "db_bench_ext/read_amplification/keys/key_set.h"

namespace winnow::bench {

// Puts keys drawn with replacement, in its own thread, from its construction on.
class BackgroundWriter {
 public:
  // Writes at most `bytes_per_second` of keys and values; 0: unlimited. Database and keys must
  // outlive it.
  BackgroundWriter(rocksdb::DB* db, const KeySet& keys, size_t value_size, uint64_t seed,
                   uint64_t bytes_per_second);
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  // Stops the writes; returns an error if one failed.
  absl::Status Stop();

  // Returns the number of keys written so far.
  uint64_t written() const { return written_; }

 private:
  absl::Status Write(rocksdb::DB* db, const KeySet& keys, size_t value_size, uint64_t seed,
                     uint64_t bytes_per_second);

  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> written_{0};
  absl::Status status_;  // status of the thread, valid after its end
  std::thread thread_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_BACKGROUND_WRITER_H_
