#include "db_bench_ext/read_amplification/report/policy_text.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <optional>

namespace winnow::inspect {
namespace {

constexpr std::string_view kBits = "bits_per_key=";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// Position of the bits in the text of a policy.
struct Place {
  size_t begin = 0;
  size_t size = 0;
};

// Returns the value after "bits_per_key=" if that is the complete name of an option.
std::optional<Place> NamedBits(std::string_view policy) {
  for (size_t at = policy.find(kBits); at != std::string_view::npos;
       at = policy.find(kBits, at + 1)) {
    if (at > 0 && std::string_view("{; ").find(policy[at - 1]) == std::string_view::npos) continue;
    const size_t begin = at + kBits.size();
    return Place{begin, std::min(policy.find_first_of(";} ", begin), policy.size()) - begin};
  }
  return std::nullopt;
}

// Finds the bits in "NAME:BITS", possibly followed by another colon and more.
std::optional<Place> PlaceOfBits(std::string_view policy) {
  if (const std::optional<Place> named = NamedBits(policy)) return named;
  const size_t colon = policy.find(':');
  if (colon == std::string_view::npos || policy.find_first_of("{=") != std::string_view::npos) {
    return std::nullopt;
  }
  return Place{colon + 1,
               std::min(policy.find_first_of(":;", colon + 1), policy.size()) - colon - 1};
}

// Returns the bits per key of a policy such as "winnow:10" or "{id=winnow;bits_per_key=10}".
std::optional<double> BitsOf(std::string_view policy) {
  const std::optional<Place> place = PlaceOfBits(policy);
  double bits = 0;
  if (!place || !absl::SimpleAtod(View(policy.substr(place->begin, place->size)), &bits)) {
    return std::nullopt;
  }
  return bits;
}

// Abbreviates "{id=NAME;option=value;…}" to NAME, the bits, and the values of other options.
std::string Short(std::string_view policy, bool with_bits) {
  const std::optional<double> bits = BitsOf(policy);
  const std::string colon_bits = bits && with_bits ? absl::StrCat(":", *bits) : "";
  if (policy.size() < 2 || policy.front() != '{' || policy.back() != '}') {
    if (!bits || with_bits) return std::string(policy);
    const Place place = *PlaceOfBits(policy);
    std::string rest(policy.substr(place.begin + place.size));
    std::replace(rest.begin(), rest.end(), ':', ' ');
    return std::string(policy.substr(0, place.begin - 1)) + rest;
  }
  std::string name, values;
  policy = policy.substr(1, policy.size() - 2);
  for (const absl::string_view option : absl::StrSplit(View(policy), ';', absl::SkipWhitespace())) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(option, absl::MaxSplits('=', 1));
    if (parts.first == "id") {
      name = parts.second;
    } else if (parts.first != "bits_per_key") {
      double number = 0;  // meaningless without its name
      absl::StrAppend(&values, " ",
                      absl::SimpleAtod(parts.second, &number) ? std::string(option) : parts.second);
    }
  }
  return absl::StrCat(name, colon_bits, values);
}

}  // namespace

std::string ShortPolicy(std::string_view policy) { return Short(policy, true); }

std::string PolicyFamily(std::string_view policy) { return Short(policy, false); }

std::vector<std::string> PolicyLabels(const std::vector<std::string>& policies, size_t most) {
  std::vector<std::string> labels;
  labels.reserve(policies.size());
  for (const std::string& policy : policies) {
    labels.push_back(policy.size() <= most ? policy : ShortPolicy(policy));
  }
  const std::vector<std::string> wanted = labels;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool unique = std::count(wanted.begin(), wanted.end(), wanted[i]) == 1;
    if (unique && wanted[i].size() <= most) continue;
    const std::string number = absl::StrCat("..", i + 1);
    labels[i] = absl::StrCat(wanted[i].substr(0, most - number.size()), number);
  }
  return labels;
}

}  // namespace winnow::inspect
