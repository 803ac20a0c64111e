#include "src/preload/report.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace winnow::preload {
namespace {

// The process that says its totals; 0 if none does. A process is compared with it by its number, so
// that a forked child doesn't repeat its parent's totals.
std::atomic<pid_t> g_reporting_process{0};

void Write(const std::string& line) noexcept {
  std::string whole;
  try {
    whole = "winnow: " + line + "\n";
  } catch (...) {
    return;
  }
  // Where stderr can't be written to, nobody is there to be told.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

std::string Count(uint64_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

// Destructors of libraries run after all that the program and its static objects do at their end,
// the closing of databases included.
__attribute__((destructor)) void SayTotals() {
  if (g_reporting_process.load(std::memory_order_relaxed) != ::getpid()) {
    return;
  }
  try {
    Write(TotalsLine(plugin::CurrentCounters()));
  } catch (...) {
  }
}

}  // namespace

void SayOnce(const std::string& line) noexcept {
  try {
    // Never destroyed: policies live as long as the databases that a program forgets to close.
    static std::mutex& mutex = *new std::mutex;
    static std::set<std::string>& said = *new std::set<std::string>;
    const std::lock_guard<std::mutex> lock(mutex);
    if (said.insert(line).second) {
      Write(line);
    }
  } catch (...) {
  }
}

void EndProgram(const std::string& line) noexcept {
  Write(line);
  ::_exit(EXIT_FAILURE);
}

void SayTotalsAtExit() noexcept {
  g_reporting_process.store(::getpid(), std::memory_order_relaxed);
}

std::string TotalsLine(const plugin::Counters& totals) {
  std::string line = "built " + Count(totals.bloom_filters, "Bloom filter") + " and " +
                     Count(totals.ribbon_filters, "Ribbon filter");
  if (totals.empty_filters > 0) {
    line += " and " + Count(totals.empty_filters, "empty filter");
  }
  line += " of " + Count(totals.keys, "key") + " in " + Count(totals.bytes, "byte");
  if (totals.keys > 0) {
    char bits[64];
    std::snprintf(bits, sizeof bits, " (%.2f bits a key)",
                  8.0 * static_cast<double>(totals.bytes) / static_cast<double>(totals.keys));
    line += bits;
  }
  if (totals.unbuilt_filters > 0) {
    line += "; memory was too short for " + Count(totals.unbuilt_filters, "filter");
  }
  line += "; " + Count(totals.lookups, "lookup") + " with " + std::to_string(totals.hashes) +
          (totals.hashes == 1 ? " hash" : " hashes") + " computed and " +
          std::to_string(totals.hashes_shared) + " shared";
  return line;
}

}  // namespace winnow::preload
