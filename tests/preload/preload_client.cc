// Program that uses RocksDB's C++ API without knowledge of Winnow. Tests run it with the interposer
// preloaded.
//
//   write DB POLICY KEYS      creates the database, flushes half of the keys, compacts, flushes
//                             the other half
//   count DB POLICY KEYS      creates the database with a merge operator of its own, and counts
//                             each key three times, in three files
//   counted DB POLICY KEYS    prints the number of wrong counts
//   overwrite DB POLICY KEYS  writes the other half again and compacts it
//   again DB POLICY KEYS      writes the first half again and flushes it, with its own listener,
//                             and prints the listener's events
//   read DB POLICY KEYS       looks up all keys, and as many absent ones; prints errors, and the
//                             number of data blocks read for absent keys
//   read-until-end DB POLICY KEYS
//                             like read, and then runs until its input ends
//   scan DB POLICY KEYS       scans from each key to the next, with a bound, with and without the
//                             key; prints errors, and the number of blocks read for empty scans
//   switch DB POLICY KEYS     scans, sets each of the prefix extractors SWITCH in the open
//                             database, each time writes the first half again, and scans
//   read-until-alarm DB POLICY KEYS
//                             looks up keys until the database's LOG has the alarm, or a timeout
//   read-until-use DB POLICY KEYS
//                             the same until the LOG has the table of filter use
//   remote DB POLICY KEYS     like write, with compactions by workers: processes of this program
//                             with "worker", WORKER_POLICY as POLICY, and arguments for env in
//                             WORKER_ENVIRONMENT; prints how many jobs they did
//   worker DB POLICY JOB      runs a job of "remote", a file
//   idle                      requests no policy and opens no database
//   ask-in-threads            requests policies in many threads
//   ask-and-fork              requests a policy and forks; both processes exit
//   descriptors               requests a policy, and prints the numbers of open descriptors
//   linger FILE               starts a daemon that requests a policy, closes its parent's
//                             descriptors, and ends when the pipe FILE is written to
//   daemon DB POLICY KEYS     requests a policy, forks, and reads in the child
//
// POLICY: null (for a worker: no table factory), none, bloom:BITS, ribbon:BITS:BLOOM_BEFORE_LEVEL,
// string:OPTIONS_STRING (table options), saved (all options are from the database's newest OPTIONS
// file). A DB may have a prefix that selects how it is opened: transaction@, optimistic@, ttl@,
// read-only@, secondary@, follower@ (RocksDB 9.2 and later), families@ (three column families, the
// last with its own policy), hundred@ (a hundred, each with its own policy bloom:10 unless POLICY
// is none). Environment variables change options of the column family: COMPARATOR=equal-cases,
// PREFIX=4, MEMTABLE=bloom, MEMTABLE=hash; of three column families, REVERSE=1 gives the second a
// reverse comparator, and OWN_ORDER=1 the comparator equal-cases to the second, and partitioned
// filters to the third.

#include <fcntl.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/utilities/db_ttl.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/utilities/transaction_db.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "third_party/rocksdb_abi/compaction_service.h"
#include "third_party/rocksdb_abi/versions.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::Options;
using rocksdb::Status;

void Check(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "preload_client: %s\n", status.ToString().c_str());
    std::exit(3);
  }
}

std::string Key(int number) { return "key" + std::to_string(1000000 + number); }

// Case-insensitive comparator, with which a filter of bytes would be wrong.
class EqualCases final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "preload_client.EqualCases"; }
  int Compare(const rocksdb::Slice& one, const rocksdb::Slice& other) const override {
    return Lower(one).compare(Lower(other));
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

  static const EqualCases* Get() {
    static const EqualCases comparator;
    return &comparator;
  }

 private:
  static std::string Lower(const rocksdb::Slice& key) {
    std::string lower = key.ToString();
    for (char& letter : lower) {
      letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    }
    return lower;
  }
};

