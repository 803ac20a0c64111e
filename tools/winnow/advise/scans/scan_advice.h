// Advice on scans, by recorded ones: which data blocks they read in vain, and which of these reads
// range filters or filters of prefixes would spare.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_ADVICE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/scans/scan_types.h"

namespace winnow::inspect {

// The scans are of the one family of the reading. Files that can't be read get their error.
// A scan asks the files that RocksDB's iterator does: on level 0 all that do not end before it,
// below that of each level the first one that does not. Filters of prefixes are asked as with
// auto_prefix_mode; nothing is followed where the family has an extractor that this program does
// not have.
ScanAdvice AdviseOnScans(const RecordedScans& recorded, const AdviceOptions& options,
                         const AdviceProgress& progress, AdviceReading* reading);

// Sets recommendation, notes, and what to paste. `choice` is the policy that lookups are advised
// to have; empty: none, or the one in force.
void SayScans(const AdviceReading& reading, const std::string& choice, ScanAdvice* advice);

// {seeks, with_bound, followed, empty, cross_deletions, tried_files, of_files, levels [{level
// (null: not known), files, keys, range_bytes, blocks_per_scan, in_vain_per_scan,
// blocks_per_scan_now, range_filters [{range_bits, bytes, bits_per_key, blocks_per_scan, kind}] of
// the kinds that range_kind=auto takes, filters [the same and prefix_extractor; range_bits and
// kind null: filters of its prefixes] of all that were tried}], all (the same of all levels; null:
// none was followed), filter_policy, prefix_extractor (both null: nothing to paste),
// recommendation, notes}
nlohmann::ordered_json ScansJson(const ScanAdvice& advice);

// The tables, the recommendation and the notes, no line longer than `width`. Ends with a newline.
std::string ScansText(const ScanAdvice& advice, size_t width);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_ADVICE_H_
