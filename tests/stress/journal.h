// Journal of a part's writes, which survives kill -9: the writes that its owner began and those
// that ended.
//
// The file is written by write(2) without buffers in the process, so the kernel has all of it when
// the process is killed. It need not survive a crash of the machine. A write is recorded before it
// is requested, and again when RocksDB has reported success or failure. Only the last write can
// lack the second record: it may have happened or not, and the database tells which.

#ifndef WINNOW_TESTS_STRESS_JOURNAL_H_
#define WINNOW_TESTS_STRESS_JOURNAL_H_

#include <string>

#include "tests/stress/model.h"

namespace winnow::stress {

class Journal {
 public:
  // Replaces the file by a new one that begins with the current model. Throws std::runtime_error if
  // it can't be written.
  Journal(const std::string& path, const PartModel& model);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void Begin(const Writes& writes, uint64_t serial);
  void End(bool happened);

 private:
  void Append(const std::string& record);

  const std::string path_;
  int file_;
};

struct Recovered {
  PartModel model;  // includes all writes known to have happened
  Writes in_doubt;  // may have happened, all of them or none; empty if nothing is in doubt
};

// Returns the empty model if there is no such file. Throws std::runtime_error if the file is
// damaged.
Recovered ReadJournal(const std::string& path);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_JOURNAL_H_
