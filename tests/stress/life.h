// The life of one process with a database: it recovers it, and opens, uses and closes it again and
// again, each time with other options.

#ifndef WINNOW_TESTS_STRESS_LIFE_H_
#define WINNOW_TESTS_STRESS_LIFE_H_

#include <cstdint>
#include <string>

#include "tests/stress/blame/watch.h"
#include "tests/stress/counts.h"

namespace winnow::stress {

struct LifePlan {
  std::string folder;          // has the database and the journals, or nothing yet
  std::string program;         // this one, to ask in other processes
  uint64_t seed = 1;           // of this life
  bool with_merges = true;     // or snapshots; the same for all lives of a database
  unsigned threads = 3;        // that write and read their parts; one more reads what is stable
  uint64_t keys = 2000;        // of each thread, in each family
  uint64_t operations = 4000;  // of each thread, on an average, between two openings
  uint64_t sessions = 0;       // openings; 0: until `seconds` are over
  double seconds = 10;
  // Families share a policy of Winnow's whose level plan changes all the time, and which is kept
  // from opening to opening: what a plan learns needs time.
  bool plans = false;
  Fault fault = Fault::kNone;  // with it, all policies are Winnow's and watched
};

// The exit status: 0 or a Verdict. The findings are printed. Throws std::exception if the folder
// can't be used.
int RunLife(const LifePlan& plan, Counts* counts);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_LIFE_H_
