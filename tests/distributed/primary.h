// The process that owns the database, writes to it and compares it with a model.

#ifndef WINNOW_TESTS_DISTRIBUTED_PRIMARY_H_
#define WINNOW_TESTS_DISTRIBUTED_PRIMARY_H_

#include <cstdint>
#include <string>

namespace winnow::distributed {

struct PrimaryPlan {
  std::string folder;   // receives all files that outlive the process: see below
  std::string program;  // path of this program, to look up keys in other processes
  std::string policy;   // an options string, for all column families
  uint64_t seed = 1;
  unsigned threads = 2;           // write and read, each its own keys
  uint64_t keys = 1000;           // per thread and column family; there are three
  uint64_t operations = 1000;     // per thread between two openings
  uint64_t sessions = 1;          // openings; 0: until the folder has a file named stop
  unsigned patience = 10'000;     // maximum time until a worker takes a job, in milliseconds
  bool with_another_key = false;  // see Recipe
};

// Paths in the folder: the database db/, the job folder jobs/, the files events and counts, a
// journal per thread, and the file stop, which ends the sessions.
inline std::string DatabaseIn(const std::string& folder) { return folder + "/db"; }
inline std::string JobsIn(const std::string& folder) { return folder + "/jobs"; }
inline std::string EventsIn(const std::string& folder) { return folder + "/events"; }
inline std::string CountsIn(const std::string& folder) { return folder + "/counts"; }
inline std::string StopIn(const std::string& folder) { return folder + "/stop"; }

// Returns the exit status: 0 or a stress::Verdict. Prints the findings. Throws std::exception if
// the folder can't be used.
int RunPrimary(const PrimaryPlan& plan);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_PRIMARY_H_
