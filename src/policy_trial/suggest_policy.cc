#include "src/policy_trial/suggest_policy.h"

#include <absl/algorithm/container.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/policy_trial/open_with_policy.h"
#include "src/rocksdb/policy_options.h"
#include "src/text/flag_words.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {
namespace {

constexpr absl::string_view kNames[] = {"winnow", "bloomfilter", "ribbonfilter"};
constexpr absl::string_view kId = "id";
constexpr absl::string_view kBits = kBitsPerKeyOption.name;
constexpr absl::string_view kLevel = kBloomBeforeLevelOption.name;

// Minimum bits per key. RocksDB treats fewer as none, and users probably mean "no filter".
constexpr double kMinBits = 0.5;

using Settings = std::vector<std::pair<std::string, std::string>>;  // ordered as in the text

// Returns the candidate nearest to a name; empty if none is near. A candidate with is_meant has the
// distance 0.
template <typename Candidates, typename IsMeant>
std::string Closest(absl::string_view name, const Candidates& candidates, const IsMeant& is_meant) {
  std::string closest;
  size_t smallest = std::max<size_t>(2, name.size() / 2);  // exclusive limit of the distance
  for (const absl::string_view candidate : candidates) {
    const bool is_clear = name.size() >= 4 && is_meant(candidate);
    const size_t distance = is_clear ? 0 : EditDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      closest = std::string(candidate);
    }
  }
  return closest;
}

// Returns the policy or option value that a name means, such as "bloom" and "rocksdb.RibbonFilter".
template <typename Names>
std::string ClosestName(absl::string_view name, absl::string_view fallback, const Names& names) {
  const std::string closest = Closest(name, names, [name](absl::string_view candidate) {
    return absl::StartsWithIgnoreCase(candidate, name) ||
           absl::StartsWithIgnoreCase(name, candidate) || absl::EndsWithIgnoreCase(name, candidate);
  });
  return closest.empty() ? std::string(fallback) : closest;
}

// Returns the Winnow option that a name means, such as "bits" and "bloom_level"; empty if none.
std::string ClosestOption(absl::string_view name) {
  const std::vector<std::string> words = absl::StrSplit(absl::AsciiStrToLower(name), '_');
  return Closest(name, plugin::PolicyOptionNameList(), [&words](absl::string_view option) {
    return absl::c_all_of(
        words, [option](const std::string& word) { return absl::StrContains(option, word); });
  });
}

// Returns the text as a number, or the first number in it.
std::optional<double> FindNumber(absl::string_view text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) {
    const size_t begin = std::min(text.find_first_of("-0123456789"), text.size());
    const size_t end = text.find_first_not_of("0123456789.", begin + 1);
    if (!absl::SimpleAtod(text.substr(begin, end - begin), &number)) return std::nullopt;
  }
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

bool IsNoBits(absl::string_view text) {
  const std::optional<double> bits = FindNumber(text);
  return bits && *bits < kMinBits;
}

std::string NearestBits(absl::string_view policy, absl::string_view text) {
  constexpr double kMostOfBuiltin = 100;
  const std::optional<double> bits = FindNumber(text);
  if (!bits || *bits < kMinBits) return absl::StrCat(PolicyOptions().bits_per_key);
  return absl::StrCat(std::clamp(*bits, kBitsPerKeyOption.least,
                                 policy == kNames[0] ? kBitsPerKeyOption.most : kMostOfBuiltin));
}

// Returns, for example, "256MiB" for "256 mb"; the text itself if no number with a unit is in it.
std::string WithUnit(const std::string& text) {
  std::string size;
  for (const char c : text) {
    const char unit = absl::ascii_toupper(static_cast<unsigned char>(c));
    if (absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c == '.' && !size.empty())) {
      size += c;
    } else if (!size.empty() && absl::StrContains("KMGT", unit)) {
      return absl::StrCat(size, std::string(1, unit), "iB");
    }
  }
  return text;
}

template <typename Value>
std::string Nearest(const NumberOption<Value>& option, const std::string& text) {
  if (option.name == kBits) return NearestBits(kNames[0], text);
  PolicyOptions options;
  const std::string given = option.unit == kBytes ? WithUnit(text) : text;
  plugin::SetNearestPolicyOption(option.name, given, &options);
  return plugin::PolicyOptionText(option.name, options);
}

// Returns the nearest of the names. If none is near, returns the one for unknown values, which is
// safe for all readers.
template <typename Value, size_t kCount>
std::string Nearest(const NamedOption<Value, kCount>& option, const std::string& text) {
  std::vector<absl::string_view> names;
  absl::string_view fallback;
  for (const auto& [name, value] : option.values) {
    names.emplace_back(name.data(), name.size());
    if (value == option.if_unknown) fallback = names.back();
  }
  return ClosestName(text, fallback, names);
}

