// The event listener (winnow/rocksdb_listener.h) for databases that have a policy of Winnow, or one
// in whose place Winnow's builds or reads.

#ifndef WINNOW_SRC_PRELOAD_ADD_LISTENER_H_
#define WINNOW_SRC_PRELOAD_ADD_LISTENER_H_

#include <rocksdb/listener.h>

#include <memory>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// The families of one database that is about to be opened. Nothing of the caller's is
// changed.
class ListenerAdder {
 public:
  // One that is only read has no files to be told of, but loads filters.
  explicit ListenerAdder(bool to_write) : to_write_(to_write) {}

  void See(const std::string& family, const ColumnFamilyOptions& options);

  // Returns whether a listener is to be added beside these: a family has such a policy, or may get
  // one when it is made later; and none of ours is there, as in what the program added itself, or
  // in what an outer function of RocksDB was given.
  bool IsNeeded(const DBOptions& options) const;
  void AddTo(DBOptions* options) const;

 private:
  const bool to_write_;
  std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> listener_;
};

// The database is open, or has new families: the listeners of ours that it has show it to the
// meters of the loads of its filters, and learn the order of the families' keys.
void AfterOpening(DB& database, const Handles& families) noexcept;

// A family with these options is about to be made in the database.
void BeforeCreating(DB& database, const std::string& family, const ColumnFamilyOptions& options);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_LISTENER_H_
