#include "src/inspect/options_file.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <optional>
#include <unordered_map>

#include "src/inspect/describe_policy.h"
#include "src/inspect/options_path.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::Status;

// What the text of the file says. RocksDB has no public way to ask for it, and what it loads does
// not tell a policy that was dropped from one that was never there.
struct AskedFor {
  std::string family;
  std::optional<std::string> policy;  // unset: the file says nothing about it
  std::string comparator;             // its name; empty: the file says nothing about it
};

// A line without its comment and the spaces around it, as RocksDB reads it.
absl::string_view WithoutComment(absl::string_view line) {
  for (size_t at = line.find('#'); at != absl::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] != '\\') {
      line = line.substr(0, at);
      break;
    }
  }
  return absl::StripAsciiWhitespace(line);
}

// The name in the quotes of [CFOptions "name"].
std::string QuotedName(absl::string_view section) {
  const size_t first = section.find('"');
  const size_t last = section.rfind('"');
  if (first == absl::string_view::npos || first == last) {
    return std::string();
  }
  return absl::StrReplaceAll(section.substr(first + 1, last - first - 1),
                             {{"\\#", "#"}, {"\\:", ":"}, {"\\\\", "\\"}});
}

// The policy in a table factory that is written as one value: {filter_policy=winnow:10;…}.
std::optional<std::string> PolicyInside(const std::string& value) {
  std::unordered_map<std::string, std::string> values;
  if (ROCKSDB_NAMESPACE::StringToMap(value, &values).ok() && values.count("filter_policy") > 0) {
    return values["filter_policy"];
  }
  return std::nullopt;
}

class OptionsText {
 public:
  // Reads on; empty, or a sentence that says what is wrong with the line.
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
      family_->policy = PolicyInside(value);
    } else if (!in_table_options_ && name == "comparator" && value != "nullptr") {
      family_->comparator = value;
    }
    return std::string();
  }

  const std::vector<AskedFor>& families() const { return families_; }

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
                     [&name](const AskedFor& asked) { return asked.family == name; });
    const bool known = found != families_.end();
    if (in_table_options_ != known) {
      // RocksDB's own reader ends the program on such a file.
      return absl::StrCat(
          "section ", line,
          known ? " is there twice" : " is not preceded by the section [CFOptions] of that family");
    }
    if (!known) {
      families_.push_back({name, std::nullopt, std::string()});
    }
    family_ = known ? &*found : &families_.back();
    return std::string();
  }

  std::vector<AskedFor> families_;
  AskedFor* family_ = nullptr;  // of the section being read; null: a section about something else
  bool in_table_options_ = false;
  bool section_has_policy_ = false;
};

// As RocksDB loads the file by default, when it is not strict.
std::string Load(const std::string& path, std::vector<ColumnFamilyDescriptor>* families) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  ROCKSDB_NAMESPACE::DBOptions options;
  try {
    const Status status = ROCKSDB_NAMESPACE::LoadOptionsFromFile(config, path, &options, families);
    return status.ok() ? std::string() : status.ToString();
  } catch (const std::exception& exception) {
    return absl::StrCat("exception \"", exception.what(), "\"");
  }
}

// The policy that RocksDB has in force for a family; empty: none.
std::string PolicyInForce(const std::vector<ColumnFamilyDescriptor>& families,
                          const std::string& name) {
  for (const ColumnFamilyDescriptor& family : families) {
    if (family.name != name || family.options.table_factory == nullptr) {
      continue;
    }
    const auto* table = family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table != nullptr && table->filter_policy != nullptr) {
      return DescribePolicy(*table->filter_policy);
    }
  }
  return std::string();
}

FamilyPolicy Judge(const AskedFor& asked, bool with_trials, const std::optional<TrialFile>& file) {
  FamilyPolicy family;
  family.name = asked.family;
  family.no_filter_asked_for = !asked.policy || *asked.policy == "nullptr" || asked.policy->empty();
  if (!family.no_filter_asked_for) {
    family.verdict = CheckPolicyOfFile(*asked.policy, with_trials, file);
  } else {
    family.verdict.asked = asked.policy.value_or(std::string());
  }
  return family;
}

void CompareWithForce(const std::string& in_force, FamilyPolicy* family) {
  PolicyVerdict& verdict = family->verdict;
  if (family->no_filter_asked_for || !verdict.problem.empty() || in_force == verdict.in_force) {
    return;
  }
  verdict.outcome = in_force.empty() ? PolicyOutcome::kNoPolicy : PolicyOutcome::kOtherPolicy;
  verdict.in_force = in_force;
  verdict.problem =
      absl::StrCat("RocksDB accepts the policy alone, but when it loads this file it has ",
                   in_force.empty() ? "no filter policy" : in_force, " in force.");
}

std::string ReadText(const std::string& path, OptionsText* text) {
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string problem = text->Read(line);
    if (!problem.empty()) {
      return absl::StrCat("line ", number, " of '", path, "': ", problem);
    }
  }
  return file.bad() || !file.eof() ? absl::StrCat("can't read '", path, "'") : std::string();
}

}  // namespace

OptionsFileReport CheckOptionsFile(const std::string& path, bool with_trials,
                                   const std::optional<TrialFile>& file) {
  OptionsFileReport report;
  const OptionsPath found = FindOptionsFile(path);
  report.path = found.path;
  report.error = found.error;
  OptionsText text;
  if (report.error.empty()) {
    report.error = ReadText(report.path, &text);
  }
  if (!report.error.empty()) {
    return report;
  }
  if (text.families().empty()) {
    report.error = absl::StrCat("'", report.path,
                                "' is not a RocksDB options file: it has no section [CFOptions]");
    return report;
  }
  bool all_well = true;
  for (const AskedFor& asked : text.families()) {
    report.families.push_back(Judge(asked, with_trials, file));
    all_well = all_well && report.families.back().verdict.problem.empty();
  }
  std::vector<ColumnFamilyDescriptor> loaded;
  const std::string refusal = Load(report.path, &loaded);
  if (refusal.empty()) {
    for (FamilyPolicy& family : report.families) {
      CompareWithForce(PolicyInForce(loaded, family.name), &family);
    }
  } else if (all_well) {  // else the refusal is about a policy, and said with it
    report.error = absl::StrCat("RocksDB refuses the file '", report.path, "': ", refusal);
  }
  return report;
}

std::map<std::string, std::string> ComparatorsOfOptionsFile(const std::string& path) {
  std::map<std::string, std::string> comparators;
  const OptionsPath found = FindOptionsFile(path);
  OptionsText text;
  if (found.error.empty() && ReadText(found.path, &text).empty()) {
    for (const AskedFor& family : text.families()) {
      if (!family.comparator.empty()) {
        comparators[family.family] = family.comparator;
      }
    }
  }
  return comparators;
}

}  // namespace winnow::inspect
