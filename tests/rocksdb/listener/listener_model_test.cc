// Random events in two databases with one policy and its listener: at rest, the policy's record of
// each column family has the files that RocksDB has. WINNOW_LISTENER_EVENTS is their number, and
// WINNOW_LISTENER_SEED chooses them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/rocksdb/listener/known_tree.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/from_environment.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/db_impl.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace listener_model_test {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::FromEnvironment;
using testing::Key;

constexpr char kDefault[] = "default";
constexpr uint64_t kKeys = 20'000;
constexpr size_t kMostFamilies = 4;
constexpr uint64_t kEventsToRest = 50;

// A database with some column families, all of which have the policy.
class Listened {
 public:
  Listened(std::string path, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy,
           uint64_t seed)
      : path_(std::move(path)), policy_(std::move(policy)), random_(seed) {
    Open();
  }
  ~Listened() { Close(); }

  // Makes a random event; returns its name.
  std::string Do() {
    struct Event {
      const char* name;
      int weight;
      void (Listened::*make)();
    };
    constexpr Event kEvents[] = {
        {"flush", 40, &Listened::Flush},
        {"delete and flush", 8, &Listened::DeleteAndFlush},
        {"compact a range", 8, &Listened::CompactRange},
        {"compact and stop", 2, &Listened::CompactAndStop},
        {"compact given files", 3, &Listened::CompactFiles},
        {"delete files in a range", 3, &Listened::DeleteFiles},
        {"ingest", 6, &Listened::Ingest},
        {"create a family", 2, &Listened::CreateFamily},
        {"drop a family", 2, &Listened::DropFamily},
        {"import a family", 1, &Listened::ImportFamily},
        {"set options", 3, &Listened::SetOptions},
        {"read elsewhere", 1, &Listened::ReadElsewhere},
        {"reopen", 1, &Listened::Reopen},
        {"repair", 1, &Listened::Repair},
    };
    int sum = 0;
    for (const Event& event : kEvents) sum += event.weight;
    int chosen = static_cast<int>(random_() % static_cast<uint64_t>(sum));
    const Event* event = kEvents;
    while (chosen >= event->weight) chosen -= event++->weight;
    (this->*event->make)();
    return event->name;
  }

  // Waits until no files change, and the listener has looked.
  std::string UnknownAtRest() {
    std::string unknown;
    // The listener pauses after each list of files, for seconds on a slow machine.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    do {
      testing::WaitForRest(database_.get());
      unknown.clear();
      for (const auto& [name, family] : families_) {
        const std::string differs = Unknown(*policy_, database_.get(), family);
        if (!differs.empty()) unknown += name + ": " + differs;
      }
      if (unknown.empty()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      Put(families_[kDefault], kKeys + random_() % 10, 1);  // the next event
      Expect(database_->Flush(FlushOptions(), families_[kDefault]));
    } while (std::chrono::steady_clock::now() < end);
    return unknown;
  }

 private:
  static void Expect(const Status& status) { EXPECT_TRUE(status.ok()) << status.ToString(); }

  ColumnFamilyOptions FamilyOptions() const {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.filter_policy = policy_;
    Options options = testing::SmallLevels(table);
    options.target_file_size_base = 8 << 10;
    options.max_bytes_for_level_base = 32 << 10;
    return options;
  }
  Options AllOptions() const {
    Options options{DBOptions(), FamilyOptions()};
    options.create_if_missing = true;
    options.max_subcompactions = 3;
    options.max_background_jobs = 4;
    options.listeners.push_back(winnow::NewListener(policy_));
    return options;
  }

