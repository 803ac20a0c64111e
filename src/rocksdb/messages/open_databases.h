// Open databases of this process that use Winnow's policies, with their LOGs.

#ifndef WINNOW_SRC_ROCKSDB_MESSAGES_OPEN_DATABASES_H_
#define WINNOW_SRC_ROCKSDB_MESSAGES_OPEN_DATABASES_H_

#include <rocksdb/env.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace winnow::plugin {

// Sizes of blocks of a database's live files.
struct BlockBytes {
  uint64_t filters = 0;
  uint64_t indexes = 0;
};

// Functions are thread-safe and, if out of memory, forget databases. They throw nothing.

// Records an open database, which `database` identifies, until it is closed or its log is
// destroyed. It may have no log; `folder` is empty if unknown.
void NoteOpened(const void* database, const std::string& folder,
                const std::shared_ptr<ROCKSDB_NAMESPACE::Logger>& log) noexcept;
// Records the sizes of blocks of its files.
void NoteListed(const void* database, const BlockBytes& blocks) noexcept;
// Waits while VisitLogs visits logs.
void NoteClosed(const void* database) noexcept;

// Calls `visit` with the log of each open database. Databases stay open until it returns. `visit`
// must not call the functions above, and what it throws ends the visits.
void VisitLogs(const std::function<void(ROCKSDB_NAMESPACE::Logger*)>& visit) noexcept;

// Returns the known folders of open databases, with the sizes that were recorded. May throw
// std::bad_alloc.
std::map<std::string, BlockBytes> OpenFolders();

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_OPEN_DATABASES_H_
