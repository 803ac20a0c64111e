#include "src/inspect/suggest_policy.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;

constexpr absl::string_view kNames[] = {"winnow", "bloomfilter", "ribbonfilter"};

struct NameAndBits {
  std::string name;
  std::string bits;  // empty: no number
};

bool IsNameCharacter(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '.';
}

bool IsNumberCharacter(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.';
}

// The leading name and the first number after it, whatever stands between.
NameAndBits SplitPlain(absl::string_view text) {
  NameAndBits parts;
  const auto name_end = std::find_if_not(text.begin(), text.end(), IsNameCharacter);
  parts.name = std::string(text.begin(), name_end);
  const auto number = std::find_if(name_end, text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  parts.bits = std::string(number, std::find_if_not(number, text.end(), IsNumberCharacter));
  return parts;
}

NameAndBits Split(absl::string_view options_string) {
  std::unordered_map<std::string, std::string> values;
  if (absl::StrContains(options_string, '=') &&
      ROCKSDB_NAMESPACE::StringToMap(std::string(options_string), &values).ok() &&
      values.count("id") > 0) {
    NameAndBits parts = SplitPlain(values["id"]);
    if (values.count("bits_per_key") > 0) {
      parts.bits = values["bits_per_key"];
    }
    return parts;
  }
  return SplitPlain(options_string);
}

bool IsAccepted(const std::string& options_string) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> policy;
  return FilterPolicy::CreateFromString(config, options_string, &policy).ok() && policy != nullptr;
}

absl::string_view ClosestName(absl::string_view name) {
  absl::string_view closest = kNames[0];
  size_t smallest = std::max<size_t>(2, name.size() / 2);  // beyond it, nothing is close
  for (const absl::string_view candidate : kNames) {
    // "bloom" and "rocksdb.RibbonFilter" are meant as clearly as a slip of the finger.
    const bool is_part = name.size() >= 4 && (absl::StartsWithIgnoreCase(candidate, name) ||
                                              absl::EndsWithIgnoreCase(name, candidate));
    const size_t distance = is_part ? 0 : EditDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      closest = candidate;
    }
  }
  return closest;
}

}  // namespace

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

std::string SuggestPolicy(absl::string_view options_string) {
  const NameAndBits parts = Split(options_string);
  const absl::string_view name = ClosestName(parts.name);
  double bits = 0;
  const bool usable = absl::SimpleAtod(parts.bits, &bits) && bits >= 1 && bits <= 100;
  for (const std::string& number : {usable ? parts.bits : std::string("10"), std::string("10")}) {
    std::string suggestion = absl::StrCat(name, ":", number);
    if (IsAccepted(suggestion)) {
      return suggestion;
    }
  }
  return std::string();
}

}  // namespace winnow::inspect
