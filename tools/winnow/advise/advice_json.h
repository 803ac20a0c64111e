// Advice as JSON and for people.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// A document with all of it:
//
//   schema       "winnow.advise/1"
//   families     [{database (null: files given one by one), name, files, keys, keys_by_level
//                [{level (null: not known), keys}], filter_bytes (without range filters),
//                range_bytes (of range filters, where there are some), lookups, absent_lookups,
//                false_reads_per_lookup}]: what there is
//   lookups      {recorded, count, absent}
//   learned      of level_plan=learned: {lookups (that it learned from), judged_by (others, by
//                which its false reads are counted), problem (null; or why it is not among the
//                policies)}
//   tried        {files, of_files, keys, of_keys}
//   rows         [{title, policies (a name for each family; of "now" none), policy (null: they
//                differ), filter_bytes, bytes_to_now (null: there are none now),
//                false_reads_per_lookup, interval [low, high], counted_false_reads,
//                false_reads_to_now, build_ns_per_key, expected_bytes,
//                expected_false_reads_per_lookup}]: measured; "now" first
//   candidates   [{policy, filter_bytes, false_reads_per_lookup}]: by formulas
//   budget       null, or {bytes, fits, taken_bytes, least_bytes, parts [{family, policy,
//                filter_bytes, false_reads_per_lookup}]}
//   scans        where scans were recorded: ScansJson (scans/scan_advice.h)
//   recommendation, assumptions, errors [{path, error}], warnings
std::string AdviceJson(const Advice& advice, const std::vector<std::string>& warnings);

}  // namespace winnow::inspect

namespace winnow::tools {

// What there is, a row for each policy that was tried, with all_candidates one for each that was
// worked out, the split of the budget, the recommendation, and what files can't tell. Ends with a
// newline.
std::string AdviseText(const inspect::Advice& advice, bool all_candidates);

// "building filters: 3 of 12 files, 41 %, 12 s left": of a step that began so many seconds ago.
std::string AdviseProgressText(const inspect::AdviceStep& step, double seconds);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_
