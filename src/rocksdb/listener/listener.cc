#include "src/rocksdb/listener/listener.h"

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <unordered_set>

#include "src/rocksdb/builders/last_built_filter.h"
#include "src/rocksdb/loads/caches_seen.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/rocksdb/version_guard.h"
#include "third_party/rocksdb_abi/type_information.h"
#include "winnow/rocksdb_listener.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionFileInfo;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::ExternalFileIngestionInfo;
using ROCKSDB_NAMESPACE::FlushJobInfo;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::TableFileCreationBriefInfo;
using ROCKSDB_NAMESPACE::TableFileCreationInfo;
using ROCKSDB_NAMESPACE::TableFileDeletionInfo;
using ROCKSDB_NAMESPACE::TableProperties;

uint64_t Listener::NumberIn(const std::string& path) noexcept {
  uint64_t number = 0;
  for (size_t i = path.rfind('/') + 1; i < path.size() && path[i] >= '0' && path[i] <= '9'; ++i) {
    number = 10 * number + static_cast<uint64_t>(path[i] - '0');
  }
  return number;
}

Listener::Listener(std::shared_ptr<KnownFiles> known, const char* name) : name_(name) {
  if (known != nullptr) Serve({}, {}, std::move(known));
}

void Listener::Serve(const std::string& path, const std::string& family,
                     std::shared_ptr<KnownFiles> known) {
  Meter({known, &known->loads});
  if (!family.empty()) known->loads.use().NoteFamily(nullptr, family);
  const std::lock_guard<std::mutex> lock(mutex_);
  served_[{path, family}] = std::move(known);
}

void Listener::Meter(const std::shared_ptr<LoadMeter>& loads) {
  const std::lock_guard<std::mutex> lock(mutex_);
  meters_.erase(std::remove_if(meters_.begin(), meters_.end(),
                               [](const auto& meter) { return meter.expired(); }),
                meters_.end());
  for (const std::weak_ptr<LoadMeter>& meter : meters_) {
    if (meter.lock() == loads) return;
  }
  meters_.push_back(loads);
  for (const std::unique_ptr<Database>& database : databases_) database->is_shown = false;
}

// ---- State of databases. The lock is held

Listener::Database& Listener::Find(const std::string& path) {
  for (const std::unique_ptr<Database>& database : databases_) {
    if (database->path == path) return *database;
  }
  const auto is_closed = [](const auto& database) { return database->handle == nullptr; };
  if (std::count_if(databases_.begin(), databases_.end(), is_closed) >
      static_cast<ptrdiff_t>(kMaxClosed)) {
    const auto oldest = std::find_if(databases_.begin(), databases_.end(), is_closed);
    num_files_ -= (*oldest)->files.size();
    databases_.erase(oldest);
  }
  databases_.push_back(std::make_unique<Database>());
  databases_.back()->path = path;
  databases_.back()->name = FileName::Of(path, 0);
  return *databases_.back();
}

// Returns what was declared of the family, by its name; null if nothing was.
std::shared_ptr<KnownFiles> Listener::ServedAs(const std::string& path,
                                               const std::string& family) const {
  for (const std::string& of : {path, std::string()}) {
    const auto served = served_.find({of, family});
    if (served != served_.end()) return served->second;
  }
  return nullptr;
}

std::shared_ptr<KnownFiles> Listener::KnownOf(const std::string& path,
                                              const std::string& family) const {
  std::shared_ptr<KnownFiles> known = ServedAs(path, family);
  return known != nullptr ? known : ServedAs(path, {});
}

std::vector<std::shared_ptr<LoadMeter>> Listener::Meters() const {
  std::vector<std::shared_ptr<LoadMeter>> meters;
  for (const std::weak_ptr<LoadMeter>& weak : meters_) {
    if (std::shared_ptr<LoadMeter> meter = weak.lock()) meters.push_back(std::move(meter));
  }
  return meters;
}

std::vector<std::shared_ptr<KnownFiles>> Listener::AllKnown() const {
  std::vector<std::shared_ptr<KnownFiles>> all;
  for (const auto& [family, known] : served_) {
    if (std::count(all.begin(), all.end(), known) == 0) all.push_back(known);
  }
  return all;
}

bool Listener::NeedsFiles() const {
  const std::vector<std::shared_ptr<KnownFiles>> all = AllKnown();
  return std::any_of(all.begin(), all.end(),
                     [](const auto& known) { return known->trees.needs_files(); });
}

