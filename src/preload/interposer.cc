#include "src/preload/interposer.h"

#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "src/preload/add_listener.h"
#include "src/preload/family_notes.h"
#include "src/preload/family_options.h"
#include "src/preload/hook_types.h"
#include "src/preload/interposed_policy.h"
#include "src/preload/new_policies.h"
#include "src/preload/open_and_compact.h"
#include "src/preload/request.h"
#include "src/preload/stock_functions.h"
#include "src/preload/tool_guard.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/registration.h"
#include "src/rocksdb/version_guard.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;

// ---- Databases

// Returns whether the options have a built-in policy, possibly wrapped by the C API, so that
// RocksDB does not validate the interposed one.
bool HasBuiltinPolicy(const ColumnFamilyOptions& options) {
  const auto* const table = options.table_factory == nullptr
                                ? nullptr
                                : options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table != nullptr && table->filter_policy != nullptr &&
         IsNamedAsBuiltin(*table->filter_policy);
}

// Returns whether this argument of an opening function asks for filters, which WINNOW_POLICY then
// determines.
template <typename Argument>
bool AsksForFilters(const Argument&) {
  return false;
}
bool AsksForFilters(const Options& options) { return IsAdding() || HasBuiltinPolicy(options); }
bool AsksForFilters(const Families& families) {
  for (const ColumnFamilyDescriptor& family : families) {
    if (IsAdding() || HasBuiltinPolicy(family.options)) {
      return true;
    }
  }
  return false;
}

// Passes on the arguments of an opening function, with added policies, range extractors, and a
// listener where needed.
class Adding {
 public:
  Adding(const std::string& name, bool to_write)
      : to_write_(to_write), changes_(name), guard_(ThisToolCommand(), name), listener_(to_write) {}

  // See() must be called for all arguments, in their order, before any is passed on.
  void See(const DBOptions& options) {
    given_ = &options;
    if (to_write_ && IsInterposing()) guard_.Read(options);
  }
  void See(const Options& options) {
    See(static_cast<const DBOptions&>(options));
    if (may_change()) {
      options_ = options;
      Change(ROCKSDB_NAMESPACE::kDefaultColumnFamilyName, &*options_);
      changes_.Say();
    }
    listener_.See(options, ROCKSDB_NAMESPACE::kDefaultColumnFamilyName,
                  options_ ? *options_ : options);
    if (!listener_.IsNeeded(options)) return;
    if (!options_) options_ = options;
    listener_.AddTo(&*options_);
  }
  void See(const Families& families) {
    if (may_change()) {
      families_ = families;
      for (ColumnFamilyDescriptor& family : *families_) Change(family.name, &family.options);
      changes_.Say();
    }
    for (const ColumnFamilyDescriptor& family : families_ ? *families_ : families) {
      listener_.See(*given_, family.name, family.options);
    }
  }
  template <typename Argument>
  void See(const Argument&) {}

  // Returns an error if the database must not be opened.
  const Status& status() const { return guard_.status(); }

  const Options& operator()(const Options& options) { return options_ ? *options_ : options; }
  const Families& operator()(const Families& families) { return families_ ? *families_ : families; }
  const DBOptions& operator()(const DBOptions& options) {
    if (!listener_.IsNeeded(options)) return options;
    database_ = options;
    listener_.AddTo(&*database_);
    return *database_;
  }
  template <typename Argument>
  Argument& operator()(Argument& argument) {
    return argument;
  }

 private:
  bool may_change() const { return guard_.is_needed() || changes_.may_change(); }
  void Change(const std::string& family, ColumnFamilyOptions* options) {
    if (guard_.is_needed()) guard_.Check(family, options);
    changes_.Make({family}, options);
  }

  const DBOptions* given_ = nullptr;
  const bool to_write_;
  FamilyChanges changes_;
  ToolGuard guard_;
  ListenerAdder listener_;
  std::optional<Options> options_;
  std::optional<DBOptions> database_;
  std::optional<Families> families_;
};

// Returns the database's path, which precedes all other strings.
template <typename... Rest>
const std::string& PathIn(const std::string& path, const Rest&...) {
  return path;
}
template <typename First, typename... Rest>
const std::string& PathIn(const First&, const Rest&... rest) {
  return PathIn(rest...);
}

