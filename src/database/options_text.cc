#include "src/database/options_text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/string_view.h>
#include <rocksdb/convenience.h>

#include <algorithm>
#include <fstream>
#include <unordered_map>

#include "src/database/options_path.h"

namespace winnow::inspect {
namespace {

// Returns the line without its comment and surrounding spaces, by RocksDB's rules.
absl::string_view WithoutComment(absl::string_view line) {
  for (size_t at = line.find('#'); at != absl::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] != '\\') {
      line = line.substr(0, at);
      break;
    }
  }
  return absl::StripAsciiWhitespace(line);
}

// Returns the name in the quotes of [CFOptions "name"].
std::string QuotedName(absl::string_view section) {
  const size_t first = section.find('"');
  const size_t last = section.rfind('"');
  if (first == absl::string_view::npos || first == last) {
    return std::string();
  }
  return absl::StrReplaceAll(section.substr(first + 1, last - first - 1),
                             {{"\\#", "#"}, {"\\:", ":"}, {"\\\\", "\\"}});
}

// Parses the options of a table factory that are written as one value: {filter_policy=winnow:10;…}.
void TakeTableOptions(const std::string& value, FamilyText* family) {
  std::unordered_map<std::string, std::string> values;
  const bool is_map = ROCKSDB_NAMESPACE::StringToMap(value, &values).ok();
  family->policy = is_map && values.count("filter_policy") > 0
                       ? std::optional(values["filter_policy"])
                       : std::nullopt;
  if (is_map) family->whole_keys = values["whole_key_filtering"];
}

// Returns the member for the value of an option that affects filters, other than filter_policy;
// null for other options.
std::string* PlaceOf(absl::string_view name, bool in_table_options, FamilyText* family) {
  if (in_table_options) return name == "whole_key_filtering" ? &family->whole_keys : nullptr;
  return name == "comparator"                         ? &family->comparator
         : name == "prefix_extractor"                 ? &family->prefix_extractor
         : name == "memtable_factory"                 ? &family->memtable
         : name == "memtable_prefix_bloom_size_ratio" ? &family->memtable_prefix_bloom
                                                      : nullptr;
}

class OptionsText {
 public:
  // Parses a line. Returns an empty string, or a sentence if the line is invalid.
  std::string Read(absl::string_view raw_line) {
    const absl::string_view line = WithoutComment(raw_line);
    if (!line.empty() && line.front() == '[') {
      return ReadSection(line);
    }
    const size_t equals = line.find('=');
    if (family_ == nullptr || equals == absl::string_view::npos) {
      return std::string();
    }
    const absl::string_view name = absl::StripAsciiWhitespace(line.substr(0, equals));
    const std::string value(absl::StripAsciiWhitespace(line.substr(equals + 1)));
    if (in_table_options_ && name == "filter_policy") {
      if (!section_has_policy_) {  // RocksDB keeps the first of two
        family_->policy = value;
      }
      section_has_policy_ = true;
    } else if (!in_table_options_ &&
               (name == "table_factory" || name == "block_based_table_factory")) {
      TakeTableOptions(value, family_);
    } else if (std::string* place = PlaceOf(name, in_table_options_, family_);
               place != nullptr && value != "nullptr") {
      *place = value;
    }
    return std::string();
  }

  const std::vector<FamilyText>& families() const { return families_; }

 private:
  std::string ReadSection(absl::string_view line) {
    family_ = nullptr;
    section_has_policy_ = false;
    in_table_options_ = absl::StartsWith(line, "[TableOptions/");
    if (!in_table_options_ && !absl::StartsWith(line, "[CFOptions")) {
      return std::string();
    }
    const std::string name = QuotedName(line);
    const auto found =
        std::find_if(families_.begin(), families_.end(),
                     [&name](const FamilyText& asked) { return asked.name == name; });
    const bool known = found != families_.end();
    if (in_table_options_ != known) {
      // RocksDB's reader aborts on such a file.
      return absl::StrCat(
          "section ", line,
          known ? " is there twice" : " is not preceded by the section [CFOptions] of that family");
    }
    if (!known) {
      families_.emplace_back().name = name;
    }
    family_ = known ? &*found : &families_.back();
    return std::string();
  }

  std::vector<FamilyText> families_;
  // Column family of the current section; null in sections about something else.
  FamilyText* family_ = nullptr;
  bool in_table_options_ = false;
  bool section_has_policy_ = false;
};

}  // namespace

std::string ReadFamilies(const std::string& path, std::vector<FamilyText>* families) {
  OptionsText text;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string problem = text.Read(line);
    if (!problem.empty()) {
      return absl::StrCat("line ", number, " of '", path, "': ", problem);
    }
  }
  *families = text.families();
  return file.bad() || !file.eof() ? absl::StrCat("can't read '", path, "'") : std::string();
}

std::map<std::string, std::string> ComparatorsOfOptionsFile(const std::string& path) {
  std::map<std::string, std::string> comparators;
  const OptionsPath found = FindOptionsFile(path);
  std::vector<FamilyText> families;
  if (found.error.empty() && ReadFamilies(found.path, &families).empty()) {
    for (const FamilyText& family : families) {
      if (!family.comparator.empty()) {
        comparators[family.name] = family.comparator;
      }
    }
  }
  return comparators;
}

}  // namespace winnow::inspect
