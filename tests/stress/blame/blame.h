// Finds the component that caused a difference.

#ifndef WINNOW_TESTS_STRESS_BLAME_BLAME_H_
#define WINNOW_TESTS_STRESS_BLAME_BLAME_H_

#include <string>

#include "tests/stress/blame/ask_again.h"
#include "tests/stress/blame/difference.h"
#include "tests/stress/database.h"

namespace winnow::stress {

// The numbers are exit statuses: 0 means no difference, 2 wrong usage.
enum class Verdict {
  kWinnowFilter = 1,   // a Winnow filter rejects a key of its file
  kBuiltinFilter = 3,  // a built-in filter rejects a key of its file
  kRocksDB = 4,        // RocksDB gives the same answer without filters
  kSharedHash = 5,     // a Winnow reader's answer differs from its filter's: it used a wrong hash
  kUnexplained = 6,    // Winnow's until shown otherwise
};

// A difference, and repeated lookups by the same thread right after it.
struct Finding {
  Difference difference;
  Answer again;            // repeated by the same kind of read
  Answer without_filters;  // repeated by an iterator in total order
};

// Repeats the lookup. Must be called in the thread that caught the difference, while the database
// is still open.
Finding LookCloser(const Difference& difference, const Database& database);

struct Blame {
  Verdict verdict = Verdict::kUnexplained;
  std::string report;  // readable lines
};

// Copies the database to the folder `evidence` and looks up the key there. Nothing else may use the
// database meanwhile. `program` is passed to IsRightInOtherProcess.
Blame FindBlame(const Finding& finding, const Database& database, const std::string& evidence,
                const std::string& program);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_BLAME_H_