// Adds binary numbers of 8 bytes.
class Sum final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "preload_client.Sum"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing, const rocksdb::Slice& value,
             std::string* sum, rocksdb::Logger*) const override {
    const uint64_t total = (existing == nullptr ? 0 : Number(*existing)) + Number(value);
    *sum = Bytes(total);
    return true;
  }
  static std::string Bytes(uint64_t number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }
  static uint64_t Number(const rocksdb::Slice& bytes) {
    uint64_t number = 0;
    if (bytes.size() == sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
};

void SetPolicy(const std::string& policy, Options* options) {
  BlockBasedTableOptions table;
  const size_t colon = policy.find(':');
  const std::string kind = policy.substr(0, colon);
  if (kind == "none" || kind == "null") {
    return;
  }
  const std::string rest = policy.substr(colon + 1);
  if (kind == "bloom") {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(std::atof(rest.c_str()), false));
  } else if (kind == "ribbon") {
    const int level = std::atoi(rest.substr(rest.find(':') + 1).c_str());
    table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(std::atof(rest.c_str()), level));
  } else {
    rocksdb::ConfigOptions config;
    Check(rocksdb::GetBlockBasedTableOptionsFromString(config, BlockBasedTableOptions(), rest,
                                                       &table));
  }
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

Options SavedOptions(const std::string& path) {
  rocksdb::DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  Check(rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), path, &options, &families));
  return Options(options, families.at(0).options);
}

Options MakeOptions(const std::string& policy, const std::string& path) {
  Options options;
  if (policy == "saved") {
    options = SavedOptions(path);
    options.statistics = rocksdb::CreateDBStatistics();
    return options;
  }
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  winnow::rocksdb_abi::FailWithoutOptionsFile(&options);
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;  // every RocksDB reads it
  // The stats thread races with DB::Open, in inlined code of librocksdb that ThreadSanitizer does
  // not instrument.
  options.stats_dump_period_sec = 0;
  options.statistics = rocksdb::CreateDBStatistics();
  SetPolicy(policy, &options);
  if (std::getenv("COMPARATOR") != nullptr) options.comparator = EqualCases::Get();
  if (const char* length = std::getenv("PREFIX")) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(static_cast<size_t>(std::atoi(length))));
  }
  if (const char* memtable = std::getenv("MEMTABLE")) {
    if (memtable == std::string("bloom")) {
      options.memtable_prefix_bloom_size_ratio = 0.1;
    } else {
      options.memtable_factory.reset(rocksdb::NewHashSkipListRepFactory());
      options.allow_concurrent_memtable_write = false;
    }
  }
  return options;
}

class Database {
 public:
  Database(const std::string& how, const std::string& path, const Options& options) {
    if (how == "transaction") {
      rocksdb::TransactionDB* db = nullptr;
      Check(rocksdb::TransactionDB::Open(options, rocksdb::TransactionDBOptions(), path, &db));
      db_.reset(db);
    } else if (how == "optimistic") {
      rocksdb::OptimisticTransactionDB* db = nullptr;
      Check(rocksdb::OptimisticTransactionDB::Open(options, path, &db));
      db_.reset(db);
    } else if (how == "ttl") {
      rocksdb::DBWithTTL* db = nullptr;
      Check(rocksdb::DBWithTTL::Open(options, path, &db));
      db_.reset(db);
    } else if (how == "families") {
      OpenFamilies(path, options);
    } else if (how == "hundred") {
      OpenHundred(path, options);
#if WINNOW_ROCKSDB_HAS_FOLLOWERS
    } else if (how == "follower") {
      Check(DB::OpenAsFollower(options, path + ".follower", path, &db_));
#endif
    } else {
      winnow::rocksdb_abi::OpenedDB db{};
      if (how == "read-only") {
        Check(DB::OpenForReadOnly(options, path, &db));
      } else if (how == "secondary") {
        Check(DB::OpenAsSecondary(options, path, path + ".secondary", &db));
      } else {
        Check(DB::Open(options, path, &db));
      }
      db_ = winnow::rocksdb_abi::Own(std::move(db));
    }
    if (handles_.empty()) {
      handles_.push_back(db_->DefaultColumnFamily());
    }
  }

  ~Database() {
    for (ColumnFamilyHandle* handle : handles_) {
      if (handle != db_->DefaultColumnFamily()) {
        Check(db_->DestroyColumnFamilyHandle(handle));
      }
    }
  }

  DB* operator->() { return db_.get(); }
  DB& operator*() { return *db_; }
  const std::vector<ColumnFamilyHandle*>& handles() const { return handles_; }

