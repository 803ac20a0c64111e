#include "tests/stress/writes.h"

#include <rocksdb/sst_file_writer.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "tests/stress/blame/difference.h"
#include "tests/stress/reads.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteBatch;
using ROCKSDB_NAMESPACE::WriteOptions;

constexpr size_t kMaxMerged = 400;  // bytes, above which the key is put again

// Calls the function for `write` of a database, batch or transaction.
template <typename To, typename... First>
Status Ask(const Write& write, const Database& database, To* to, First... first) {
  auto* const family = database.family(write.family);
  switch (write.change) {
    case Change::kPut:
      return to->Put(first..., family, write.key, write.value);
    case Change::kDelete:
      return to->Delete(first..., family, write.key);
    case Change::kSingleDelete:
      return to->SingleDelete(first..., family, write.key);
    case Change::kMerge:
      return to->Merge(first..., family, write.key, write.value);
    case Change::kDeleteRange:
      break;
  }
  return Status::NotSupported("DeleteRange");
}

}  // namespace

WriteOperations::WriteOperations(const Database& database, Part* part, bool with_merges,
                                 Random* random, Counts* counts)
    : database_(database),
      part_(part),
      with_merges_(with_merges),
      random_(random),
      counts_(counts) {}

void WriteOperations::Any() {
  const uint64_t kind = random_->Below(1000);
  if (kind < 800) {
    Single();
  } else if (kind < 900) {
    Batch();
  } else if (kind < 910) {
    DeleteRange();
  } else {
    Transaction();
  }
}

uint64_t WriteOperations::SomeNumber() {
  return Reads({&database_, &part_->keys(), &part_->model()}, random_, counts_).SomeNumber();
}

Write WriteOperations::RandomWrite(size_t family, uint64_t number,
                                   const std::optional<std::string>& found) {
  const std::string key = part_->keys().Key(number);
  Write write{Change::kPut, static_cast<uint8_t>(family), key, ""};
  if (part_->keys().IsOnce(number)) {
    if (found) write.change = Change::kSingleDelete;
  } else if (random_->Below(4) == 0) {
    write.change = Change::kDelete;  // also for absent keys
  } else if (with_merges_ && random_->Below(4) == 0 && (!found || found->size() < kMaxMerged)) {
    write.change = Change::kMerge;
    counts_->Add(Count::kMerges);
  }
  if (write.change == Change::kPut || write.change == Change::kMerge) {
    write.value = part_->NewValue(key);
  }
  return write;
}

Writes WriteOperations::RandomWrites(uint64_t most, PartModel* before) {
  Writes writes;
  PartModel after;
  std::set<std::pair<size_t, std::string>> chosen;
  for (uint64_t n = 1 + random_->Below(most); n > 0; --n) {
    const size_t family = random_->Below(kFamilies);
    const uint64_t number = SomeNumber();
    const std::string key = part_->keys().Key(number);
    const auto held = part_->model().Find(family, key);
    if (chosen.emplace(family, key).second && held) {
      before->families[family][key] = *held;
      after.families[family][key] = *held;
    }
    writes.push_back(RandomWrite(family, number, after.Find(family, key)));
    Apply({writes.back()}, &after);
  }
  return writes;
}

void WriteOperations::Single() {
  PartModel before;
  const Writes writes = RandomWrites(1, &before);
  part_->Do(writes, "a write",
            [&] { return Ask(writes[0], database_, &database_.db(), WriteOptions()); });
}

void WriteOperations::Batch() {
  PartModel before;
  const Writes writes = RandomWrites(8, &before);
  // A TransactionDB locks the keys of a batch, and does not support SingleDelete there.
  if (database_.settings().kind == DatabaseKind::kTransactions &&
      std::any_of(writes.begin(), writes.end(),
                  [](const Write& write) { return write.change == Change::kSingleDelete; })) {
    return;
  }
  WriteBatch batch;
  for (const Write& write : writes) Require(Ask(write, database_, &batch), "a batch");
  part_->Do(writes, "the write of a batch",
            [&] { return database_.db().Write(WriteOptions(), &batch); });
}

void WriteOperations::DeleteRange() {
  if (database_.settings().kind != DatabaseKind::kPlain) return;
  counts_->Add(Count::kRangeDeletions);
  const KeySpace& keys = part_->keys();
  // Stays between two groups whose keys are only deleted by SingleDelete.
  uint64_t first = random_->Below(keys.groups());
  if (KeySpace::IsOnceGroup(first)) --first;
  const uint64_t last_end = first - first % KeySpace::kOnceEvery + KeySpace::kOnceEvery - 1;
  const uint64_t end = std::min({first + 1 + random_->Below(3), last_end, keys.groups()});
  Write write{Change::kDeleteRange, static_cast<uint8_t>(random_->Below(kFamilies)),
              keys.GroupStart(first), keys.GroupStart(end)};
  // The range may also begin within a group.
  if (random_->Below(2) == 0) {
    const uint64_t number = SomeNumber();
    if (keys.GroupOf(number) == first) write.key = keys.Key(number);
  }
  part_->Do({write}, "DeleteRange", [&] {
    return database_.db().DeleteRange(WriteOptions(), database_.family(write.family), write.key,
                                      write.value);
  });
}

