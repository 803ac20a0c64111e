#include "src/text/flag_words.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace winnow::inspect {
namespace {

std::string NumberText(double number) {
  constexpr double kMaxDigits = 1e16;  // larger numbers are easier to read with an exponent
  const bool is_written_out = number == std::floor(number) && std::abs(number) < kMaxDigits;
  return is_written_out ? absl::StrFormat("%.0f", number) : absl::StrFormat("%g", number);
}

// Returns the case-insensitive edit distance: the number of characters to insert, remove or
// replace.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = absl::ascii_tolower(static_cast<unsigned char>(a[i - 1])) ==
                        absl::ascii_tolower(static_cast<unsigned char>(b[j - 1]));
      const size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

absl::string_view ClosestName(absl::string_view written,
                              const std::vector<absl::string_view>& names) {
  constexpr size_t kShortestStart = 3;
  absl::string_view closest;
  // Two swapped letters are two edits, which is half of a short name.
  size_t smallest = std::min<size_t>(2, written.size() / 2) + 1;
  for (const absl::string_view name : names) {
    const bool begins =
        written.size() >= kShortestStart && absl::StartsWithIgnoreCase(name, written);
    const size_t distance = begins ? 0 : EditDistance(written, name);
    if (distance < smallest) {
      smallest = distance;
      closest = name;
    }
  }
  return closest;
}

std::string DidYouMean(absl::string_view written, const std::vector<absl::string_view>& names,
                       absl::string_view dashes) {
  const absl::string_view meant = ClosestName(written, names);
  return meant.empty() ? "" : absl::StrCat("; did you mean ", dashes, meant, "?");
}

std::string WhyEnded(absl::Span<const EndedFlag> rows, absl::string_view verb,
                     absl::string_view name) {
  const std::string written = absl::StrReplaceAll(name, {{"-", "_"}});
  const auto ended = std::find_if(rows.begin(), rows.end(), [&](const EndedFlag& flag) {
    return flag.verb == verb && flag.name == written;
  });
  return ended == rows.end()
             ? ""
             : absl::StrCat("the flag --", written, " ended with 2.0: ", ended->instead);
}

bool AsksForHelp(absl::string_view argument) {
  return argument == "--help" || argument == "-help" || argument == "-h";
}

bool NumberRange::Has(double number) const {
  return number >= least && number <= most && (!is_whole || number == std::floor(number));
}

std::string NumberRange::Text() const {
  return absl::StrCat(NumberText(least), " to ", NumberText(most));
}

std::string OutOfRange(absl::string_view flag, absl::string_view written, const NumberRange& range,
                       absl::string_view what) {
  const absl::string_view kind = !what.empty() ? what : range.is_whole ? "whole number" : "number";
  return absl::StrCat("--", flag, " is ", written.empty() ? "empty" : written, ", but must be a ",
                      kind, " from ", range.Text());
}

}  // namespace winnow::inspect