 private:
  void OpenFamilies(const std::string& path, const Options& options) {
    Options own = options;
    SetPolicy("ribbon:10:-1", &own);
    Options second = options;
    if (std::getenv("REVERSE") != nullptr) second.comparator = rocksdb::ReverseBytewiseComparator();
    if (std::getenv("OWN_ORDER") != nullptr) {
      second.comparator = EqualCases::Get();
      BlockBasedTableOptions table = *own.table_factory->GetOptions<BlockBasedTableOptions>();
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      own.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    }
    Open(path, options,
         {{rocksdb::kDefaultColumnFamilyName, options}, {"second", second}, {"own", own}});
  }

  void OpenHundred(const std::string& path, const Options& options) {
    std::vector<ColumnFamilyDescriptor> families = {{rocksdb::kDefaultColumnFamilyName, options}};
    const auto& table = *options.table_factory->GetOptions<BlockBasedTableOptions>();
    while (families.size() < 100) {
      Options own = options;
      if (table.filter_policy != nullptr) SetPolicy("bloom:10", &own);
      families.emplace_back("family" + std::to_string(families.size()), own);
    }
    Open(path, options, families);
  }

  void Open(const std::string& path, const Options& options,
            const std::vector<ColumnFamilyDescriptor>& families) {
    winnow::rocksdb_abi::OpenedDB db{};
    Check(DB::Open(options, path, families, &handles_, &db));
    db_ = winnow::rocksdb_abi::Own(std::move(db));
  }

  std::unique_ptr<DB> db_;
  std::vector<ColumnFamilyHandle*> handles_;
};

void Flush(Database* db) {
  for (ColumnFamilyHandle* family : db->handles()) {
    Check((*db)->Flush(rocksdb::FlushOptions(), family));
  }
}

void Put(Database* db, int first, int end, const std::string& value) {
  for (ColumnFamilyHandle* family : db->handles()) {
    for (int i = first; i < end; ++i) {
      Check((*db)->Put(rocksdb::WriteOptions(), family, Key(2 * i), value + std::to_string(i)));
    }
  }
}

void Compact(Database* db, const rocksdb::Slice* begin) {
  rocksdb::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  for (ColumnFamilyHandle* family : db->handles()) {
    Check((*db)->CompactRange(compaction, family, begin, nullptr));
  }
}

int Write(const std::string& how, const std::string& path, const Options& options, int keys) {
  Check(rocksdb::DestroyDB(path, options));
  Database db(how, path, options);
  Put(&db, 0, keys / 2, "value");
  Flush(&db);
  Compact(&db, nullptr);
  Put(&db, keys / 2, keys, "value");
  Flush(&db);
  return 0;
}

int Overwrite(const std::string& how, const std::string& path, const Options& options, int keys) {
  Database db(how, path, options);
  Put(&db, keys / 2, keys, "newer");
  Flush(&db);
  const std::string first = Key(2 * (keys / 2));
  const rocksdb::Slice begin(first);
  Compact(&db, &begin);
  return 0;
}

int WriteCounts(const std::string& how, const std::string& path, Options options, int keys) {
  Check(rocksdb::DestroyDB(path, options));
  options.merge_operator = std::make_shared<Sum>();
  Database db(how, path, options);
  for (int round = 0; round < 3; ++round) {
    for (ColumnFamilyHandle* family : db.handles()) {
      for (int i = 0; i < keys; ++i) {
        Check(db->Merge(rocksdb::WriteOptions(), family, Key(i), Sum::Bytes(1)));
      }
    }
    Flush(&db);
  }
  return 0;
}

int ReadCounts(const std::string& how, const std::string& path, Options options, int keys) {
  options.merge_operator = std::make_shared<Sum>();
  Database db(how, path, options);
  int wrong = 0;
  for (ColumnFamilyHandle* family : db.handles()) {
    for (int i = 0; i < keys; ++i) {
      std::string value;
      Check(db->Get(rocksdb::ReadOptions(), family, Key(i), &value));
      wrong += Sum::Number(value) == 3 ? 0 : 1;
    }
  }
  std::printf("wrong=%d\n", wrong);
  return 0;
}

unsigned long long Count(const Options& options, rocksdb::Tickers ticker) {
  return options.statistics->getTickerCount(ticker);
}

