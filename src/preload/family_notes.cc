#include "src/preload/family_notes.h"

#include <pthread.h>
#include <rocksdb/table.h>

#include <climits>
#include <map>
#include <memory>
#include <string_view>

#include "src/preload/family_options.h"
#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/rocksdb/messages/family_lines.h"
#include "src/rocksdb/messages/stderr_line.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;

// The value of a pthread key, not thread_local: static TLS is scarce in libraries that are loaded
// by dlopen().
pthread_key_t OpeningKey() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    return ::pthread_key_create(&made, nullptr) == 0 ? made : PTHREAD_KEYS_MAX;
  }();
  return key;
}

const FilterPolicy* PolicyOf(const ColumnFamilyOptions& options) {
  const auto* const table = options.table_factory == nullptr
                                ? nullptr
                                : options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table == nullptr ? nullptr : table->filter_policy.get();
}

std::string NoteOnPolicy(const FilterPolicy& policy) {
  if (!IsInterposing() || policy.Name() == std::string_view("winnow.Filter")) {
    return {};
  }
  if (!IsNamedAsBuiltin(policy)) {
    return "has a filter policy that is not RocksDB's, " + plugin::Quoted(policy.Name()) +
           ", and keeps it: WINNOW_POLICY has no effect there";
  }
  return WasMissed(policy) ? "has RocksDB's filter policy " + plugin::Quoted(policy.GetId()) +
                                 ", which was made where the interposer does not see it: "
                                 "WINNOW_POLICY has no effect there"
                           : std::string();
}

// Returns the note on a column family without a policy of the program; empty if Winnow adds one.
std::string NoteOnNone(const ColumnFamilyOptions& options) {
  const std::string reason = ReasonNotToAdd(options);
  if (IsInterposing() && IsAdding()) {
    return reason.empty() ? reason : "gets no filter policy: it " + reason;
  }
  if (!HasBlockBasedTables(options)) {
    return reason + ", which no filter policy is for";
  }
  const std::string missing =
      "has no filter policy: files get no filters, and those that files have are not used; ";
  if (!reason.empty()) {
    return missing + "WINNOW_ADD=1 would not give it one, as it " + reason;
  }
  return missing + (IsInterposing() ? "WINNOW_ADD=1 gives it one"
                                    : "WINNOW_POLICY=winnow with WINNOW_ADD=1 gives it one");
}

// Writes the notes of families, one per line.
void Say(DB& database, const std::string& name, const std::map<std::string, Names>& notes) {
  const std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log =
      IsInterposing() ? database.GetDBOptions().info_log : nullptr;
  for (const auto& [note, families] : notes) {
    if (note.empty()) continue;
    if (IsLogging()) plugin::SayFamiliesOnStderr(name, families, note);
    plugin::WarnOfFamiliesInLog(log.get(), families, note);
  }
}

bool IsAnythingToBeSaid() { return !Opening::IsOpen() && (IsInterposing() || IsLogging()); }

}  // namespace

Opening::Opening() noexcept : is_inner_(IsOpen()) { ::pthread_setspecific(OpeningKey(), this); }

Opening::~Opening() {
  if (!is_inner_) ::pthread_setspecific(OpeningKey(), nullptr);
}

bool Opening::IsOpen() noexcept { return ::pthread_getspecific(OpeningKey()) != nullptr; }

std::string NoteOn(const ColumnFamilyOptions& options) {
  const FilterPolicy* const policy = PolicyOf(options);
  return policy != nullptr ? NoteOnPolicy(*policy) : NoteOnNone(options);
}

void SayNotes(DB& database, const std::string& name, const Families& families) noexcept {
  try {
    if (IsAnythingToBeSaid()) {
      std::map<std::string, Names> notes;
      for (const ColumnFamilyDescriptor& family : families) {
        notes[NoteOn(family.options)].push_back(family.name);
      }
      Say(database, name, notes);
    }
  } catch (...) {
    // A missing line is better than a failed open.
  }
}

void SayNotes(DB& database, const std::string& name, const ColumnFamilyOptions& options,
              const Names& families) noexcept {
  try {
    if (IsAnythingToBeSaid()) Say(database, name, {{NoteOn(options), families}});
  } catch (...) {
  }
}

}  // namespace winnow::preload