Listener::Measured Listener::MeasuredBy(const TableProperties& properties, uint64_t size) {
  return {size,
          properties.num_entries - std::min(properties.num_range_deletions, properties.num_entries),
          properties.filter_size,
          properties.index_size,
          properties.filter_policy_name == Policy::kName,
          properties.prefix_extractor_name.rfind(RangeExtractor::kName, 0) == 0};
}

void Listener::Remember(Database* database, uint64_t file, const Measured& measured) {
  if (num_files_ >= kMaxFiles && database->files.count(file) == 0) return;
  if (database->files.insert_or_assign(file, measured).second) ++num_files_;
}

const Listener::Measured* Listener::Known(const Database& database, const LiveFileMetaData& file) {
  const auto found = database.files.find(file.file_number);
  return found == database.files.end() || found->second.size != file.size ? nullptr
                                                                          : &found->second;
}

// A database is identified by its handle of the default family, even if another object wraps it.
void Listener::ShowToMeters(DB* opened) noexcept {
  try {
    const ColumnFamilyHandle* const handle = opened->DefaultColumnFamily();
    std::vector<std::shared_ptr<LoadMeter>> meters;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const Database& database = Find(opened->GetName());
      if (database.handle == handle && database.is_shown) return;
    }
    if (is_of_text()) TakePolicyOf(opened);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = Find(opened->GetName());
      if (database.handle != handle) {
        database.handle = handle;
        database.was_listed = false;
        database.next_list = {};
        database.next_properties = {};
      }
      database.is_shown = true;
      meters = Meters();
    }
    const ROCKSDB_NAMESPACE::DBOptions options = opened->GetDBOptions();
    for (const std::shared_ptr<LoadMeter>& meter : meters) {
      meter->Opened(handle, opened->GetName(), options);
    }
  } catch (...) {
  }
}

// Takes the policy of the default family of a database that was just opened.
void Listener::TakePolicyOf(DB* opened) {
  const ROCKSDB_NAMESPACE::Options options = opened->GetOptions(opened->DefaultColumnFamily());
  const auto* const table = TableOptionsOf(options);
  Engine* const engine = table == nullptr ? nullptr : EngineOf(table->filter_policy.get());
  const std::shared_ptr<KnownFiles> known = engine == nullptr ? nullptr : engine->KnownToTell();
  if (known != nullptr) Serve(opened->GetName(), {}, known);
}

// ---- Callbacks

std::shared_ptr<KnownFiles> Listener::KnownNow(const std::string& path,
                                               const std::string& family) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return KnownOf(path, family);
}

void Listener::OnFlushBegin(DB* database, const FlushJobInfo& info) {
  orders_.Begins(database, info);
  Look(database);
}

// Changes of single files from callbacks apply until the next list.
void Listener::OnFlushCompleted(DB* database, const FlushJobInfo& info) {
  orders_.Ends(database, info.job_id, info.cf_id);
  try {
    const FileName name = FileName::Of(database->GetName(), info.file_number);
    const auto known = KnownNow(database->GetName(), info.cf_name);
    const auto record =
        known == nullptr ? nullptr : known->trees.RecordIn(name.Database(), info.cf_name);
    if (record != nullptr) record->family.Installed(name, 0);
  } catch (...) {
  }
  Look(database);
}

void Listener::OnCompactionBegin(DB* database, const CompactionJobInfo& info) {
  orders_.Begins(database, info);
  Look(database);
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    Find(database->GetName()).written[info.job_id] = {};
  } catch (...) {
    // Out of memory: the job's outputs are not checked.
  }
  try {
    const FileName name = FileName::Of(database->GetName(), 0);
    const auto known = KnownNow(database->GetName(), info.cf_name);
    if (known == nullptr) return;
    std::vector<FileName> inputs;
    for (const CompactionFileInfo& file : info.input_file_infos) {
      inputs.push_back(name.File(file.file_number));
    }
    known->trees.Begin(name, info.cf_name, info.job_id, inputs);
  } catch (...) {
  }
}

