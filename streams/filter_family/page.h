// The comparison as a page in Markdown, a chart, and JSON.

#ifndef WINNOW_STREAMS_FILTER_FAMILY_PAGE_H_
#define WINNOW_STREAMS_FILTER_FAMILY_PAGE_H_

#include <string>
#include <vector>

#include "streams/filter_family/family.h"

namespace winnow::bench {

// Bits a key over the rate, as an SVG file that stands alone.
std::string FamilyChart(const std::vector<FamilyRow>& rows);

// `command` made it; `chart` is the name of the chart's file beside it.
std::string FamilyPage(const FamilyOptions& options, const std::vector<FamilyRow>& rows,
                       const std::string& command, const std::string& chart);

// Schema winnow.family/1.
std::string FamilyJson(const FamilyOptions& options, const std::vector<FamilyRow>& rows);

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_FILTER_FAMILY_PAGE_H_
