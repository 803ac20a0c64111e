#include "src/rocksdb/listener.h"

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <new>
#include <unordered_set>

#include "src/rocksdb/policy.h"
#include "src/rocksdb/trees/built_here.h"
#include "src/rocksdb/version_guard.h"
#include "third_party/rocksdb_abi/type_information.h"
#include "winnow/rocksdb_listener.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionFileInfo;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::ExternalFileIngestionInfo;
using ROCKSDB_NAMESPACE::FlushJobInfo;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::TableFileCreationBriefInfo;
using ROCKSDB_NAMESPACE::TableFileCreationInfo;
using ROCKSDB_NAMESPACE::TableFileDeletionInfo;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

// Of a file whose properties are not read yet.
constexpr uint64_t kBytesAKey = 100;

// The last part of a table's path begins with its number; 0 if not.
uint64_t NumberIn(const std::string& path) noexcept {
  uint64_t number = 0;
  for (size_t i = path.rfind('/') + 1; i < path.size() && path[i] >= '0' && path[i] <= '9'; ++i) {
    number = 10 * number + static_cast<uint64_t>(path[i] - '0');
  }
  return number;
}

// Nothing but the properties is to be read, nor kept.
ROCKSDB_NAMESPACE::Options OptionsToReadProperties(ROCKSDB_NAMESPACE::Env* env) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.no_block_cache = true;
  ROCKSDB_NAMESPACE::Options options;
  options.env = env;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

void Listener::Serve(const std::string& family, std::shared_ptr<KnownFiles> known) {
  const std::lock_guard<std::mutex> lock(mutex_);
  served_[family] = std::move(known);
}

// ---- What is remembered. With the lock

Listener::Database& Listener::Find(const std::string& path) {
  for (const std::unique_ptr<Database>& database : databases_) {
    if (database->path == path) return *database;
  }
  const auto is_closed = [](const auto& database) { return database->opened == nullptr; };
  if (std::count_if(databases_.begin(), databases_.end(), is_closed) >
      static_cast<ptrdiff_t>(kMostClosed)) {
    const auto oldest = std::find_if(databases_.begin(), databases_.end(), is_closed);
    num_files_ -= (*oldest)->files.size();
    databases_.erase(oldest);
  }
  databases_.push_back(std::make_unique<Database>());
  databases_.back()->path = path;
  databases_.back()->name = LiveFiles::NameOf(path, 0);
  return *databases_.back();
}

std::shared_ptr<KnownFiles> Listener::KnownOf(const std::string& family) const {
  const auto served = served_.find(family);
  return served == served_.end() ? known_ : served->second;
}

std::vector<std::shared_ptr<KnownFiles>> Listener::AllKnown() const {
  std::vector<std::shared_ptr<KnownFiles>> all;
  if (known_ != nullptr) all.push_back(known_);
  for (const auto& [family, known] : served_) {
    if (std::count(all.begin(), all.end(), known) == 0) all.push_back(known);
  }
  return all;
}

Listener::Measured Listener::MeasuredBy(const TableProperties& properties, uint64_t size) {
  return {size, properties.num_entries, properties.filter_size,
          properties.filter_policy_name == Policy::kName};
}

void Listener::Remember(Database* database, uint64_t file, const Measured& measured) {
  if (num_files_ >= kMostFiles && database->files.count(file) == 0) return;
  if (database->files.insert_or_assign(file, measured).second) ++num_files_;
}

const Listener::Measured* Listener::Known(const Database& database, const LiveFileMetaData& file) {
  const auto found = database.files.find(file.file_number);
  return found == database.files.end() || found->second.size != file.size ? nullptr
                                                                          : &found->second;
}

// ---- Reading