// Finds the opened database through the argument that has its address.
template <typename Argument>
void FindDatabase(const Argument& argument, DB** found) {
  if constexpr (std::is_same_v<Argument, TransactionDB**>) {
    *found = *argument;
  } else if constexpr (std::is_same_v<Argument, OpenedDB*> || std::is_same_v<Argument, OwnedDB*>) {
    *found = &**argument;
  }
}

// Finds the opened column families through the argument that has their handles.
template <typename Argument>
void FindHandles(const Argument&, Handles*) {}
void FindHandles(Handles* argument, Handles* found) { *found = *argument; }
void FindHandles(ColumnFamilyHandle** argument, Handles* found) { *found = {*argument}; }

// Reports notes on the column families of this argument.
template <typename Argument>
void SayNotesOf(const Argument&, DB&, const std::string&) {}
void SayNotesOf(const Options& options, DB& database, const std::string& name) {
  SayNotes(database, name, options, {ROCKSDB_NAMESPACE::kDefaultColumnFamilyName});
}
void SayNotesOf(const Families& families, DB& database, const std::string& name) {
  SayNotes(database, name, families);
}

template <typename... Parameters>
Status Open(bool to_write, Status (*stock)(Parameters...), Parameters... parameters) {
  const std::string& name = PathIn(parameters...);
  Adding adding(name, to_write);
  (adding.See(parameters), ...);
  if (!adding.status().ok()) return adding.status();
  Status status;
  {
    const Opening opening;
    status = stock(adding(parameters)...);
  }
  if (status.ok()) {
    DB* database = nullptr;
    (FindDatabase(parameters, &database), ...);
    Handles families;
    (FindHandles(parameters, &families), ...);
    AfterOpening(*database, families);
    if (const WorkerCompaction* const worker = WorkerCompaction::Current()) {
      worker->WriteTo(*database);
    } else {
      (SayNotesOf(parameters, *database, name), ...);
    }
  }
  return status;
}

template <typename... Parameters>
Status OnOpenToRead(Status (*stock)(Parameters...), Parameters... parameters) {
  return Open<Parameters...>(false, stock, parameters...);
}

template <typename... Parameters>
Status OnOpen(Status (*stock)(Parameters...), Parameters... parameters) {
  if (IsInterposing() && !CheckedPolicy().complaint.empty() &&
      (AsksForFilters(parameters) || ...)) {
    return Status::InvalidArgument(CheckedPolicy().complaint);
  }
  return Open<Parameters...>(true, stock, parameters...);
}

// ---- Open databases

Names NamesOf(const std::string& family) { return {family}; }
const Names& NamesOf(const Names& families) { return families; }

template <typename Name, typename... Parameters>
Status OnCreateFamilies(Status (*stock)(DBImpl*, const ColumnFamilyOptions&, const Name&,
                                        Parameters...),
                        DBImpl* database, const ColumnFamilyOptions& options, const Name& name,
                        Parameters... parameters) {
  DB& opened = rocksdb_abi::AsDatabase(database);
  const Names& names = NamesOf(name);
  FamilyChanges changes(opened.GetName());
  std::optional<ColumnFamilyOptions> changed;
  if (changes.may_change() && !names.empty()) {
    changed = options;
    changes.Make(names, &*changed);
    changes.Say();
  }
  const ColumnFamilyOptions& used = changed ? *changed : options;
  for (const std::string& family : names) BeforeCreating(opened, family, used);
  Status status = stock(database, used, name, parameters...);
  if (status.ok()) {
    Handles made;
    (FindHandles(parameters, &made), ...);
    AfterOpening(opened, made);
    SayNotes(opened, opened.GetName(), options, names);
  }
  return status;
}

