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

// Adds " in PROGRAM (NUMBER): ".
void AddProcess(StderrLine* line) noexcept {
  char number[32];
  std::snprintf(number, sizeof number, " (%ld): ", static_cast<long>(::getpid()));
  line->Add(" in ").Add(::program_invocation_short_name).Add(number);
}

bool KeepFirstForeign(void* found, void* definition) noexcept {
  if (definition == AddressOf(Hook::kNewBloomFilterPolicy)) {
    return true;
  }
  *static_cast<void**>(found) = definition;
  return false;
}

// Adds the reason why the plugin was not opened: its RocksDB is not in the process.
void AddWhatIsThere(StderrLine* line) noexcept {
  line->Add("the shared RocksDB that it was built for, " WINNOW_ROCKSDB_NAME
            ", is not in this process");
  void* foreign = nullptr;
  ForEachDefinition(SymbolOf(Hook::kNewBloomFilterPolicy), KeepFirstForeign, &foreign);
  Dl_info known{};
  if (foreign != nullptr && ::dladdr(foreign, &known) != 0) {
    line->Add("; that of ").Add(known.dli_fname).Add(" is left alone");
    if (const char* const reason = WhyNeverAsked(foreign)) {
      line->Add(": ").Add(reason);
    }
  }
}

// Adds what the plugin does if it is in force, else the reason why it is not.
void AddState(StderrLine* line) noexcept {
  if (const Interposer* const plugin = OpenedPlugin()) {
    line->Add("in force");
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

void SayAtCall() noexcept {
  const char* const problem = PluginProblem();
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
  const bool is_due = IsLogging() || (carried->problem != nullptr && HasPolicy());
  if (!is_due || carried->was_said.exchange(true)) {
    return;
  }
  StderrLine line;
  if (!IsLogging()) {
    line.Add(carried->problem).Add("; WINNOW_POLICY has no effect there").Write();
    return;
  }
  g_was_said.store(true);
  line.Add(carried->plugin != nullptr ? "in force" : "not in force");
  AddProcess(&line);
  if (carried->plugin != nullptr) {
    line.Add(carried->plugin->in_force).Add("; bound to the RocksDB inside ").Add(carried->name);
  } else {
    line.Add(carried->problem);
  }
  AddEnvironmentProblems(&line);
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