unsigned long long DataBlocks(const Options& options) {
  return Count(options, rocksdb::BLOCK_CACHE_DATA_HIT) +
         Count(options, rocksdb::BLOCK_CACHE_DATA_MISS);
}

// Scans all column families and prints the results.
void ScanAndSay(Database* db, const Options& options, int keys) {
  int missing = 0;
  int invented = 0;
  const auto count = [&](ColumnFamilyHandle* family, const std::string& from,
                         const std::string& to) {
    const rocksdb::Slice bound(to);
    rocksdb::ReadOptions read;
    read.iterate_upper_bound = &bound;
    const std::unique_ptr<rocksdb::Iterator> rows((*db)->NewIterator(read, family));
    int found = 0;
    for (rows->Seek(from); rows->Valid(); rows->Next()) ++found;
    Check(rows->status());
    return found;
  };
  unsigned long long read_for_nothing = 0;
  for (ColumnFamilyHandle* family : db->handles()) {
    for (int i = 0; i < keys; ++i) {
      missing += count(family, Key(2 * i), Key(2 * i + 1)) == 1 ? 0 : 1;
      const unsigned long long before = DataBlocks(options);
      invented += count(family, Key(2 * i + 1), Key(2 * i + 2));
      read_for_nothing += DataBlocks(options) - before;
    }
  }
  std::printf("missing=%d invented=%d blocks=%llu\n", missing, invented, read_for_nothing);
}

int Scan(const std::string& how, const std::string& path, const Options& options, int keys) {
  Database db(how, path, options);
  ScanAndSay(&db, options, keys);
  return 0;
}

// SWITCH lists extractors, separated by spaces.
int Switch(const std::string& how, const std::string& path, const Options& options, int keys) {
  Database db(how, path, options);
  ScanAndSay(&db, options, keys);
  std::istringstream extractors(std::getenv("SWITCH"));
  for (std::string extractor; extractors >> extractor;) {
    Check(db->SetOptions({{"prefix_extractor", extractor}}));
    ScanAndSay(&db, options, keys);
    Put(&db, 0, keys / 2, "value");
    Flush(&db);
    Compact(&db, nullptr);
    ScanAndSay(&db, options, keys);
  }
  return 0;
}

class OwnListener final : public rocksdb::EventListener {
 public:
  void OnFlushCompleted(DB*, const rocksdb::FlushJobInfo&) override { ++flushes_; }
  int flushes() const { return flushes_.load(); }

 private:
  std::atomic<int> flushes_{0};
};

int WriteAgain(const std::string& how, const std::string& path, const Options& options, int keys) {
  const auto own = std::make_shared<OwnListener>();
  Options with_own = options;
  with_own.listeners.push_back(own);
  int listeners = 0;
  {
    Database db(how, path, with_own);
    Put(&db, 0, keys / 2, "value");
    Flush(&db);
    listeners = static_cast<int>(db->GetDBOptions().listeners.size());
  }
  std::printf("flushes=%d listeners=%d options=%d\n", own->flushes(), listeners,
              static_cast<int>(with_own.listeners.size()));
  return 0;
}

std::string Text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Compaction service that starts a process for each job.
class WorkerProcesses final : public winnow::rocksdb_abi::CompactionService {
 public:
  explicit WorkerProcesses(std::string path) : path_(std::move(path)) {}

  const char* Name() const override { return "preload_client.WorkerProcesses"; }
  int jobs() const { return jobs_; }
  int done() const { return done_; }

  JobStatus Start(const std::string& id, const Job& /*job*/, const std::string& input) override {
    std::ofstream(JobFile(id), std::ios::binary) << input;
    return JobStatus::kSuccess;
  }

  JobStatus Finish(const std::string& id, std::string* output) override {
    ++jobs_;
    const std::string command = "exec env " + FromEnvironment("WORKER_ENVIRONMENT") + " '" +
                                std::filesystem::read_symlink("/proc/self/exe").string() +
                                "' worker '" + path_ + "' '" + FromEnvironment("WORKER_POLICY") +
                                "' '" + JobFile(id) + "'";
    const int status = std::system(command.c_str());
    if (status != 0) return JobStatus::kUseLocal;
    ++done_;
    *output = Text(JobFile(id) + ".output");
    return JobStatus::kSuccess;
  }

