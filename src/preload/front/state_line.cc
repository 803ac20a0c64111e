#include "src/preload/front/state_line.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "src/base/stderr_line.h"
#include "src/preload/front/definition.h"
#include "src/preload/front/environment.h"
#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/hosts.h"
#include "src/preload/front/loaded_objects.h"

namespace winnow::preload {
namespace {

using base::StderrLine;

pid_t g_process = 0;
std::atomic<bool> g_was_said{false};
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
  Dl_info object;      // that contains it
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
  Foreign foreign{DefinitionInOurs(), nullptr, nullptr, {}};
  ForEachDefinition(SymbolOf(Hook::kNewBloomFilterPolicy), KeepForeign, &foreign);
  if (::dladdr(foreign.definition, &foreign.object) == 0) foreign.definition = nullptr;
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

// Adds which RocksDBs there are that have no plugin.
void AddWhatIsThere(const Foreign& foreign, StderrLine* line) noexcept {
  const bool has_ours = foreign.ours != nullptr;
  if (!has_ours) {
    line->Add("the shared RocksDB that it was built for, " WINNOW_ROCKSDB_NAME
              ", is not in this process");
  }
  if (foreign.definition != nullptr) {
    line->Add(has_ours ? "the RocksDB of " : "; that of ").Add(foreign.object.dli_fname);
    line->Add(" is left alone: ");
  }
  if (foreign.definition != nullptr || has_ours) {
    line->Add(foreign.reason != nullptr ? foreign.reason
                                        : "it was not asked for a filter policy or a database");
  }
}

// Adds what the plugin does for this host if it is in force, else the reason why it is not. The
// host is null if the plugin's RocksDB was not found.
void AddState(const Host* host, StderrLine* line) noexcept {
  const bool is_served = host != nullptr && host->is_served();
  line->Add(is_served && !host->plugin->refuses ? "in force" : "not in force");
  AddProcess(line);
  if (host == nullptr) {
    AddWhatIsThere(FindForeign(), line);
  } else {
    line->Add(is_served ? host->plugin->in_force : host->problem);
    if (is_served && !host->is_ours) line->Add("; bound to the RocksDB inside ").Add(host->name);
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
  const uint64_t loads = CountLoads();
  if (checked.exchange(loads) == loads) return;
  Host* const ours = OurHost();
  if (IsRequired() && ours != nullptr && !ours->is_served()) SayAtCall(ours);
  const Foreign foreign = FindForeign();
  const bool is_unreached = foreign.definition != nullptr && foreign.reason != nullptr;
  if (!is_unreached || g_said_foreign.load() != nullptr) return;
  g_said_foreign.store(foreign.object.dli_fbase);
  StderrLine line;
  line.Add("not in force");
  AddProcess(&line);
  AddWhatIsThere(foreign, &line);
  if (foreign.ours == nullptr) {
    if (IsLogging()) g_was_said.store(true);
    AddEnvironmentProblems(&line);
  }
  WriteUnreached(&line);
}

void SayAtCall(Host* host) noexcept {
  const bool is_due = IsLogging() || (!host->is_served() && (HasPolicy() || IsRequired()));
  if (!is_due || host->base == g_said_foreign.load() || host->was_said.exchange(true)) return;
  StderrLine line;
  if (IsLogging() || IsRequired()) {
    g_was_said.store(true);
    AddState(host, &line);
  } else {
    line.Add(host->problem).Add("; WINNOW_POLICY has no effect").Add(host->is_ours ? "" : " there");
  }
  if (!host->is_served()) return WriteUnreached(&line);
  line.Write();
}

void SayIfPolicyIsLost(const void* caller, const char* options, unsigned long size) noexcept {
  static std::atomic<bool> was_said{false};
  constexpr char kName[] = "winnow";
  if (::memmem(options, size, kName, sizeof kName - 1) == nullptr) return;
  Host* const ours = HostOf(DefinitionInOurs());
  if (ours != nullptr && ours->is_served()) return;
  Host* host = HostOf(FindDefinition(Hook::kCreateFromString, caller).function);
  if (host != nullptr && host->is_served()) return;
  if (host == nullptr) host = ours;
  if (was_said.exchange(true)) return;
  g_was_said.store(true);
  if (host != nullptr) host->was_said.store(true);
  StderrLine line;
  AddState(host, &line);
  line.Add("; so RocksDB knows no filter policy winnow, and drops it in silence").Write();
}

void SayAtEnd() noexcept {
  if (::getpid() != g_process) return;
  g_is_ending.store(true);
  CheckLoadedObjects();
  if (!IsLogging() || g_was_said.exchange(true)) return;
  const Host* const ours = OurHost();
  StderrLine line;
  AddState(ours, &line);
  if (ours != nullptr && ours->is_served()) {
    line.Add("; the program asked for no filter policy and opened no database");
  }
  line.Write();
}

}  // namespace winnow::preload
