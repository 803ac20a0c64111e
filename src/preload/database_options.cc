#include "src/preload/database_options.h"

#include <algorithm>

#include "src/preload/family_options.h"
#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/preload/tool_guard.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/listener/listener.h"

namespace winnow::preload {
namespace {

using plugin::Listener;
using ROCKSDB_NAMESPACE::EventListener;

// Known files and meter of a column family's policy, for the listener of its database.
struct Told {
  std::shared_ptr<plugin::KnownFiles> known;  // null unless filters are by Winnow's options
  std::shared_ptr<plugin::LoadMeter> meter;   // null unless the policy is Winnow's
};

// Shows the options to the family's policy, if it is Winnow's.
Told ShowToPolicy(const DBOptions& database, const ColumnFamilyOptions& family, bool to_write) {
  const FilterPolicy* const policy = PolicyOf(family.table_factory);
  if (policy == nullptr) return {};
  // RocksDB validates only the wrapper of an interposed policy that is behind one. Faults of
  // WINNOW_POLICY are known without it.
  const FilterPolicy* const interposed = InterposedBehind(*policy);
  if (to_write && interposed != nullptr && interposed != policy) {
    static_cast<void>(interposed->ValidateOptions(database, family));
  }
  plugin::Engine* const engine = EngineBehind(*policy);
  if (engine == nullptr) return {};
  plugin::LoadMeter::See(*TableOf(family.table_factory));
  return {to_write ? engine->KnownToTell() : nullptr, engine->loads()};
}

void Tell(const Told& told, const std::string& path, const std::string& family,
          Listener* listener) {
  if (told.known != nullptr) listener->Serve(path, family, told.known);
  if (told.meter != nullptr) listener->Meter(told.meter);
}

// Returns Winnow's listener; null if it is another one.
Listener* AsOurs(const std::shared_ptr<EventListener>& listener) {
  return listener != nullptr && listener->IsInstanceOf(Listener::kClassName())
             ? static_cast<Listener*>(listener.get())
             : nullptr;
}

// Returns a listener if a family has a Winnow policy, or may get one when it is created later, and
// if there is no Winnow listener yet, from the program or from an outer function of RocksDB.
std::shared_ptr<EventListener> ListenerFor(const DBOptions& database, const Families& families,
                                           bool to_write) {
  const bool may_get_families = to_write && IsInterposing() && RequestedPolicy().builds_ours();
  std::shared_ptr<Listener> made;
  for (const ColumnFamilyDescriptor& family : families) {
    const Told told = ShowToPolicy(database, family.options, to_write);
    if (told.known == nullptr && told.meter == nullptr && !may_get_families) continue;
    if (made == nullptr) made = std::make_shared<Listener>(nullptr);
    Tell(told, {}, family.name, made.get());
  }
  const bool has_ours = std::any_of(database.listeners.begin(), database.listeners.end(), &AsOurs);
  return has_ours ? nullptr : made;
}

// Returns whether WINNOW_POLICY, which has a complaint, determines filters of these families.
bool AsksForFilters(const Families& families) {
  return std::any_of(families.begin(), families.end(), [](const ColumnFamilyDescriptor& family) {
    // The C API wraps a built-in policy, so that RocksDB does not validate the interposed one.
    const FilterPolicy* const policy = PolicyOf(family.options.table_factory);
    return IsAdding() || (policy != nullptr && IsNamedAsBuiltin(*policy));
  });
}

}  // namespace

OptionsToOpen::OptionsToOpen(bool to_write, const std::string& name, const DBOptions& database,
                             const Families& families) {
  if (to_write && IsInterposing() && !CheckedPolicy().complaint.empty() &&
      AsksForFilters(families)) {
    status_ = Status::InvalidArgument(CheckedPolicy().complaint);
    return;
  }
  ToolGuard guard(ThisToolCommand(), name);
  if (to_write && IsInterposing()) guard.Read(database);
  FamilyChanges changes(name);
  if (guard.is_needed() || changes.may_change()) {
    families_ = families;
    for (ColumnFamilyDescriptor& family : *families_) {
      if (guard.is_needed()) guard.Check(family.name, &family.options);
      changes.Make(family.name, &family.options);
    }
    changes.Say();
  }
  status_ = guard.status();
  listener_ = ListenerFor(database, families_ ? *families_ : families, to_write);
}

const Options& OptionsToOpen::operator()(const Options& options) {
  if (!families_ && listener_ == nullptr) return options;
  options_ = options;
  if (families_) static_cast<ColumnFamilyOptions&>(*options_) = families_->front().options;
  if (listener_ != nullptr) options_->listeners.push_back(listener_);
  return *options_;
}

const DBOptions& OptionsToOpen::operator()(const DBOptions& options) {
  if (listener_ == nullptr) return options;
  database_ = options;
  database_->listeners.push_back(listener_);
  return *database_;
}

void AfterOpening(DB& database, const Handles& families) noexcept {
  try {
    for (const std::shared_ptr<EventListener>& listener : database.GetDBOptions().listeners) {
      Listener* const ours = AsOurs(listener);
      if (ours == nullptr) continue;
      ours->ShowToMeters(&database);
      for (ColumnFamilyHandle* const family : families) ours->LearnOrder(&database, family);
    }
  } catch (...) {
    // Out of memory: callbacks will do this later.
  }
}

void BeforeCreating(DB& database, const ColumnFamilyDescriptor& family) {
  const DBOptions options = database.GetDBOptions();
  const Told told = ShowToPolicy(options, family.options, true);
  for (const std::shared_ptr<EventListener>& listener : options.listeners) {
    Listener* const ours = AsOurs(listener);
    if (ours != nullptr) Tell(told, database.GetName(), family.name, ours);
  }
}

}  // namespace winnow::preload
