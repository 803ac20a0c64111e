// Options by name, as text or number.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/c_api/errors.h"
#include "src/c_api/handles.h"

namespace winnow::c_api {
namespace {

// A stream for numbers, whatever the locale. It hands on what is thrown within, as for want of
// memory, instead of taking it for a bad number.
template <typename Stream>
Stream NumberStream() {
  Stream stream;
  stream.imbue(std::locale::classic());
  stream.exceptions(std::ios_base::badbit);
  return stream;
}

// False if the text is something else or more than a finite number.
bool Parse(std::string_view text, double* number) {
  auto in = NumberStream<std::istringstream>();
  in.str(std::string(text));
  double read = 0;
  in >> std::noskipws >> read;
  *number = read;
  return !in.fail() && in.peek() == std::istringstream::traits_type::eof();
}

// The fewest digits that are read as this number again; all of a whole number that an option of
// such might have.
std::string TextOf(double number) {
  std::string text;
  if (std::trunc(number) == number && std::abs(number) < std::ldexp(1, 64)) {
    auto out = NumberStream<std::ostringstream>();
    out.precision(0);
    out << std::fixed << number;
    return out.str();
  }
  for (int digits = 6; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
    auto out = NumberStream<std::ostringstream>();
    out.precision(digits);
    out << number;
    text = out.str();
    double again = 0;
    if (Parse(text, &again) && again == number) break;
  }
  return text;
}

// Whole numbers may be written as 1e5 too, and are then those of the text: not by way of a double,
// which has 53 bits.
template <typename Integer>
std::enable_if_t<std::is_integral_v<Integer>, bool> Parse(std::string_view text, Integer* number) {
  double real = 0;
  if (!Parse(text, &real)) return false;
  const size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  std::string digits(text.substr(0, exponent_at));
  const std::string sign(digits.front() == '-' ? "-" : "");
  if (digits.front() == '-' || digits.front() == '+') digits.erase(0, 1);
  std::string_view exponent = text.substr(std::min(exponent_at + 1, text.size()));
  if (!exponent.empty() && exponent.front() == '+') exponent.remove_prefix(1);
  const char* const end = exponent.data() + exponent.size();
  int power = 0;
  const bool is_far =
      std::from_chars(exponent.data(), end, power).ec == std::errc::result_out_of_range;
  int64_t places = power;  // how many zeros follow the digits, or digits the point
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    places -= static_cast<int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) {
    *number = 0;
    return true;
  }
  for (; places < 0 && digits.back() == '0'; ++places) digits.pop_back();
  if (is_far || places < 0 || places > std::numeric_limits<Integer>::digits10) return false;
  digits.append(static_cast<size_t>(places), '0');
  digits.insert(0, sign);
  const auto [rest, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), *number);
  return problem == std::errc() && rest == digits.data() + digits.size();
}

// An option whose value is a number.
template <auto kMember>
bool SetNumber(std::string_view text, FilterOptions* options) {
  return Parse(text, &(options->*kMember));
}

template <auto kMember>
std::string GetNumber(const FilterOptions& options) {
  const auto value = options.*kMember;
  if constexpr (std::is_integral_v<decltype(value)>) {
    return std::to_string(value);
  } else {
    return TextOf(value);
  }
}

bool SetKind(std::string_view text, FilterOptions* options) {
  if (text == "auto" || text == "0") {
    options->kind.reset();
    return true;
  }
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    if (text == ToString(kind) || text == std::to_string(static_cast<int>(kind))) {
      options->kind = kind;
      return true;
    }
  }
  return false;
}

std::string GetKind(const FilterOptions& options) {
  return options.kind ? std::string(ToString(*options.kind)) : "auto";
}

bool SetRibbonMinKeys(std::string_view text, FilterOptions* options) {
  if (text == "auto") {
    options->ribbon_min_keys = kRibbonWhereItSaves;
    return true;
  }
  return Parse(text, &options->ribbon_min_keys) && options->ribbon_min_keys != kRibbonWhereItSaves;
}

std::string GetRibbonMinKeys(const FilterOptions& options) {
  return options.ribbon_min_keys == kRibbonWhereItSaves ? "auto"
                                                        : std::to_string(options.ribbon_min_keys);
}

constexpr double kMostLevelsBelow = 14;  // winnow/options.h

// C++ takes any number for the nearest one that there is; a program that writes text means another.
bool SetLevelsBelow(std::string_view text, FilterOptions* options) {
  double levels = 0;
  if (!Parse(text, &levels)) return false;
  options->levels_below = levels;
  return levels == -1 || (levels >= 0 && levels <= kMostLevelsBelow);
}

