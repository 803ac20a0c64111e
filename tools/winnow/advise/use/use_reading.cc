#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tools/winnow/advise/use/use_advice.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "winnow.filter_use/1";
constexpr absl::string_view kTableBegins = "what filters answered, by policy and level";

// Maximum size of a JSON file, and number of bytes read at the end of a LOG.
constexpr std::streamoff kMostBytes = std::streamoff{64} << 20;

void AddLevel(UseOfPolicy head, const UseOfLevel& level, std::vector<UseOfPolicy>* policies) {
  for (UseOfPolicy& policy : *policies) {
    if (policy.policy != head.policy || policy.databases != head.databases ||
        policy.families != head.families || policy.seconds != head.seconds) {
      continue;
    }
    policy.levels.push_back(level);
    return;
  }
  head.levels = {level};
  policies->push_back(std::move(head));
}

// Returns the number. Throws std::invalid_argument for negative or huge ones, which sums would
// hide.
double NumberOf(const Json& row, const char* name) {
  const double number = row.at(name).get<double>();
  if (!(number >= 0) || number > 1e30) {
    throw std::invalid_argument(absl::StrCat(name, " is ", number, ", and this is 0 or more"));
  }
  return number;
}

std::vector<std::string> NamesOf(const Json& row, const char* name) {
  return row.at(name).get<std::vector<std::string>>();
}

FilterUseFile OfJson(const std::string& text) {
  const Json json = Json::parse(text);
  const std::string schema = json.at("schema").get<std::string>();
  if (schema != kSchema) {
    throw std::invalid_argument(absl::StrCat("its schema is ", schema, ", and not ", kSchema));
  }
  FilterUseFile file;
  file.one_counted_of = std::max(NumberOf(json, "one_counted_of"), 1.0);
  for (const Json& row : json.at("rows")) {
    UseOfPolicy head;
    head.policy = row.at("policy").get<std::string>();
    head.databases = NamesOf(row, "databases");
    head.families = NamesOf(row, "families");
    head.seconds = NumberOf(row, "seconds");
    UseOfLevel level;
    level.level = row.at("level").get<int>();
    level.asks = NumberOf(row, "asks");
    level.denied = NumberOf(row, "denied");
    level.false_positives = NumberOf(row, "false_positives");
    level.filters = NumberOf(row, "filters");
    level.keys = NumberOf(row, "keys");
    level.bytes = NumberOf(row, "bytes");
    level.asks_counted = NumberOf(row, "asks_counted");
    AddLevel(std::move(head), level, &file.policies);
  }
  return file;
}

// Parses a row of the table in a LOG: eight numbers, the families, two spaces, the policy. Returns
// false for other lines.
bool AddLogRow(absl::string_view line, std::vector<UseOfPolicy>* policies) {
  double numbers[8];
  for (double& number : numbers) {
    line = absl::StripLeadingAsciiWhitespace(line);
    const size_t end = line.find(' ');
    if (end == absl::string_view::npos || !absl::SimpleAtod(line.substr(0, end), &number)) {
      return false;
    }
    line = line.substr(end);
  }
  if (line.substr(0, 2) != "  ") return false;
  line = absl::StripTrailingAsciiWhitespace(line.substr(2));
  const size_t policy = line.rfind("  ");
  if (policy == absl::string_view::npos) return false;
  UseOfPolicy head;
  head.policy = std::string(line.substr(policy + 2));
  head.families = absl::StrSplit(line.substr(0, policy), ", ", absl::SkipEmpty());
  head.seconds = numbers[7];
  UseOfLevel level;
  level.false_positives = numbers[0];
  level.asks = numbers[1];
  level.denied = numbers[2];
  level.level = static_cast<int>(numbers[3]);
  level.filters = numbers[4];
  level.keys = numbers[5];
  level.bytes = numbers[6];
  AddLevel(std::move(head), level, policies);
  return true;
}

// Returns the last table that has a row.
FilterUseFile OfLog(absl::string_view text) {
  FilterUseFile last;
  FilterUseFile table;
  bool is_in_table = false;
  bool is_first = false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (const size_t at = line.find(kTableBegins); at != absl::string_view::npos) {
      table = {};
      const size_t gap = line.find("one ask in ", at);
      if (gap != absl::string_view::npos) {
        const absl::string_view number = line.substr(gap + 11);
        (void)absl::SimpleAtod(number.substr(0, number.find(' ')), &table.one_counted_of);
      }
      is_in_table = is_first = true;
      continue;
    }
    if (!is_in_table) continue;
    if (is_first) {  // line of titles
      is_first = false;
      continue;
    }
    is_in_table = AddLogRow(line, &table.policies);
    if (is_in_table) last = table;
  }
  if (last.policies.empty()) {
    throw std::invalid_argument(
        "it is neither JSON of FilterUseAsJson (winnow/rocksdb_filter_use.h) nor a LOG with a "
        "table "
        "of what filters answered, which Winnow 1.1 writes with the first flush or compaction "
        "after ten minutes");
  }
  return last;
}

}  // namespace

FilterUseFile ReadFilterUse(const std::string& path, std::string* problem) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) {
      *problem = absl::StrCat(path, ": ", std::strerror(errno));
      return {};
    }
    file.seekg(0, std::ios::end);
    const std::streamoff size = file.tellg();
    file.clear();
    file.seekg(size > kMostBytes ? size - kMostBytes : 0);
  }
  std::istream& input = path == "-" ? std::cin : file;
  const std::string text((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
  try {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{' ? OfJson(text) : OfLog(text);
  } catch (const std::exception& fault) {
    *problem = absl::StrCat(path == "-" ? "standard input" : path, ": ", fault.what());
    return {};
  }
}

}  // namespace winnow::inspect