Status OnCreateDescribedFamilies(Signature<Hook::kCreateDescribedFamilies>::Type* stock,
                                 DBImpl* database, const Families& families, Handles* handles) {
  DB& opened = rocksdb_abi::AsDatabase(database);
  FamilyChanges changes(opened.GetName());
  std::optional<Families> changed;
  if (changes.may_change()) {
    changed = families;
    for (ColumnFamilyDescriptor& family : *changed) changes.Make({family.name}, &family.options);
    changes.Say();
  }
  const Families& used = changed ? *changed : families;
  for (const ColumnFamilyDescriptor& family : used) {
    BeforeCreating(opened, family.name, family.options);
  }
  Status status = stock(database, used, handles);
  if (status.ok()) {
    AfterOpening(opened, *handles);
    SayNotes(opened, opened.GetName(), families);
  }
  return status;
}

#if WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL
Status OnSetOptions(Signature<Hook::kSetOptions>::Type* stock, DBImpl* database,
                    const rocksdb_abi::TextsOfFamilies& all) {
  if (IsInterposing() && IsAdding()) {
    for (const auto& [family, options] : all) {
      BeforeSetOptions(rocksdb_abi::AsDatabase(database), family, options);
    }
  }
  return stock(database, all);
}
#else
Status OnSetOptions(Signature<Hook::kSetOptions>::Type* stock, DBImpl* database,
                    ColumnFamilyHandle* family, const OptionTexts& options) {
  if (IsInterposing() && IsAdding()) {
    BeforeSetOptions(rocksdb_abi::AsDatabase(database), family, options);
  }
  return stock(database, family, options);
}
#endif

// ---- Compactions for another process

Status OnOpenAndCompact(Signature<Hook::kOpenAndCompact>::Type* stock, const Path& name,
                        const Path& output_directory, const std::string& input, std::string* output,
                        const CompactionOverride& options) {
  const WorkerCompaction worker(name, input, options);
  return worker.status().ok() ? stock(name, output_directory, input, output, worker.options())
                              : worker.status();
}

#if WINNOW_ROCKSDB_CANCELS_COMPACTIONS
Status OnOpenAndCompactCancelably(Signature<Hook::kOpenAndCompactCancelably>::Type* stock,
                                  const OpenAndCompactOptions& how, const Path& name,
                                  const Path& output_directory, const std::string& input,
                                  std::string* output, const CompactionOverride& options) {
  // The overload without `how` already made a worker, and calls this one with its options.
  const WorkerCompaction* const current = WorkerCompaction::Current();
  if (current != nullptr && &current->options() == &options) {
    return stock(how, name, output_directory, input, output, options);
  }
  const WorkerCompaction worker(name, input, options);
  return worker.status().ok() ? stock(how, name, output_directory, input, output, worker.options())
                              : worker.status();
}
#endif

// ---- Answer to the front

template <Hook hook>
void Set(Handler<hook>* handler, Interposer* interposer) {
  interposer->handlers[static_cast<size_t>(hook)] = reinterpret_cast<void*>(handler);
}

// Sets the handlers, whose types are checked against the hooks' at compile time.
void SetHandlers(Interposer* all) {
#define WINNOW_HOOK(name, text, function, handler, ...) Set<Hook::name>(&handler, all);
  WINNOW_HOOKS(WINNOW_HOOK)
#undef WINNOW_HOOK
}

// Returns the end of the state line, whose beginning the front prints.
std::string InForce(bool sees_databases) {
  std::string line = std::string("Winnow ") + Version() + ", RocksDB " + plugin::CompiledVersion();
  const std::string no_ranges = WhyNoRangeBits();
  if (!IsInterposing()) {
    line += "; " + WhatBuiltinPoliciesBuild();
    if (!no_ranges.empty()) line += "; " + no_ranges;
    if (!IsAdding()) return line;
    return line + (IsLeftAsItWas() ? "; WINNOW_ADD=1 has no effect then"
                                   : "; WINNOW_ADD=1 has no effect without WINNOW_POLICY");
  }
  const PolicyRequest& request = RequestedPolicy();
  if (!request.complaint.empty()) {
    line += IsAdding() ? "; databases don't open but to be read: "
                       : "; databases with filters don't open: ";
    line += request.complaint;
  } else {
    line += "; " + WhatBuiltinPoliciesBuild();
    if (IsAdding()) {
      line += request.only_reads
                  ? "; column families without a policy get one that reads, and builds none"
                  : "; column families without a policy get one";
    }
    if (HasRangeBits()) line += "; column families without a prefix extractor get range filters";
    if (!no_ranges.empty()) line += "; " + no_ranges;
  }
  if (IsAdding() && !sees_databases) {
    line += "; WINNOW_ADD=1 has no effect, as this preloaded library is of another RocksDB";
  }
  const std::string unreplaced = UnreplacedCalls();
  return unreplaced.empty() ? line : line + "; " + unreplaced;
}

