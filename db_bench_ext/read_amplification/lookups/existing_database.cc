#include "db_bench_ext/read_amplification/lookups/existing_database.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/db.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/keys/near_misses.h"
#include "db_bench_ext/read_amplification/keys/read_only_database.h"
#include "db_bench_ext/read_amplification/lookups/files_considered.h"
#include "db_bench_ext/read_amplification/lookups/lookup_counts.h"
#include "db_bench_ext/read_amplification/lookups/record_lookups.h"
#include "db_bench_ext/read_amplification/system/status.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "src/base/random.h"
#include "src/rocksdb/counters.h"
#include "src/sst/sst_filters.h"

namespace winnow::bench {
namespace {

// Limits of a sample: at most kMaxKeys keys and kMaxKeyBytes bytes, but at least kMinKeys keys.
constexpr uint64_t kMaxKeys = 200'000;
constexpr uint64_t kMaxKeyBytes = 64 << 20;
constexpr uint64_t kMinKeys = 1000;
constexpr uint64_t kProgressEvery = 65536;
constexpr uint64_t kSampleSalt = 0x73616d706c65;

// A subset of the keys of a set, which must outlive it.
class SomeKeys : public KeySet {
 public:
  explicit SomeKeys(const KeySet* keys) : keys_(keys) {}

  void Add(uint32_t i, std::string_view key) {
    numbers_.push_back(i);
    bytes_ += key.size();
  }

  uint64_t size() const override { return numbers_.size(); }
  uint64_t total_bytes() const override { return bytes_; }
  std::string_view Get(uint64_t i, std::string* room) const override {
    return keys_->Get(numbers_[i], room);
  }

 private:
  const KeySet* keys_;
  std::vector<uint32_t> numbers_;
  uint64_t bytes_ = 0;
};

class Measurement {
 public:
  Measurement(const std::string& path, const ExistingOptions& options, cli::ProgressLine* progress,
              const std::atomic<bool>* stop)
      : path_(path), options_(options), progress_(progress), stop_(stop) {}

  absl::StatusOr<inspect::ReadAmplification> Run() {
    absl::StatusOr<std::unique_ptr<ReadOnlyDatabase>> database = ReadOnlyDatabase::Make(path_);
    if (!database.ok()) return database.status();
    database_ = *std::move(database);
    absl::StatusOr<std::string> others = database_->OtherFamilies("was measured");
    if (!others.ok()) return others.status();
    if (!others->empty()) run_.notes.push_back(*std::move(others));
    absl::Status status = Examine();
    if (status.ok()) status = DrawKeys();
    if (!status.ok()) return status;
    std::vector<Lookups> workloads;
    for (const Benchmark& benchmark : options_.workloads) {
      workloads.push_back(MakeLookups(benchmark, keys_, options_.choices));
    }
    if (!options_.record_lookups.empty()) {
      status = RecordLookups(workloads, options_.record_lookups, [&](uint64_t done) {
        return Continue("recording lookups", done, options_.choices.reads * workloads.size());
      });
      if (!status.ok()) return status;
    }
    for (size_t i = 0; i < workloads.size(); ++i) {
      const Benchmark& benchmark = options_.workloads[i];
      status = Measure(std::move(workloads[i]));
      if (!status.ok()) return status;
      if (Seeks(benchmark) && !database_->HasPrefixes()) {
        run_.notes.push_back(absl::StrCat(benchmark.name, kSeeksAskNothing));
      }
    }
    run_.database = path_;
    run_.keys_from = path_;
    run_.cache_size = options_.cache_size;
    run_.seed = options_.choices.seed;
    run_.policies.push_back(std::move(result_));
    return std::move(run_);
  }

 private:
  // Reads the shape of the tree and the filters of its files.
  absl::Status Examine() {
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = database_->Open(options_.cache_size);
    if (!db.ok()) return db.status();
    levels_ = FilesByLevel(db->get());
    rocksdb::ColumnFamilyMetaData metadata;
    (*db)->GetColumnFamilyMetaData(&metadata);
    std::set<std::string> names;
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      if (level.files.empty()) continue;
      inspect::LevelShape shape;
      shape.level = level.level;
      for (const rocksdb::SstFileMetaData& file : level.files) {
        if (*stop_) return absl::CancelledError("interrupted");
        const inspect::SstReport report = inspect::ReadSst(file.db_path + file.name);
        if (!report.filter) return absl::InternalError(report.error.value_or("can't read a file"));
        names.insert(report.filter->policy_name.empty() ? "none" : report.filter->policy_name);
        ++result_.filters[report.filter->kind];
        ++shape.filters[report.filter->kind];
        ++shape.files;
        shape.keys += file.num_entries;
        shape.filter_bytes += report.filter->bytes;
        result_.file_bytes += file.size;
      }
      result_.files += shape.files;
      result_.keys += shape.keys;
      result_.filter_bytes += shape.filter_bytes;
      result_.tree.push_back(shape);
    }
    result_.policy = kAsItIs;
    result_.in_force = absl::StrJoin(names, ", ");
    return absl::OkStatus();
  }

