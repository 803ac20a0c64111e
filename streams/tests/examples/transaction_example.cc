// A complete example: transactions on RocksDB's WriteBatchWithIndex. A transaction checks a
// ScalableBloom before it searches the keys that it has written, and another one before it searches
// those that it has read; their numbers are not known in advance. Runs with and without the
// filters, checks that all answers are equal and serializable, and prints the number of searches.

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/write_batch_with_index.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "third_party/rocksdb_abi/versions.h"
#include "winnow/amq/scalable_bloom.h"
#include "winnow/hash.h"

namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Snapshot;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteBatchWithIndex;
using ROCKSDB_NAMESPACE::WriteOptions;
using winnow::amq::ScalableBloom;
using winnow::amq::ScalableOptions;

struct Searches {
  uint64_t asked_writes = 0;  // checks whether the transaction has written the key
  uint64_t searched_writes = 0;
  uint64_t asked_reads = 0;  // checks whether the transaction has read the key
  uint64_t searched_reads = 0;
};

// Filter of the keys of a growing set; without a filter, any key may be in the set.
class Guard {
 public:
  explicit Guard(bool has_filter) {
    if (!has_filter) return;
    ScalableOptions options;
    options.first_capacity = 32;
    filter_.emplace(options);
  }

  void Add(const std::string& key) {
    if (filter_) filter_->Add(winnow::HashKey(key));
  }
  bool MayContain(const std::string& key) const {
    return !filter_ || filter_->MayContain(winnow::HashKey(key));
  }

 private:
  std::optional<ScalableBloom> filter_;
};

// Keys written by each committed transaction, in commit order.
using Log = std::vector<std::vector<std::string>>;

// A transaction that reads a snapshot of the database and its own writes. It commits if no other
// transaction has written meanwhile what it has read: transactions are thus serializable in commit
// order.
class Transaction {
 public:
  Transaction(DB* db, Log* log, bool has_filters, Searches* searches)
      : db_(db),
        log_(log),
        searches_(searches),
        first_other_(log->size()),
        snapshot_(db->GetSnapshot()),
        batch_(ROCKSDB_NAMESPACE::BytewiseComparator(), 0, /*overwrite_key=*/true),
        write_guard_(has_filters),
        read_guard_(has_filters) {}
  ~Transaction() { db_->ReleaseSnapshot(snapshot_); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Status Get(const std::string& key, std::string* value) {
    if (reads_.insert(key).second) read_guard_.Add(key);
    ReadOptions options;
    options.snapshot = snapshot_;
    ++searches_->asked_writes;
    if (!write_guard_.MayContain(key)) return db_->Get(options, key, value);
    ++searches_->searched_writes;
    return batch_.GetFromBatchAndDB(db_, options, key, value);
  }

  Status Put(const std::string& key, const std::string& value) {
    NoteWrite(key);
    return batch_.Put(key, value);
  }

  Status Delete(const std::string& key) {
    NoteWrite(key);
    return batch_.Delete(key);
  }

  // Returns Status::Busy, and writes nothing, if another transaction has written a key that was
  // read here.
  Status Commit() {
    for (size_t i = first_other_; i < log_->size(); ++i) {
      for (const std::string& key : (*log_)[i]) {
        if (HasRead(key)) return Status::Busy();
      }
    }
    Status status = db_->Write(WriteOptions(), batch_.GetWriteBatch());
    if (status.ok()) log_->push_back(std::move(writes_));
    return status;
  }

 private:
  void NoteWrite(const std::string& key) {
    write_guard_.Add(key);
    writes_.push_back(key);
  }

  bool HasRead(const std::string& key) {
    ++searches_->asked_reads;
    if (!read_guard_.MayContain(key)) return false;
    ++searches_->searched_reads;
    return reads_.count(key) != 0;
  }

  DB* const db_;
  Log* const log_;
  Searches* const searches_;
  const size_t first_other_;  // index in the log
  const Snapshot* const snapshot_;
  WriteBatchWithIndex batch_;
  std::vector<std::string> writes_;
  std::set<std::string> reads_;
  Guard write_guard_;
  Guard read_guard_;
};

// ---- The check

constexpr uint64_t kKeys = 20'000;
constexpr uint64_t kSeed = 7;

std::string KeyOf(uint64_t i) { return "account " + std::to_string(i); }

// An open transaction and its steps, which are repeated on a copy of the database.
struct Open {
  struct Step {
    char kind = 'g';
    std::string key;
    std::string value;  // value written or read; "(none)" if the key was absent
  };
  std::unique_ptr<Transaction> transaction;
  std::vector<Step> steps;
  size_t wanted = 0;
};

struct Outcome {
  std::vector<std::string> answers;  // all values read, and the result of each transaction
  std::map<std::string, std::string> contents;
  Searches searches;
  uint64_t committed = 0;
  uint64_t refused = 0;
  uint64_t faults = 0;
};

bool IsFault(const Status& status) { return !status.ok() && !status.IsNotFound(); }

// Returns whether the transaction, run alone now, would read the values that it has read.
bool ReadsTheSame(const Open& open, std::map<std::string, std::string>* model) {
  bool same = true;
  for (const Open::Step& step : open.steps) {
    if (step.kind == 'p') {
      (*model)[step.key] = step.value;
    } else if (step.kind == 'd') {
      model->erase(step.key);
    } else {
      const auto found = model->find(step.key);
      same &= (found == model->end() ? "(none)" : found->second) == step.value;
    }
  }
  return same;
}

void TakeStep(std::mt19937_64* random, Open* open, Outcome* outcome) {
  Open::Step step;
  step.kind = "gggggpppd"[(*random)() % 9];
  // Half of the keys are from the front of the key space, where transactions conflict.
  step.key = KeyOf((*random)() % ((*random)() % 2 == 0 ? kKeys : kKeys / 10));
  // Some steps repeat a key of the same transaction.
  if (!open->steps.empty() && (*random)() % 8 == 0) {
    step.key = open->steps[(*random)() % open->steps.size()].key;
  }
  Status status;
  if (step.kind == 'g') {
    status = open->transaction->Get(step.key, &step.value);
    if (status.IsNotFound()) step.value = "(none)";
    outcome->answers.push_back(step.value);
  } else if (step.kind == 'p') {
    step.value = std::to_string((*random)());
    status = open->transaction->Put(step.key, step.value);
  } else {
    status = open->transaction->Delete(step.key);
  }
  outcome->faults += IsFault(status);
  open->steps.push_back(std::move(step));
}

void End(Open* open, std::map<std::string, std::string>* model, Outcome* outcome) {
  const Status status = open->transaction->Commit();
  if (status.IsBusy()) {
    ++outcome->refused;
  } else {
    outcome->faults += !status.ok();
    outcome->faults += !ReadsTheSame(*open, model);
    ++outcome->committed;
  }
  outcome->answers.push_back(status.IsBusy() ? "refused" : "committed");
}

// Runs several concurrently open transactions, of a few to thousands of steps.
Outcome Run(DB* db, bool has_filters) {
  Outcome outcome;
  Log log;
  std::map<std::string, std::string> model;
  std::mt19937_64 random(kSeed);
  std::vector<Open> all(6);
  for (uint64_t steps = 0; steps < 300'000; ++steps) {
    Open& open = all[random() % all.size()];
    if (open.transaction == nullptr) {
      open.transaction = std::make_unique<Transaction>(db, &log, has_filters, &outcome.searches);
      open.wanted = random() % 20 == 0 ? 3'000 : 1 + random() % 100;
      open.steps.clear();
    }
    TakeStep(&random, &open, &outcome);
    if (open.steps.size() == open.wanted) {
      End(&open, &model, &outcome);
      open.transaction.reset();
    }
  }
  all.clear();
  const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> entry(db->NewIterator(ReadOptions()));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    outcome.contents[entry->key().ToString()] = entry->value().ToString();
  }
  outcome.faults += outcome.contents != model;
  return outcome;
}