// Returns a copy that is never freed.
const char* Keep(const std::string& text) {
  auto* const kept = new char[text.size() + 1];
  return std::strcpy(kept, text.c_str());
}

// Returns whether the front calls a hook's handler with the parameters that it has.
bool AreSameParameters(const FrontState& front, Hook hook) {
  const char* const theirs = front.parameters[static_cast<size_t>(hook)];
  return theirs != nullptr && std::strcmp(theirs, ParametersOf(hook)) == 0;
}

bool HasPolicyHooks(const FrontState& front) {
  return AreSameParameters(front, Hook::kNewBloomFilterPolicy) &&
         AreSameParameters(front, Hook::kNewRibbonFilterPolicy) &&
         AreSameParameters(front, Hook::kCreateFromString);
}

// Returns whether hooks of databases work, which the front of another version of RocksDB may lack:
// an added policy must be tracked.
bool SeesDatabases(const FrontState& front) {
  return AreSameParameters(front, Hook::kOpen) && AreSameParameters(front, Hook::kSetOptions);
}

// Returns whether the handler of the hook is used.
bool IsServed(const FrontState& front, Hook hook) {
  return AreSameParameters(front, hook) &&
         (hook <= Hook::kCreateFromString || SeesDatabases(front));
}

// Sets the handlers for the front, and RocksDB's own functions for the plugin.
void ServeHooks(const FrontState& front, Interposer* made) {
  SetHandlers(made);
  void* stock[kNumHooks] = {};
  for (size_t i = 0; i < kNumHooks; ++i) {
    if (IsServed(front, static_cast<Hook>(i))) {
      stock[i] = front.stock[i];
    } else {
      made->handlers[i] = nullptr;
    }
  }
  SetStockFunctions(stock, front.is_replaced);
}

// Ends the process if it is a tool that must not be started.
void EndRefusedTool() {
  if (!IsInterposing()) return;
  const std::string reason = ReasonNotToStart(ThisToolCommand());
  if (reason.empty()) return;
  plugin::SayOnStderr(reason);
  ::_exit(1);
}

const Interposer* MakeInterposer(const FrontState& front) {
  auto* const made = new Interposer{};
  made->build = kInterposerBuild;
  std::string (*const bound)(bool) = &ROCKSDB_NAMESPACE::GetRocksVersionAsString;
  made->rocksdb = reinterpret_cast<const void*>(bound);
  if (const std::string& problem = plugin::VersionProblem(); !problem.empty()) {
    made->problem = Keep(problem);
    return made;
  }
  if (!HasPolicyHooks(front)) {
    made->problem =
        "libwinnow_preload.so was compiled by another compiler than this plugin, which writes "
        "types in another way; build both with one";
    return made;
  }
  policy_if_unset = front.policy_if_unset;
  EndRefusedTool();
  ServeHooks(front, made);
  made->in_force = Keep(InForce(SeesDatabases(front)));
  made->refuses = IsInterposing() && !RequestedPolicy().complaint.empty();
  return made;
}

}  // namespace
}  // namespace winnow::preload

extern "C" WINNOW_EXPORT const winnow::preload::Interposer* winnow_rocksdb_interposer(
    const winnow::preload::FrontState* front) {
  if (std::strcmp(front->build, winnow::preload::kInterposerBuild) != 0) {
    return nullptr;
  }
  winnow::base::SetStderrAtStart(front->stderr_at_start);
  try {
    // Must not be a static local: its lock must not be held while the linker is called.
    const winnow::preload::Interposer* const made = winnow::preload::MakeInterposer(*front);
    if (made->problem == nullptr && winnow::plugin::RegisterPolicy() != 0) {
      return nullptr;
    }
    return made;
  } catch (...) {
    return nullptr;  // out of memory
  }
}
