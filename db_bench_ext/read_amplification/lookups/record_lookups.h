// Writing down which keys a run looks up.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_RECORD_LOOKUPS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_RECORD_LOOKUPS_H_

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/lookups/lookups.h"

namespace winnow::bench {

// Makes the file, or replaces what is in it: the keys that counting passes of these workloads look
// up, one a line as hexadecimal digits, in the order in which they are drawn; seeks are none.
// Called with the number written so far, and ends with an error once that gives false.
absl::Status RecordLookups(const std::vector<Lookups>& workloads, const std::string& path,
                           LookupProgress progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_RECORD_LOOKUPS_H_
