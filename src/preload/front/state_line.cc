#include "src/preload/front/state_line.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "src/base/stderr_line.h"
#include "src/preload/front/carried.h"
#include "src/preload/front/definition.h"
#include "src/preload/front/environment.h"
#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/loaded_objects.h"
#include "src/preload/front/plugin.h"

namespace winnow::preload {
namespace {

using base::StderrLine;

pid_t g_process = 0;
std::atomic<bool> g_was_said{false};
std::atomic<bool> g_was_refusal_said{false};
std::atomic<bool> g_is_ending{false};
std::atomic<const void*> g_said_foreign{nullptr};  // load address of a reported RocksDB

// Adds " in PROGRAM (NUMBER): ".
void AddProcess(StderrLine* line) noexcept {
  char number[32];
  std::snprintf(number, sizeof number, " (%ld): ", static_cast<long>(::getpid()));
  line->Add(" in ").Add(::program_invocation_short_name).Add(number);
}

// A RocksDB in the process that the plugin was not built for.
struct Foreign {
  const void* ours;  // not this one
  const void* definition;
  const char* reason;  // why Winnow does not reach it, or null
};

// Keeps the first one, but prefers one that Winnow does not reach.
bool KeepForeign(void* kept, void* definition) noexcept {
  auto& foreign = *static_cast<Foreign*>(kept);
  if (definition == AddressOf(Hook::kNewBloomFilterPolicy) || definition == foreign.ours) {
    return true;
  }
  const char* const reason = WhyOutOfReach(definition);
  if (foreign.definition == nullptr || reason != nullptr) {
    foreign.definition = definition;
    foreign.reason = reason;
  }
  return reason == nullptr;
}

Foreign FindForeign() noexcept {
  Foreign foreign{DefinitionInOurRocksDB(), nullptr, nullptr};
  ForEachDefinition(SymbolOf(Hook::kNewBloomFilterPolicy), KeepForeign, &foreign);
  return foreign;
}

// Returns whether a RocksDB that Winnow does not reach concerns anybody.
bool IsWatching() noexcept { return IsRequired() || HasPolicy() || IsLogging(); }

// Writes the line. If WINNOW_REQUIRE is set, the line says so, and the process ends, unless it is
// ending: _exit() would drop what the program has not yet written.
void WriteUnreached(StderrLine* line) noexcept {
  if (!IsRequired() || g_is_ending.load()) return line->Write();
  line->Add("; WINNOW_REQUIRE ends the process").Write();
  ::_exit(kRequiredStatus);
}

// Adds the reason why the plugin was not opened: its RocksDB is not in the process.
void AddWhatIsThere(StderrLine* line) noexcept {
  line->Add("the shared RocksDB that it was built for, " WINNOW_ROCKSDB_NAME
            ", is not in this process");
  const Foreign foreign = FindForeign();
  Dl_info known{};
  if (foreign.definition != nullptr && ::dladdr(foreign.definition, &known) != 0) {
    line->Add("; that of ").Add(known.dli_fname).Add(" is left alone: ");
    line->Add(foreign.reason != nullptr ? foreign.reason
                                        : "it was not asked for a filter policy or a database");
  }
}

// Adds what the plugin does if it is in force, else the reason why it is not.
void AddState(StderrLine* line) noexcept {
  if (const Interposer* const plugin = OpenedPlugin()) {
    line->Add(plugin->refuses ? "not in force" : "in force");
    AddProcess(line);
    line->Add(plugin->in_force);
  } else {
    line->Add("not in force");
    AddProcess(line);
    if (const char* const problem = PluginProblem()) {
      line->Add(problem);
    } else {
      AddWhatIsThere(line);
    }
  }
  AddEnvironmentProblems(line);
}

}  // namespace

void BeginProcess() noexcept {
  g_process = ::getpid();
  base::SetStderrAtStart(base::StderrAtStart());  // the descriptor of the process
}

void CheckObject(const void* address) noexcept {
  static std::atomic<const void*> checked{nullptr};
  if (!IsWatching() || checked.exchange(address) == address) return;
  const void* const definition = FindFrom(address, SymbolOf(Hook::kNewBloomFilterPolicy));
  // A dependency that defines it was constructed before.
  if (definition != nullptr && InSameObject(definition, address)) CheckLoadedObjects();
}

void CheckLoadedObjects() noexcept {
  static std::atomic<uint64_t> checked{0};
  if (!IsWatching()) return;
  const uint64_t loaded = CountLoads().loaded;
  if (checked.exchange(loaded) == loaded) return;
  if (IsRequired() && PluginProblem() != nullptr) SayAtCall();
  const Foreign foreign = FindForeign();
  Dl_info known{};
  if (foreign.reason == nullptr || ::dladdr(foreign.definition, &known) == 0 ||
      g_said_foreign.load() != nullptr) {
    return;
  }
  g_said_foreign.store(known.dli_fbase);
  StderrLine line;
  if (foreign.ours == nullptr) {
    if (IsLogging()) g_was_said.store(true);
    AddState(&line);
  } else {
    line.Add("not in force");
    AddProcess(&line);
    line.Add("the RocksDB of ").Add(known.dli_fname).Add(" is left alone: ").Add(foreign.reason);
  }
  WriteUnreached(&line);
}

void SayAtCall() noexcept {
  const char* const problem = PluginProblem();
  if (IsRequired() && problem != nullptr) {
    StderrLine line;
    AddState(&line);
    WriteUnreached(&line);
  }
  if (IsLogging()) {
    if (!g_was_said.exchange(true)) {
      StderrLine line;
      AddState(&line);
      line.Write();
    }
  } else if (problem != nullptr && HasPolicy() && !g_was_refusal_said.exchange(true)) {
    StderrLine line;
    line.Add(problem).Add("; WINNOW_POLICY has no effect").Write();
  }
}

void SayAtCallOf(Carried* carried) noexcept {
  const bool is_due = IsLogging() || (carried->problem != nullptr && (HasPolicy() || IsRequired()));
  if (!is_due || carried->base == g_said_foreign.load() || carried->was_said.exchange(true)) {
    return;
  }
  StderrLine line;
  if (!IsLogging()) {
    line.Add(carried->problem).Add("; WINNOW_POLICY has no effect there");
    return WriteUnreached(&line);
  }
  g_was_said.store(true);
  const bool is_in_force = carried->plugin != nullptr && !carried->plugin->refuses;
  line.Add(is_in_force ? "in force" : "not in force");
  AddProcess(&line);
  if (carried->plugin != nullptr) {
    line.Add(carried->plugin->in_force).Add("; bound to the RocksDB inside ").Add(carried->name);
  } else {
    line.Add(carried->problem);
  }
  AddEnvironmentProblems(&line);
  if (carried->problem != nullptr) return WriteUnreached(&line);
  line.Write();
}

void SayIfPolicyIsLost(const void* caller, const char* options, unsigned long size) noexcept {
  constexpr char kName[] = "winnow";
  if (::memmem(options, size, kName, sizeof kName - 1) == nullptr) {
    return;
  }
  OpenPlugin();
  if (OpenedPlugin() != nullptr) {
    return;
  }
  Carried* const carried = FindCarried(FindDefinition(Hook::kCreateFromString, caller).function);
  if (carried != nullptr && carried->plugin != nullptr) {
    return;
  }
  if (!g_was_refusal_said.exchange(true)) {
    g_was_said.store(true);
    StderrLine line;
    if (carried != nullptr) {
      carried->was_said.store(true);
      line.Add(carried->problem);
    } else {
      AddState(&line);
    }
    line.Add("; so RocksDB knows no filter policy winnow, and drops it in silence").Write();
  }
}

void SayAtEnd() noexcept {
  if (::getpid() == g_process) {
    g_is_ending.store(true);
    CheckLoadedObjects();
  }
  if (!IsLogging() || ::getpid() != g_process || g_was_said.exchange(true)) {
    return;
  }
  StderrLine line;
  AddState(&line);
  if (OpenedPlugin() != nullptr) {
    line.Add("; the program asked for no filter policy and opened no database");
  }
  line.Write();
}

}  // namespace winnow::preload