void WriteOperations::Transaction() {
  const auto transaction = database_.BeginTransaction();
  if (transaction == nullptr) return;
  counts_->Add(Count::kTransactions);
  PartModel model;
  const Writes writes = RandomWrites(6, &model);
  for (const Write& write : writes) {
    Require(Ask(write, database_, transaction.get()), "a write in a transaction");
    Apply({write}, &model);
    // The transaction's own writes take precedence over the files.
    PinnableSlice value;
    const Status status =
        transaction->Get(ReadOptions(), database_.family(write.family), write.key, &value);
    counts_->Add(Count::kAnswers);
    Difference about;
    about.question = Question::kGet;
    about.operation = "Get in a transaction";
    about.family = write.family;
    about.key = write.key;
    about.expected = model.Find(write.family, write.key);
    RequireAnswer(about, status, value.ToString());
  }
  if (random_->Below(3) == 0) {
    Require(transaction->Rollback(), "Rollback");
    return;
  }
  part_->Do(writes, [&] {
    const Status status = transaction->Commit();
    // An optimistic transaction fails if the memtable no longer has the history that it needs.
    if (status.IsTryAgain()) return false;
    Require(status, "Commit");
    return true;
  });
}

void WriteOperations::Ingest() {
  const size_t family = random_->Below(kFamilies);
  const auto style = database_.db().GetOptions(database_.family(family)).compaction_style;
  if (!kIngestsIntoUniversal && style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal) return;
  const KeySpace& keys = part_->keys();
  std::set<std::string> chosen;
  const uint64_t first = random_->Below(keys.keys());
  for (uint64_t n = 1 + random_->Below(200), i = 0; i < n; ++i) {
    const uint64_t number = (first + random_->Below(300)) % keys.keys();
    if (!keys.IsOnce(number)) chosen.insert(keys.Key(number));
  }
  if (chosen.empty()) return;
  counts_->Add(Count::kIngestions);
  const std::string path = database_.path() + "-to-ingest-" + keys.Begin() + ".sst";
  // A kill during an earlier ingestion may have left this name as a hard link to a file of the
  // database, which SstFileWriter would truncate.
  std::filesystem::remove(path);
  ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(),
                                          database_.db().GetOptions(database_.family(family)),
                                          database_.family(family));
  Require(writer.Open(path), "SstFileWriter::Open");
  Writes writes;
  for (const std::string& key : chosen) {
    Write write{Change::kPut, static_cast<uint8_t>(family), key, ""};
    if (random_->Below(8) == 0) {
      write.change = Change::kDelete;
      Require(writer.Delete(key), "SstFileWriter::Delete");
    } else {
      write.value = part_->NewValue(key);
      Require(writer.Put(key, write.value), "SstFileWriter::Put");
    }
    writes.push_back(write);
  }
  Require(writer.Finish(), "SstFileWriter::Finish");
  if (kIngestsAlone) {
    Require(database_.db().Flush(ROCKSDB_NAMESPACE::FlushOptions(), database_.family(family)),
            "Flush");
  }
  part_->Do(writes, [&] {
    ROCKSDB_NAMESPACE::IngestExternalFileOptions options;
    options.move_files = random_->Below(2) == 0;
    const Status status =
        database_.db().IngestExternalFile(database_.family(family), {path}, options);
    // A RocksDB with assertions checks again if the memtable was flushed, and fails.
    if (status.IsTryAgain()) return false;
    Require(status, "IngestExternalFile");
    return true;
  });
  std::filesystem::remove(path);
}

void WriteOperations::PutAll() {
  constexpr size_t kTogether = 200;
  const KeySpace& keys = part_->keys();
  for (size_t family = 0; family < kFamilies; ++family) {
    for (uint64_t first = 0; first < keys.keys(); first += kTogether) {
      Writes writes;
      WriteBatch batch;
      for (uint64_t i = first; i < std::min(first + kTogether, keys.keys()); ++i) {
        const std::string key = keys.Key(i);
        if (part_->model().Find(family, key)) continue;
        writes.push_back({Change::kPut, static_cast<uint8_t>(family), key, part_->NewValue(key)});
        Require(Ask(writes.back(), database_, &batch), "a batch");
      }
      part_->Do(writes, "the write of a batch",
                [&] { return database_.db().Write(WriteOptions(), &batch); });
    }
    Require(database_.db().Flush(ROCKSDB_NAMESPACE::FlushOptions(), database_.family(family)),
            "Flush");
  }
}

}  // namespace winnow::stress
