#include "tools/winnow/findings/file_columns.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>

#include "src/cli/help.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

// Marks a value that the file or the kind of filter does not have; JSON omits its key.
Json Nothing() { return Json::value_t::discarded; }

bool IsForPeople(Output output) { return output == Output::kTable || output == Output::kPage; }

// Returns the object with members of this type, or null if it is unknown.
template <typename T>
const SstReport* OwnerOf(T SstReport::*, const SstReport& file) {
  return &file;
}

template <typename T>
const FilterSummary* OwnerOf(T FilterSummary::*, const SstReport& file) {
  return file.filter ? &*file.filter : nullptr;
}

template <typename T>
const BuiltFor* OwnerOf(T BuiltFor::*, const SstReport& file) {
  return file.filter && file.filter->built_for ? &*file.filter->built_for : nullptr;
}

template <typename T>
const FilterParameters* OwnerOf(T FilterParameters::*, const SstReport& file) {
  return file.filter && file.filter->parameters && !file.filter->parameters->format.empty()
             ? &*file.filter->parameters
             : nullptr;
}

template <typename T>
const RangeSummary* OwnerOf(T RangeSummary::*, const SstReport& file) {
  return file.filter && file.filter->range ? &*file.filter->range : nullptr;
}

template <typename T>
Json JsonOf(const T& value) {
  return value;
}

template <typename T>
Json JsonOf(const std::optional<T>& value) {
  return OrNull(value);
}

template <auto member>
Json Value(const SstReport& file, Output) {
  const auto* owner = OwnerOf(member, file);
  return owner != nullptr ? JsonOf(owner->*member) : Nothing();
}

// Returns the member, or Nothing() instead of null if the member is unset.
template <auto member>
Json ValueIfAny(const SstReport& file, Output output) {
  const Json value = Value<member>(file, output);
  return value.empty() ? Nothing() : value;
}

// Returns the member, or null for unknown if it is negative.
template <auto member>
Json ValueIfKnown(const SstReport& file, Output output) {
  const auto* owner = OwnerOf(member, file);
  return owner != nullptr && owner->*member < 0 ? Json() : Value<member>(file, output);
}

template <auto member>
Json Name(const SstReport& file, Output output) {
  const std::string& name = file.*member;
  return IsForPeople(output) ? Json(Printable(name)) : SentenceOrNull(name);
}

template <auto member>
Json Hex(const SstReport& file, Output) {
  return IsUtf8(file.*member) ? Nothing() : Json(absl::BytesToHexString(file.*member));
}

Json Entries(const SstReport& file, Output output) {
  return file.filter || output == Output::kJson ? Json(file.entries) : Nothing();
}

Json FilterObject(const SstReport& file, Output) { return file.filter ? Json::object() : Json(); }

Json GoalObject(const SstReport& file, Output) {
  return file.filter && file.filter->built_for ? Json::object() : Nothing();
}

Json RangeObject(const SstReport& file, Output) {
  return OwnerOf(&RangeSummary::kind, file) != nullptr ? Json::object() : Nothing();
}

Json ParametersObject(const SstReport& file, Output) {
  return !file.filter                                          ? Nothing()
         : OwnerOf(&FilterParameters::format, file) != nullptr ? Json::object()
                                                               : Json();
}

Json Kind(const SstReport& file, Output output) {
  return !file.filter && output == Output::kPage ? Json("not read")
                                                 : Value<&FilterSummary::kind>(file, output);
}

Json BitsPerKey(const SstReport& file, Output output) {
  if (!file.filter || !IsForPeople(output)) {
    return Value<&FilterSummary::bits_per_key>(file, output);
  }
  const double bits = file.filter->bits_per_key;
  return bits == 0 ? Nothing() : Json(Bits(bits));
}

Json ExpectedRate(const SstReport& file, Output output) {
  if (!file.filter || !IsForPeople(output)) {
    return Value<&FilterSummary::expected_fpr>(file, output);
  }
  const std::optional<double>& rate = file.filter->expected_fpr;
  return rate ? Json(Percent(*rate)) : output == Output::kPage ? Json("unknown") : Nothing();
}

Json Partitions(const SstReport& file, Output output) {
  return file.filter && (file.filter->partitions > 0 || output == Output::kCsv)
             ? Json(file.filter->partitions)
             : Nothing();
}

Json PartitionKinds(const SstReport& file, Output) {
  Json kinds = Nothing();
  if (file.filter && file.filter->partitions > 0 && !file.filter->kinds.empty()) {
    kinds = Json::object();
    for (const auto& [kind, count] : file.filter->kinds) {
      kinds[kind] = count;
    }
  }
  return kinds;
}

