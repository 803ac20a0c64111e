#include "db_bench_ext/read_amplification/trees/tree_writer.h"

#include <utility>

#include "db_bench_ext/read_amplification/system/status.h"
#include "src/base/random.h"

namespace winnow::bench {
namespace {

constexpr size_t kValuePool = size_t{1} << 20;
constexpr uint32_t kKeysPerBatch = 256;

// Salt that separates random values from other uses of the user's seed.
constexpr uint64_t kValueSalt = 0x76616c7565;

}  // namespace

TreeWriter::TreeWriter(rocksdb::DB* db, size_t value_size, uint64_t seed, AfterWrites after)
    : db_(db),
      value_size_(value_size),
      after_(std::move(after)),
      values_(value_size + kValuePool, '\0') {
  Random random(seed ^ kValueSalt);
  for (char& byte : values_) byte = static_cast<char>(random());
}

absl::Status TreeWriter::Put(std::string_view key, uint64_t number) {
  const rocksdb::Status status = batch_.Put({key.data(), key.size()}, ValueOf(number));
  if (!status.ok()) return FromRocksDB(status, "write");
  return batch_.Count() < kKeysPerBatch ? absl::OkStatus() : WriteBatch();
}

absl::Status TreeWriter::Flush() {
  if (absl::Status status = WriteBatch(); !status.ok()) return status;
  rocksdb::FlushOptions flush;
  flush.wait = true;
  return FromRocksDB(db_->Flush(flush), "flush");
}

absl::Status TreeWriter::Compact() {
  if (absl::Status status = Flush(); !status.ok()) return status;
  rocksdb::CompactRangeOptions compact;
  // Like db_bench, also compacts files that are already on the bottommost level.
  compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  return FromRocksDB(db_->CompactRange(compact, nullptr, nullptr), "compact");
}

rocksdb::Slice TreeWriter::ValueOf(uint64_t number) const {
  return {values_.data() + number * 37 % kValuePool, value_size_};
}

absl::Status TreeWriter::WriteBatch() {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  const rocksdb::Status status = db_->Write(write, &batch_);
  if (!status.ok()) return FromRocksDB(status, "write");
  const uint32_t keys = batch_.Count();
  batch_.Clear();
  written_ += keys;
  return after_ && keys > 0 ? after_(db_, written_) : absl::OkStatus();
}

}  // namespace winnow::bench
