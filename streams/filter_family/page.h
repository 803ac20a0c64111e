// Output of the comparison: a Markdown page, a chart, and JSON.

#ifndef WINNOW_STREAMS_FILTER_FAMILY_PAGE_H_
#define WINNOW_STREAMS_FILTER_FAMILY_PAGE_H_

#include <string>
#include <vector>

#include "streams/filter_family/family.h"

namespace winnow::bench {

// Returns a stand-alone SVG file of bits per key over the rate.
std::string FamilyChart(const std::vector<FamilyRow>& rows);

// Returns the Markdown page. `command` is the command that made it; `chart` is the name of the
// chart's file beside it.
std::string FamilyPage(const FamilyOptions& options, const std::vector<FamilyRow>& rows,
                       const std::string& command, const std::string& chart);

// Returns JSON of schema winnow.family/1.
std::string FamilyJson(const FamilyOptions& options, const std::vector<FamilyRow>& rows);

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_FILTER_FAMILY_PAGE_H_