// Whether it is time to read, and nobody does.
bool Listener::Enter(DB* opened) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<std::shared_ptr<KnownFiles>> all = AllKnown();
  if (std::none_of(all.begin(), all.end(),
                   [](const auto& known) { return known->trees.needs_files(); })) {
    return false;
  }
  Database& database = Find(opened->GetName());
  if (database.is_reading) return false;
  const ColumnFamilyHandle* const handle = opened->DefaultColumnFamily();
  if (database.opened != opened || database.handle != handle) {
    database.opened = opened;
    database.handle = handle;
    database.logger = nullptr;
    database.was_listed = false;
    database.next_list = {};
    database.next_properties = {};
  }
  if (database.was_listed && Clock::now() < database.next_list) return false;
  database.is_reading = true;
  return true;
}

void Listener::Look(DB* opened) noexcept {
  bool is_reading = false;
  const Clock::time_point start = Clock::now();
  try {
    is_reading = Enter(opened);
    if (!is_reading) return;
    Read(opened);
  } catch (...) {
    // Memory is short: the next callback tries again.
  }
  if (!is_reading) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::unique_ptr<Database>& database : databases_) {
    if (database->opened != opened) continue;
    const Clock::time_point now = Clock::now();
    database->is_reading = false;
    if (database->next_list <= start) database->next_list = now + kListShare * (now - start);
  }
}

void Listener::Read(DB* opened) {
  const Clock::time_point start = Clock::now();
  const std::string& path = opened->GetName();
  const void* const logger = opened->GetDBOptions().info_log.get();
  std::vector<std::shared_ptr<KnownFiles>> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Find(path).logger = logger;
    all = AllKnown();
  }
  if (logger == nullptr) return;
  const LiveFiles::Name name = LiveFiles::NameOf(path, 0);
  for (const auto& known : all) known->trees.BeginList(logger, name);
  Files files;
  opened->GetLiveFilesMetaData(&files);
  const Clock::time_point listed = Clock::now();
  Measure(opened, files, listed - start);
  const Clock::time_point measured = Clock::now();
  for (auto& [known, told] : ToTell(path, files)) known->trees.Tell(logger, std::move(told));
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& database = Find(path);
  database.was_listed = true;
  const Clock::time_point now = Clock::now();
  // What is not known yet is not to wait for the next list's time.
  database.next_list = now + kListShare * ((listed - start) + (now - measured));
}

// Reads the properties of files that are not known, for a while; the newest file of each family
// first, as it says whose the family is.
void Listener::Measure(DB* opened, const Files& files, Clock::duration listing) {
  std::vector<const LiveFileMetaData*> unknown;
  std::map<std::string, const LiveFileMetaData*> newest;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Database& database = Find(opened->GetName());
    if (Clock::now() < database.next_properties || num_files_ >= kMostFiles) return;
    for (const LiveFileMetaData& file : files) {
      const LiveFileMetaData*& of_family = newest[file.column_family_name];
      if (of_family == nullptr || of_family->file_number < file.file_number) of_family = &file;
      if (Known(database, file) == nullptr) unknown.push_back(&file);
    }
  }
  if (unknown.empty()) return;
  std::stable_partition(unknown.begin(), unknown.end(), [&](const LiveFileMetaData* file) {
    return newest.at(file->column_family_name) == file;
  });
  const Clock::duration most =
      std::max<Clock::duration>(kPropertiesAtOnce, kPropertiesShare * listing);
  const Clock::time_point start = Clock::now();
  const ROCKSDB_NAMESPACE::Options options = OptionsToReadProperties(opened->GetEnv());
  for (const LiveFileMetaData* file : unknown) {
    if (Clock::now() - start > most) break;
    // A table that can't be read so, of another format, has no filter of a policy.
    Measured measured{file->size, file->num_entries, 0, false};
    ROCKSDB_NAMESPACE::SstFileReader reader(options);
    if (reader.Open(file->directory + "/" + file->relative_filename).ok()) {
      measured = MeasuredBy(*reader.GetTableProperties(), file->size);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    Remember(&Find(opened->GetName()), file->file_number, measured);
  }
  const Clock::time_point now = Clock::now();
  const std::lock_guard<std::mutex> lock(mutex_);
  Find(opened->GetName()).next_properties = now + kPropertiesShare * (now - start);
}

