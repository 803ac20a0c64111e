#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "src/text/numbers.h"
#include "src/text/text_table.h"
#include "tools/winnow/advise/cache_json.h"

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::ByteSize;
using inspect::CacheAdvice;
using inspect::CacheRow;
using inspect::Number;
using inspect::TextTable;

constexpr size_t kCacheTextWidth = 100;

std::string CacheText(const CacheAdvice& advice) {
  return absl::StrCat(
      advice.cache.hyper_clock ? "HyperClockCache" : "LRUCache", " of ",
      ByteSize(static_cast<double>(advice.cache.capacity)),
      advice.cache.shard_bits >= 0
          ? absl::StrCat(" in ", Number(uint64_t{1} << advice.cache.shard_bits, "shard"))
          : "");
}

std::string CacheRowTable(const CacheAdvice& advice) {
  TextTable table({{"filters", Align::kLeft},
                   {"bytes a lookup"},
                   {"filter"},
                   {"index"},
                   {"data"},
                   {"read a filter"},
                   {"false reads"},
                   {"memory"},
                   {"new files", Align::kLeft}});
  table.Underline();
  for (const CacheRow& row : advice.rows) {
    const inspect::ReplayFigures& figures = row.figures;
    table.AddRow({row.choice.Title(), inspect::BytesText(row), inspect::FilterBytesText(row),
                  ByteSize(row.ALookup(figures.index_bytes)),
                  ByteSize(row.ALookup(figures.data_bytes)), inspect::ReadFiltersText(row),
                  absl::StrFormat("%.3g", row.ALookup(figures.false_reads)), ByteSize(row.Memory()),
                  row.choice.Rewrites() ? "yes" : "no"});
  }
  return table.ToString();
}

}  // namespace

std::string CacheAdviceText(const CacheAdvice& advice) {
  if (advice.rows.empty()) {
    return absl::StrCat(advice.recommendation, "\n");
  }
  std::string text = absl::StrCat(
      advice.lookups, advice.recorded ? " recorded" : " made-up", " lookups in ", advice.files,
      advice.files == 1 ? " file" : " files", " with ",
      ByteSize(static_cast<double>(advice.filter_bytes)), " of filters; ", CacheText(advice),
      ".\nWhat a lookup reads into the cache, the least first:\n\n", CacheRowTable(advice), "\n",
      inspect::WrapText(advice.recommendation, kCacheTextWidth), "\n");
  if (!advice.options.empty()) {
    absl::StrAppend(
        &text, "\n  ", advice.options, "\n\n",
        inspect::WrapText("This is for GetColumnFamilyOptionsFromString. In an OPTIONS file the "
                          "parts within the outer braces belong under "
                          "[TableOptions/BlockBasedTable \"FAMILY\"], one a line, and "
                          "optimize_filters_for_hits under [CFOptions \"FAMILY\"].",
                          kCacheTextWidth),
        "\n");
  }
  absl::StrAppend(&text, "\nThe options of each row are in --json.\n");
  absl::StrAppend(&text, "\nWhat this takes for granted, and what it leaves out:\n");
  for (const std::string& assumption : advice.assumptions) {
    absl::StrAppend(&text, inspect::WrapText(absl::StrCat("- ", assumption), kCacheTextWidth, 2),
                    "\n");
  }
  return text;
}

}  // namespace winnow::tools
