// Life of one process with a database: it recovers the database, then repeatedly opens, uses and
// closes it, each time with other options.

#ifndef WINNOW_TESTS_STRESS_LIFE_H_
#define WINNOW_TESTS_STRESS_LIFE_H_

#include <cstdint>
#include <string>

#include "tests/stress/blame/watch.h"
#include "tests/stress/counts.h"

namespace winnow::stress {

struct LifePlan {
  std::string folder;          // has the database and journals, or is empty
  std::string program;         // path of this program, to look up keys in other processes
  uint64_t seed = 1;           // seed of this life
  bool with_merges = true;     // false: snapshots; equal for all lives of a database
  unsigned threads = 3;        // write and read their parts; another one reads the stable part
  uint64_t keys = 2000;        // per thread and column family
  uint64_t operations = 4000;  // mean per thread between two openings
  uint64_t sessions = 0;       // openings; 0: until `seconds` have passed
  double seconds = 10;
  // Column families share a Winnow policy whose level plan changes repeatedly. It is kept from
  // session to session, since a plan learns slowly.
  bool plans = false;
  Fault fault = Fault::kNone;  // if set, all policies are Winnow's and watched
};

// Returns the exit status: 0 or a Verdict. Prints the findings. Throws std::exception if the folder
// can't be used.
int RunLife(const LifePlan& plan, Counts* counts);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_LIFE_H_
