// C API of options by name, as text or number.

#include "src/core/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/c_api/errors.h"
#include "src/c_api/handles.h"

namespace winnow::c_api {
namespace {

// Returns a stream for locale-independent numbers. Exceptions inside the stream, such as
// std::bad_alloc, are rethrown instead of counting as an invalid number.
template <typename Stream>
Stream NumberStream() {
  Stream stream;
  stream.imbue(std::locale::classic());
  stream.exceptions(std::ios_base::badbit);
  return stream;
}

// Returns false if the text is not exactly one finite number.
bool Parse(std::string_view text, double* number) {
  auto in = NumberStream<std::istringstream>();
  in.str(std::string(text));
  double read = 0;
  in >> std::noskipws >> read;
  *number = read;
  return !in.fail() && in.peek() == std::istringstream::traits_type::eof();
}

// Returns the shortest text that parses to the same number, or all digits of an integer.
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

template <typename Integer>
std::enable_if_t<std::is_integral_v<Integer>, std::string> TextOf(Integer number) {
  return std::to_string(number);
}

// Parses an integer, also in the form 1e5. The value is exact, since the text is not converted to a
// double, which has only 53 bits.
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
  int64_t places = power;  // zeros to append to the digits, or negative: digits to drop
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

// ---- Conversions by type of option. SetValue returns false for an invalid text.

template <typename Value>
bool SetValue(const NumberOption<Value>& option, std::string_view text, Value* value) {
  if (option.automatic && text == "auto") {
    *value = *option.automatic;
    return true;
  }
  return Parse(text, value) && *value != option.automatic &&
         (!option.unknown || *value == option.unknown || option.IsInRange(*value));
}

// Returns the number of a named value; that of "auto" is 0.
template <typename Value>
int NumberOf(Value value) {
  return static_cast<int>(value);
}
int NumberOf(std::optional<FilterKind> kind) { return NumberOf(kind.value_or(FilterKind::kEmpty)); }

template <typename Value, size_t kCount>
bool SetValue(const NamedOption<Value, kCount>& option, std::string_view text, Value* value) {
  for (const auto& [name, named] : option.values) {
    if (text == name || text == std::to_string(NumberOf(named))) {
      *value = named;
      return true;
    }
  }
  return false;
}

template <typename Value>
std::string GetValue(const NumberOption<Value>& option, Value value) {
  return value == option.automatic ? "auto" : TextOf(value);
}

template <typename Value, size_t kCount>
std::string GetValue(const NamedOption<Value, kCount>& option, Value value) {
  return std::string(core::NameOf(option, value));
}

template <typename Value>
std::string ValuesOf(const NumberOption<Value>& option) {
  std::string values = !option.unit.empty()        ? "a number of " + std::string(option.unit)
                       : std::is_integral_v<Value> ? "a whole number"
                                                   : "a number";
  if (option.automatic) values += " or auto";
  if (option.unknown) {
    values += " from " + TextOf(option.least) + " to " + TextOf(option.most) + ", or " +
              TextOf(*option.unknown);
  }
  return values;
}

template <typename Value, size_t kCount>
std::string ValuesOf(const NamedOption<Value, kCount>& option) {
  return core::NamesOf(option);
}

// The last value, "learned", is not for builders.
template <size_t kCount>
std::string ValuesOf(const NamedOption<LevelPlan, kCount>& option) {
  return core::NamesOf(option, kCount - 1);
}

// Calls use(option, member) for the option of this name; throws a Failure if there is none.
template <typename Use>
void WithOption(std::string_view name, const Use& use) {
  bool is_known = false;
  std::string known;
  ForEachFilterOption([&](const auto& option, auto member) {
    known += std::string(" ") + option.name;
    if (name != option.name) return;
    is_known = true;
    use(option, member);
  });
  if (is_known) return;
  throw Failure{WINNOW_UNKNOWN_NAME,
                "there is no option " + std::string(name) + "; there are" + known};
}

// Sets an option. Throws a Failure, and then leaves the options unchanged.
void Set(std::string_view name, const std::string& text, FilterOptions* options) {
  WithOption(name, [&](const auto& option, auto member) {
    auto value = options->*member;
    if (!SetValue(option, text, &value)) {
      throw Failure{WINNOW_BAD_VALUE, std::string(name) + " is " + (text.empty() ? "empty" : text) +
                                          ", but must be " + ValuesOf(option)};
    }
    // Checks the value alone; combinations are checked once all options are set.
    std::string problem = core::CheckOption(option, value);
    if (problem.empty()) problem = core::CheckForBuilder(value);
    if (!problem.empty()) throw Failure{WINNOW_BAD_VALUE, std::move(problem)};
    options->*member = value;
  });
}

std::string Get(std::string_view name, const FilterOptions& options) {
  std::string text;
  WithOption(name,
             [&](const auto& option, auto member) { text = GetValue(option, options.*member); });
  return text;
}

}  // namespace
}  // namespace winnow::c_api

using winnow::c_api::CodeOf;
using winnow::c_api::Failure;
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
    winnow::c_api::Set(name, value, &options->options);
  });
}

winnow_code winnow_options_set_number(winnow_options* options, const char* name, double value,
                                      winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({options, name});
    winnow::c_api::Set(name, winnow::c_api::TextOf(value), &options->options);
  });
}

winnow_code winnow_options_get(const winnow_options* options, const char* name, char* value,
                               size_t capacity, winnow_error** error) {
  return CodeOf(error, [=] {
    RefuseNull({options, name, value});
    const std::string text = winnow::c_api::Get(name, options->options);
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
  const char* found = nullptr;
  size_t number = 0;
  winnow::ForEachFilterOption([&](const auto& option, auto) {
    if (number++ == i) found = option.name;
  });
  return found;
}
