// The process that has the database, writes to it and compares it with a model.

#ifndef WINNOW_TESTS_DISTRIBUTED_PRIMARY_H_
#define WINNOW_TESTS_DISTRIBUTED_PRIMARY_H_

#include <cstdint>
#include <string>

namespace winnow::distributed {

struct PrimaryPlan {
  std::string folder;   // for all that outlives it: see below
  std::string program;  // this one, to ask in other processes
  std::string policy;   // an options string, for all families
  uint64_t seed = 1;
  unsigned threads = 2;           // that write and read, each keys of its own
  uint64_t keys = 1000;           // of each thread, in each of three families
  uint64_t operations = 1000;     // of each thread between two openings
  uint64_t sessions = 1;          // openings; 0: until the folder has a file named stop
  unsigned patience = 10'000;     // milliseconds that a job waits for a worker
  bool with_another_key = false;  // as Recipe has it
};

// Paths in the folder: db/, the database; jobs/, the job folder; events, counts, a journal of
// each thread, and stop, which ends the sessions.
inline std::string DatabaseIn(const std::string& folder) { return folder + "/db"; }
inline std::string JobsIn(const std::string& folder) { return folder + "/jobs"; }
inline std::string EventsIn(const std::string& folder) { return folder + "/events"; }
inline std::string CountsIn(const std::string& folder) { return folder + "/counts"; }
inline std::string StopIn(const std::string& folder) { return folder + "/stop"; }

// The exit status: 0 or a stress::Verdict. The findings are printed. Throws std::exception if the
// folder can't be used.
int RunPrimary(const PrimaryPlan& plan);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_PRIMARY_H_
