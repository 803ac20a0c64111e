#include "db_bench_ext/read_amplification/existing_database.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "db_bench_ext/read_amplification/key_table.h"
#include "db_bench_ext/read_amplification/lookups.h"
#include "db_bench_ext/read_amplification/status.h"
#include "db_bench_ext/read_amplification/tree.h"
#include "src/inspect/quiet_logger.h"
#include "src/inspect/read_only_env.h"
#include "src/inspect/sst_filters.h"
#include "src/rocksdb/counters.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {
namespace {

constexpr size_t kMostKeys = 200'000;
constexpr size_t kFilesConsideredSample = 100'000;
constexpr uint64_t kProgressEvery = 65536;
constexpr uint64_t kSampleSalt = 0x73616d706c65;
constexpr uint64_t kAbsentSalt = 0x616273656e74;

class ExistingDatabase {
 public:
  static absl::StatusOr<std::unique_ptr<ExistingDatabase>> Make(const std::string& path,
                                                                uint64_t cache_size) {
    auto made = std::unique_ptr<ExistingDatabase>(new ExistingDatabase(path, cache_size));
    absl::Status status = FromRocksDB(inspect::NewReadOnlyEnv(&made->env_), "read " + path);
    if (status.ok()) status = made->LoadOptions();
    if (!status.ok()) return status;
    return made;
  }

  // With an empty block cache.
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> Open() const {
    rocksdb::BlockBasedTableOptions table = table_;
    if (cache_size_ == 0) {
      table.no_block_cache = true;
      table.cache_index_and_filter_blocks = false;
    } else {
      table.no_block_cache = false;
      table.block_cache = rocksdb::NewLRUCache(cache_size_);
    }
    rocksdb::Options options = options_;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb_abi::OpenedDB opened{};
    absl::Status status = FromRocksDB(rocksdb::DB::OpenForReadOnly(options, path_, &opened),
                                      "open " + path_ + " for reading");
    if (!status.ok()) return status;
    return rocksdb_abi::Own(std::move(opened));
  }

 private:
  ExistingDatabase(const std::string& path, uint64_t cache_size)
      : path_(path), cache_size_(cache_size) {}

  // Those that its latest OPTIONS file says of what decides how it is read. Without one, RocksDB's
  // defaults.
  absl::Status LoadOptions() {
    rocksdb::ConfigOptions config;
    config.env = env_.get();
    config.ignore_unknown_options = true;
    config.ignore_unsupported_options = true;
    rocksdb::DBOptions database;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    if (rocksdb::LoadLatestOptions(config, path_, &database, &families).ok()) {
      const rocksdb::ColumnFamilyOptions& family = families.at(0).options;
      options_.comparator = family.comparator;
      options_.merge_operator = family.merge_operator;
      options_.prefix_extractor = family.prefix_extractor;
      options_.num_levels = family.num_levels;
      options_.db_paths = database.db_paths;
      options_.cf_paths = family.cf_paths;
      if (const auto* table = family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()) {
        table_ = *table;
        table_.persistent_cache = nullptr;
      }
    }
    options_.env = env_.get();
    options_.info_log = std::make_shared<inspect::QuietLogger>();
    options_.max_open_files = -1;
    rocksdb_abi::LeaveFileSizesUnchecked(&options_);
    PolicyOptions policy;
    policy.build = Build::kBloomFilter;  // it reads all, and builds nothing here
    return FromRocksDB(NewFilterPolicy(policy, &table_.filter_policy), "make a policy");
  }

  const std::string path_;
  const uint64_t cache_size_;
  std::unique_ptr<rocksdb::Env> env_;
  rocksdb::Options options_;
  rocksdb::BlockBasedTableOptions table_;
};

class Measurement {
 public:
  Measurement(const std::string& path, const ExistingOptions& options, Progress* progress,
              const std::atomic<bool>* stop)
      : path_(path), options_(options), progress_(progress), stop_(stop) {}

  absl::StatusOr<inspect::ReadAmplification> Run() {
    absl::StatusOr<std::unique_ptr<ExistingDatabase>> database =
        ExistingDatabase::Make(path_, options_.cache_size);
    if (!database.ok()) return database.status();
    database_ = *std::move(database);
    absl::Status status = Examine();
    if (status.ok()) status = DrawKeys();
    if (!status.ok()) return status;
    FillWorkloads();
    for (const Lookups& lookups : workloads_) {
      status = Measure(lookups);
      if (!status.ok()) return status;
    }
    run_.keys_from = path_;
    run_.cache_size = options_.cache_size;
    run_.seed = options_.seed;
    run_.policies.push_back(std::move(result_));
    return std::move(run_);
  }

