// Starts processes that each use a database, kills some of them, and sums up their counts.

#ifndef WINNOW_TESTS_STRESS_SUPERVISOR_H_
#define WINNOW_TESTS_STRESS_SUPERVISOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/stress/counts.h"
#include "tests/stress/life.h"

namespace winnow::stress {

struct StressPlan {
  LifePlan life;                     // folder, seed and kind are set for each process
  std::string folder;                // receives all files; created if missing
  double seconds = 60;               // no life begins later
  uint64_t lives = 0;                // number of lives instead of `seconds`, if not 0
  unsigned processes = 1;            // running at a time, each with its own database
  unsigned lives_of_database = 10;   // lives until a database is replaced by a new one
  bool kill = true;                  // ends three of four lives by SIGKILL
  std::vector<std::string> kernels;  // used in turn; empty: the process chooses
  bool progress = false;
};

struct KernelSums {
  Sums counts{};
  uint64_t lives = 0;
  uint64_t kills = 0;
};

struct StressResult {
  std::map<std::string, KernelSums> kernels;
  int status = 0;  // the first that was not 0: a Verdict, or kAbnormalEnd
  double seconds = 0;

  KernelSums Total() const;
};

// Status if a process ended by a signal other than the supervisor's SIGKILL, or with an unknown
// exit status.
inline constexpr int kAbnormalEnd = 7;

// Stops at the first life that fails, and leaves its folder as it is, with a core dump if the
// machine writes one. Throws std::runtime_error if a process can't be started.
StressResult RunStress(const StressPlan& plan);

// Runs a process that RunStress() starts, with the arguments that it passes. Returns the exit
// status.
int RunLifeOf(int argc, char** argv);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SUPERVISOR_H_
