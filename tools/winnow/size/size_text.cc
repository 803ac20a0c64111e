#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <utility>
#include <vector>

#include "src/text/numbers.h"
#include "src/text/text_table.h"
#include "tools/winnow/size/size_report.h"

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::Column;
using inspect::PageRow;
using inspect::SizedKind;
using inspect::SizeReport;
using inspect::TextTable;

const char* YesOrNo(bool yes) { return yes ? "yes" : "no"; }

}  // namespace

std::string SizeText(const SizeReport& report) {
  if (!report.page.empty()) {
    std::vector<Column> columns = {{"k"}};
    if (report.wish.rate)
      columns.push_back({absl::StrCat("keys at ", inspect::RateText(*report.wish.rate))});
    if (report.wish.keys) columns.push_back({absl::StrCat("rate of ", *report.wish.keys, " keys")});
    TextTable table(columns);
    for (const PageRow& row : report.page) {
      TextTable::Row cells = {absl::StrCat(row.k)};
      if (report.wish.rate) cells.push_back(absl::StrCat(row.keys));
      if (row.at_rate) cells.push_back(inspect::RateText(*row.at_rate));
      table.AddRow(std::move(cells));
    }
    return absl::StrCat("A page of ",
                        inspect::ByteSize(static_cast<double>(*report.wish.page_bytes)),
                        ", by the bits k that a key sets:\n\n", table.ToString(), "\n",
                        inspect::WrapText(report.advice, 80), "\n");
  }
  TextTable table({{"kind", Align::kLeft},
                   {"memory"},
                   {"bits/key"},
                   {"k or bits"},
                   {"rate"},
                   {"grows"},
                   {"deletes"},
                   {"threads"},
                   {"will do"}});
  for (const SizedKind& kind : report.kinds) {
    table.AddRow({kind.kind, inspect::ByteSize(static_cast<double>(kind.bytes)),
                  absl::StrFormat("%.2f", kind.bits_per_key),
                  kind.bits == 0 ? "-" : absl::StrCat(kind.bits), inspect::RateText(kind.rate),
                  YesOrNo(kind.grows), YesOrNo(kind.deletes), YesOrNo(kind.threads),
                  YesOrNo(kind.fits_wish)});
  }
  std::string text =
      absl::StrCat(table.ToString(), "\n", inspect::WrapText(report.advice, 80), "\n");
  if (report.shards > 1) {
    absl::StrAppend(&text, "In shards of 512 MiB, the standard filter: ", report.shards, "\n");
  }
  if (report.pages > 0) absl::StrAppend(&text, "In pages of 1 KiB: ", report.pages, "\n");
  if (report.range_bytes > 0) {
    absl::StrAppend(
        &text, "Range filters take on top, if they are positions: ",
        inspect::ByteSize(static_cast<double>(report.range_bytes)),
        absl::StrFormat(", %.2f bits per key\n", 8 * static_cast<double>(report.range_bytes) /
                                                     static_cast<double>(*report.wish.keys)));
  }
  if (!report.filter_policy.empty()) {
    absl::StrAppend(&text, "For RocksDB's files: filter_policy=", report.filter_policy, "\n");
  }
  if (!report.no_filter_policy.empty()) {
    absl::StrAppend(&text,
                    inspect::WrapText(absl::StrCat("For RocksDB's files: no filter_policy, as ",
                                                   report.no_filter_policy),
                                      80),
                    "\n");
  }
  return text;
}

}  // namespace winnow::tools