Json BloomsOfFile(const SstReport& file, Output) {
  return file.filter && file.filter->bloom.blocks > 0 ? ToJson(file.filter->bloom) : Nothing();
}

Json RemarkOfTable(const SstReport& file, Output) {
  if (!file.filter) {
    return "NOT READ";
  }
  const FilterSummary& filter = *file.filter;
  if (filter.fault) {
    return "FAULT: see below";
  }
  const std::string first = ParametersText(filter);
  if (filter.partitions == 0) {
    return first;
  }
  std::string remark = Number(static_cast<uint64_t>(filter.partitions), "partition");
  for (const auto& [kind, count] : filter.kinds) {
    absl::StrAppend(&remark, filter.kinds.size() > 1 ? absl::StrCat(", ", count, " ", kind) : "");
  }
  return absl::StrCat(remark, first.empty() ? "" : "; the first: ", first);
}

Json RemarkOfPage(const SstReport& file, Output) {
  if (!file.filter) {
    return file.error.value_or("");
  }
  const FilterSummary& filter = *file.filter;
  if (filter.fault) {
    return absl::StrCat("fault: ", *filter.fault);
  }
  if (filter.partitions == 0) {
    return ParametersText(filter);
  }
  return absl::StrCat(NumberWithCommas(static_cast<uint64_t>(filter.partitions), "partition"),
                      filter.partitions == 1 ? ": " : ", the first: ", ParametersText(filter));
}

// A column, with its name in each output; null for outputs without the column.
struct FileColumn {
  const char* json;  // JSON pointer in a file's object
  const char* csv;
  const char* table;
  const char* page;
  Json (*value)(const SstReport& file, Output output);
  const char* says = "";  // description in the help on the JSON
  Align align = Align::kRight;
  int spare = 0;  // Column::spare
};

