#include "src/rocksdb/messages/open_databases.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Logger;

namespace {

struct OpenDatabase {
  const void* database;  // never dereferenced
  std::string folder;
  bool has_log;
  std::weak_ptr<Logger> log;
  BlockBytes blocks;

  bool is_gone() const { return has_log && log.expired(); }
};

// Never destroyed: databases may be closed after static objects are destroyed.
struct OpenDatabases {
  std::mutex mutex;
  std::vector<OpenDatabase> open;

  template <typename IsEnded>
  void Remove(const IsEnded& is_ended) {
    open.erase(std::remove_if(open.begin(), open.end(), is_ended), open.end());
  }
};
OpenDatabases& Databases() {
  static OpenDatabases& databases = *new OpenDatabases;
  return databases;
}

}  // namespace

void NoteOpened(const void* database, const std::string& folder,
                const std::shared_ptr<Logger>& log) noexcept {
  try {
    OpenDatabases& all = Databases();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.Remove([&](const OpenDatabase& one) { return one.is_gone() || one.database == database; });
    all.open.push_back({database, folder, log != nullptr, log, {}});
  } catch (...) {
  }
}

void NoteListed(const void* database, const BlockBytes& blocks) noexcept {
  OpenDatabases& all = Databases();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (OpenDatabase& one : all.open) {
    if (one.database == database) one.blocks = blocks;
  }
}

void NoteClosed(const void* database) noexcept {
  OpenDatabases& all = Databases();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto closed = std::find_if(all.open.begin(), all.open.end(), [database](const auto& one) {
    return one.database == database;
  });
  if (closed == all.open.end()) return;
  // The same database may be known by its log alone, from before it was opened.
  const std::weak_ptr<Logger> log = closed->log;
  all.Remove([&](const OpenDatabase& one) {
    const bool has_this_log = !one.log.owner_before(log) && !log.owner_before(one.log);
    return one.database == database || (one.folder.empty() && has_this_log);
  });
}

void VisitLogs(const std::function<void(Logger*)>& visit) noexcept {
  try {
    OpenDatabases& all = Databases();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const OpenDatabase& one : all.open) {
      if (const std::shared_ptr<Logger> log = one.log.lock()) visit(log.get());
    }
  } catch (...) {
  }
}

std::map<std::string, BlockBytes> OpenFolders() {
  OpenDatabases& all = Databases();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::map<std::string, BlockBytes> folders;
  for (const OpenDatabase& one : all.open) {
    if (!one.folder.empty() && !one.is_gone()) folders[one.folder] = one.blocks;
  }
  return folders;
}

}  // namespace winnow::plugin
