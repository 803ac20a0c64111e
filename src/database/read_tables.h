// Reads many SST files in parallel in worker processes: Debian's RocksDB aborts on some damaged
// files, and hangs on others.

#ifndef WINNOW_SRC_DATABASE_READ_TABLES_H_
#define WINNOW_SRC_DATABASE_READ_TABLES_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// Called between files.
using Progress = std::function<void(size_t done, size_t total)>;

struct TableReading {
  // Number of reading processes. 0 reads in the calling thread, which a damaged file may crash.
  int workers = 0;

  // Time without a report after which a worker is killed.
  std::chrono::seconds longest_silence{300};
  // Clock, which tests replace.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;

  Progress progress;  // called in this process; may be null

  std::function<SstReport(const std::string& path)> read = ReadSst;
};

// Returns a report for each path, in order. A file that crashes its reader has an error; the other
// files are read nevertheless. With workers, the limits on threads are those of RunInWorkers().
std::vector<SstReport> ReadTables(const std::vector<std::string>& paths,
                                  const TableReading& reading);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_READ_TABLES_H_
