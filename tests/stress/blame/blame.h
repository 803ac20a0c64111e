// Finds out whose fault a difference is.

#ifndef WINNOW_TESTS_STRESS_BLAME_BLAME_H_
#define WINNOW_TESTS_STRESS_BLAME_BLAME_H_

#include <string>

#include "tests/stress/blame/ask_again.h"
#include "tests/stress/blame/difference.h"
#include "tests/stress/database.h"

namespace winnow::stress {

// The numbers are exit statuses. 0 is none, 2 wrong usage.
enum class Verdict {
  kWinnowFilter = 1,   // a filter of Winnow's denies a key that its file holds
  kBuiltinFilter = 3,  // one of RocksDB's own does
  kRocksDB = 4,        // RocksDB gives the same answer where no filter is asked
  kSharedHash = 5,     // a reader of Winnow's said what its filter does not: it had another hash
  kUnexplained = 6,    // ours until shown otherwise
};

// A difference, and what was asked right after it by the same thread.
struct Finding {
  Difference difference;
  Answer again;            // the same question
  Answer without_filters;  // the same key by an iterator in total order
};

// To be called where the difference was caught, in its thread, with the database still open.
Finding LookCloser(const Difference& difference, const Database& database);

struct Blame {
  Verdict verdict = Verdict::kUnexplained;
  std::string report;  // lines for people
};

// Copies the database to a folder `evidence`, and asks the files there. Nothing else may use the
// database meanwhile. `program` is what IsRightInOtherProcess takes.
Blame FindBlame(const Finding& finding, const Database& database, const std::string& evidence,
                const std::string& program);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_BLAME_H_
