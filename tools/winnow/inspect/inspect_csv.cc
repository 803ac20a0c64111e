#include "tools/winnow/inspect/inspect_csv.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace winnow::inspect {
namespace {

using Field = std::pair<const char*, std::string>;  // its name, its value

std::string Text(uint64_t number) { return absl::StrCat(number); }
std::string Text(int number) { return absl::StrCat(number); }
std::string Text(double number) { return absl::StrFormat("%.10g", number); }
std::string Text(const std::string& text) { return text; }

template <typename T>
std::string Text(const std::optional<T>& value) {
  return value ? Text(*value) : std::string();
}

std::vector<Field> Fields(const SstReport& file) {
  const FilterSummary none;
  const bool read = file.filter.has_value();
  const FilterSummary& filter = read ? *file.filter : none;
  const FilterParameters parameters = filter.parameters.value_or(FilterParameters());
  const auto if_read = [read](const auto& value) { return read ? Text(value) : std::string(); };
  const auto goal = [&filter](const auto& text) {
    return filter.built_for ? text(*filter.built_for) : std::string();
  };
  return {
      {"path", file.path},
      {"database", file.database},
      {"column_family", file.column_family},
      {"level", Text(file.level)},
      {"entries", if_read(file.entries)},
      {"file_bytes", Text(file.file_bytes)},
      {"kind", if_read(filter.kind)},
      {"keys", if_read(filter.keys)},
      {"bytes", if_read(filter.bytes)},
      {"stored_bytes", if_read(filter.stored_bytes)},
      {"bits_per_key", if_read(filter.bits_per_key)},
      {"expected_fpr", Text(filter.expected_fpr)},
      {"partitions", if_read(filter.partitions)},
      {"policy_name", filter.policy_name},
      {"format", parameters.format},
      {"version", Text(parameters.version)},
      {"hash", parameters.hash},
      {"probes", Text(parameters.probes)},
      {"blocks", Text(parameters.blocks)},
      {"block_bits", Text(parameters.block_bits)},
      {"slots", Text(parameters.slots)},
      {"columns", Text(parameters.columns)},
      {"layers", absl::StrJoin(parameters.layers, " ")},
      {"bumped_share", Text(parameters.bumped_share)},
      {"fill_ratio", Text(parameters.fill_ratio)},
      {"target_fpr", goal([](const BuiltFor& built_for) { return Text(built_for.target_fpr); })},
      {"built_for_level", goal([](const BuiltFor& built_for) {
         return built_for.level < 0 ? std::string() : Text(built_for.level);
       })},
      {"level_plan", goal([](const BuiltFor& built_for) { return built_for.level_plan; })},
      {"levels_below", goal([](const BuiltFor& built_for) {
         return built_for.levels_below < 0 ? std::string() : Text(built_for.levels_below);
       })},
      {"fault", Text(filter.fault)},
      {"error", Text(file.error)},
  };
}

std::string CsvQuoted(const std::string& text) {
  return text.find_first_of("\",\r\n") == std::string::npos
             ? text
             : absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::string InspectCsv(const InspectReport& report) {
  std::string csv = absl::StrJoin(
      Fields(SstReport()), ",",
      [](std::string* out, const Field& field) { absl::StrAppend(out, field.first); });
  csv += "\r\n";
  for (size_t i = 0; i < report.listed; ++i) {
    absl::StrAppend(&csv,
                    absl::StrJoin(Fields(report.files[i]), ",",
                                  [](std::string* out, const Field& field) {
                                    absl::StrAppend(out, CsvQuoted(field.second));
                                  }),
                    "\r\n");
  }
  return csv;
}

}  // namespace winnow::inspect
