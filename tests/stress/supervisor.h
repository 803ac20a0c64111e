// Starts processes that each live with a database, kills some of them, and sums up what they did.

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
  LifePlan life;                     // its folder, seed and kind are chosen for each
  std::string folder;                // for everything; made where it is not
  double seconds = 60;               // begins no life after that
  uint64_t lives = 0;                // or so many lives, if not 0
  unsigned processes = 1;            // at a time, each with a database of its own
  unsigned lives_of_database = 10;   // then it is thrown away for a new one
  bool kill = true;                  // three of four lives end by SIGKILL
  std::vector<std::string> kernels;  // taken in turn; empty: the machine's choice
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

// A process ended by a signal that it was not sent, or with a status that it does not have.
inline constexpr int kAbnormalEnd = 7;

// Stops with the first life that does not end well, and leaves its folder as it is, with the core
// if the machine makes one. Throws std::runtime_error if a process can't be started.
StressResult RunStress(const StressPlan& plan);

// Runs a process that it starts, with the arguments that it gives it. Returns the exit status.
int RunLifeOf(int argc, char** argv);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SUPERVISOR_H_
