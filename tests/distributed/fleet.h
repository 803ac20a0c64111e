// Fleet of a primary and workers: starts and kills them, and sums up their results.

#ifndef WINNOW_TESTS_DISTRIBUTED_FLEET_H_
#define WINNOW_TESTS_DISTRIBUTED_FLEET_H_

#include <cstdint>
#include <map>
#include <string>

#include "tests/distributed/events.h"
#include "tests/distributed/primary.h"

namespace winnow::distributed {

struct FleetPlan {
  PrimaryPlan primary;           // seed and sessions are set for each life if it is killed
  unsigned workers = 4;          // running at a time
  std::string worker_policy;     // a name for WorkerPolicyNamed()
  std::string worker_plant;      // a name for WorkerPlantNamed()
  uint64_t worker_kills = 0;     // number of kills at random times, every second one during a job
  uint64_t primary_kills = 0;    // number of kills at random times
  unsigned primary_life = 4000;  // maximum time until a kill, in milliseconds
  bool progress = false;
};

struct FleetResult {
  std::map<Event, uint64_t> events;
  uint64_t worker_kills = 0;
  uint64_t primary_kills = 0;
  std::map<std::string, uint64_t> worker_ends;  // without a kill, by how they ended
  uint64_t operations = 0;
  uint64_t answers = 0;  // number of answers compared with the model
  double seconds = 0;
  int status = 0;  // the primary's: a stress::Verdict, or kAbnormalEnd
};

// Status if the primary ended by a signal other than the fleet's SIGKILL, or with an unknown exit
// status.
inline constexpr int kAbnormalEnd = 7;

// Runs until the primary ends, which continues until all kills are done. Leaves no process running.
// Throws std::runtime_error if a process can't be started.
FleetResult RunFleet(const FleetPlan& plan);

// Run the processes that RunFleet() starts, with the arguments that it passes. Return the exit
// status.
int RunPrimaryOf(int argc, char** argv);
int RunWorkerOf(int argc, char** argv);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_FLEET_H_