  // Draws a uniform random sample of the keys (Vitter's algorithm R), and near misses of them that
  // the database does not have.
  absl::Status DrawKeys() {
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = database_->Open(options_.cache_size);
    if (!db.ok()) return db.status();
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    read.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> keys((*db)->NewIterator(read));
    sequence_ = (*db)->GetLatestSequenceNumber();
    const absl::StatusOr<uint64_t> most = KeysOfSample(db->get());
    if (!most.ok()) return most.status();
    std::vector<std::string> sample;
    Random random(options_.choices.seed ^ kSampleSalt);
    for (keys->SeekToFirst(); keys->Valid(); keys->Next(), ++run_.keys) {
      run_.key_bytes += keys->key().size();
      value_bytes_ += keys->value().size();
      if (sample.size() < *most) {
        sample.push_back(keys->key().ToString());
      } else if (const uint64_t place = RandomBelow(&random, run_.keys + 1); place < *most) {
        sample[place] = keys->key().ToString();
      }
      if (run_.keys % kProgressEvery == 0 && !Continue("reading keys", run_.keys, result_.keys)) {
        return absl::CancelledError("interrupted");
      }
    }
    if (!keys->status().ok()) return FromRocksDB(keys->status(), "read the keys of " + path_);
    if (sample.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(path_,
                       " has no keys in the files of its default column family; what is in "
                       "its write-ahead log alone is not seen"));
    }
    run_.value_size = value_bytes_ / run_.keys;
    auto present = std::make_shared<KeyTable>();
    for (const std::string& key : sample) present->Add(key);
    sample = {};
    keys_.range = present;
    keys_.longer = std::make_shared<LongerKeys>(present);
    keys_.longer_are_absent = false;  // the database may have such keys
    keys_.recorded = options_.recorded;
    return NeedsAbsentKeys() ? FindAbsentKeys(present, db->get()) : absl::OkStatus();
  }

  // Returns the size of the sample, limited by the number of reads and by memory.
  absl::StatusOr<uint64_t> KeysOfSample(rocksdb::DB* db) const {
    rocksdb::TablePropertiesCollection properties;
    const rocksdb::Status status = db->GetPropertiesOfAllTables(&properties);
    if (!status.ok()) return FromRocksDB(status, "read the properties of the files of " + path_);
    uint64_t bytes = 0, entries = 0;
    for (const auto& [name, file] : properties) {
      bytes += file->raw_key_size;
      entries += file->num_entries;
    }
    const uint64_t mean = std::max<uint64_t>(1, bytes / std::max<uint64_t>(1, entries));
    const uint64_t most = std::clamp(kMaxKeyBytes / mean, kMinKeys, kMaxKeys);
    return std::max<uint64_t>(2, std::min(options_.choices.reads, most));
  }

  bool NeedsAbsentKeys() const {
    return std::any_of(
        options_.workloads.begin(), options_.workloads.end(),
        [&](const Benchmark& benchmark) { return AsksForAbsentKeys(benchmark, options_.choices); });
  }

  // Finds near misses of the sample that the database does not have either.
  absl::Status FindAbsentKeys(std::shared_ptr<const KeyTable> present, rocksdb::DB* db) {
    absl::StatusOr<NearMisses> made =
        NearMisses::Of(std::move(present), std::min(options_.choices.reads, kMaxKeys),
                       options_.choices.seed ^ kAbsentSalt, [&](uint64_t found) {
                         return Continue("drawing absent keys", found, options_.choices.reads);
                       });
    if (!made.ok()) return made.status();
    near_ = std::make_unique<NearMisses>(*std::move(made));
    auto absent = std::make_shared<SomeKeys>(near_.get());
    rocksdb::PinnableSlice value;
    std::string room;
    for (uint64_t i = 0; i < near_->size(); ++i) {
      if (i % kProgressEvery == 0 && *stop_) return absl::CancelledError("interrupted");
      const std::string_view key = near_->Get(i, &room);
      value.Reset();
      const rocksdb::Status found = db->Get(rocksdb::ReadOptions(), db->DefaultColumnFamily(),
                                            {key.data(), key.size()}, &value);
      if (found.IsNotFound()) absent->Add(static_cast<uint32_t>(i), key);
    }
    keys_.absent = absent;
    keys_.absent_drawn = true;
    return absent->empty() ? absl::FailedPreconditionError(absl::StrCat(
                                 "no near miss of the keys of ", path_, " is absent from it"))
                           : absl::OkStatus();
  }

