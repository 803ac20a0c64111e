#include "src/preload/interposer.h"

#include <rocksdb/version.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "src/preload/database_options.h"
#include "src/preload/family_options.h"
#include "src/preload/hook_types.h"
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

// ---- Databases

// Return the column families among the arguments of an opening function.
template <typename... Rest>
Families FamiliesIn(const Options& options, const Rest&...) {
  return {{ROCKSDB_NAMESPACE::kDefaultColumnFamilyName, options}};
}
template <typename... Rest>
const Families& FamiliesIn(const DBOptions&, const Rest&... rest) {
  return std::get<const Families&>(std::tie(rest...));
}

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
  if constexpr (std::is_same_v<Argument, TransactionDB**> || std::is_same_v<Argument, OpenedDB*> ||
                std::is_same_v<Argument, OwnedDB*>) {
    *found = &**argument;
  }
}

// Finds the opened column families through the argument that has their handles.
template <typename Argument>
void FindHandles(const Argument&, Handles*) {}
void FindHandles(Handles* argument, Handles* found) { *found = *argument; }
void FindHandles(ColumnFamilyHandle** argument, Handles* found) { *found = {*argument}; }

template <bool to_write, typename Given, typename... Rest>
Status OnOpen(Status (*stock)(Given, Rest...), Given options, Rest... rest) {
  const std::string& name = PathIn(rest...);
  const Families& families = FamiliesIn(options, rest...);
  OptionsToOpen changed(to_write, name, options, families);
  if (!changed.status().ok()) return changed.status();
  Status status;
  {
    const Opening opening;
    status = stock(changed(options), changed(rest)...);
  }
  if (!status.ok()) return status;
  DB* database = nullptr;
  (FindDatabase(rest, &database), ...);
  Handles handles;
  (FindHandles(rest, &handles), ...);
  AfterOpening(*database, handles);
  if (const WorkerCompaction* const worker = WorkerCompaction::Current()) {
    worker->WriteTo(*database);
  } else {
    SayNotes(*database, name, families);
  }
  return status;
}

// ---- Open databases

// Creates column families in a database. `create` is called with their options, or with null if
// they are as given, and returns the handles.
template <typename Create>
Status CreateFamilies(DBImpl* database, const Families& given, const Create& create) {
  DB& opened = rocksdb_abi::AsDatabase(database);
  FamilyChanges changes(opened.GetName());
  std::optional<Families> changed;
  if (changes.may_change()) {
    changed = given;
    for (ColumnFamilyDescriptor& family : *changed) changes.Make(family.name, &family.options);
    changes.Say();
  }
  for (const ColumnFamilyDescriptor& family : changed ? *changed : given) {
    BeforeCreating(opened, family);
  }
  Handles made;
  Status status = create(changed ? &*changed : nullptr, &made);
  if (status.ok()) {
    AfterOpening(opened, made);
    SayNotes(opened, opened.GetName(), given);
  }
  return status;
}

Names NamesOf(const std::string& family) { return {family}; }
const Names& NamesOf(const Names& families) { return families; }

template <typename Name, typename... Parameters>
Status OnCreateFamilies(Status (*stock)(DBImpl*, const ColumnFamilyOptions&, const Name&,
                                        Parameters...),
                        DBImpl* database, const ColumnFamilyOptions& options, const Name& name,
                        Parameters... parameters) {
  Families given;
  for (const std::string& family : NamesOf(name)) given.emplace_back(family, options);
  return CreateFamilies(database, given, [&](const Families* changed, Handles* made) {
    const bool is_changed = changed != nullptr && !changed->empty();
    Status status =
        stock(database, is_changed ? changed->front().options : options, name, parameters...);
    if (status.ok()) (FindHandles(parameters, made), ...);
    return status;
  });
}

Status OnCreateDescribedFamilies(Signature<Hook::kCreateDescribedFamilies>::Type* stock,
                                 DBImpl* database, const Families& families, Handles* handles) {
  return CreateFamilies(database, families, [&](const Families* changed, Handles* made) {
    Status status = stock(database, changed != nullptr ? *changed : families, handles);
    if (status.ok()) *made = *handles;
    return status;
  });
}

template <typename... Texts>
Status OnSetOptions(Status (*stock)(DBImpl*, Texts...), DBImpl* database, Texts... texts) {
  if (IsInterposing() && IsAdding()) {
    BeforeSetOptions(rocksdb_abi::AsDatabase(database), texts...);
  }
  return stock(database, texts...);
}

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
