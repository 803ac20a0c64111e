// Many SST files read at once, in processes of their own: RocksDB as Debian builds it ends its
// process on some damaged files, and hangs on others.

#ifndef WINNOW_SRC_DATABASE_READ_TABLES_H_
#define WINNOW_SRC_DATABASE_READ_TABLES_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// Called between files: how many of how many are done.
using Progress = std::function<void(size_t done, size_t total)>;

struct TableReading {
  // Processes that read. 0: the calling thread reads, and what ends its process ends this one.
  int workers = 0;

  // After which a file is given up on.
  std::chrono::seconds longest_silence{300};
  // Tests set the time.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;

  Progress progress;  // called in this process; may be null

  std::function<SstReport(const std::string& path)> read = ReadSst;
};

// A report for each path, in their order. A file whose reader did not get through has that as its
// error, and the others are read all the same. With workers, what RunInWorkers says of threads
// holds.
std::vector<SstReport> ReadTables(const std::vector<std::string>& paths,
                                  const TableReading& reading);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_READ_TABLES_H_
