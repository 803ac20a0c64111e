#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/text_table.h"
#include "tools/winnow/advise/use/use_json.h"

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::ByteSize;
using inspect::Decimals;
using inspect::Figure;
using inspect::TextTable;
using inspect::UseAdvice;
using inspect::UseFinding;
using inspect::UseOfLevel;
using inspect::UseRow;

constexpr size_t kUseTextWidth = 100;

// Maximum number of findings shown: many families have similar ones.
constexpr size_t kShown = 12;

std::string PolicyTable(const UseAdvice& advice) {
  TextTable table({{"column families", Align::kLeft},
                   {"false reads/s"},
                   {"asks/s"},
                   {"denied"},
                   {"filters"},
                   {"bits_per_key"},
                   {"better"}});
  table.Underline();
  for (const UseRow& row : advice.rows) {
    const UseOfLevel sum = row.use.Sum();
    const double seconds = row.use.seconds;
    table.AddRow({inspect::Printable(FamiliesText(row.use)), Figure(row.use.false_reads_a_second()),
                  seconds > 0 ? Figure(sum.asks / seconds) : "-",
                  sum.asks > 0 ? inspect::Percent(sum.denied / sum.asks) : "-", ByteSize(sum.bytes),
                  Decimals(row.bits_per_key(), 2),
                  row.advised_bits      ? Decimals(*row.advised_bits, 1)
                  : row.has_enough_asks ? "-"
                                        : "too few asks"});
  }
  return table.ToString();
}

std::string FindingsText(const std::string& title, const std::vector<UseFinding>& findings) {
  if (findings.empty()) return std::string();
  std::string text = absl::StrCat("\n", title, "\n");
  for (const UseFinding& finding : findings) {
    if (const size_t before = static_cast<size_t>(&finding - findings.data()); before == kShown) {
      absl::StrAppend(&text, "- and ", findings.size() - before,
                      " more of these, which --json has\n");
      break;
    }
    absl::StrAppend(&text,
                    inspect::WrapText(absl::StrCat("- ", inspect::Printable(finding.families), ": ",
                                                   finding.says, "."),
                                      kUseTextWidth, 2),
                    "\n");
    if (!finding.policy.empty()) {
      absl::StrAppend(&text, "    filter_policy=", finding.policy, "\n");
    }
  }
  return text;
}

// Returns true if some policies, but not all, lack a verdict.
bool LackVerdict(const UseAdvice& advice) {
  return advice.no_verdict.empty() &&
         absl::c_any_of(advice.rows, [](const UseRow& row) { return !row.has_enough_asks; });
}

// Returns the verdict if no other bits per key are advised.
std::string VerdictText(const UseAdvice& advice) {
  if (!advice.no_verdict.empty()) return advice.no_verdict;
  const bool spares_reads =
      absl::c_any_of(advice.gain, [](const UseFinding& each) { return each.spares_reads; });
  return absl::StrCat(
      spares_reads ? "O" : "Nothing to mend: o",
      "ther bits per key in the same memory would spare few false reads.",
      LackVerdict(advice) ? " There is no verdict on the policies with too few asks." : "");
}

}  // namespace

std::string UseAdviceText(const UseAdvice& advice) {
  std::string text = advice.rows.empty() ? std::string() : PolicyTable(advice);
  if (advice.mend.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : "\n",
                    inspect::WrapText(VerdictText(advice), kUseTextWidth), "\n");
  } else {
    absl::StrAppend(
        &text, FindingsText("To mend:", advice.mend),
        inspect::WrapText(
            absl::StrCat("Together: ", Figure(advice.advised_false_reads),
                         " false reads a second in place of ", Figure(advice.false_reads), ", in ",
                         ByteSize(advice.advised_bytes), " in place of ", ByteSize(advice.bytes),
                         ", once compactions have written the files anew. The lines are for "
                         "[TableOptions/BlockBasedTable \"FAMILY\"] of an OPTIONS file, or for "
                         "SetOptions as block_based_table_factory={LINE}."),
            kUseTextWidth),
        "\n");
  }
  if (!advice.fits) {
    absl::StrAppend(&text, "\nThe filters don't fit into ", ByteSize(advice.budget_bytes),
                    ", not even with the fewest bits that are looked at",
                    LackVerdict(advice) ? " in the policies that have enough asks.\n" : ".\n");
  }
  absl::StrAppend(&text, FindingsText("What could be gained:", advice.gain),
                  advice.unknown.empty() ? "" : "\nWhat these figures can't say:\n");
  for (const std::string& unknown : advice.unknown) {
    absl::StrAppend(&text, inspect::WrapText(absl::StrCat("- ", unknown), kUseTextWidth, 2), "\n");
  }
  return text;
}

}  // namespace winnow::tools
