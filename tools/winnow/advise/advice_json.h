// JSON and text of advice.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice.h"

namespace winnow::inspect {

// Returns a document with these members:
//
//   schema       "winnow.advise/3"
//   families     [{database (null: files given one by one), name, files, keys, keys_by_level
//                [{level (null: unknown), keys}], filter_bytes (without range filters),
//                range_bytes (of range filters, if any), lookups, absent_lookups,
//                false_reads_per_lookup}]: the current state
//   lookups      {recorded, count, absent}
//   rows         [{title, policies (a name per family; none in "now"), policy (null if they
//                differ), filter_bytes, bytes_to_now (null: there are none now),
//                false_reads_per_lookup, interval [low, high] and counted_false_reads (in "now",
//                whose false reads are counted; else null), false_reads_to_now, compacted (null:
//                unknown; or {filter_bytes, false_reads_per_lookup, false_reads_to_now})}]: "now"
//                first
//   curve        [{policy, filter_bytes, false_reads_per_lookup}]: by the number of bits
//   budget       null, or {bytes, fits, taken_bytes, least_bytes, parts [{family, policy,
//                filter_bytes, false_reads_per_lookup}]}
//   scans        if scans were recorded: ScansJson (scans/scan_advice.h)
//   choice       the recommended policy; null: none, or one for each family
//   recommendation (one or two sentences), assumptions (notes), errors [{path, error}], warnings
std::string AdviceJson(const Advice& advice, const std::vector<std::string>& warnings);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns the text: the files, a row per policy, the curve if `with_curve`, the split of the
// budget, the verdict, and its notes. Ends with a newline.
std::string AdviseText(const inspect::Advice& advice, bool with_curve);

// Returns the curve as an SVG file, or an empty string if there is none.
std::string CurveChart(const inspect::Advice& advice);

// Returns the progress of a step that began `seconds` ago: "building range filters: 3 of 12 files,
// 41 %, 12 s left".
std::string AdviseProgressText(const inspect::AdviceStep& step, double seconds);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_JSON_H_