 private:
  std::string JobFile(const std::string& id) const { return path_ + ".job-" + id; }
  static std::string FromEnvironment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  }

  const std::string path_;
  std::atomic<int> jobs_{0};
  std::atomic<int> done_{0};
};

int WriteRemotely(const std::string& how, const std::string& path, const Options& options,
                  int keys) {
  const auto workers = std::make_shared<WorkerProcesses>(path);
  Options with_workers = options;
  with_workers.compaction_service = workers;
  const int status = Write(how, path, with_workers, keys);
  std::printf("jobs=%d done=%d\n", workers->jobs(), workers->done());
  return status;
}

int Work(const std::string& path, const std::string& policy, const std::string& job) {
  Options options;
  SetPolicy(policy, &options);
  rocksdb::CompactionServiceOptionsOverride given;
  if (policy != "null") given.table_factory = options.table_factory;
  std::string output;
  Check(DB::OpenAndCompact(path, job + ".files", Text(job), &output, given));
  std::ofstream(job + ".output", std::ios::binary) << output;
  return 0;
}

int Read(const std::string& how, const std::string& path, const Options& options, int keys) {
  Database db(how, path, options);
  unsigned long long blocks = 0;
  int missing = 0;
  int invented = 0;
  int newer = 0;
  for (ColumnFamilyHandle* family : db.handles()) {
    for (int i = 0; i < keys; ++i) {
      std::string value;
      const bool found = db->Get(rocksdb::ReadOptions(), family, Key(2 * i), &value).ok();
      const bool is_newer = value == "newer" + std::to_string(i);
      newer += is_newer ? 1 : 0;
      missing += found && (is_newer || value == "value" + std::to_string(i)) ? 0 : 1;
      const unsigned long long before = DataBlocks(options);
      invented += db->Get(rocksdb::ReadOptions(), family, Key(2 * i + 1), &value).ok() ? 1 : 0;
      blocks += DataBlocks(options) - before;
    }
  }
  std::printf("missing=%d invented=%d newer=%d useful=%llu absent_blocks=%llu\n", missing, invented,
              newer, Count(options, rocksdb::BLOOM_FILTER_USEFUL), blocks);
  return 0;
}

int ReadUntilEnd(const std::string& how, const std::string& path, const Options& options,
                 int keys) {
  const int status = Read(how, path, options, keys);
  while (std::getchar() != EOF) {
  }
  return status;
}

// Looks up keys until the database's LOG has the line, but not for longer than a minute, nor five
// seconds without a LOG. The clock is not the one that a test makes faster.
int ReadUntil(const std::string& line, const std::string& how, const std::string& path,
              const Options& options, int keys) {
  using Clock = std::chrono::system_clock;
  Database db(how, path, options);
  const std::string log_folder = how == "secondary" || how == "follower" ? path + "." + how : path;
  const bool has_log = db->GetDBOptions().info_log != nullptr;
  const auto end = Clock::now() + std::chrono::seconds(has_log ? 60 : 5);
  bool has_line = false;
  for (int lookups = 0; !has_line && Clock::now() < end; ++lookups) {
    const int key = lookups % 2 == 0 ? lookups % keys : keys - 1 - lookups % keys;
    std::string value;
    Check(db->Get(rocksdb::ReadOptions(), db.handles().back(), Key(2 * key), &value));
    if (has_log && lookups % 10'000 == 0) {
      has_line = Text(log_folder + "/LOG").find(line) != std::string::npos;
    }
  }
  std::printf("found=%d\n", has_line || !has_log ? 1 : 0);
  return 0;
}

// Closes stderr like some daemons: the next opened file gets descriptor 2, here the WAL that a
// flush begins. Exits without closing the database, so that the last writes are in the WAL.
int WriteWithoutStderr(const std::string& how, const std::string& path, const Options& options,
                       int keys) {
  Check(rocksdb::DestroyDB(path, options));
  Database& db = *new Database(how, path, options);
  Put(&db, 0, keys / 2, "value");
  ::close(STDERR_FILENO);
  Flush(&db);
  Put(&db, keys / 2, keys, "value");
  char target[4096] = {};
  const ssize_t size = ::readlink("/proc/self/fd/2", target, sizeof target - 1);
  std::printf("descriptor 2 is %s\n", size > 0 ? target : "closed");
  std::fflush(stdout);
  ::_exit(0);
}

