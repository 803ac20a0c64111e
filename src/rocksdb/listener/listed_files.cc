// Listing of a database's live files by the listener: reads their properties, and reports them to
// the policies.

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <algorithm>

#include "src/rocksdb/listener/listener.h"
#include "src/rocksdb/messages/open_databases.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::LiveFileMetaData;

namespace {

// Estimated bytes per key of a file whose properties are not read yet.
constexpr uint64_t kBytesAKey = 100;

}  // namespace

// Returns whether it is time to list files, and no other thread does.
bool Listener::Enter(DB* opened) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!NeedsFiles()) return false;
  Database& database = Find(opened->GetName());
  if (database.is_reading) return false;
  if (database.handle != opened->DefaultColumnFamily()) return false;  // it could not be shown
  if (database.was_listed && !database.is_stale && Clock::now() < database.next_list) return false;
  database.is_stale = false;
  database.is_reading = true;
  return true;
}

void Listener::Look(DB* opened) noexcept {
  ShowToMeters(opened);
  bool is_reading = false;
  std::string path;  // the database may be closed while it is read
  const Clock::time_point start = Clock::now();
  try {
    path = opened->GetName();
    is_reading = Enter(opened);
    if (!is_reading) return;
    Read(opened);
  } catch (...) {
    // Out of memory; the next callback tries again.
  }
  if (!is_reading) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::unique_ptr<Database>& database : databases_) {
    if (database->path != path) continue;
    const Clock::time_point now = Clock::now();
    database->is_reading = false;
    if (database->next_list <= start) database->next_list = now + kListShare * (now - start);
  }
}

void Listener::Read(DB* opened) {
  const Clock::time_point start = Clock::now();
  const std::string& path = opened->GetName();
  const std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log = opened->GetDBOptions().info_log;
  const void* const logger = info_log.get();
  if (logger == nullptr) return;
  std::vector<std::shared_ptr<KnownFiles>> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    all = AllKnown();
  }
  const FileName name = FileName::Of(path, 0);
  for (const auto& known : all) known->trees.BeginList(logger, name);
  Files files;
  opened->GetLiveFilesMetaData(&files);
  const Clock::time_point listed = Clock::now();
  Measure(opened, files, listed - start);
  const Clock::time_point measured = Clock::now();
  BlockBytes blocks;
  Told to_tell = ToTell(path, files, &blocks);
  NoteListed(opened->DefaultColumnFamily(), blocks);
  for (auto& [known, told] : to_tell) known->trees.TakeLists(logger, std::move(told));
  const Clock::time_point told = Clock::now();
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& database = Find(path);
  database.was_listed = true;
  // Unmeasured files must not wait until the next list: the time for properties does not count
  // here.
  database.next_list = told + kListShare * ((listed - start) + (told - measured));
}

// Reads the properties of unknown files, for a limited time. The newest file of each column family
// comes first, as it tells which policy the family has.
void Listener::Measure(DB* opened, const Files& files, Clock::duration listing) {
  std::vector<const LiveFileMetaData*> unknown;
  std::map<std::string, const LiveFileMetaData*> newest;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Database& database = Find(opened->GetName());
    if (Clock::now() < database.next_properties || num_files_ >= kMaxFiles) return;
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
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.no_block_cache = true;
  ROCKSDB_NAMESPACE::Options options;
  options.env = opened->GetEnv();
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  for (const LiveFileMetaData* file : unknown) {
    if (Clock::now() - start > most) break;
    // A table that can't be read like this has another format, and so no filter of a policy.
    Measured measured{file->size, file->num_entries, 0, 0, false, false};
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

// Returns what policies are told, and how much room a block cache needs for filters and indexes.
// Files that are not measured yet are taken to be like the others.
Listener::Told Listener::ToTell(const std::string& path, const Files& files, BlockBytes* blocks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Database& database = Find(path);
  struct Family {
    KnownTrees::ToldFamily told;
    uint64_t newest = 0;
    bool newest_is_ours = false;
  };
  std::map<std::string, Family> families;
  bool is_complete = true;
  double bytes = 0;
  Measured sums;
  for (const LiveFileMetaData& file : files) {
    const Measured* const known = Known(database, file);
    is_complete = is_complete && known != nullptr;
    bytes += static_cast<double>(file.size);
    if (known == nullptr) continue;
    sums.size += file.size;
    sums.keys += known->keys;
    sums.filter_bytes += known->filter_bytes;
    sums.index_bytes += known->index_bytes;
  }
  const auto of_all = [&](uint64_t sum) {
    const double scale = sums.size > 0 ? bytes / static_cast<double>(sums.size) : 0;
    return static_cast<uint64_t>(scale * static_cast<double>(sum));
  };
  *blocks = {of_all(sums.filter_bytes), of_all(sums.index_bytes)};
  for (const LiveFileMetaData& file : files) {
    const Measured* const known = Known(database, file);
    ListedFile listed;
    listed.name = database.name.File(file.file_number);
    listed.level = file.level;
    listed.range = {file.smallestkey, file.largestkey, {}};
    if (known != nullptr) {
      listed.keys = static_cast<double>(known->keys);
      listed.bytes = static_cast<double>(known->filter_bytes);
      // A filter that another policy built, or that includes a range filter, does not tell its bits
      // by its size.
      listed.tells_bits = known->filter_bytes == 0 || (known->is_ours && !known->may_have_range);
      listed.is_measured = true;
    } else {
      listed.keys = sums.size > 0
                        ? static_cast<double>(file.size) * static_cast<double>(sums.keys) /
                              static_cast<double>(sums.size)
                        : static_cast<double>(file.size / kBytesAKey);
    }
    Family& family = families[file.column_family_name];
    if (file.file_number >= family.newest) {
      family.newest = file.file_number;
      family.newest_is_ours = known != nullptr && known->is_ours;
    }
    family.told.files.push_back(std::move(listed));
  }
  Told told;
  for (const auto& known : AllKnown()) {
    told.push_back({known, {database.name, is_complete, {}}});
  }
  for (auto& [name, family] : families) {
    const std::shared_ptr<KnownFiles> known = KnownOf(path, name);
    if (known == nullptr) continue;
    const auto wrote = database.is_ours.find(name);
    family.told.family = name;
    family.told.is_ours = ServedAs(path, name) != nullptr ||
                          (wrote != database.is_ours.end() ? wrote->second : family.newest_is_ours);
    if (family.told.is_ours) known->loads.use().NoteFamily(nullptr, name);
    for (auto& [teller, database_told] : told) {
      if (teller == known) database_told.families.push_back(std::move(family.told));
    }
  }
  return told;
}

}  // namespace winnow::plugin
