#include "src/rocksdb/totals.h"

#include <unistd.h>

#include <atomic>

#include "src/base/c_locale.h"
#include "src/base/stderr_line.h"
#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/messages/size_text.h"

namespace winnow::plugin {
namespace {

// Id of the process that reports its totals; 0 if none does. A forked child has another id, so that
// it does not repeat its parent's totals.
std::atomic<pid_t> g_reporting_process{0};

// Describes the filters that were built. A process may build none of Winnow's filters, because
// RocksDB builds its own, or because the process only reads.
std::string FiltersBuilt(const Counters& totals) {
  if (totals.bloom_filters + totals.ribbon_filters + totals.empty_filters == 0) {
    return "built no filters of Winnow's";
  }
  std::string text = "built " + Counted(totals.bloom_filters, "Bloom filter") + " and " +
                     Counted(totals.ribbon_filters, "Ribbon filter");
  if (totals.empty_filters > 0) {
    text += " and " + Counted(totals.empty_filters, "empty filter");
  }
  text += " of " + Counted(totals.keys, "key") + " in " + Counted(totals.bytes, "byte");
  if (totals.keys > 0) {
    text += base::Text(" (%.2f bits per key)",
                       8.0 * static_cast<double>(totals.bytes) / static_cast<double>(totals.keys));
  }
  return text;
}

// Describes the filters that were loaded. Files from before Winnow, and of writers without Winnow,
// have RocksDB's own filters.
std::string FiltersLoaded(const Counters& totals) {
  std::string text;
  if (totals.loaded_winnow + totals.loaded_builtin + totals.loaded_unusable > 0) {
    text = "; loaded " + Counted(totals.loaded_winnow, "filter") + " of Winnow's and " +
           std::to_string(totals.loaded_builtin) + " of RocksDB's own";
  }
  if (totals.loaded_unusable > 0) {
    text += " and " + std::to_string(totals.loaded_unusable) +
            " of Winnow's that can't be used and let every key through (winnow inspect says why)";
  }
  return text;
}

// Reports the totals when the library is unloaded: its destructors run after static objects are
// destroyed and after the program closed its databases.
__attribute__((destructor)) void SayTotals() {
  if (g_reporting_process.load(std::memory_order_relaxed) != ::getpid()) {
    return;
  }
  try {
    base::StderrLine().Add(TotalsLine(CurrentCounters()).c_str()).Write();
  } catch (...) {
  }
}

// Never destroyed: databases may be closed after static objects are destroyed.
LogTimes& Times() {
  static LogTimes& times = *new LogTimes;
  return times;
}

}  // namespace

void LogTotals(ROCKSDB_NAMESPACE::Logger* logger,
               std::chrono::steady_clock::time_point now) noexcept {
  Times().Write(logger, ROCKSDB_NAMESPACE::InfoLogLevel::INFO_LEVEL, kTotalsInterval, false, now,
                [] { return "this process has " + TotalsLine(CurrentCounters()); });
}

void SayTotalsAtExit() noexcept {
  g_reporting_process.store(::getpid(), std::memory_order_relaxed);
}

std::string TotalsLine(const Counters& totals) {
  std::string line = FiltersBuilt(totals);
  if (totals.bloom_filters > 0) {
    line += "; " + Counted(totals.bloom_bytes, "byte") + " of them are Bloom filters, which " +
            "would take " + std::to_string(totals.bloom_bytes_as_ribbons) + " as Ribbon filters";
  }
  if (totals.unbuilt_filters > 0) {
    line += "; memory was too short for " + Counted(totals.unbuilt_filters, "filter");
  }
  line += FiltersLoaded(totals);
  line += "; " + Counted(totals.lookups, "lookup") + " with " + std::to_string(totals.hashes) +
          (totals.hashes == 1 ? " hash" : " hashes") + " computed and " +
          std::to_string(totals.hashes_shared) + " shared";
  if (totals.ranges_asked > 0) {
    line += "; range filters were asked " + std::to_string(totals.ranges_asked) +
            (totals.ranges_asked == 1 ? " time, and " : " times, and ") +
            std::to_string(totals.ranges_denied) + " of these spared the read of a file";
  }
  return line;
}

}  // namespace winnow::plugin