// Creates a column family by importing the file of another one.
ColumnFamilyHandle* ImportFamily(Database* db, const std::string& path,
                                 ColumnFamilyHandle* exported_family,
                                 const rocksdb::ColumnFamilyOptions& family) {
  rocksdb::Checkpoint* made = nullptr;
  Check(rocksdb::Checkpoint::Create(&**db, &made));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  rocksdb::ExportImportFilesMetaData* exported = nullptr;
  Check(checkpoint->ExportColumnFamily(exported_family, path + ".exported", &exported));
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(exported);
  ColumnFamilyHandle* imported = nullptr;
  Check((*db)->CreateColumnFamilyWithImport(family, "five", rocksdb::ImportColumnFamilyOptions(),
                                            *files, &imported));
  Check((*db)->Put(rocksdb::WriteOptions(), imported, Key(1), "value"));
  Check((*db)->Flush(rocksdb::FlushOptions(), imported));
  std::filesystem::remove_all(path + ".exported");
  return imported;
}

// Creates column families in the open database, in each possible way.
int WriteLaterFamilies(const std::string& how, const std::string& path, const Options& options,
                       int keys) {
  Check(rocksdb::DestroyDB(path, options));
  Database db(how, path, options);
  const rocksdb::ColumnFamilyOptions family(options);
  ColumnFamilyHandle* handle = nullptr;
  Check(db->CreateColumnFamily(family, "one", &handle));
  std::vector<ColumnFamilyHandle*> handles;
  Check(db->CreateColumnFamilies(family, {"two", "three"}, &handles));
  std::vector<ColumnFamilyHandle*> more;
  Check(db->CreateColumnFamilies({{"four", family}}, &more));
  handles.insert(handles.end(), {handle, more.at(0)});
  for (ColumnFamilyHandle* each : handles) {
    for (int i = 0; i < keys; ++i) {
      Check(db->Put(rocksdb::WriteOptions(), each, Key(2 * i), "value" + std::to_string(i)));
    }
    Check(db->Flush(rocksdb::FlushOptions(), each));
  }
  if (how != "transaction") {  // imported families are read-only there
    handles.push_back(ImportFamily(&db, path, handle, family));
  }
  for (ColumnFamilyHandle* each : handles) {
    Check(db->DestroyColumnFamilyHandle(each));
  }
  return 0;
}

// Prints the iterator's position after a seek to the prefix of an absent key. Callers do so before
// and after SetOptions sets a prefix extractor, with files from before and after.
void Seek(Database* db, const std::string& target) {
  const std::unique_ptr<rocksdb::Iterator> iterator((*db)->NewIterator(rocksdb::ReadOptions()));
  iterator->Seek(target);
  std::printf("%s -> %s\n", target.c_str(),
              iterator->Valid() ? iterator->key().ToString().c_str() : "end");
}

// Seeks in an existing database, whose files may have been written with an extractor.
int SeekOldPrefixes(const std::string& how, const std::string& path, const Options& options,
                    int /*keys*/) {
  Database db(how, path, options);
  Seek(&db, "aaaa");
  Check(db->SetOptions({{"prefix_extractor", "fixed:4"}}));
  Seek(&db, "aaaa");
  return 0;
}

int SeekPrefixes(const std::string& how, const std::string& path, const Options& options,
                 int keys) {
  Check(rocksdb::DestroyDB(path, options));
  Database db(how, path, options);
  const auto seek = [&db](const std::string& target) { Seek(&db, target); };
  const auto put = [&db, keys](const std::string& first) {
    for (int i = 0; i < keys; ++i) {
      Check(db->Put(rocksdb::WriteOptions(), first + Key(i), "value"));
    }
    Flush(&db);
  };
  put("bbbb");
  seek("aaaa");
  Check(db->SetOptions({{"prefix_extractor", "fixed:4"}}));
  put("dddd");
  seek("aaaa");
  seek("cccc");
  Compact(&db, nullptr);
  seek("aaaa");
  seek("cccc");
  Check(db->SetOptions({{"prefix_extractor", "nullptr"}}));
  put("ffff");
  seek("eeee");
  return 0;
}

