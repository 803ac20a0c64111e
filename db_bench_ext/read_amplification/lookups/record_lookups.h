// Recording of the keys that a run looks up.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_RECORD_LOOKUPS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_RECORD_LOOKUPS_H_

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/lookups/lookups.h"

namespace winnow::bench {

// Creates or overwrites the file with the keys that counting passes of these workloads look up, one
// per line in hexadecimal, in the order in which they are drawn; seeks are omitted. Calls
// `progress` with the number written so far, and returns an error once it returns false.
absl::Status RecordLookups(const std::vector<Lookups>& workloads, const std::string& path,
                           LookupProgress progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_RECORD_LOOKUPS_H_
