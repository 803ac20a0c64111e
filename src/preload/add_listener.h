// Event listener (winnow/rocksdb_listener.h) for databases that have a Winnow policy, or one that
// Winnow's policy replaces.

#ifndef WINNOW_SRC_PRELOAD_ADD_LISTENER_H_
#define WINNOW_SRC_PRELOAD_ADD_LISTENER_H_

#include <rocksdb/listener.h>

#include <memory>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Adds a listener for the column families of a database that is about to be opened. The caller's
// options are not changed.
class ListenerAdder {
 public:
  // `to_write` is false for a database that is opened read-only: its files are not reported, but
  // its filter loads are.
  explicit ListenerAdder(bool to_write) : to_write_(to_write) {}

  // Must be called for each column family, before the database is opened with these options.
  void See(const DBOptions& database, const std::string& family,
           const ColumnFamilyOptions& options);

  // Returns whether `options` need a listener: a family has a Winnow policy, or may get one when it
  // is created later, and no Winnow listener is there yet, from the program or from an outer
  // function of RocksDB.
  bool IsNeeded(const DBOptions& options) const;
  void AddTo(DBOptions* options) const;

 private:
  const bool to_write_;
  std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> listener_;
};

// Called when the database was opened, or has new families: its Winnow listeners report it to the
// meters of its filter loads, and learn the key order of its families.
void AfterOpening(DB& database, const Handles& families) noexcept;

// Called before a family with these options is created in the database.
void BeforeCreating(DB& database, const std::string& family, const ColumnFamilyOptions& options);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_LISTENER_H_
