#include "src/policy_trial/suggest_policy.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <absl/types/span.h>
#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/policy_trial/open_with_policy.h"
#include "src/text/flag_words.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;

constexpr absl::string_view kNames[] = {"winnow", "bloomfilter", "ribbonfilter"};
constexpr absl::string_view kId = "id";

// An option with the texts of its range and of what stands for a value that is no number.
struct Option {
  absl::string_view name;
  std::string least;
  std::string most;
  std::string usual;
  bool whole;
  bool is_size = false;                       // in bytes, or a unit of them
  std::vector<absl::string_view> names = {};  // the values, where they are not numbers
};

template <typename Value>
Option Describe(const NumberOption<Value>& option, Value usual) {
  return {option.name,
          absl::StrCat(option.least),
          absl::StrCat(option.most),
          usual == option.automatic ? "auto" : absl::StrCat(usual),
          std::is_integral_v<Value>,
          option.unit == kBytes};
}

// One of the names. Readers may not know what would be built where nobody can tell which was meant.
template <typename Value, size_t kCount>
Option Describe(const NamedOption<Value, kCount>& option, Value) {
  Option described = {option.name, "", "", "", false, false};
  for (const auto& [name, value] : option.values) {
    described.names.emplace_back(name.data(), name.size());
    if (value == option.if_unknown) described.usual = std::string(name);
  }
  return described;
}

const std::vector<Option>& WinnowOptions() {
  static const auto& options = *[] {
    auto* made = new std::vector<Option>;
    ForEachPolicyOption([&](const auto& option, auto member) {
      made->push_back(Describe(option, PolicyOptions().*member));
    });
    return made;
  }();
  return options;
}

const Option& WinnowOption(absl::string_view name) {
  return *std::find_if(WinnowOptions().begin(), WinnowOptions().end(),
                       [name](const Option& option) { return option.name == name; });
}

constexpr absl::string_view kBits = kBitsPerKeyOption.name;
constexpr absl::string_view kLevel = kBloomBeforeLevelOption.name;

const Option& BitsOfBuiltin() {
  static const Option& bits = *new Option{kBits, "1", "100", "10", false};
  return bits;
}

// Fewer bits a key than this are none to RocksDB, and "no filter" to those who ask for them.
constexpr double kMinBits = 0.5;

const Option& BitsOf(absl::string_view policy) {
  return policy == kNames[0] ? WinnowOption(kBits) : BitsOfBuiltin();
}

bool IsNameCharacter(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '.';
}

bool IsNumberCharacter(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.';
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// The first number in a text, with its sign if that can't be a dash between two words. Empty
// without one.
absl::string_view FirstNumber(absl::string_view text) {
  const size_t begin =
      static_cast<size_t>(std::find_if(text.begin(), text.end(), IsDigit) - text.begin());
  size_t end = begin;
  while (end < text.size() && IsNumberCharacter(text[end])) {
    ++end;
  }
  const bool negative =
      begin > 0 && text[begin - 1] == '-' &&
      (begin == 1 || absl::StrContains(":= ", absl::string_view(&text[begin - 2], 1)));
  return text.substr(negative ? begin - 1 : begin, end - begin + (negative ? 1 : 0));
}

bool IsAccepted(const std::string& options_string) {
  std::shared_ptr<const FilterPolicy> policy;
  return MakePolicyStrictly(options_string, &policy).ok() && policy != nullptr;
}

// Wherever it is written.
bool Works(const std::string& options_string) {
  const std::vector<PolicyPlace> places = PlacesFor(options_string);
  return std::all_of(places.begin(), places.end(), [&options_string](PolicyPlace place) {
    return OpenWithPolicy(options_string, place).outcome == PolicyOutcome::kWorks;
  });
}

// The fallback where nothing is close.
absl::string_view ClosestName(absl::string_view name, absl::string_view fallback,
                              absl::Span<const absl::string_view> names = kNames) {
  absl::string_view closest = fallback;
  size_t smallest = std::max<size_t>(2, name.size() / 2);  // beyond it, nothing is close
  for (const absl::string_view candidate : names) {
    // "bloom" and "rocksdb.RibbonFilter" are meant as clearly as a slip of the finger.
    const bool is_part = name.size() >= 4 && (absl::StartsWithIgnoreCase(candidate, name) ||
                                              absl::StartsWithIgnoreCase(name, candidate) ||
                                              absl::EndsWithIgnoreCase(name, candidate));
    const size_t distance = is_part ? 0 : EditDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      closest = candidate;
    }
  }
  return closest;
}

