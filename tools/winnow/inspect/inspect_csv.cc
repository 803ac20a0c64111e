#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include "tools/winnow/findings/file_columns.h"
#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::inspect {
namespace {

std::string CsvQuoted(const std::string& text) {
  return text.find_first_of("\",\r\n") == std::string::npos
             ? text
             : absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

template <typename Fields, typename TextOf>
std::string Line(const Fields& fields, const TextOf& text_of) {
  return absl::StrJoin(fields, ",",
                       [&text_of](std::string* out, const auto& field) {
                         absl::StrAppend(out, CsvQuoted(text_of(field)));
                       }) +
         "\r\n";
}

}  // namespace

std::string InspectCsv(const InspectReport& report) {
  std::string csv =
      Line(ColumnsOf(Output::kCsv), [](const Column& column) { return column.title; });
  for (size_t i = 0; i < report.listed; ++i) {
    csv +=
        Line(CellsOf(report.files[i], Output::kCsv), [](const std::string& cell) { return cell; });
  }
  return csv;
}

}  // namespace winnow::inspect
