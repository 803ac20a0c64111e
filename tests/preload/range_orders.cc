// Scans of column families with six comparators, compared with a model, for all ways to create
// column families, policies and databases. The program knows only RocksDB and runs with the plugin
// or the interposer preloaded.
//
//   range_orders FOLDER plugin|builtin SEED SCANS
//
// `plugin` names Winnow's policy and extractor in options strings; `builtin` uses RocksDB's policy,
// which the interposer replaces. Creates new databases until SCANS scans have been compared, prints
// totals, and exits with 1 if a row was missing or surplus.

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "third_party/rocksdb_abi/versions.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyHandle;
using rocksdb::ColumnFamilyOptions;
using rocksdb::Comparator;
using rocksdb::DB;
using rocksdb::Options;
using rocksdb::Slice;
using rocksdb::Status;

void Check(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "range_orders: %s: %s\n", what, status.ToString().c_str());
  std::exit(2);
}

// ---- Orders

class Order : public Comparator {
 public:
  using Compared = std::function<int(const Slice&, const Slice&)>;
  Order(const char* name, Compared compared) : name_(name), compared_(std::move(compared)) {}

  const char* Name() const override { return name_; }
  int Compare(const Slice& a, const Slice& b) const override { return compared_(a, b); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  const char* const name_;
  const Compared compared_;
};

uint64_t Native(const Slice& key) {
  uint64_t number = 0;
  std::memcpy(&number, key.data(), std::min(key.size(), sizeof number));
  return number;
}

std::string Lower(const Slice& key) {
  std::string lower = key.ToString();
  for (char& letter : lower) letter = static_cast<char>(std::tolower(letter));
  return lower;
}

int LengthFirst(const Slice& a, const Slice& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

struct KindOfKeys {
  const Comparator* order;
  std::function<std::string(uint64_t)> key;  // encodes a number below kUniverse
};

constexpr uint64_t kUniverse = 3000;

// Returns three letters, some of them capital. No two numbers differ in case only.
std::string Letters(uint64_t number) {
  std::string key;
  for (int i = 0; i < 3; ++i, number /= 15) key += static_cast<char>('a' + number % 15);
  key[number * 7 % 3] = static_cast<char>(std::toupper(key[number * 7 % 3]));
  if (key[1] > 'g') key[0] = static_cast<char>(std::toupper(key[0]));
  return key;
}

const std::vector<KindOfKeys>& Kinds() {
  static const Order native("app.native", [](const Slice& a, const Slice& b) {
    return Native(a) < Native(b) ? -1 : Native(a) > Native(b) ? 1 : 0;
  });
  static const Order length("app.length_first", LengthFirst);
  static const Order case_blind(
      "app.case_blind", [](const Slice& a, const Slice& b) { return Lower(a).compare(Lower(b)); });
  static const Order decimal("app.decimal", LengthFirst);
  static const auto number = [](uint64_t n) {
    return std::string(reinterpret_cast<const char*>(&n), sizeof n);
  };
  static const std::vector<KindOfKeys> kinds = {
      {rocksdb::BytewiseComparator(), Letters},
      {rocksdb::BytewiseComparator(), [](uint64_t n) { return "k" + std::to_string(n + 10000); }},
      {&native, number},
      {&length, [](uint64_t n) { return std::string(n % 5, 'x') + Letters(n); }},
      {&case_blind, Letters},
      {rocksdb::ReverseBytewiseComparator(), Letters},
      {&decimal, [](uint64_t n) { return std::to_string(n); }},
  };
  return kinds;
}

struct Less {
  const Comparator* order;
  bool operator()(const std::string& a, const std::string& b) const {
    return order->Compare(a, b) < 0;
  }
};

// ---- Totals

struct Totals {
  uint64_t scans = 0;
  uint64_t wrong = 0;
  uint64_t bytewise = 0;  // empty scans in bytewise order
  uint64_t blocks = 0;    // blocks read by these scans
  std::map<std::string, uint64_t> ways;
};

// ---- One database, or two

constexpr char kPluginFamily[] =
    "prefix_extractor=winnow.range;block_based_table_factory={block_size=256;filter_policy={id="
    "winnow;bits_per_key=10;range_bits=15}}";

class Run {
 public:
  Run(const std::string& folder, bool is_plugin, uint64_t seed, Totals* totals)
      : folder_(folder), is_plugin_(is_plugin), seed_(seed), random_(seed), totals_(totals) {
    base_.create_if_missing = true;
    base_.create_missing_column_families = true;
    base_.write_buffer_size = 64 << 10;
    base_.target_file_size_base = 16 << 10;
    base_.max_bytes_for_level_base = 64 << 10;
    base_.level0_file_num_compaction_trigger = 6;
    base_.avoid_flush_during_recovery = Chance(2);
    if (is_plugin_ && Chance(2)) {
      Way("listeners=winnow");
      rocksdb::DBOptions with_listener;
      Check(rocksdb::GetDBOptionsFromString(rocksdb::ConfigOptions(), base_, "listeners=winnow",
                                            &with_listener),
            "listeners=winnow");
      if (with_listener.listeners.size() != 1) Check(Status::NotFound(), "listeners=winnow");
      base_ = Options(with_listener, base_);
    }
    shared_ = NewFamily(ColumnFamilyOptions(base_));
  }

  void Go() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/db";
    families_.push_back(New("default"));
    while (Chance(2) && families_.size() < 4) {
      families_.push_back(New("f" + std::to_string(families_.size())));
      Way("family before the open");
    }
    Open(How::kWrite);
    for (int step = 0; step < 12; ++step) Step();
    Close();
    if (Chance(3)) Repair();
    if (Chance(3)) SamePathAgain();
    std::filesystem::remove_all(folder_);
  }

 private:
  struct Family {
    std::string name;
    const KindOfKeys* kind;
    ColumnFamilyOptions options;
    std::map<std::string, std::string, Less> rows;
    ColumnFamilyHandle* handle = nullptr;
  };

  uint64_t Below(uint64_t n) { return random_() % n; }
  bool Chance(uint64_t n) { return Below(n) == 0; }
  void Way(const std::string& way) {
    ++totals_->ways[way];
    last_way_ = way;
  }

  ColumnFamilyOptions NewFamily(const ColumnFamilyOptions& on) {
    ColumnFamilyOptions made = on;
    if (is_plugin_) {
      Check(rocksdb::GetColumnFamilyOptionsFromString(rocksdb::ConfigOptions(), on, kPluginFamily,
                                                      &made),
            "options string");
      return made;
    }
    BlockBasedTableOptions table;
    table.block_size = 256;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    made.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return made;
  }

  // Returns a column family with the shared policy, with a string parsed on top of its options, or
  // with its own policy.
  Family New(const std::string& name) {
    const auto& kinds = Kinds();
    // Half of the databases are created with bytewise column families only.
    const bool is_bytewise = begins_bytewise_ && db_ == nullptr;
    const KindOfKeys& kind = kinds[Below(is_bytewise ? 2 : kinds.size())];
    ColumnFamilyOptions options = shared_;
    switch (Below(4)) {
      case 0:
        Way("string on top of options");
        options = NewFamily(shared_);
        break;
      case 1:
        Way("policy of its own");
        options = NewFamily(ColumnFamilyOptions(base_));
        break;
      default:
        Way("shared policy");
    }
    options.comparator = kind.order;
    return {name, &kind, options, decltype(Family::rows)(Less{kind.order})};
  }

  enum class How { kWrite, kReadOnly, kSecondary };

  void Open(How how) {
    std::vector<ColumnFamilyDescriptor> descriptors;
    for (const Family& family : families_) descriptors.emplace_back(family.name, family.options);
    std::vector<ColumnFamilyHandle*> handles;
    winnow::rocksdb_abi::OpenedDB opened{};
    switch (how) {
      case How::kWrite:
        Check(DB::Open(base_, path_, descriptors, &handles, &opened), "DB::Open");
        break;
      case How::kReadOnly:
        Check(DB::OpenForReadOnly(base_, path_, descriptors, &handles, &opened), "read-only");
        break;
      case How::kSecondary: {
        Options secondary = base_;
        secondary.max_open_files = -1;
        Check(DB::OpenAsSecondary(secondary, path_, folder_ + "/secondary", descriptors, &handles,
                                  &opened),
              "secondary");
        break;
      }
    }
    db_ = winnow::rocksdb_abi::Own(std::move(opened));
    for (size_t i = 0; i < handles.size(); ++i) families_[i].handle = handles[i];
  }

  void Close() {
    if (db_ == nullptr) return;
    for (Family& family : families_) {
      Check(db_->DestroyColumnFamilyHandle(family.handle), "handle");
      family.handle = nullptr;
    }
    db_.reset();
  }

  void Step() {
    switch (Below(10)) {
      case 0:
      case 6:
        if (families_.size() < 5) Create();
        break;
      case 1:
        DropAndMakeAgain();
        break;
      case 2:
        Reopen();
        break;
      case 3:
        Ingest();
        break;
      case 4:
        SetPolicy();
        break;
      case 5:
        Other();
        break;
      default:
        break;
    }
    for (Family& family : families_) Write(&family);
    for (const Family& family : families_) Scan(*db_, family, 60);
  }

  void Create() {
    Way("family after the open");
    Family family = New("f" + std::to_string(++created_ + 10));
    Check(db_->CreateColumnFamily(family.options, family.name, &family.handle), "create");
    families_.push_back(std::move(family));
  }

  void DropAndMakeAgain() {
    if (families_.size() < 2) return;
    Way("dropped and made again under one name");
    Family& old = families_[1 + Below(families_.size() - 1)];
    Check(db_->DropColumnFamily(old.handle), "drop");
    Check(db_->DestroyColumnFamilyHandle(old.handle), "handle");
    Family again = New(old.name);
    can_open_again_ = false;
    Check(db_->CreateColumnFamily(again.options, again.name, &again.handle), "create again");
    old.rows.~map();
    new (&old.rows) decltype(old.rows)(again.rows);
    old.name = again.name;
    old.kind = again.kind;
    old.options = again.options;
    old.handle = again.handle;
  }

  // Reopens the database like another process, with new policies.
  void Reopen() {
    if (!can_open_again_) return;
    Close();
    std::vector<ColumnFamilyOptions> kept;
    const bool anew = Chance(2);
    for (Family& family : families_) {
      kept.push_back(family.options);
      if (anew) family.options = NewFamily(family.options);
      family.options.comparator = family.kind->order;
    }
    for (const How how : {How::kReadOnly, How::kSecondary}) {
      Way(how == How::kReadOnly ? "read-only" : "secondary");
      Open(how);
      for (const Family& family : families_) Scan(*db_, family, 40);
      Close();
    }
    if (Chance(2)) {
      for (size_t i = 0; i < kept.size(); ++i) families_[i].options = kept[i];
    }
    Way("opened again");
    Open(How::kWrite);
  }

  // Files of few keys are often sorted in both orders; other files get no range filter in a wrong
  // order.
  void Write(Family* family) {
    const bool is_small = Chance(2);
    std::string value;
    for (uint64_t n = is_small ? 1 + Below(4) : 20 + Below(60); n > 0; --n) {
      const std::string key = family->kind->key(Below(kUniverse));
      if (Chance(6)) {
        Check(db_->Delete({}, family->handle, key), "delete");
        family->rows.erase(key);
        continue;
      }
      value = "v" + std::to_string(++written_) + std::string(Below(40), '.');
      Check(db_->Put({}, family->handle, key, value), "put");
      family->rows[key] = value;
    }
    if (is_small || Chance(2)) Check(db_->Flush({}, family->handle), "flush");
    if (Chance(6)) {
      Check(db_->CompactRange({}, family->handle, nullptr, nullptr), "compact");
    }
    if (Chance(12)) CompactFiles(family);
  }

  // RocksDB does not call a listener when CompactFiles begins.
  void CompactFiles(Family* family) {
    std::vector<std::string> files;
    rocksdb::ColumnFamilyMetaData data;
    db_->GetColumnFamilyMetaData(family->handle, &data);
    for (const auto& level : data.levels) {
      for (const auto& file : level.files) files.push_back(file.name);
    }
    if (files.empty()) return;
    Way("CompactFiles");
    // CompactFiles fails if another compaction has the files.
    static_cast<void>(db_->CompactFiles({}, family->handle, files, 3));
  }

  void Ingest() {
    Way("SstFileWriter and ingestion");
    Family& family = families_[Below(families_.size())];
    Options options(base_, family.options);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    const std::string file = folder_ + "/ingested.sst";
    Check(writer.Open(file), "SstFileWriter");
    std::map<std::string, std::string, Less> rows(Less{family.kind->order});
    for (int i = 0; i < 40; ++i) rows[family.kind->key(Below(kUniverse))] = "i";
    for (auto& [key, value] : rows) {
      value += std::to_string(++written_);
      Check(writer.Put(key, value), "SstFileWriter::Put");
      family.rows[key] = value;
    }
    Check(writer.Finish(), "SstFileWriter::Finish");
    Check(db_->IngestExternalFile(family.handle, {file}, {}), "ingest");
  }

  // RocksDB 9.8 and later replace the policy.
  void SetPolicy() {
    if (!is_plugin_) return;
    Family& family = families_[Below(families_.size())];
    Way("SetOptions");
    const std::string bits = std::to_string(13 + Below(3));
    Check(db_->SetOptions(family.handle, {{"block_based_table_factory",
                                           "{filter_policy={range_bits=" + bits + "}}"}}),
          "SetOptions");
  }

  // Opens another database with a shared policy, whose default column family has another kind of
  // keys.
  void Other() {
    Way("two databases, one policy");
    Family other = New("default");
    other.options.table_factory = families_[Below(families_.size())].options.table_factory;
    const std::string path = folder_ + "/other";
    const std::vector<ColumnFamilyDescriptor> descriptors = {{"default", other.options}};
    std::vector<ColumnFamilyHandle*> handles;
    winnow::rocksdb_abi::OpenedDB opened{};
    Check(DB::Open(base_, path, descriptors, &handles, &opened), "DB::Open of another");
    std::unique_ptr<DB> database = winnow::rocksdb_abi::Own(std::move(opened));
    other.handle = handles.front();
    std::swap(db_, database);
    for (int i = 0; i < 3; ++i) Write(&other);
    Scan(*db_, other, 40);
    Check(db_->DestroyColumnFamilyHandle(other.handle), "handle");
    std::swap(db_, database);
    database.reset();
    Check(rocksdb::DestroyDB(path, Options(base_, other.options), descriptors), "DestroyDB");
  }

  // Repairs the database, with each column family's comparator.
  void Repair() {
    if (!can_open_again_) return;
    Way("repaired");
    std::vector<ColumnFamilyDescriptor> descriptors;
    for (const Family& family : families_) descriptors.emplace_back(family.name, family.options);
    // RocksDB's repair fails for some ingested files.
    if (!rocksdb::RepairDB(path_, base_, descriptors, families_.front().options).ok()) return;
    Open(How::kWrite);
    for (Family& family : families_) Read(&family);
    for (const Family& family : families_) Scan(*db_, family, 60);
    for (Family& family : families_) Write(&family);
    for (const Family& family : families_) Scan(*db_, family, 60);
    Close();
  }

  // Reads all rows without filters into the model, since a repair may restore overwritten rows.
  void Read(Family* family) {
    rocksdb::ReadOptions read;
    read.total_order_seek = true;
    family->rows.clear();
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read, family->handle));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      family->rows[iterator->key().ToString()] = iterator->value().ToString();
    }
    Check(iterator->status(), "all rows");
  }

  void SamePathAgain() {
    Way("destroyed, and made again at its path");
    std::vector<ColumnFamilyDescriptor> descriptors;
    for (const Family& family : families_) descriptors.emplace_back(family.name, family.options);
    Check(rocksdb::DestroyDB(path_, Options(base_, families_.front().options), descriptors),
          "DestroyDB");
    families_.clear();
    families_.push_back(New("default"));
    families_.push_back(New("f1"));
    Open(How::kWrite);
    for (int i = 0; i < 4; ++i) {
      for (Family& family : families_) Write(&family);
      for (const Family& family : families_) Scan(*db_, family, 60);
    }
    Close();
  }

  void Scan(DB& database, const Family& family, int scans) {
    rocksdb::PerfContext& context = *rocksdb::get_perf_context();
    for (int i = 0; i < scans; ++i) {
      const uint64_t number = Below(kUniverse);
      const uint64_t other = Chance(2) ? Below(kUniverse) : (number + 1 + Below(6)) % kUniverse;
      std::string begin = family.kind->key(number);
      std::string end = family.kind->key(other);
      const int compared = family.kind->order->Compare(begin, end);
      if (compared == 0) continue;
      if (compared > 0) std::swap(begin, end);
      const Slice bound(end);
      rocksdb::ReadOptions read;
      read.iterate_upper_bound = &bound;
      read.auto_prefix_mode = Chance(3);
      context.Reset();
      const std::unique_ptr<rocksdb::Iterator> iterator(database.NewIterator(read, family.handle));
      auto row = family.rows.lower_bound(begin);
      const auto last = family.rows.lower_bound(end);
      const bool is_empty = row == last;
      bool is_right = true;
      for (iterator->Seek(begin); is_right && iterator->Valid(); iterator->Next(), ++row) {
        is_right = row != last && iterator->value() == Slice(row->second);
      }
      Check(iterator->status(), "scan");
      ++totals_->scans;
      if (is_empty && family.kind->order == rocksdb::BytewiseComparator()) {
        ++totals_->bytewise;
        totals_->blocks += context.block_read_count + context.block_cache_hit_count;
      }
      if (is_right && row == last) continue;
      ++totals_->wrong;
      std::fprintf(stderr, "range_orders: wrong: seed %llu, %s: family %s by %s, a row is %s\n",
                   static_cast<unsigned long long>(seed_), last_way_.c_str(), family.name.c_str(),
                   family.kind->order->Name(), is_right ? "missing" : "another one");
    }
  }

  const std::string folder_;
  const bool is_plugin_;
  const uint64_t seed_;
  std::mt19937_64 random_;
  std::string last_way_;
  Totals* const totals_;
  Options base_;
  ColumnFamilyOptions shared_;
  std::string path_;
  std::vector<Family> families_;
  std::unique_ptr<DB> db_;
  const bool begins_bytewise_ = Chance(2);
  // RocksDB compares a column family's comparator with that of a dropped one with the same name,
  // which the MANIFEST still lists, so such a database can't be reopened.
  bool can_open_again_ = true;
  int created_ = 0;
  uint64_t written_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: range_orders FOLDER plugin|builtin SEED SCANS\n");
    return 2;
  }
  const uint64_t most = std::strtoull(argv[4], nullptr, 10);
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  Totals totals;
  uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  std::printf("first seed %llu\n", static_cast<unsigned long long>(seed));
  for (; totals.scans < most; ++seed) {
    Run(argv[1], argv[2] == std::string("plugin"), seed, &totals).Go();
  }
  for (const auto& [way, times] : totals.ways) {
    std::printf("%8llu  %s\n", static_cast<unsigned long long>(times), way.c_str());
  }
  std::printf(
      "%llu scans, %llu wrong; of %llu empty ones in the order of bytes each read %.3f "
      "blocks\n",
      static_cast<unsigned long long>(totals.scans), static_cast<unsigned long long>(totals.wrong),
      static_cast<unsigned long long>(totals.bytewise),
      static_cast<double>(totals.blocks) / static_cast<double>(totals.bytewise));
  return totals.wrong == 0 ? 0 : 1;
}
