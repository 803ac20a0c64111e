#include "db_bench_ext/tuning/level_tree.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>

#include <chrono>
#include <thread>

#include "third_party/rocksdb_abi/versions.h"

namespace winnow::bench {
namespace {

absl::Status FromStatus(const rocksdb::Status& status, const char* what) {
  return status.ok() ? absl::OkStatus()
                     : absl::InternalError(absl::StrCat("can't ", what, ": ", status.ToString()));
}

}  // namespace

LevelTree::~LevelTree() {
  db_.reset();
  rocksdb::DestroyDB(path_, options_).PermitUncheckedError();
}

absl::Status LevelTree::Open() {
  rocksdb_abi::OpenedDB opened{};
  absl::Status status =
      FromStatus(rocksdb::DB::Open(options_, path_, &opened), "open the database");
  if (status.ok()) db_ = rocksdb_abi::Own(std::move(opened));
  return status;
}

absl::Status LevelTree::Reopen() {
  db_.reset();
  return Open();
}

std::string LevelTree::KeyOf(uint64_t number) const {
  return prefixes_.Of(number) + LevelKey(number);
}

void LevelTree::Watch(uint64_t every, std::function<absl::Status()> look) {
  every_ = every;
  look_ = std::move(look);
}

absl::Status LevelTree::Wrote(const rocksdb::Status& status) {
  if (status.ok() && look_ && ++writes_ % every_ == 0) return look_();
  return FromStatus(status, "write");
}

absl::Status LevelTree::Put(uint64_t number) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  const std::string value = LevelKey(number).substr(0, 8);
  return Wrote(db_->Put(write, KeyOf(number), value));
}

absl::Status LevelTree::Delete(uint64_t number) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  return FromStatus(db_->Delete(write, KeyOf(number)), "delete");
}

absl::StatusOr<bool> LevelTree::Has(uint64_t number) {
  rocksdb::PinnableSlice value;
  const rocksdb::Status status =
      db_->Get(rocksdb::ReadOptions(), db_->DefaultColumnFamily(), KeyOf(number), &value);
  if (status.IsNotFound()) return false;
  if (!status.ok()) return FromStatus(status, "look a key up");
  return true;
}

absl::Status LevelTree::DeleteRange(uint64_t first, uint64_t last) {
  rocksdb::Status status = db_->DeleteRange(rocksdb::WriteOptions(), db_->DefaultColumnFamily(),
                                            KeyOf(first), KeyOf(last) + '\0');
  if (status.ok()) status = db_->Flush(rocksdb::FlushOptions());
  if (status.ok()) status = db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr);
  return FromStatus(status, "delete a range");
}

absl::Status LevelTree::DeleteFiles(uint64_t first, uint64_t last) {
  const std::string begin = KeyOf(first);
  const std::string end = KeyOf(last);
  const rocksdb::Slice from = begin;
  const rocksdb::Slice to = end;
  return FromStatus(rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(), &from, &to),
                    "delete files");
}

absl::Status LevelTree::Flush() { return FromStatus(db_->Flush(rocksdb::FlushOptions()), "flush"); }

absl::Status LevelTree::FlushAndWaitForCompactions() {
  if (absl::Status status = Flush(); !status.ok()) return status;
  // FIFO and universal compaction may stay due for good.
  constexpr int kWithoutRunning = 100;
  int quiet = 0;
  for (int idle = 0; quiet < 3 && idle < kWithoutRunning;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    uint64_t running = 0;
    uint64_t pending = 0;
    db_->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &running);
    db_->GetIntProperty(rocksdb::DB::Properties::kCompactionPending, &pending);
    quiet = running + pending == 0 ? quiet + 1 : 0;
    idle = running == 0 ? idle + 1 : 0;
  }
  return absl::OkStatus();
}

absl::Status LevelTree::SetOption(const std::string& name, const std::string& value) {
  return FromStatus(db_->SetOptions({{name, value}}), "set an option");
}

}  // namespace winnow::bench
