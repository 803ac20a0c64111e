#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <utility>
#include <vector>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/text_table.h"
#include "tools/winnow/advise/advice_json.h"
#include "tools/winnow/advise/scans/scan_advice.h"

namespace winnow::tools {
namespace {

using inspect::Advice;
using inspect::AdviceFamilyReport;
using inspect::AdviceRow;
using inspect::Align;
using inspect::Bits;
using inspect::TextTable;

constexpr size_t kTextWidth = 100;

std::string Ratio(double value, double now) {
  return now > 0 ? absl::StrFormat("%.2f", value / now) : "-";
}

std::string BitsAKey(double bytes, uint64_t keys) {
  return keys == 0 ? "-" : Bits(8 * bytes / static_cast<double>(keys));
}

std::string Reads(double reads) { return absl::StrFormat("%.3g", reads); }

std::string Levels(const AdviceFamilyReport& family) {
  std::vector<std::string> levels;
  for (const auto& [level, keys] : family.keys_by_level) {
    levels.push_back(absl::StrCat(level < 0 ? "unknown" : absl::StrCat(level), ": ", keys));
  }
  return absl::StrJoin(levels, ", ");
}

// Returns the name of a family, with its database if there are several.
std::string NameOf(const Advice& advice, const AdviceFamilyReport& family) {
  const bool one_database = family.database == advice.families.front().database &&
                            family.database == advice.families.back().database;
  const std::string name = inspect::Printable(family.name);
  return one_database ? name : absl::StrCat(inspect::Printable(family.database), ": ", name);
}

std::string FamilyTable(const Advice& advice) {
  const bool has_ranges = absl::c_any_of(
      advice.families, [](const AdviceFamilyReport& family) { return family.range_bytes > 0; });
  std::vector<inspect::Column> columns = {
      {"column family", Align::kLeft}, {"files"}, {"keys"}, {"filters now"}, {"bits per key"}};
  if (has_ranges) columns.insert(columns.end(), {{"range filters"}, {"bits per key"}});
  columns.insert(columns.end(), {{"false reads a lookup"}, {"keys by level", Align::kLeft}});
  TextTable table(std::move(columns));
  table.Underline();
  for (const AdviceFamilyReport& family : advice.families) {
    TextTable::Row row = {NameOf(advice, family), absl::StrCat(family.files),
                          absl::StrCat(family.keys)};
    const auto add = [&](uint64_t bytes) {
      row.push_back(inspect::ByteSize(static_cast<double>(bytes)));
      row.push_back(BitsAKey(static_cast<double>(bytes), family.keys));
    };
    add(family.filter_bytes);
    if (has_ranges) add(family.range_bytes);
    row.push_back(Reads(family.false_reads));
    row.push_back(Levels(family));
    table.AddRow(std::move(row));
  }
  return table.ToString();
}

std::string PolicyCell(const AdviceRow& row) {
  const std::string policy = row.OnePolicy();
  const std::string title = TitleOf(row.purpose);
  return row.purpose == inspect::RowPurpose::kNow ? title
         : policy.empty()                         ? absl::StrCat(title, ": see the split")
         : title.empty()                          ? policy
                                                  : absl::StrCat(policy, "  (", title, ")");
}

std::string RowTable(const Advice& advice) {
  const AdviceRow& now = advice.rows.front();
  TextTable table({{"filter_policy", Align::kLeft},
                   {"memory"},
                   {"to now"},
                   {"bits per key"},
                   {"false reads a lookup"},
                   {"to now"},
                   {"once compacted"},
                   {"to now"}});
  table.Underline();
  for (const AdviceRow& row : advice.rows) {
    table.AddRow({PolicyCell(row), inspect::ByteSize(row.bytes), Ratio(row.bytes, now.bytes),
                  BitsAKey(row.bytes, advice.keys), Reads(row.false_reads),
                  Ratio(row.false_reads, now.false_reads),
                  row.compacted ? Reads(row.compacted->false_reads) : "-",
                  row.compacted && now.compacted
                      ? Ratio(row.compacted->false_reads, now.compacted->false_reads)
                      : "-"});
  }
  return table.ToString();
}

std::string CurveTable(const Advice& advice) {
  TextTable table({{"memory against false reads", Align::kLeft},
                   {"memory"},
                   {"bits per key"},
                   {"false reads a lookup"}});
  table.Underline();
  for (const inspect::CurvePoint& point : advice.curve) {
    table.AddRow({point.policy, inspect::ByteSize(point.bytes), BitsAKey(point.bytes, advice.keys),
                  Reads(point.false_reads)});
  }
  return table.ToString();
}

std::string BudgetTable(const Advice& advice) {
  TextTable table({{"the budget's split", Align::kLeft},
                   {"memory"},
                   {"bits per key"},
                   {"false reads a lookup"},
                   {"filter_policy", Align::kLeft}});
  table.Underline();
  for (const inspect::BudgetPart& part : advice.budget) {
    const AdviceFamilyReport& family = advice.families[part.family];
    table.AddRow({NameOf(advice, family), inspect::ByteSize(part.bytes),
                  BitsAKey(part.bytes, family.keys), Reads(part.false_reads), part.policy});
  }
  return table.ToString();
}

std::string LookupsText(const Advice& advice) {
  const AdviceRow& now = advice.rows.front();
  const std::string unread =
      advice.errors.empty()
          ? ""
          : absl::StrCat("; ", inspect::Number(advice.errors.size(), "file"), " could not be read");
  const std::string counted =
      advice.lookups == 0 ? ""
                          : absl::StrFormat(
                                "Now's false reads are counted: %d, 95 %% interval %.3g to %.3g a "
                                "lookup. Those of policies are predicted.\n",
                                *now.counted, now.interval.low, now.interval.high);
  return absl::StrCat(advice.lookups, advice.recorded ? " recorded" : " made-up", " lookups, ",
                      advice.absent, " of keys that are in no file; ", advice.keys, " keys in ",
                      inspect::Number(advice.files, "file"), unread, ".\n", counted);
}

}  // namespace

std::string AdviseText(const Advice& advice, bool with_curve) {
  if (advice.rows.empty()) {
    return absl::StrCat(advice.verdict.says, "\n");
  }
  std::string text = absl::StrCat(FamilyTable(advice), "\n", LookupsText(advice), "\n");
  absl::StrAppend(&text, RowTable(advice));
  if (with_curve) {
    absl::StrAppend(&text, "\n", CurveTable(advice));
  }
  if (!advice.budget.empty()) {
    absl::StrAppend(&text, "\n", BudgetTable(advice));
  }
  absl::StrAppend(&text, "\n", inspect::WrapText(advice.verdict.says, kTextWidth), "\n");
  if (!advice.verdict.notes.empty()) absl::StrAppend(&text, "\n");
  for (const std::string& note : advice.verdict.notes) {
    absl::StrAppend(&text, inspect::WrapText(absl::StrCat("- ", note), kTextWidth, 2), "\n");
  }
  if (advice.scans) absl::StrAppend(&text, "\n", inspect::ScansText(*advice.scans, kTextWidth));
  return text;
}

std::string AdviseProgressText(const inspect::AdviceStep& step, double seconds) {
  // Share of the work before which the remaining time is a guess.
  constexpr double kTellsMuch = 0.02;
  std::string text = absl::StrFormat("%s: %d of %d files, %.0f %%", step.name, step.done,
                                     step.files, 100 * step.share);
  if (step.share >= kTellsMuch && step.share < 1) {
    const double left = seconds * (1 - step.share) / step.share;
    absl::StrAppend(&text, left < 100 ? absl::StrFormat(", %.0f s left", left)
                                      : absl::StrFormat(", %.0f min left", left / 60));
  }
  return text;
}

}  // namespace winnow::tools
