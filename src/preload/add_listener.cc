#include "src/preload/add_listener.h"

#include <rocksdb/table.h>

#include <algorithm>
#include <utility>

#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/rocksdb/listener.h"

namespace winnow::preload {
namespace {

using plugin::KnownFiles;
using plugin::Listener;
using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::EventListener;

// Null unless its filters are Winnow's.
std::shared_ptr<KnownFiles> KnownOf(const ColumnFamilyOptions& options) {
  const auto* const table = options.table_factory == nullptr
                                ? nullptr
                                : options.table_factory->GetOptions<BlockBasedTableOptions>();
  if (table == nullptr || table->filter_policy == nullptr) return nullptr;
  std::shared_ptr<KnownFiles> known = KnownByInterposed(*table->filter_policy);
  return known != nullptr ? known : plugin::KnownBy(table->filter_policy);
}

bool IsOurs(const std::shared_ptr<EventListener>& listener) {
  return listener != nullptr && listener->IsInstanceOf(Listener::kClassName());
}

bool MayGetFamilies() {
  return IsInterposing() && !RequestedPolicy().only_reads &&
         RequestedPolicy().options.build == Build::kWinnow;
}

}  // namespace

void ListenerAdder::See(const std::string& family, const ColumnFamilyOptions& options) {
  std::shared_ptr<KnownFiles> known = KnownOf(options);
  if (known == nullptr && !MayGetFamilies()) return;
  if (listener_ == nullptr) listener_ = std::make_shared<Listener>(nullptr);
  if (known != nullptr) static_cast<Listener&>(*listener_).Serve(family, std::move(known));
}

bool ListenerAdder::IsNeeded(const DBOptions& options) const {
  return listener_ != nullptr &&
         std::none_of(options.listeners.begin(), options.listeners.end(), IsOurs);
}

void ListenerAdder::AddTo(DBOptions* options) const { options->listeners.push_back(listener_); }

void BeforeCreating(DB& database, const std::string& family, const ColumnFamilyOptions& options) {
  std::shared_ptr<KnownFiles> known = KnownOf(options);
  if (known == nullptr) return;
  for (const std::shared_ptr<EventListener>& listener : database.GetDBOptions().listeners) {
    if (IsOurs(listener)) static_cast<Listener&>(*listener).Serve(family, known);
  }
}

}  // namespace winnow::preload