bool HasWordsOf(absl::string_view name, absl::string_view words) {
  const std::vector<absl::string_view> split = absl::StrSplit(words, '_');
  return std::all_of(split.begin(), split.end(),
                     [name](absl::string_view word) { return absl::StrContains(name, word); });
}

// Null: nothing is close. "bits" and "bloom_level" are meant as clearly as a slip of the finger.
const Option* ClosestOption(absl::string_view name) {
  const Option* closest = nullptr;
  size_t smallest = std::max<size_t>(2, name.size() / 2);
  for (const Option& option : WinnowOptions()) {
    const bool is_part = name.size() >= 4 && HasWordsOf(option.name, absl::AsciiStrToLower(name));
    const size_t distance = is_part ? 0 : EditDistance(name, option.name);
    if (distance < smallest) {
      smallest = distance;
      closest = &option;
    }
  }
  return closest;
}

// The number that a text is or has in it, with the characters that say it.
struct Number {
  double value;
  absl::string_view text;
};

std::optional<Number> FindNumber(absl::string_view text) {
  Number number = {0, absl::StripAsciiWhitespace(text)};
  if (!absl::SimpleAtod(number.text, &number.value)) {
    number.text = FirstNumber(text);
    if (!absl::SimpleAtod(number.text, &number.value)) {
      return std::nullopt;
    }
  }
  return std::isnan(number.value) ? std::nullopt : std::optional(number);
}

// "MiB" of "256 MB" or "256mib"; empty where no unit is behind the number, which is in the text.
std::string UnitBehind(absl::string_view text, absl::string_view number) {
  absl::string_view rest = text.substr(text.find(number) + number.size());
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (rest.empty()) return "";
  const char letter = absl::ascii_toupper(static_cast<unsigned char>(rest.front()));
  return absl::StrContains("KMGT", letter) ? absl::StrCat(std::string(1, letter), "iB") : "";
}

// The value of an option that is nearest to the one in a text, and that may have been meant.
std::string NearestValue(const Option& option, absl::string_view text) {
  if (!option.names.empty()) {
    return std::string(ClosestName(text, option.usual, option.names));
  }
  const std::optional<Number> number = FindNumber(text);
  double least = 0, most = 0;
  if (!number || !absl::SimpleAtod(option.least, &least) || !absl::SimpleAtod(option.most, &most) ||
      (option.name == kBits && number->value < kMinBits)) {
    return std::string(option.usual);
  }
  if (number->value <= least || number->value >= most) {
    return std::string(number->value <= least ? option.least : option.most);
  }
  const std::string nearest =
      option.whole && !std::all_of(number->text.begin(), number->text.end(), IsDigit)
          ? absl::StrCat(std::llround(number->value))
          : std::string(number->text);
  return absl::StrCat(nearest, option.is_size ? UnitBehind(text, number->text) : "");
}

struct Plain {
  absl::string_view name;
  absl::string_view bits;
};

// "winnow:10" in its parts, whatever is between them.
Plain SplitPlain(absl::string_view text) {
  const auto name_end = std::find_if_not(text.begin(), text.end(), IsNameCharacter);
  const size_t length = static_cast<size_t>(name_end - text.begin());
  Plain plain = {text.substr(0, length), text.substr(length)};
  absl::ConsumePrefix(&plain.bits, "-");  // a dash in place of the colon, not a sign
  absl::ConsumePrefix(&plain.bits, ":");
  return plain;
}

// "winow:33" as "winnow:32".
std::string NearestPlain(absl::string_view text) {
  const Plain plain = SplitPlain(text);
  const absl::string_view name = ClosestName(plain.name, kNames[0]);
  return absl::StrCat(name, ":", NearestValue(BitsOf(name), plain.bits));
}

// The id of a policy, which may have a number and need not.
std::string NearestId(absl::string_view id) {
  return absl::StrContains(id, ':') ? NearestPlain(id) : std::string(ClosestName(id, kNames[0]));
}

