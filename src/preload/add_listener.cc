#include "src/preload/add_listener.h"

#include <rocksdb/table.h>

#include <algorithm>
#include <utility>

#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/listener/listener.h"

namespace winnow::preload {
namespace {

using plugin::KnownFiles;
using plugin::Listener;
using plugin::LoadMeter;
using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::EventListener;

const BlockBasedTableOptions* TableWithPolicy(const ColumnFamilyOptions& options) {
  const auto* const table = options.table_factory == nullptr
                                ? nullptr
                                : options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table == nullptr || table->filter_policy == nullptr ? nullptr : table;
}

// Returns the known files of the table's policy, or null unless its filters are by Winnow's
// options.
std::shared_ptr<KnownFiles> KnownOf(const BlockBasedTableOptions& table) {
  plugin::Engine* const engine = EngineBehind(*table.filter_policy);
  return engine == nullptr ? nullptr : engine->KnownToTell();
}

// Returns the meter of the table's policy, which then knows the options; null unless the policy is
// Winnow's.
std::shared_ptr<LoadMeter> MeterThatSaw(const BlockBasedTableOptions& table) {
  const plugin::Engine* const engine = EngineBehind(*table.filter_policy);
  if (engine == nullptr) return nullptr;
  LoadMeter::See(table);
  return engine->loads();
}

// Shows the options to an interposed policy behind a wrapper, of which RocksDB validates only the
// wrapper. Faults of WINNOW_POLICY are known without it.
void ShowOptions(const DBOptions& database, const ColumnFamilyOptions& family,
                 const FilterPolicy& given) {
  const FilterPolicy* const interposed = InterposedBehind(given);
  if (interposed != nullptr && interposed != &given) {
    static_cast<void>(interposed->ValidateOptions(database, family));
  }
}

bool IsOurs(const std::shared_ptr<EventListener>& listener) {
  return listener != nullptr && listener->IsInstanceOf(Listener::kClassName());
}

bool MayGetFamilies() {
  return IsInterposing() && !RequestedPolicy().only_reads &&
         RequestedPolicy().options.build == Build::kWinnow;
}

}  // namespace

void ListenerAdder::See(const DBOptions& database, const std::string& family,
                        const ColumnFamilyOptions& options) {
  const BlockBasedTableOptions* const table = TableWithPolicy(options);
  if (table != nullptr && to_write_) ShowOptions(database, options, *table->filter_policy);
  std::shared_ptr<KnownFiles> known = table == nullptr || !to_write_ ? nullptr : KnownOf(*table);
  std::shared_ptr<LoadMeter> meter = table == nullptr ? nullptr : MeterThatSaw(*table);
  if (known == nullptr && meter == nullptr && !(to_write_ && MayGetFamilies())) return;
  if (listener_ == nullptr) listener_ = std::make_shared<Listener>(nullptr);
  auto& listener = static_cast<Listener&>(*listener_);
  if (known != nullptr) listener.Serve({}, family, std::move(known));
  if (meter != nullptr) listener.Meter(meter);
}

bool ListenerAdder::IsNeeded(const DBOptions& options) const {
  return listener_ != nullptr &&
         std::none_of(options.listeners.begin(), options.listeners.end(), IsOurs);
}

void ListenerAdder::AddTo(DBOptions* options) const { options->listeners.push_back(listener_); }

void AfterOpening(DB& database, const Handles& families) noexcept {
  try {
    for (const std::shared_ptr<EventListener>& listener : database.GetDBOptions().listeners) {
      if (!IsOurs(listener)) continue;
      auto& ours = static_cast<Listener&>(*listener);
      ours.ShowToMeters(&database);
      for (ROCKSDB_NAMESPACE::ColumnFamilyHandle* const family : families) {
        ours.LearnOrder(&database, family);
      }
    }
  } catch (...) {
    // Out of memory: callbacks will do this later.
  }
}

void BeforeCreating(DB& database, const std::string& family, const ColumnFamilyOptions& options) {
  const BlockBasedTableOptions* const table = TableWithPolicy(options);
  if (table == nullptr) return;
  ShowOptions(database.GetDBOptions(), options, *table->filter_policy);
  const std::shared_ptr<KnownFiles> known = KnownOf(*table);
  const std::shared_ptr<LoadMeter> meter = MeterThatSaw(*table);
  for (const std::shared_ptr<EventListener>& listener : database.GetDBOptions().listeners) {
    if (!IsOurs(listener)) continue;
    auto& ours = static_cast<Listener&>(*listener);
    if (known != nullptr) ours.Serve(database.GetName(), family, known);
    if (meter != nullptr) ours.Meter(meter);
  }
}

}  // namespace winnow::preload