 private:
  // The tree, and the filters of its files.
  absl::Status Examine() {
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = database_->Open();
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

  // A random sample of the keys, each as likely (Vitter's algorithm R), and near misses of it that
  // the database does not have.
  absl::Status DrawKeys() {
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = database_->Open();
    if (!db.ok()) return db.status();
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    read.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> keys((*db)->NewIterator(read));
    const size_t most = std::min(options_.reads, kMostKeys);
    std::vector<std::string> sample;
    Random random(options_.seed ^ kSampleSalt);
    for (keys->SeekToFirst(); keys->Valid(); keys->Next(), ++run_.keys) {
      run_.key_bytes += keys->key().size();
      value_bytes_ += keys->value().size();
      if (sample.size() < most) {
        sample.push_back(keys->key().ToString());
      } else if (const uint64_t place = RandomBelow(&random, run_.keys + 1); place < most) {
        sample[place] = keys->key().ToString();
      }
      if (run_.keys % kProgressEvery == 0 && !Continue("reading keys", run_.keys, result_.keys)) {
        return absl::CancelledError("interrupted");
      }
    }
    if (!keys->status().ok()) return FromRocksDB(keys->status(), "read the keys of " + path_);
    if (sample.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(path_, " has no keys in the files of its default column family"));
    }
    run_.value_size = value_bytes_ / run_.keys;
    for (const std::string& key : sample) present_.Add(key);
    absl::StatusOr<KeyTable> near =
        NearMisses(present_, std::min(options_.reads, kMostKeys), options_.seed ^ kAbsentSalt);
    if (!near.ok()) return near.status();
    rocksdb::PinnableSlice value;
    for (size_t i = 0; i < near->size(); ++i) {
      const std::string_view key = (*near)[i];
      value.Reset();
      const rocksdb::Status found = (*db)->Get(rocksdb::ReadOptions(), (*db)->DefaultColumnFamily(),
                                               {key.data(), key.size()}, &value);
      if (found.IsNotFound()) absent_.Add(key);
    }
    return absent_.empty() ? absl::FailedPreconditionError(absl::StrCat(
                                 "no near miss of the keys of ", path_, " is absent from it"))
                           : absl::OkStatus();
  }

  void FillWorkloads() {
    for (const std::string& name : options_.workloads) {
      Lookups lookups;
      lookups.name = name;
      lookups.present = name == "readrandom";
      lookups.keys = lookups.present ? &present_ : &absent_;
      lookups.order = RandomPicks(options_.reads, lookups.keys->size(), options_.seed);
      workloads_.push_back(std::move(lookups));
    }
  }

  absl::Status Measure(const Lookups& lookups) {
    inspect::WorkloadResult workload;
    workload.name = lookups.name;
    workload.present = lookups.present;
    workload.files_considered_per_lookup =
        FilesConsideredPerLookup(levels_, *lookups.keys, lookups.order, kFilesConsideredSample);
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = database_->Open();
    if (!db.ok()) return db.status();
    const plugin::Counters before = plugin::CurrentCounters();
    absl::StatusOr<inspect::WorkloadCounts> counts = CountLookups(
        db->get(), lookups,
        [&](uint64_t done) { return Continue(lookups.name, done, lookups.order.size()); });
    if (!counts.ok()) return counts.status();
    const plugin::Counters after = plugin::CurrentCounters();
    // RocksDB's own readers hash each time.
    const uint64_t ours = after.lookups - before.lookups;
    if (ours <= counts->filter_checks) {
      counts->hashes = after.hashes - before.hashes + counts->filter_checks - ours;
      counts->hashes_shared = after.hashes_shared - before.hashes_shared;
    }
    workload.counts = *std::move(counts);
    std::vector<inspect::WorkloadTimes> rounds;
    for (size_t round = 0; round < options_.timed_rounds; ++round) {
      db = database_->Open();
      if (!db.ok()) return db.status();
      absl::StatusOr<inspect::WorkloadTimes> times =
          TimeLookups(db->get(), lookups, options_.timed_reads, [&](uint64_t done) {
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
  Progress* const progress_;
  const std::atomic<bool>* const stop_;
  std::unique_ptr<ExistingDatabase> database_;
  TreeLevels levels_;
  KeyTable present_;
  KeyTable absent_;
  uint64_t value_bytes_ = 0;
  std::vector<Lookups> workloads_;
  inspect::PolicyResult result_;
  inspect::ReadAmplification run_;
};

}  // namespace

bool IsDatabase(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(path) / "CURRENT", error);
}

absl::StatusOr<inspect::ReadAmplification> MeasureExisting(const std::string& path,
                                                           const ExistingOptions& options,
                                                           Progress* progress,
                                                           const std::atomic<bool>* stop) {
  if (!IsDatabase(path)) {
    return absl::NotFoundError(
        absl::StrCat("there is no database in '", path, "': it has no file CURRENT"));
  }
  return Measurement(path, options, progress, stop).Run();
}

}  // namespace winnow::bench
