#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cstdint>

#include "src/text/numbers.h"
#include "streams/winnow/pages/pages_json.h"
#include "tools/winnow/cli/keys.h"

namespace winnow::tools {
namespace {

using inspect::Number;
using inspect::PagesAnswer;
using inspect::PagesReport;
using inspect::PagesState;
using inspect::Percent;

std::string StateText(const PagesState& filter) {
  return absl::StrFormat(
      "%s of %s, %s in all, for %s; a key sets %d bits of its page\n"
      "fill  %s on average, %s in the fullest page, number %d\n"
      "rate  %s on average, %s in the fullest page; planned %s for %s\n",
      Number(filter.pages, "page"), inspect::ByteSize(static_cast<double>(filter.page_bytes)),
      inspect::ByteSize(static_cast<double>(filter.bytes)), Number(filter.keys, "key"),
      filter.probes, Percent(filter.fill), Percent(filter.worst_fill), filter.worst_page,
      Percent(filter.rate), Percent(filter.worst_rate), Percent(filter.planned_rate),
      Number(filter.capacity, "key"));
}

std::string AskedText(const PagesReport& report) {
  std::string text;
  uint64_t may_be_there = 0;
  for (const PagesAnswer& answer : report.answers) {
    may_be_there += answer.may_contain;
    absl::StrAppend(&text, KeyName(answer.key), ": ",
                    !answer.may_contain ? "absent"
                    : answer.page_read  ? "may be there"
                                        : "may be there: its page could not be read",
                    "\n");
  }
  return absl::StrCat(text, Number(report.answers.size(), "key"), ": ", may_be_there,
                      " may be there, ", report.answers.size() - may_be_there, " absent; ",
                      report.pages_read, " of ", Number(report.filter->pages, "page"), " read\n");
}

}  // namespace

std::string PagesText(const PagesReport& report) {
  if (!report.filter) {
    return std::string();
  }
  if (report.action == "ask") {
    return AskedText(report);
  }
  const std::string pages_read =
      report.action == "add" ? absl::StrCat(Number(report.pages_read, "page"), " read, ") : "";
  return absl::StrCat(Number(report.keys_read, "key"), " read, ", report.keys_new, " new; ",
                      pages_read, Number(report.pages_written, "page"), " written\n",
                      StateText(*report.filter));
}

}  // namespace winnow::tools