Listener::Told Listener::ToTell(const std::string& path, const Files& files) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Database& database = Find(path);
  struct Family {
    KnownTrees::ToldFamily told;
    uint64_t newest = 0;
    bool newest_is_ours = false;
  };
  std::map<std::string, Family> families;
  bool is_complete = true;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  for (const LiveFileMetaData& file : files) {
    if (const Measured* const known = Known(database, file)) {
      keys += known->keys;
      bytes += file.size;
    } else {
      is_complete = false;
    }
  }
  for (const LiveFileMetaData& file : files) {
    const Measured* const known = Known(database, file);
    LiveFiles::Listed listed;
    listed.name = database.name | file.file_number;
    listed.level = file.level;
    listed.range = {file.smallestkey, file.largestkey};
    listed.is_ending = file.being_compacted;
    if (known != nullptr) {
      listed.keys = known->keys;
      listed.filter_bytes = static_cast<double>(known->filter_bytes);
      listed.is_ours = known->is_ours;
      listed.is_measured = true;
    } else {
      listed.keys =
          bytes > 0 ? static_cast<uint64_t>(static_cast<double>(file.size) *
                                            static_cast<double>(keys) / static_cast<double>(bytes))
                    : file.size / kBytesAKey;
    }
    Family& family = families[file.column_family_name];
    if (file.file_number >= family.newest) {
      family.newest = file.file_number;
      family.newest_is_ours = listed.is_ours;
    }
    family.told.files.push_back(std::move(listed));
  }
  Told told;
  for (const auto& known : AllKnown()) {
    told.push_back({known, {database.name, !database.was_listed, is_complete, {}}});
  }
  for (auto& [name, family] : families) {
    const std::shared_ptr<KnownFiles> known = KnownOf(name);
    if (known == nullptr) continue;
    const auto wrote = database.is_ours.find(name);
    family.told.family = name;
    family.told.is_ours = served_.count(name) > 0 ||
                          (wrote != database.is_ours.end() ? wrote->second : family.newest_is_ours);
    for (auto& [teller, database_told] : told) {
      if (teller == known) database_told.families.push_back(std::move(family.told));
    }
  }
  return told;
}

// ---- Callbacks

// Null where nothing is known of it.
std::shared_ptr<TreeRecord> Listener::RecordOf(const std::string& path,
                                               const std::string& family) const {
  std::shared_ptr<KnownFiles> known;
  const void* logger = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    known = KnownOf(family);
    for (const std::unique_ptr<Database>& database : databases_) {
      if (database->path == path) logger = database->logger;
    }
  }
  return known == nullptr || logger == nullptr ? nullptr : known->trees.RecordOf(logger, family);
}

void Listener::OnFlushBegin(DB* database, const FlushJobInfo& /*info*/) { Look(database); }

// What is told here of single files holds between two lists.
void Listener::OnFlushCompleted(DB* database, const FlushJobInfo& info) {
  try {
    if (const auto record = RecordOf(database->GetName(), info.cf_name)) {
      record->files.Installed(LiveFiles::NameOf(database->GetName(), info.file_number), 0);
    }
  } catch (...) {
  }
  Look(database);
}

void Listener::OnCompactionBegin(DB* database, const CompactionJobInfo& info) {
  Look(database);
  try {
    const LiveFiles::Name name = LiveFiles::NameOf(database->GetName(), 0);
    if (const auto record = RecordOf(database->GetName(), info.cf_name)) {
      for (const CompactionFileInfo& file : info.input_file_infos) {
        record->files.Ending(name | file.file_number);
      }
    }
  } catch (...) {
  }
}