  // Opens the database. If it has changed since the keys were drawn, expected answers are unknown,
  // which is noted in *lookups.
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenFor(
      Lookups* lookups, std::shared_ptr<rocksdb::Statistics> statistics = nullptr) {
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db =
        database_->Open(options_.cache_size, std::move(statistics));
    if (!db.ok() || (*db)->GetLatestSequenceNumber() == sequence_) return db;
    lookups->at = WithoutExpectation(std::move(lookups->at));
    if (!changed_) {
      run_.notes.push_back(
          "The database changed while it was measured, so that passes saw different states of it: "
          "a copy, or a checkpoint, gives figures of one.");
    }
    changed_ = true;
    return db;
  }

  absl::Status Measure(Lookups lookups) {
    inspect::WorkloadResult workload;
    workload.name = lookups.name;
    workload.remark = lookups.remark;
    workload.files_considered_per_lookup = FilesConsideredPerLookup(levels_, lookups);
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenFor(&lookups, NewTickers());
    if (!db.ok()) return db.status();
    const plugin::Counters before = plugin::CurrentCounters();
    PassOptions pass;
    pass.threads = options_.threads;
    pass.lookups = lookups.count;
    absl::StatusOr<inspect::WorkloadCounts> counts =
        CountLookups(db->get(), lookups, pass,
                     [&](uint64_t done) { return Continue(lookups.name, done, lookups.count); });
    if (!counts.ok()) return counts.status();
    const plugin::Counters after = plugin::CurrentCounters();
    // RocksDB's own readers hash for each check.
    const uint64_t ours = after.lookups - before.lookups;
    if (ours <= counts->filter_checks) {
      counts->hashes = after.hashes - before.hashes + counts->filter_checks - ours;
      counts->hashes_shared = after.hashes_shared - before.hashes_shared;
    }
    workload.counts = *std::move(counts);
    pass.lookups = options_.timed_reads;
    pass.seconds = options_.timed_seconds;
    std::vector<inspect::WorkloadTimes> rounds;
    for (size_t round = 0; round < options_.timed_rounds; ++round) {
      db = OpenFor(&lookups);
      if (!db.ok()) return db.status();
      absl::StatusOr<inspect::WorkloadTimes> times =
          TimeLookups(db->get(), lookups, pass, [&](uint64_t done) {
            return Continue(absl::StrCat("timing ", lookups.name), done, options_.timed_reads);
          });
      if (!times.ok()) return times.status();
      rounds.push_back(*std::move(times));
    }
    workload.times = MedianRound(rounds);
    result_.workloads.push_back(std::move(workload));
    return absl::OkStatus();
  }

  bool Continue(const std::string& what, uint64_t done, uint64_t total) {
    progress_->Set(what, std::min(done, total), std::max<uint64_t>(1, total));
    return !*stop_;
  }

  const std::string& path_;
  const ExistingOptions& options_;
  cli::ProgressLine* const progress_;
  const std::atomic<bool>* const stop_;
  std::unique_ptr<ReadOnlyDatabase> database_;
  LevelFiles levels_;
  std::unique_ptr<NearMisses> near_;
  KeysOfRun keys_;
  uint64_t value_bytes_ = 0;
  rocksdb::SequenceNumber sequence_ = 0;  // when keys were drawn
  bool changed_ = false;
  inspect::PolicyResult result_;
  inspect::ReadAmplification run_;
};

}  // namespace

absl::StatusOr<inspect::ReadAmplification> MeasureExisting(const std::string& path,
                                                           const ExistingOptions& options,
                                                           cli::ProgressLine* progress,
                                                           const std::atomic<bool>* stop) {
  return Measurement(path, options, progress, stop).Run();
}

}  // namespace winnow::bench
