#include "db_bench_ext/read_amplification/lookups/background_writer.h"

#include <rocksdb/env.h>
#include <rocksdb/rate_limiter.h>

#include <memory>
#include <string>

#include "db_bench_ext/read_amplification/keys/random.h"
#include "db_bench_ext/read_amplification/trees/tree_writer.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kDrawSalt = 0x77726974696e67;

}  // namespace

BackgroundWriter::BackgroundWriter(rocksdb::DB* db, const KeySet& keys, size_t value_size,
                                   uint64_t seed, uint64_t bytes_per_second)
    : thread_([=, &keys] { status_ = Write(db, keys, value_size, seed, bytes_per_second); }) {}

BackgroundWriter::~BackgroundWriter() { Stop().IgnoreError(); }

absl::Status BackgroundWriter::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  return status_;
}

absl::Status BackgroundWriter::Write(rocksdb::DB* db, const KeySet& keys, size_t value_size,
                                     uint64_t seed, uint64_t bytes_per_second) {
  std::unique_ptr<rocksdb::RateLimiter> limit;
  if (bytes_per_second > 0) {
    limit.reset(rocksdb::NewGenericRateLimiter(static_cast<int64_t>(bytes_per_second)));
  }
  TreeWriter writer(db, value_size, seed);
  Random random(seed ^ kDrawSalt);
  std::string room;
  while (!stop_) {
    const uint64_t i = RandomBelow(&random, keys.size());
    const std::string_view key = keys.Get(i, &room);
    if (absl::Status status = writer.Put(key, i); !status.ok()) return status;
    if (limit != nullptr) {
      limit->Request(static_cast<int64_t>(key.size() + value_size), rocksdb::Env::IO_HIGH, nullptr,
                     rocksdb::RateLimiter::OpType::kWrite);
    }
  }
  return absl::OkStatus();
}

}  // namespace winnow::bench