// Columns in the order of all outputs. A column with another place in CSV has a second row.
constexpr const char* kNone = nullptr;
constexpr FileColumn kColumns[] = {
    {"/path", "path", "file", "file", Name<&SstReport::path>, "", Align::kLeft},
    {"/path_hex", kNone, kNone, kNone, Hex<&SstReport::path>},
    {"/database", "database", kNone, kNone, Name<&SstReport::database>, "its folder"},
    {"/database_hex", kNone, kNone, kNone, Hex<&SstReport::database>},
    {kNone, "column_family", kNone, kNone, Name<&SstReport::column_family>},
    {"/level", "level", "level", "level", Value<&SstReport::level>},
    {"/column_family", kNone, kNone, "column family", Name<&SstReport::column_family>},
    {"/column_family_hex", kNone, kNone, kNone, Hex<&SstReport::column_family>},
    {"/entries", "entries", "entries", "entries", Entries},
    {"/file_bytes", "file_bytes", kNone, kNone, Value<&SstReport::file_bytes>},
    {"/filter", kNone, kNone, kNone, FilterObject},
    {"/filter/kind", "kind", "filter", "filter", Kind, "", Align::kLeft},
    {"/filter/keys", "keys", "keys", "keys", Value<&FilterSummary::keys>},
    {"/filter/bytes", "bytes", "bytes", "bytes", Value<&FilterSummary::bytes>, "of its blocks"},
    {kNone, "stored_bytes", kNone, kNone, Value<&FilterSummary::stored_bytes>},
    {"/filter/bits_per_key", "bits_per_key", "bits/key", "bits per key", BitsPerKey},
    {"/filter/expected_fpr", "expected_fpr", "fpr", "expected rate", ExpectedRate},
    {"/filter/partitions", "partitions", kNone, kNone, Partitions},
    {"/filter/partition_kinds", kNone, kNone, kNone, PartitionKinds},
    {"/filter/bloom", kNone, kNone, kNone, BloomsOfFile, "of its Bloom blocks: see bloom"},
    {"/filter/built_for", kNone, kNone, kNone, GoalObject, "what Winnow built it for"},
    {"/filter/built_for/level", kNone, kNone, kNone, Value<&BuiltFor::level>},
    {"/filter/built_for/target_fpr", kNone, kNone, kNone, Value<&BuiltFor::target_fpr>},
    {"/filter/built_for/level_plan", kNone, kNone, kNone, Value<&BuiltFor::level_plan>},
    {"/filter/built_for/levels_below", kNone, kNone, kNone, ValueIfKnown<&BuiltFor::levels_below>},
    {"/filter/built_for/rate_by", kNone, kNone, kNone, ValueIfAny<&BuiltFor::rate_by>,
     "of its tree note, as the next three: the rule that gave the rate"},
    {"/filter/built_for/keys_in_range", kNone, kNone, kNone, ValueIfAny<&BuiltFor::keys_in_range>,
     "the tree's keys in the file's range"},
    {"/filter/built_for/log2_lambda", kNone, kNone, kNone, ValueIfAny<&BuiltFor::log2_lambda>,
     "rate = lambda * keys / keys_in_range"},
    {"/filter/built_for/tree", kNone, kNone, kNone, ValueIfAny<&BuiltFor::tree>, "its id"},
    {kNone, "policy_name", kNone, kNone, Value<&FilterSummary::policy_name>},
    {"/filter/parameters", kNone, kNone, kNone, ParametersObject, "of partitions the first one's"},
    {"/filter/parameters/format", "format", kNone, kNone, Value<&FilterParameters::format>},
    {"/filter/parameters/version", "version", kNone, kNone, Value<&FilterParameters::version>},
    {"/filter/parameters/hash", "hash", kNone, kNone, Value<&FilterParameters::hash>},
    {"/filter/parameters/probes", "probes", kNone, kNone, ValueIfAny<&FilterParameters::probes>},
    {"/filter/parameters/blocks", "blocks", kNone, kNone, ValueIfAny<&FilterParameters::blocks>},
    {"/filter/parameters/block_bits", "block_bits", kNone, kNone,
     ValueIfAny<&FilterParameters::block_bits>},
    {"/filter/parameters/slots", "slots", kNone, kNone, ValueIfAny<&FilterParameters::slots>},
    {"/filter/parameters/columns", "columns", kNone, kNone, ValueIfAny<&FilterParameters::columns>},
    {"/filter/parameters/layers", "layers", kNone, kNone, ValueIfAny<&FilterParameters::layers>},
    {"/filter/parameters/bumped_share", "bumped_share", kNone, kNone,
     ValueIfAny<&FilterParameters::bumped_share>, "of its first layer"},
    {"/filter/parameters/fill_ratio", "fill_ratio", kNone, kNone,
     ValueIfAny<&FilterParameters::fill_ratio>, "Bloom: bits that are set; Ribbon: keys a slot"},
    {"/filter/range", kNone, kNone, kNone, RangeObject, "its range filter, a part of its bytes"},
    {"/filter/range/kind", kNone, kNone, kNone, Value<&RangeSummary::kind>},
    {"/filter/range/filters", kNone, kNone, kNone, Value<&RangeSummary::filters>,
     "partitions that have one"},
    {"/filter/range/keys", kNone, kNone, kNone, Value<&RangeSummary::keys>},
    {"/filter/range/bytes", kNone, kNone, kNone, Value<&RangeSummary::bytes>},
    {"/filter/range/bits_per_key", kNone, kNone, kNone, Value<&RangeSummary::bits_per_key>},
    {"/filter/range/range_bits", kNone, kNone, kNone, Value<&RangeSummary::range_bits>},
    {"/filter/range/key_length", kNone, kNone, kNone, Value<&RangeSummary::key_length>},
    {"/filter/range/is_exact", kNone, kNone, kNone, Value<&RangeSummary::is_exact>,
     "no range passes wrongly"},
    {"/filter/range/answers_keys", kNone, kNone, kNone, Value<&RangeSummary::answers_keys>,
     "lookups of keys ask it, too"},
    {"/filter/range/positions_keys", kNone, kNone, kNone, Value<&RangeSummary::positions_keys>,
     "of the kind positions"},
    {"/filter/range/positions_bytes", kNone, kNone, kNone, Value<&RangeSummary::positions_bytes>},
    {"/filter/range/trees_keys", kNone, kNone, kNone, Value<&RangeSummary::trees_keys>,
     "of the kind trees"},
    {"/filter/range/trees_bytes", kNone, kNone, kNone, Value<&RangeSummary::trees_bytes>},
    {kNone, "target_fpr", kNone, kNone, Value<&BuiltFor::target_fpr>},
    {kNone, "built_for_level", kNone, kNone, ValueIfKnown<&BuiltFor::level>},
    {kNone, "level_plan", kNone, kNone, Value<&BuiltFor::level_plan>},
    {kNone, "levels_below", kNone, kNone, ValueIfKnown<&BuiltFor::levels_below>},
    {"/filter/detail", kNone, kNone, kNone, Value<&FilterSummary::detail>},
    {"/filter/policy_name", kNone, kNone, kNone, Value<&FilterSummary::policy_name>},
    {"/filter/fault", "fault", kNone, kNone, Value<&FilterSummary::fault>},
    {"/filter/stored_bytes", kNone, kNone, kNone, Value<&FilterSummary::stored_bytes>,
     "the property filter_size: with the index over partitions"},
    {kNone, kNone, "", kNone, RemarkOfTable, "", Align::kLeft},
    {kNone, kNone, kNone, "parameters", RemarkOfPage},
    {"/error", "error", kNone, kNone, Value<&SstReport::error>, "why it could not be read"},
    // Columns added after 1.0 are last in CSV, since scripts may rely on column numbers.
    {kNone, "range_kind", kNone, kNone, Value<&RangeSummary::kind>},
    {kNone, "range_keys", kNone, kNone, Value<&RangeSummary::keys>},
    {kNone, "range_bytes", kNone, kNone, Value<&RangeSummary::bytes>},
    {kNone, "range_bits_per_key", kNone, kNone, Value<&RangeSummary::bits_per_key>},
    {kNone, "range_bits", kNone, kNone, Value<&RangeSummary::range_bits>},
};