  void Open() {
    std::vector<std::string> names;
    if (!DB::ListColumnFamilies(DBOptions(), path_, &names).ok()) names = {kDefault};
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, FamilyOptions());
    testing::OpenFamilies opened;
    opened.Open(AllOptions(), path_, families);
    for (ColumnFamilyHandle* const handle : opened.handles) families_[handle->GetName()] = handle;
    opened.handles.clear();
    database_ = std::move(opened.database);
  }
  void Close() {
    for (const auto& [name, handle] : families_) delete handle;
    families_.clear();
    database_.reset();
  }

  uint64_t Below(uint64_t bound) { return random_() % bound; }
  ColumnFamilyHandle* AnyFamily() {
    return std::next(families_.begin(), static_cast<ptrdiff_t>(Below(families_.size())))->second;
  }
  std::pair<std::string, std::string> AnyRange() {
    const uint64_t first = Below(kKeys);
    return {Key(first), Key(first + 1 + Below(kKeys / 4))};
  }

  void Put(ColumnFamilyHandle* family, uint64_t first, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) {
      Expect(database_->Put(WriteOptions(), family, Key(first + i), "value"));
    }
  }

  void Flush() {
    ColumnFamilyHandle* const family = AnyFamily();
    const bool is_dense = Below(2) == 0;
    for (uint64_t i = 0, n = 1 + Below(300), first = Below(kKeys); i < n; ++i) {
      Put(family, is_dense ? first + i : Below(kKeys), 1);
    }
    Expect(database_->Flush(FlushOptions(), family));
  }
  void DeleteAndFlush() {
    ColumnFamilyHandle* const family = AnyFamily();
    const auto [first, last] = AnyRange();
    if (Below(2) == 0) {
      Expect(database_->DeleteRange(WriteOptions(), family, first, last));
    } else {
      for (int i = 0; i < 50; ++i) {
        Expect(database_->Delete(WriteOptions(), family, Key(Below(kKeys))));
      }
    }
    Expect(database_->Flush(FlushOptions(), family));
  }
  void CompactRange() {
    const auto [first, last] = AnyRange();
    const Slice begin = first;
    const Slice end = last;
    CompactRangeOptions how;
    how.max_subcompactions = 1 + static_cast<uint32_t>(Below(4));
    how.exclusive_manual_compaction = Below(2) == 0;
    how.change_level = Below(8) == 0;
    how.bottommost_level_compaction = Below(2) == 0
                                          ? ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce
                                          : ROCKSDB_NAMESPACE::BottommostLevelCompaction::kSkip;
    const bool is_whole = Below(4) == 0;
    // Moving levels fails where another level has files.
    static_cast<void>(database_->CompactRange(how, AnyFamily(), is_whole ? nullptr : &begin,
                                              is_whole ? nullptr : &end));
  }
  void CompactAll(ColumnFamilyHandle* family) {
    CompactRangeOptions how;
    how.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    Expect(database_->CompactRange(how, family, nullptr, nullptr));
  }
  void CompactAndStop() {
    std::thread stop([this, wait = Below(3000)] {
      std::this_thread::sleep_for(std::chrono::microseconds(wait));
      database_->DisableManualCompaction();
    });
    CompactRangeOptions how;
    how.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    static_cast<void>(database_->CompactRange(how, AnyFamily(), nullptr, nullptr));
    stop.join();
    database_->EnableManualCompaction();
  }
  void CompactFiles() {
    ColumnFamilyHandle* const family = AnyFamily();
    ROCKSDB_NAMESPACE::ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(family, &metadata);
    std::vector<std::string> inputs;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        if (Below(4) == 0) inputs.push_back(file.name);
      }
    }
    if (inputs.empty()) return;
    // Files of a running compaction, and levels above an input's, are refused.
    static_cast<void>(database_->CompactFiles(ROCKSDB_NAMESPACE::CompactionOptions(), family,
                                              inputs, static_cast<int>(1 + Below(6))));
  }
  void DeleteFiles() {
    const auto [first, last] = AnyRange();
    const Slice begin = first;
    const Slice end = last;
    const ROCKSDB_NAMESPACE::RangePtr range(&begin, &end);
    Expect(ROCKSDB_NAMESPACE::DeleteFilesInRanges(database_.get(), AnyFamily(), &range, 1));
  }
  void Ingest() {
    const std::string path = path_ + ".ingested.sst";
    const bool has_policy = Below(4) != 0;
    Options options = has_policy ? AllOptions() : Options();
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
    Expect(writer.Open(path));
    const uint64_t first = Below(2 * kKeys);
    for (uint64_t i = 0, n = 1 + Below(300); i < n; ++i) Expect(writer.Put(Key(first + i), "v"));
    Expect(writer.Finish());
    ROCKSDB_NAMESPACE::IngestExternalFileOptions how;
    how.move_files = Below(2) == 0;
    Expect(database_->IngestExternalFile(AnyFamily(), {path}, how));
    std::remove(path.c_str());
  }

  void CreateFamily() {
    if (families_.size() == kMostFamilies) return;
    const std::string name = "family " + std::to_string(Below(kMostFamilies));
    if (families_.count(name) > 0) return;
    Expect(database_->CreateColumnFamily(FamilyOptions(), name, &families_[name]));
    Put(families_[name], Below(kKeys), 1 + Below(500));
  }
  void DropFamily() {
    ColumnFamilyHandle* const family = AnyFamily();
    const std::string name = family->GetName();
    if (name == kDefault) return;
    Expect(database_->DropColumnFamily(family));
    Expect(database_->DestroyColumnFamilyHandle(family));
    families_.erase(name);
  }
  void ImportFamily() {
    if (families_.size() == kMostFamilies) return;
    const std::string name = "imported";
    if (families_.count(name) > 0) return;
    ROCKSDB_NAMESPACE::Checkpoint* made = nullptr;
    Expect(ROCKSDB_NAMESPACE::Checkpoint::Create(database_.get(), &made));
    const std::unique_ptr<ROCKSDB_NAMESPACE::Checkpoint> checkpoint(made);
    ROCKSDB_NAMESPACE::ExportImportFilesMetaData* exported = nullptr;
    const std::string folder = path_ + ".exported";
    ColumnFamilyHandle* const family = AnyFamily();
    CompactAll(family);  // RocksDB 7.8 can't import files that have range deletions alone
    Expect(checkpoint->ExportColumnFamily(family, folder, &exported));
    const std::unique_ptr<ROCKSDB_NAMESPACE::ExportImportFilesMetaData> files(exported);
    if (files == nullptr) return;
    ROCKSDB_NAMESPACE::ImportColumnFamilyOptions how;
    how.move_files = true;
    if (!files->files.empty()) {
      Expect(database_->CreateColumnFamilyWithImport(FamilyOptions(), name, how, *files,
                                                     &families_[name]));
    }
    std::filesystem::remove_all(folder);
  }
  void SetOptions() {
    const uint64_t bytes = (16 + Below(48)) << 10;
    Expect(database_->SetOptions(AnyFamily(),
                                 {{"max_bytes_for_level_base", std::to_string(bytes)},
                                  {"block_based_table_factory",
                                   "{block_size=" + std::to_string(1024 + Below(4096)) + "}"}}));
  }
  // A second process would do this with a policy of its own, one thread here with the same.
  void ReadElsewhere() {
    // A compaction may delete a file that another database is about to open.
    testing::WaitForRest(database_.get());
    std::vector<ColumnFamilyDescriptor> families;
    for (const auto& [name, handle] : families_) families.emplace_back(name, FamilyOptions());
    std::vector<ColumnFamilyHandle*> handles;
    rocksdb_abi::OpenedDB opened{};
    Options options = AllOptions();
    if (Below(2) == 0) options.listeners.clear();
    if (Below(2) == 0) {
      options.max_open_files = -1;
      Expect(
          DB::OpenAsSecondary(options, path_, path_ + ".secondary", families, &handles, &opened));
    } else {
      Expect(DB::OpenForReadOnly(options, path_, families, &handles, &opened));
    }
    const std::unique_ptr<DB> reader = rocksdb_abi::Own(std::move(opened));
    std::string value;
    for (int i = 0; reader != nullptr && i < 50; ++i) {
      reader->Get({}, handles[Below(handles.size())], Key(Below(2 * kKeys)), &value);
    }
    for (ColumnFamilyHandle* const handle : handles) delete handle;
  }
  void Reopen() {
    Close();
    Open();
  }
  // Repair puts all files on level 0, in an order that RocksDB refuses if their sequence numbers
  // overlap.
  void Repair() {
    std::vector<ColumnFamilyDescriptor> families;
    for (const auto& [name, handle] : families_) {
      families.emplace_back(name, FamilyOptions());
      CompactAll(handle);
    }
    std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
    database_->GetLiveFilesMetaData(&files);
    if (std::any_of(files.begin(), files.end(),
                    [](const auto& file) { return file.largest_seqno > 0; })) {
      return;
    }
    Close();
    Expect(ROCKSDB_NAMESPACE::RepairDB(path_, AllOptions(), families));
    Open();
  }

  const std::string path_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy_;
  std::mt19937_64 random_;
  std::unique_ptr<DB> database_;
  std::map<std::string, ColumnFamilyHandle*> families_;
};

TEST(ListenerModelTest, TheRecordHasTheFilesThatRocksDBHas) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const uint64_t events = FromEnvironment("WINNOW_LISTENER_EVENTS", 400);
  const uint64_t seed = FromEnvironment("WINNOW_LISTENER_SEED", 1);
  const testing::TemporaryFolder folder;
  const auto policy = testing::MakePolicyFrom("winnow:10");
  Listened one(folder / "one", policy, seed);
  Listened two(folder / "two", policy, seed + 1);
  std::map<std::string, uint64_t> made;
  std::string last;
  for (uint64_t i = 0; i < events && !::testing::Test::HasFailure(); ++i) {
    last = (i % 2 == 0 ? one : two).Do();
    ++made[last];
    if ((i + 1) % kEventsToRest != 0) continue;
    EXPECT_EQ(one.UnknownAtRest(), "") << "event " << i;
    EXPECT_EQ(two.UnknownAtRest(), "") << "event " << i;
  }
  if (::testing::Test::HasFailure()) ADD_FAILURE() << "the last event was: " << last;
  for (const auto& [name, n] : made) RecordProperty(name, static_cast<int>(n));
}

}  // namespace listener_model_test
}  // namespace winnow::plugin
