// Advice as JSON and for people.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// A document with all of it:
//
//   schema       "winnow.advise/2"
//   families     [{database (null: files given one by one), name, files, keys, keys_by_level
//                [{level (null: not known), keys}], filter_bytes (without range filters),
//                range_bytes (of range filters, where there are some), lookups, absent_lookups,
//                false_reads_per_lookup}]: what there is
//   lookups      {recorded, count, absent}
//   learned      of level_plan=learned: {lookups (that it learned from), judged_by (others, by
//                which its false reads are counted), problem (null; or why it is not among the
//                policies)}
//   rows         [{title, policies (a name for each family; of "now" none), policy (null: they
//                differ), filter_bytes, bytes_to_now (null: there are none now),
//                false_reads_per_lookup, interval [low, high] and counted_false_reads (of "now",
//                whose false reads are counted; else null), false_reads_to_now, compacted (null:
//                not known; or {filter_bytes, false_reads_per_lookup, false_reads_to_now})}]: "now"
//                first
//   curve        [{policy, filter_bytes, false_reads_per_lookup}]: by the number of bits
//   tried, and of rows build_ns_per_key, expected_bytes and expected_false_reads_per_lookup: null;
//                winnow.advise/1 had there what filters showed that were built
//   budget       null, or {bytes, fits, taken_bytes, least_bytes, parts [{family, policy,
//                filter_bytes, false_reads_per_lookup}]}
//   scans        where scans were recorded: ScansJson (scans/scan_advice.h)
//   recommendation, assumptions, errors [{path, error}], warnings
std::string AdviceJson(const Advice& advice, const std::vector<std::string>& warnings);

}  // namespace winnow::inspect

namespace winnow::tools {

// The text for people: the files, a row for each policy, the curve if it is asked for, the split of
// the budget, the recommendation, and what files can't tell. Ends with a newline.
std::string AdviseText(const inspect::Advice& advice, bool with_curve);

// The curve as an SVG file; empty where there is none.
std::string CurveChart(const inspect::Advice& advice);

// "building range filters: 3 of 12 files, 41 %, 12 s left": of a step that began so many seconds
// ago.
std::string AdviseProgressText(const inspect::AdviceStep& step, double seconds);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_
