// Starts a primary and its workers, kills them, and sums up what they did.

#ifndef WINNOW_TESTS_DISTRIBUTED_FLEET_H_
#define WINNOW_TESTS_DISTRIBUTED_FLEET_H_

#include <cstdint>
#include <map>
#include <string>

#include "tests/distributed/events.h"
#include "tests/distributed/primary.h"

namespace winnow::distributed {

struct FleetPlan {
  PrimaryPlan primary;         // its seed and sessions are chosen for each life where it is killed
  unsigned workers = 4;        // at a time
  std::string worker_policy;   // as WorkerPolicyNamed takes it
  std::string worker_plant;    // as WorkerPlantNamed takes it
  uint64_t worker_kills = 0;   // at random times, every other one in a job
  uint64_t primary_kills = 0;  // at random times
  unsigned primary_life = 4000;  // milliseconds until a kill, at most
  bool progress = false;
};

struct FleetResult {
  std::map<Event, uint64_t> events;
  uint64_t worker_kills = 0;
  uint64_t primary_kills = 0;
  std::map<std::string, uint64_t> worker_ends;  // those that were not killed, by how they ended
  uint64_t operations = 0;
  uint64_t answers = 0;  // compared with the model
  double seconds = 0;
  int status = 0;  // of the primary: a stress::Verdict, or kAbnormalEnd
};

// The primary ended by a signal that it was not sent, or with a status that it does not have.
inline constexpr int kAbnormalEnd = 7;

// Ends when the primary does, which goes on until all kills are made, and leaves no process. Throws
// std::runtime_error if one can't be started.
FleetResult RunFleet(const FleetPlan& plan);

// Run the processes that it starts, with the arguments that it gives them. Return the exit status.
int RunPrimaryOf(int argc, char** argv);
int RunWorkerOf(int argc, char** argv);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_FLEET_H_