// Returns the valid value of a Winnow option that is nearest to the given text.
std::string NearestValue(const std::string& name, const std::string& text) {
  PolicyOptions options;
  if (plugin::ParsePolicyOption(name, text, &options).ok()) return text;
  std::string nearest;
  ForEachPolicyOption([&](const auto& option, auto /*member*/) {
    if (option.name == name) nearest = Nearest(option, text);
  });
  return nearest;
}

// Splits text such as "winnow:10" into name and bits, with any separator.
std::pair<absl::string_view, absl::string_view> SplitPlain(absl::string_view text) {
  const auto is_of_name = [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '.';
  };
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_name);
  const auto length = static_cast<size_t>(end - text.begin());
  absl::string_view bits = text.substr(length);
  absl::ConsumePrefix(&bits, "-");  // a dash instead of the colon, not a sign
  absl::ConsumePrefix(&bits, ":");
  return {text.substr(0, length), bits};
}

// Returns, for example, "winnow:32" for "winow:33".
std::string NearestPlain(absl::string_view text) {
  const auto [asked, bits] = SplitPlain(text);
  const std::string name = ClosestName(asked, kNames[0], kNames);
  return absl::StrCat(name, ":", NearestBits(name, bits));
}

const std::string* Find(const Settings& settings, absl::string_view name) {
  const auto found =
      absl::c_find_if(settings, [&](const auto& setting) { return setting.first == name; });
  return found == settings.end() ? nullptr : &found->second;
}

// Splits "{id=winnow;bits_per_key=10}", with or without braces, into settings with the options that
// are meant. Each option occurs once: a correct name takes precedence over a misspelled one. Names
// that are not near any Winnow option are dropped.
Settings SplitSettings(absl::string_view text) {
  Settings asked;
  absl::ConsumePrefix(&text, "{");
  absl::ConsumeSuffix(&text, "}");
  for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    asked.emplace_back(absl::StripAsciiWhitespace(pair.first),
                       absl::StripAsciiWhitespace(pair.second));
  }
  Settings meant;
  for (const auto& [name, value] : asked) {
    const std::string right = name == kId ? name : ClosestOption(name);
    const bool is_there_as_it_is = right != name && Find(asked, right) != nullptr;
    if (right.empty() || is_there_as_it_is || Find(meant, right) != nullptr) continue;
    meant.emplace_back(right, value);
  }
  return meant;
}

// Returns Winnow's policy in braces, as options strings require.
std::string NearestWinnow(const Settings& settings) {
  std::vector<std::string> nearest;
  for (const auto& [name, value] : settings) {
    const std::string right = name != kId ? NearestValue(name, value)
                              : absl::StrContains(value, ':')
                                  ? NearestPlain(value)
                                  : ClosestName(value, kNames[0], kNames);
    nearest.push_back(absl::StrCat(name, "=", right));
  }
  return absl::StrCat("{", absl::StrJoin(nearest, ";"), "}");
}

// Returns a built-in policy. It has no options in braces, which RocksDB does not support, up to 8.6
// not even for a Ribbon policy's level.
std::string NearestBuiltin(const std::string& id, const Settings& settings) {
  const std::string* const bits = Find(settings, kBits);
  const std::string* const level = Find(settings, kLevel);
  const std::string plain = NearestPlain(bits == nullptr ? id : absl::StrCat(id, ":", *bits));
  return level != nullptr && absl::StartsWith(plain, kNames[2])
             ? absl::StrCat(plain, ":", NearestValue(std::string(kLevel), *level))
             : plain;
}

// Returns whether the policy works wherever it is written.
bool Works(const std::string& options_string) {
  return absl::c_all_of(PlacesFor(options_string), [&options_string](PolicyPlace place) {
    return OpenWithPolicy(options_string, place).outcome == PolicyOutcome::kWorks;
  });
}

}  // namespace

bool AsksForNoBits(absl::string_view options_string) {
  const Settings settings = SplitSettings(options_string);
  const std::string* const id = Find(settings, kId);
  const std::string* const bits = id == nullptr ? nullptr : Find(settings, kBits);
  return IsNoBits(SplitPlain(id == nullptr ? options_string : *id).second) ||
         (bits != nullptr && IsNoBits(*bits));
}

std::string SuggestPolicy(absl::string_view options_string) {
  std::vector<std::string> suggestions;
  const Settings settings = SplitSettings(options_string);
  if (const std::string* const id = Find(settings, kId)) {
    suggestions = {NearestWinnow(settings), NearestBuiltin(*id, settings)};
  } else {
    suggestions = {NearestPlain(options_string)};
  }
  suggestions.push_back(NearestPlain(kNames[0]));
  const auto works = absl::c_find_if(suggestions, Works);
  return works == suggestions.end() ? std::string() : *works;
}

}  // namespace winnow::inspect