std::string NearestSetting(absl::string_view name, absl::string_view value) {
  if (name == kId) {
    return absl::StrCat(kId, "=", NearestId(value));
  }
  const Option* const option = ClosestOption(name);
  if (option == nullptr) {
    return std::string();
  }
  const std::string given = absl::StrCat(option->name, "=", value);
  return IsAccepted(absl::StrCat(kId, "=", kNames[0], ";", given))
             ? given
             : absl::StrCat(option->name, "=", NearestValue(*option, value));
}

using Settings = std::vector<std::pair<std::string, std::string>>;  // as they come

const std::string* Find(const Settings& settings, absl::string_view name) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const auto& setting) { return setting.first == name; });
  return found == settings.end() ? nullptr : &found->second;
}

// "{id=winnow;bits_per_key=10}", with or without braces.
Settings SplitSettings(absl::string_view text) {
  Settings settings;
  absl::ConsumePrefix(&text, "{");
  absl::ConsumeSuffix(&text, "}");
  for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    settings.emplace_back(absl::StripAsciiWhitespace(pair.first),
                          absl::StripAsciiWhitespace(pair.second));
  }
  return settings;
}

// Between braces, as options strings want them, and each once: one that is right goes before one
// that is misspelt. Options that are near to none of Winnow's are left out.
std::string NearestSettings(const Settings& settings) {
  std::vector<std::string> nearest;
  std::vector<absl::string_view> names;
  for (const auto& [name, value] : settings) {
    const Option* const option = ClosestOption(name);
    const absl::string_view right = name == kId || option == nullptr ? name : option->name;
    std::string setting = NearestSetting(name, value);
    if (setting.empty() || (right != name && Find(settings, right) != nullptr) ||
        std::find(names.begin(), names.end(), right) != names.end()) {
      continue;
    }
    nearest.push_back(std::move(setting));
    names.push_back(right);
  }
  return absl::StrCat("{", absl::StrJoin(nearest, ";"), "}");
}

// The value of the option whose name is nearest to this one; null: none.
const std::string* FindNearest(const Settings& settings, absl::string_view option_name) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const auto& setting) {
    const Option* const option = setting.first == kId ? nullptr : ClosestOption(setting.first);
    return option != nullptr && option->name == option_name;
  });
  return found == settings.end() ? nullptr : &found->second;
}

// The built-in policies take no options between braces, up to RocksDB 8.6 not even a Ribbon
// policy's level.
std::string NearestBuiltin(const std::string& id, const Settings& settings) {
  const std::string* const bits = FindNearest(settings, kBits);
  const std::string* const level = FindNearest(settings, kLevel);
  const std::string plain = NearestPlain(bits == nullptr ? id : absl::StrCat(id, ":", *bits));
  return level != nullptr && absl::StartsWith(plain, kNames[2])
             ? absl::StrCat(plain, ":", NearestValue(WinnowOption(kLevel), *level))
             : plain;
}

bool IsNoBits(absl::string_view text) {
  const std::optional<Number> number = FindNumber(text);
  return number && number->value < kMinBits;
}

}  // namespace

bool AsksForNoBits(absl::string_view options_string) {
  const Settings settings = SplitSettings(options_string);
  const std::string* const id = Find(settings, kId);
  const std::string* const bits = id == nullptr ? nullptr : FindNearest(settings, kBits);
  return IsNoBits(SplitPlain(id == nullptr ? options_string : *id).bits) ||
         (bits != nullptr && IsNoBits(*bits));
}

std::string SuggestPolicy(absl::string_view options_string) {
  std::vector<std::string> suggestions;
  const Settings settings = SplitSettings(options_string);
  if (const std::string* const id = Find(settings, kId)) {
    suggestions = {NearestSettings(settings), NearestBuiltin(*id, settings)};
  } else {
    suggestions = {NearestPlain(options_string)};
  }
  suggestions.push_back(absl::StrCat(kNames[0], ":", WinnowOption(kBits).usual));
  const auto works = std::find_if(suggestions.begin(), suggestions.end(), Works);
  return works == suggestions.end() ? std::string() : *works;
}

}  // namespace winnow::inspect