const char* NameIn(const FileColumn& column, Output output) {
  switch (output) {
    case Output::kJson:
      return column.json;
    case Output::kCsv:
      return column.csv;
    case Output::kTable:
      return column.table;
    case Output::kPage:
      return column.page;
  }
  return nullptr;
}

template <typename Action>
void ForEachColumn(Output output, const Action& action) {
  for (const FileColumn& column : kColumns) {
    if (const char* name = NameIn(column, output)) {
      action(name, column);
    }
  }
}

std::string TextOf(const Json& value, Output output) {
  if (value.is_null() || value.is_discarded()) {
    return IsForPeople(output) ? "-" : "";
  }
  if (output == Output::kPage && value.is_number_unsigned()) {
    return Count(value.get<uint64_t>());
  }
  return value.is_string()         ? value.get<std::string>()
         : value.is_array()        ? absl::StrJoin(value.get<std::vector<std::string>>(), " ")
         : value.is_number_float() ? absl::StrFormat("%.10g", value.get<double>())
                                   : value.dump();
}

// Returns the names of an object's fields, with their descriptions, for the help; empty if the path
// is no object.
std::string FieldsOf(absl::string_view object) {
  std::vector<std::string> fields;
  ForEachColumn(Output::kJson, [&](absl::string_view path, const FileColumn& column) {
    const size_t name = path.rfind('/');
    if (path.substr(0, name) != object) return;
    const bool has_line = *column.says == '\0' || !FieldsOf(path).empty();
    fields.push_back(
        absl::StrCat(path.substr(name + 1), has_line ? "" : absl::StrCat(" (", column.says, ")")));
  });
  return absl::StrJoin(fields, ", ");
}

std::string HelpLine(const std::string& label, const std::string& fields) {
  return cli::Paragraph(fields, 19).replace(0, label.size(), label);
}

}  // namespace

std::vector<Column> ColumnsOf(Output output) {
  std::vector<Column> columns;
  ForEachColumn(output, [&](const char* name, const FileColumn& column) {
    columns.push_back({name, column.align, column.spare});
  });
  return columns;
}

std::vector<std::string> CellsOf(const SstReport& file, Output output) {
  std::vector<std::string> cells;
  ForEachColumn(output, [&](const char*, const FileColumn& column) {
    cells.push_back(TextOf(column.value(file, output), output));
  });
  return cells;
}

nlohmann::ordered_json ToJson(const SstReport& file) {
  Json json = Json::object();
  ForEachColumn(Output::kJson, [&](const char* name, const FileColumn& column) {
    if (Json value = column.value(file, Output::kJson); !value.is_discarded()) {
      json[Json::json_pointer(name)] = std::move(value);
    }
  });
  return json;
}

nlohmann::ordered_json ToJson(const FilterSummary& filter) {
  SstReport file;
  file.filter = filter;
  Json json = ToJson(file)["filter"];
  json.erase("stored_bytes");  // part of the file's properties
  return json;
}

nlohmann::ordered_json ToJson(const BloomBlocks& bloom) {
  return {{"blocks", bloom.blocks},
          {"keys", bloom.keys},
          {"bytes", bloom.bytes},
          {"bytes_as_ribbons", bloom.bytes_as_ribbons}};
}

std::string FileFieldsHelp() {
  std::string help = HelpLine("  files", FieldsOf(""));
  ForEachColumn(Output::kJson, [&](absl::string_view path, const FileColumn& column) {
    const std::string fields = FieldsOf(path);
    if (fields.empty()) return;
    const size_t name = path.rfind('/');
    help += HelpLine(absl::StrCat(name == 0 ? "  files." : "    .", path.substr(name + 1)),
                     *column.says == '\0' ? fields : absl::StrCat(column.says, ": ", fields));
  });
  return help;
}

}  // namespace winnow::inspect