// Returns the exit status of the only child.
int WaitForChild() {
  int status = 0;
  return ::wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

int AskAndFork() {
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(rocksdb::NewBloomFilterPolicy(10));
  if (::fork() == 0) {
    std::exit(0);
  }
  return WaitForChild();
}

int ReadAsDaemon(const std::string& how, const std::string& path, const Options& options,
                 int keys) {
  if (::fork() > 0) {
    ::_exit(WaitForChild());
  }
  return Read(how, path, options, keys);
}

int AskInThreads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      const BlockBasedTableOptions table;
      for (int i = 0; i < 100; ++i) {
        const std::unique_ptr<const rocksdb::FilterPolicy> policy(
            i % 2 == 0 ? rocksdb::NewBloomFilterPolicy(1 + (t + i) % 20)
                       : rocksdb::NewRibbonFilterPolicy(1 + (t + i) % 20));
        std::shared_ptr<const rocksdb::FilterPolicy> made;
        Check(rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), "bloomfilter:10",
                                                      &made));
        if (policy->GetId().empty() || made->GetId() != "bloomfilter:10:false") {
          std::exit(4);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return 0;
}

int PrintDescriptors() {
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(rocksdb::NewBloomFilterPolicy(10));
  for (int i = 0; i < 100; ++i) {
    if (::fcntl(i, F_GETFD) >= 0) std::printf("%d ", i);
  }
  return 0;
}

int Linger(const std::string& pipe) {
  if (::fork() > 0) return 0;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(rocksdb::NewBloomFilterPolicy(10));
  ::close(STDIN_FILENO);
  ::close(STDOUT_FILENO);
  ::close(STDERR_FILENO);
  ::open(pipe.c_str(), O_RDONLY);
  return 0;
}

using DatabaseVerb =
    std::function<int(const std::string& how, const std::string& path, const Options&, int keys)>;

DatabaseVerb ReadUntilLogHas(const std::string& line) {
  return [line](const std::string& how, const std::string& path, const Options& options, int keys) {
    return ReadUntil(line, how, path, options, keys);
  };
}

[[noreturn]] void FailByUsage() {
  std::fprintf(stderr, "preload_client: expected one of the verbs in its source and arguments\n");
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string verb = arguments.empty() ? "" : arguments[0];
  const std::map<std::string, std::function<int()>> alone = {{"idle", [] { return 0; }},
                                                             {"descriptors", PrintDescriptors},
                                                             {"ask-in-threads", AskInThreads},
                                                             {"ask-and-fork", AskAndFork}};
  if (arguments.size() == 1 && alone.count(verb) > 0) return alone.at(verb)();
  if (arguments.size() == 2 && verb == "linger") return Linger(arguments[1]);
  if (arguments.size() != 4) FailByUsage();
  if (verb == "worker") return Work(arguments[1], arguments[2], arguments[3]);
  const std::map<std::string, DatabaseVerb> verbs = {
      {"write", Write},
      {"count", WriteCounts},
      {"counted", ReadCounts},
      {"overwrite", Overwrite},
      {"again", WriteAgain},
      {"read", Read},
      {"read-until-end", ReadUntilEnd},
      {"read-until-alarm", ReadUntilLogHas("[winnow] filters that Winnow's policies read take ")},
      {"read-until-use", ReadUntilLogHas("[winnow] what filters answered, ")},
      {"scan", Scan},
      {"switch", Switch},
      {"remote", WriteRemotely},
      {"daemon", ReadAsDaemon},
      {"close-stderr", WriteWithoutStderr},
      {"later-families", WriteLaterFamilies},
      {"prefixes", SeekPrefixes},
      {"old-prefixes", SeekOldPrefixes},
  };
  if (verbs.count(verb) == 0) FailByUsage();
  const size_t at = arguments[1].find('@');
  const std::string how = at == std::string::npos ? "" : arguments[1].substr(0, at);
  const std::string path = at == std::string::npos ? arguments[1] : arguments[1].substr(at + 1);
  return verbs.at(verb)(how, path, MakeOptions(arguments[2], path),
                        std::atoi(arguments[3].c_str()));
}
