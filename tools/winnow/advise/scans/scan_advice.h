// Advice based on recorded scans: the data blocks that they read in vain, and the reads that range
// filters or prefix filters would spare.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_ADVICE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/scans/scan_types.h"

namespace winnow::inspect {

// Follows the scans in each family of the reading, and sets the errors of files that can't be read.
// A scan queries the files that RocksDB's iterator reads: on level 0, all files that do not
// end before the scan, and on each other level the first such file. Prefix filters are queried as
// with auto_prefix_mode; nothing is analyzed if the family has a prefix extractor that this program
// does not know.
ScanAdvice AdviseOnScans(const RecordedScans& recorded, const AdviceOptions& options,
                         const AdviceProgress& progress, AdviceReading* reading);

// Sets the recommendation, the notes and the options to paste. `choice` is the policy recommended
// for lookups; empty if there is none, or if it is the one in force.
void SayScans(const AdviceReading& reading, const std::string& choice, ScanAdvice* advice);

// Returns {seeks, with_bound, followed, empty, cross_deletions, tried_files, of_files, levels
// [{level (null: unknown), files, keys, range_bytes, blocks_per_scan, in_vain_per_scan,
// blocks_per_scan_now, range_filters [{range_bits, bytes, bits_per_key, blocks_per_scan, kind}] of
// the kinds that range_kind=auto chooses, filters [members of range_filters, and prefix_extractor;
// range_bits and kind are null for prefix filters] of all kinds that were tried}], all (a sum of
// the levels; null: no scan was followed), filter_policy, prefix_extractor (both null: nothing to
// paste), recommendation, notes}.
nlohmann::ordered_json ScansJson(const ScanAdvice& advice);

// Returns the tables, the recommendation and the notes, in lines of at most `width` characters.
// Ends with a newline.
std::string ScansText(const ScanAdvice& advice, size_t width);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_ADVICE_H_