void Listener::OnCompactionCompleted(DB* database, const CompactionJobInfo& info) {
  orders_.Ends(database, info.job_id, info.cf_id);
  try {
    const FileName name = FileName::Of(database->GetName(), 0);
    const auto known = KnownNow(database->GetName(), info.cf_name);
    const auto record = known == nullptr ? nullptr : known->trees.RecordIn(name, info.cf_name);
    if (record != nullptr && info.status.ok()) {
      std::unordered_set<uint64_t> outputs;
      for (const CompactionFileInfo& file : info.output_file_infos) {
        outputs.insert(file.file_number);
      }
      for (const CompactionFileInfo& file : info.input_file_infos) {
        if (outputs.count(file.file_number) == 0) record->family.Ended(name.File(file.file_number));
      }
      for (const CompactionFileInfo& file : info.output_file_infos) {
        record->family.Installed(name.File(file.file_number), file.level);
      }
    }
    if (known != nullptr) known->trees.End(name, info.cf_name, info.job_id);
  } catch (...) {
  }
  LookAtRemoteOutputs(database, info);
  Look(database);
}

void Listener::OnExternalFileIngested(DB* database, const ExternalFileIngestionInfo& /*info*/) {
  Look(database);
}

void Listener::OnTableFileCreationStarted(const TableFileCreationBriefInfo& info) {
  BeginFile(info, orders_.Of(info));
}

void Listener::OnTableFileCreated(const TableFileCreationInfo& info) {
  EndFile();
  const uint64_t number = NumberIn(info.file_path);
  const LastBuiltFilter built = WhatWasBuilt();
  const std::shared_ptr<KnownFiles> builder = built.policy.lock();
  const std::shared_ptr<TreeRecord> tree = built.tree.lock();
  if (!info.status.ok()) {
    if (tree != nullptr && built.file != nullptr) tree->family.NotWritten(built.file);
    return;
  }
  if (number == 0) return;
  try {
    orders_.Learn(info);
    if (is_of_text() && builder != nullptr) Serve(info.db_name, info.cf_name, builder);
    std::vector<std::shared_ptr<KnownFiles>> all;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      all = AllKnown();
      Database& database = Find(info.db_name);
      const Measured measured = MeasuredBy(info.table_properties, info.file_size);
      Remember(&database, number, measured);
      NoteWritten(&database, info, builder != nullptr);
      if (measured.is_ours || builder != nullptr) {
        const bool is_ours = builder != nullptr && builder == KnownOf(info.db_name, info.cf_name);
        // If a column family gains or loses this policy, its files are listed at once.
        const auto was = database.is_ours.find(info.cf_name);
        if (was == database.is_ours.end() || was->second != is_ours) database.is_stale = true;
        database.is_ours[info.cf_name] = is_ours;
      }
    }
    if (tree != nullptr && built.file != nullptr) {
      tree->family.SetName(built.file, FileName::Of(info.db_name, number));
      for (const auto& known : all) {
        known->trees.SetDatabase(tree.get(), FileName::Of(info.db_name, 0));
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
      num_files_ -= Find(info.db_name).files.erase(number);
      all = AllKnown();
    }
    for (const auto& known : all) known->trees.Ended(FileName::Of(info.db_name, number));
  } catch (...) {
  }
}

// When a database deletes its own handle of the default family, it is being closed.
void Listener::OnColumnFamilyHandleDeletionStarted(ColumnFamilyHandle* handle) {
  try {
    std::string path;  // of the database that is being closed; empty if it is not known
    std::vector<std::shared_ptr<KnownFiles>> all;
    std::vector<std::shared_ptr<LoadMeter>> meters;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const std::unique_ptr<Database>& database : databases_) {
        if (database->handle != handle) continue;
        path = database->path;
        database->handle = nullptr;
        database->is_shown = false;
        database->was_listed = false;
        database->is_ours.clear();
        database->builds_ours.clear();
        database->written.clear();
      }
      all = AllKnown();
      for (auto served = served_.begin(); is_of_text() && served != served_.end();) {
        served = served->first.first == path ? served_.erase(served) : std::next(served);
      }
      // All meters are told, even if another handle was the last one for the path: the database may
      // be open twice.
      meters = Meters();
    }
    orders_.Closed(handle);
    for (const auto& meter : meters) meter->Closed(handle);
    if (path.empty()) return;
    for (const auto& known : all) known->trees.Closed(FileName::Of(path, 0));
  } catch (...) {
  }
}

}  // namespace winnow::plugin

namespace winnow {

std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> NewListener(
    const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy) {
  if (!plugin::VersionProblem().empty()) return nullptr;
  try {
    plugin::Engine* const engine = plugin::EngineOf(policy.get());
    return std::make_shared<plugin::Listener>(engine == nullptr ? nullptr : engine->KnownToTell());
  } catch (...) {
    return nullptr;
  }
}

}  // namespace winnow
