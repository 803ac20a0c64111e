// Text and validation of options, by the tables of winnow/options.h and winnow/rocksdb_policy.h.

#ifndef WINNOW_SRC_CORE_OPTIONS_H_
#define WINNOW_SRC_CORE_OPTIONS_H_

#include <cstddef>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "winnow/options.h"

namespace winnow::core {

// Returns the names of the first `count` values: "uniform, by_level or auto".
template <typename Value, size_t kCount>
std::string NamesOf(const NamedOption<Value, kCount>& option, size_t count = kCount) {
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    names += i == 0 ? "" : i + 1 == count ? " or " : ", ";
    names += option.values[i].first;
  }
  return names;
}

// Returns the name of a value, or an empty string if it has none.
template <typename Value, size_t kCount>
std::string_view NameOf(const NamedOption<Value, kCount>& option, const Value& value) noexcept {
  for (const auto& [name, named] : option.values) {
    if (named == value) return name;
  }
  return {};
}

// Sets *value to the value with this name. Returns false if there is none.
template <typename Value, size_t kCount>
bool SetByName(const NamedOption<Value, kCount>& option, std::string_view name,
               Value* value) noexcept {
  for (const auto& [known, named] : option.values) {
    if (known == name) {
      *value = named;
      return true;
    }
  }
  return false;
}

// Returns an empty string if the value is valid, else a sentence that names the option, the value
// and the range.
template <typename Value>
std::string CheckOption(const NumberOption<Value>& option, Value value) {
  if (option.IsInRange(value) || value == option.automatic) return {};
  if (option.unknown) {
    return value == value ? std::string() : std::string(option.name) + " is not a number";
  }
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << option.name << " is " << value << ", but must be ";
  if (option.most == std::numeric_limits<Value>::max()) {
    text << "at least " << option.least;
  } else {
    text << "from " << option.least << " to " << option.most;
  }
  return text.str();
}

template <typename Value, size_t kCount>
std::string CheckOption(const NamedOption<Value, kCount>& option, Value value) {
  if (!NameOf(option, value).empty()) return {};
  return option.name + (" is " + std::to_string(static_cast<unsigned>(value))) +
         ", but must be that of " + NamesOf(option);
}

// Overload for the kind, the only option that may be unset; its last value means unset.
template <size_t kCount>
std::string CheckOption(const NamedOption<std::optional<FilterKind>, kCount>& option,
                        const std::optional<FilterKind>& kind) {
  if (!NameOf(option, kind).empty()) return {};
  return option.name + (" is " + std::string(ToString(*kind))) + ", but must be " +
         NamesOf(option, kCount - 1) + ", or not be set";
}

// Like CheckOption, for values in their range that a builder refuses because it sees no lookups.
template <typename Value>
std::string CheckForBuilder(const Value&) {
  return {};
}
std::string CheckForBuilder(LevelPlan plan);

// Like CheckOption, for an absent_share in its range that has no effect with this plan.
std::string CheckShareOfPlan(double absent_share, LevelPlan level_plan);

// Returns the options with every value replaced by the nearest valid one.
FilterOptions NearestValid(FilterOptions options) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_OPTIONS_H_