std::optional<Outcome> RunInNewDatabase(const std::string& path, bool has_filters) {
  Options options;
  options.create_if_missing = true;
  winnow::rocksdb_abi::OpenedDB opened{};
  const Status status = DB::Open(options, path, &opened);
  if (!status.ok()) {
    std::fprintf(stderr, "can't open %s: %s\n", path.c_str(), status.ToString().c_str());
    return std::nullopt;
  }
  const std::unique_ptr<DB> db = winnow::rocksdb_abi::Own(std::move(opened));
  return Run(db.get(), has_filters);
}

void Print(const char* title, const Outcome& outcome) {
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf(
      "%-15s %llu committed, %llu refused, %llu faults; own writes searched for %llu of %llu "
      "reads, "
      "own reads for %llu of %llu writes of others\n",
      title, number(outcome.committed), number(outcome.refused), number(outcome.faults),
      number(outcome.searches.searched_writes), number(outcome.searches.asked_writes),
      number(outcome.searches.searched_reads), number(outcome.searches.asked_reads));
}

}  // namespace

// transaction_example FOLDER: creates two databases in the folder, which must not exist yet.
int main(int argc, char** argv) {
  std::error_code code;
  if (argc != 2 || !std::filesystem::create_directory(argv[1], code)) {
    std::fprintf(stderr, "right is: transaction_example NEW-FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  const std::optional<Outcome> without = RunInNewDatabase(folder + "/without", false);
  const std::optional<Outcome> with = RunInNewDatabase(folder + "/with", true);
  std::filesystem::remove_all(folder, code);
  if (!without || !with) return 2;
  Print("without filters", *without);
  Print("with filters", *with);
  const bool same = with->answers == without->answers && with->contents == without->contents;
  const bool sound =
      with->faults == 0 && without->faults == 0 && with->refused > 100 && with->committed > 100;
  const auto fewer = [](uint64_t few, uint64_t many) { return few * 4 < many; };
  const bool saves = without->searches.searched_writes == without->searches.asked_writes &&
                     fewer(with->searches.searched_writes, without->searches.searched_writes) &&
                     fewer(with->searches.searched_reads, without->searches.searched_reads);
  std::printf("%s\n", !same    ? "the answers differ"
                      : !sound ? "faults"
                      : !saves ? "nothing is saved"
                               : "the same answers");
  return same && sound && saves ? 0 : 1;
}
