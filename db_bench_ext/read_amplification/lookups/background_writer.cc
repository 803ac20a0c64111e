#include "db_bench_ext/read_amplification/lookups/background_writer.h"

#include <chrono>
#include <string>

#include "db_bench_ext/read_amplification/trees/tree_writer.h"
#include "src/base/random.h"

namespace winnow::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kDrawSalt = 0x77726974696e67;
constexpr std::chrono::milliseconds kNap(1);

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
  const Clock::time_point begin = Clock::now();
  uint64_t bytes = 0;
  TreeWriter writer(db, value_size, seed);
  Random random(seed ^ kDrawSalt);
  std::string room;
  while (!stop_) {
    const uint64_t i = RandomBelow(&random, keys.size());
    const std::string_view key = keys.Get(i, &room);
    if (absl::Status status = writer.PutNow(key, i); !status.ok()) return status;
    ++written_;
    bytes += key.size() + value_size;
    if (bytes_per_second == 0) continue;
    // RocksDB's rate limiter accepts no request above a tenth of a second's bytes.
    const std::chrono::duration<double> due(static_cast<double>(bytes) /
                                            static_cast<double>(bytes_per_second));
    while (!stop_ && Clock::now() - begin < due) std::this_thread::sleep_for(kNap);
  }
  return absl::OkStatus();
}

}  // namespace winnow::bench
