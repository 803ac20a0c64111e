// A record that outlives kill -9: the writes that an owner of keys began and that ended.
//
// The file is written with write(2) and no buffer of the process's, so the kernel has all of it
// when the process is killed; nothing here is meant to survive the machine. A write is recorded
// before it is asked for, and again when RocksDB has said that it happened or did not. Only the
// last one can lack the second record: it may have happened or not, and the database says which.

#ifndef WINNOW_TESTS_STRESS_JOURNAL_H_
#define WINNOW_TESTS_STRESS_JOURNAL_H_

#include <string>

#include "tests/stress/model.h"

namespace winnow::stress {

class Journal {
 public:
  // Begins a new file in the place of an old one with the model as it is. Throws std::runtime_error
  // if that can't be written.
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
  PartModel model;  // with all writes that are known to have happened
  Writes in_doubt;  // may have happened, all of them or none; empty if nothing is in doubt
};

// The empty model if there is no such file. Throws std::runtime_error if the file is damaged.
Recovered ReadJournal(const std::string& path);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_JOURNAL_H_