bool SetLevelPlan(std::string_view text, FilterOptions* options) {
  for (const LevelPlan plan : {LevelPlan::kUniform, LevelPlan::kByLevel, LevelPlan::kAuto}) {
    if (text == ToString(plan) || text == std::to_string(static_cast<int>(plan))) {
      options->level_plan = plan;
      return true;
    }
  }
  return false;
}

std::string GetLevelPlan(const FilterOptions& options) {
  return std::string(ToString(options.level_plan));
}

// True if it went through: false for a text that is none of the values.
using Setter = bool (*)(std::string_view text, FilterOptions* options);
using Getter = std::string (*)(const FilterOptions& options);

struct Option {
  const char* name;
  const char* values;
  Setter set;
  Getter get;
};

template <auto kMember>
constexpr Option NumberOption(const char* name, const char* values) {
  return {name, values, SetNumber<kMember>, GetNumber<kMember>};
}

constexpr Option kOptions[] = {
    NumberOption<&FilterOptions::bits_per_key>("bits_per_key", "a number"),
    {"kind", "bloom, ribbon or auto", SetKind, GetKind},
    {"ribbon_min_keys", "a number of keys or auto", SetRibbonMinKeys, GetRibbonMinKeys},
    NumberOption<&FilterOptions::level>("level", "a whole number"),
    NumberOption<&FilterOptions::bloom_before_level>("bloom_before_level", "a whole number"),
    {"level_plan", "uniform, by_level or auto", SetLevelPlan, GetLevelPlan},
    NumberOption<&FilterOptions::level_size_ratio>("level_size_ratio", "a number"),
    NumberOption<&FilterOptions::absent_share>("absent_share", "a number"),
    {"levels_below", "a number from 0 to 14, or -1", SetLevelsBelow,
     GetNumber<&FilterOptions::levels_below>},
};

const Option& FindOption(std::string_view name) {
  for (const Option& option : kOptions) {
    if (name == option.name) return option;
  }
  std::string text = "there is no option " + std::string(name) + "; there are";
  for (const Option& option : kOptions) text += std::string(" ") + option.name;
  throw Failure{WINNOW_UNKNOWN_NAME, std::move(text)};
}

// Throws a Failure, and then leaves the options as they were.
void Set(const Option& option, const std::string& value, FilterOptions* options) {
  FilterOptions changed = *options;
  if (!option.set(value, &changed)) {
    throw Failure{WINNOW_BAD_VALUE, std::string(option.name) + " is " +
                                        (value.empty() ? "empty" : value) + ", but must be " +
                                        option.values};
  }
  // By itself: what goes together is seen when all are there.
  FilterOptions alone;
  alone.level_plan = LevelPlan::kAuto;
  option.set(value, &alone);
  std::string problem = CheckOptions(alone);
  if (!problem.empty()) throw Failure{WINNOW_BAD_VALUE, std::move(problem)};
  *options = changed;
}

}  // namespace
}  // namespace winnow::c_api

using winnow::c_api::CodeOf;
using winnow::c_api::Failure;
using winnow::c_api::FindOption;
using winnow::c_api::HandleOf;
using winnow::c_api::RefuseNull;

winnow_options* winnow_options_new(winnow_error** error) {
  return HandleOf(error, [] { return new winnow_options; });
}

void winnow_options_free(winnow_options* options) { delete options; }

winnow_code winnow_options_set(winnow_options* options, const char* name, const char* value,
                               winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({options, name, value});
    winnow::c_api::Set(FindOption(name), value, &options->options);
  });
}

winnow_code winnow_options_set_number(winnow_options* options, const char* name, double value,
                                      winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({options, name});
    winnow::c_api::Set(FindOption(name), winnow::c_api::TextOf(value), &options->options);
  });
}

winnow_code winnow_options_get(const winnow_options* options, const char* name, char* value,
                               size_t capacity, winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({options, name, value});
    const std::string text = FindOption(name).get(options->options);
    if (text.size() >= capacity) {
      throw Failure{WINNOW_TOO_SMALL, std::string("the value of ") + name + " takes " +
                                          std::to_string(text.size() + 1) + " bytes, not " +
                                          std::to_string(capacity)};
    }
    std::memcpy(value, text.c_str(), text.size() + 1);
  });
}

bool winnow_options_need_filter(const winnow_options* options) {
  return winnow::NeedsFilter(options->options);
}

const char* winnow_option_name(size_t i) {
  return i < std::size(winnow::c_api::kOptions) ? winnow::c_api::kOptions[i].name : nullptr;
}
