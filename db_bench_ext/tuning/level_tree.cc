#include "db_bench_ext/tuning/level_tree.h"

#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>

#include <chrono>
#include <thread>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/system/status.h"
#include "db_bench_ext/read_amplification/trees/rocksdb_growth.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::bench {
namespace {

constexpr size_t kKeySize = 16;  // size without the prefix

}  // namespace

LevelTree::~LevelTree() {
  db_.reset();
  rocksdb::DestroyDB(path_, options_).PermitUncheckedError();
}

absl::Status LevelTree::Open() {
  rocksdb_abi::OpenedDB opened{};
  absl::Status status =
      FromRocksDB(rocksdb::DB::Open(options_, path_, &opened), "open the database");
  if (status.ok()) db_ = rocksdb_abi::Own(std::move(opened));
  return status;
}

absl::Status LevelTree::Reopen() {
  db_.reset();
  return Open();
}

std::string LevelTree::KeyOf(uint64_t number) const {
  std::string key;
  MakeNumberedKey(number, kKeySize, &key);
  return prefixes_.Of(number) + key;
}

void LevelTree::Watch(uint64_t every, std::function<absl::Status()> look) {
  every_ = every;
  look_ = std::move(look);
}

absl::Status LevelTree::Wrote(const rocksdb::Status& status) {
  if (status.ok() && look_ && ++writes_ % every_ == 0) return look_();
  return FromRocksDB(status, "write");
}

absl::Status LevelTree::Put(uint64_t number) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  std::string value;
  MakeNumberedKey(number, kMinGeneratedKey, &value);
  return Wrote(db_->Put(write, KeyOf(number), value));
}

absl::Status LevelTree::Delete(uint64_t number) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  return FromRocksDB(db_->Delete(write, KeyOf(number)), "delete");
}

absl::StatusOr<bool> LevelTree::Has(uint64_t number) {
  rocksdb::PinnableSlice value;
  const rocksdb::Status status =
      db_->Get(rocksdb::ReadOptions(), db_->DefaultColumnFamily(), KeyOf(number), &value);
  if (status.IsNotFound()) return false;
  if (!status.ok()) return FromRocksDB(status, "look a key up");
  return true;
}

absl::Status LevelTree::Ingest(const std::vector<uint64_t>& numbers) {
  const std::string path = path_ + ".sst";
  rocksdb::SstFileWriter writer((rocksdb::EnvOptions()), options_);
  rocksdb::Status status = writer.Open(path);
  for (size_t i = 0; status.ok() && i < numbers.size(); ++i) {
    std::string value;
    MakeNumberedKey(numbers[i], kMinGeneratedKey, &value);
    status = writer.Put(KeyOf(numbers[i]), value);
  }
  if (status.ok()) status = writer.Finish();
  rocksdb::IngestExternalFileOptions ingestion;
  ingestion.move_files = true;
  if (status.ok()) status = db_->IngestExternalFile({path}, ingestion);
  return FromRocksDB(status, "ingest a file");
}

absl::Status LevelTree::DeleteRange(uint64_t first, uint64_t last) {
  rocksdb::Status status = db_->DeleteRange(rocksdb::WriteOptions(), db_->DefaultColumnFamily(),
                                            KeyOf(first), KeyOf(last) + '\0');
  if (status.ok()) status = db_->Flush(rocksdb::FlushOptions());
  if (status.ok()) status = db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr);
  return FromRocksDB(status, "delete a range");
}

absl::Status LevelTree::DeleteFiles(uint64_t first, uint64_t last) {
  const std::string begin = KeyOf(first);
  const std::string end = KeyOf(last);
  const rocksdb::Slice from = begin;
  const rocksdb::Slice to = end;
  return FromRocksDB(rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(), &from, &to),
                     "delete files");
}

absl::Status LevelTree::Flush() {
  return FromRocksDB(db_->Flush(rocksdb::FlushOptions()), "flush");
}

absl::Status LevelTree::FlushAndWaitForCompactions() {
  if (absl::Status status = Flush(); !status.ok()) return status;
  RestDetector detector(true);
  while (!detector.Rests(BackgroundWorkOf(db_.get()))) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return absl::OkStatus();
}

absl::Status LevelTree::SetOption(const std::string& name, const std::string& value) {
  return FromRocksDB(db_->SetOptions({{name, value}}), "set an option");
}

}  // namespace winnow::bench
