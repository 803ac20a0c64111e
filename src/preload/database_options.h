// Options that a database gets when it is opened: policies and extractors of its column families
// (family_options.h), a check of tools that open it (tool_guard.h), and an event listener
// (winnow/rocksdb_listener.h) if it has a Winnow policy, or one that Winnow's policy replaces.

#ifndef WINNOW_SRC_PRELOAD_DATABASE_OPTIONS_H_
#define WINNOW_SRC_PRELOAD_DATABASE_OPTIONS_H_

#include <rocksdb/listener.h>

#include <memory>
#include <optional>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Options of a database that is about to be opened. The caller's options are not changed.
class OptionsToOpen {
 public:
  // The program opens the database of this name with these options. `to_write` is false for a
  // database that is opened read-only: its files are not reported to the listener, but its filter
  // loads are.
  OptionsToOpen(bool to_write, const std::string& name, const DBOptions& database,
                const Families& families);

  // Returns an error if the database must not be opened.
  const Status& status() const { return status_; }

  // Pass on an argument of the opening function, with what Winnow adds.
  const Options& operator()(const Options& options);
  const DBOptions& operator()(const DBOptions& options);
  const Families& operator()(const Families& families) { return families_ ? *families_ : families; }
  template <typename Argument>
  Argument& operator()(Argument& argument) {
    return argument;
  }

 private:
  Status status_;
  std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> listener_;  // null if none is needed
  std::optional<Options> options_;
  std::optional<DBOptions> database_;
  std::optional<Families> families_;  // empty if they stay as they are
};

// Called when the database was opened, or has new families: its Winnow listeners report it to the
// meters of its filter loads, and learn the key order of its families.
void AfterOpening(DB& database, const Handles& families) noexcept;

// Called before a family is created in the database.
void BeforeCreating(DB& database, const ColumnFamilyDescriptor& family);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_DATABASE_OPTIONS_H_
