// Options by name, as text or number.

#include <charconv>
#include <cmath>
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

// The fewest digits that are read as this number again.
std::string TextOf(double number) {
  std::string text;
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

// Whole numbers may be written as 1e5 too.
template <typename Integer>
std::enable_if_t<std::is_integral_v<Integer>, bool> Parse(std::string_view text, Integer* number) {
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, *number);
  if (problem == std::errc() && rest == end) return true;
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  double real = 0;
  if (!Parse(text, &real) || std::trunc(real) != real || std::abs(real) > kMostExact) return false;
  // 1e-400 is no whole number, though no double is nearer to it than 0.
  if (real == 0 && text.find_first_of("123456789") < text.find_first_of("eE")) return false;
  if (real < static_cast<double>(std::numeric_limits<Integer>::min()) ||
      real > static_cast<double>(std::numeric_limits<Integer>::max())) {
    return false;
  }
  *number = static_cast<Integer>(real);
  return true;
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
    NumberOption<&FilterOptions::levels_below>("levels_below", "a number"),
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