void Listener::OnCompactionCompleted(DB* database, const CompactionJobInfo& info) {
  try {
    const LiveFiles::Name name = LiveFiles::NameOf(database->GetName(), 0);
    const auto record = RecordOf(database->GetName(), info.cf_name);
    if (record != nullptr && info.status.ok()) {
      std::unordered_set<uint64_t> outputs;
      for (const CompactionFileInfo& file : info.output_file_infos) {
        outputs.insert(file.file_number);
      }
      for (const CompactionFileInfo& file : info.input_file_infos) {
        if (outputs.count(file.file_number) == 0) record->files.Ended(name | file.file_number);
      }
      for (const CompactionFileInfo& file : info.output_file_infos) {
        record->files.Installed(name | file.file_number, file.level);
      }
    }
  } catch (...) {
  }
  Look(database);
}

void Listener::OnExternalFileIngested(DB* database, const ExternalFileIngestionInfo& /*info*/) {
  Look(database);
}

void Listener::OnTableFileCreationStarted(const TableFileCreationBriefInfo& /*info*/) {
  ForgetBuilt();
}

void Listener::OnTableFileCreated(const TableFileCreationInfo& info) {
  const uint64_t number = NumberIn(info.file_path);
  const BuiltHere built = WhatWasBuilt();
  const std::shared_ptr<LiveFiles> files = built.files.lock();
  if (!info.status.ok()) {
    if (files != nullptr) files->NotWritten(built.id);
    return;
  }
  if (number == 0) return;
  try {
    std::vector<std::shared_ptr<KnownFiles>> all;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      all = AllKnown();
      Database& database = Find(info.db_name);
      const Measured measured = MeasuredBy(info.table_properties, info.file_size);
      Remember(&database, number, measured);
      if (measured.is_ours || built.policy != nullptr) {
        const std::shared_ptr<KnownFiles> known = KnownOf(info.cf_name);
        const bool is_ours = known != nullptr && built.policy == known.get();
        // Of a family that begins to be the policy's, or ends to be, files are told at once.
        const auto was = database.is_ours.find(info.cf_name);
        if (was == database.is_ours.end() || was->second != is_ours) database.next_list = {};
        database.is_ours[info.cf_name] = is_ours;
      }
    }
    if (files != nullptr) {
      files->SetName(built.id, LiveFiles::NameOf(info.db_name, number));
      for (const auto& known : all) {
        known->trees.SetDatabase(files.get(), LiveFiles::NameOf(info.db_name, 0));
      }
    }
  } catch (...) {
  }
}

void Listener::OnTableFileDeleted(const TableFileDeletionInfo& info) {
  const uint64_t number = NumberIn(info.file_path);
  try {
    std::vector<std::shared_ptr<KnownFiles>> all;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = Find(info.db_name);
      num_files_ -= database.files.erase(number);
      all = AllKnown();
    }
    for (const auto& known : all) known->trees.Ended(LiveFiles::NameOf(info.db_name, number));
  } catch (...) {
  }
}

// By its own handle of the default family the database says that it is closed.
void Listener::OnColumnFamilyHandleDeletionStarted(ColumnFamilyHandle* handle) {
  try {
    LiveFiles::Name name = 0;
    std::vector<std::shared_ptr<KnownFiles>> all;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const std::unique_ptr<Database>& database : databases_) {
        if (database->opened == nullptr || database->handle != handle) continue;
        name = database->name;
        database->opened = nullptr;
        database->handle = nullptr;
        database->was_listed = false;
        database->is_ours.clear();
      }
      all = AllKnown();
    }
    if (name == 0) return;
    for (const auto& known : all) known->trees.Closed(name);
  } catch (...) {
  }
}

std::shared_ptr<KnownFiles> KnownBy(
    const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy) {
  // Not by CheckedCast: RocksDB's library would show its instance for Policy.
  const bool is_ours = policy != nullptr && policy->IsInstanceOf(Policy::kClassName());
  return is_ours ? static_cast<const Policy&>(*policy).known() : nullptr;
}

}  // namespace winnow::plugin

namespace winnow {

std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> NewListener(
    const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy) {
  if (!plugin::VersionProblem().empty()) return nullptr;
  try {
    return std::make_shared<plugin::Listener>(plugin::KnownBy(policy));
  } catch (...) {
    return nullptr;
  }
}

}  // namespace winnow
