// Options in words and made valid, by the tables of winnow/options.h and winnow/rocksdb_policy.h.

#ifndef WINNOW_SRC_CORE_OPTIONS_H_
#define WINNOW_SRC_CORE_OPTIONS_H_

#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include "winnow/options.h"

namespace winnow::core {

// "uniform, by_level or auto": the names of the first `count` values.
template <typename Value, size_t kCount>
std::string NamesOf(const NamedOption<Value, kCount>& option, size_t count = kCount) {
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    names += i == 0 ? "" : i + 1 == count ? " or " : ", ";
    names += option.values[i].first;
  }
  return names;
}

// The name of a value; empty if it has none.
template <typename Value, size_t kCount>
std::string_view NameOf(const NamedOption<Value, kCount>& option, const Value& value) noexcept {
  for (const auto& [name, named] : option.values) {
    if (named == value) return name;
  }
  return {};
}

// Sets the value that has the name. False if none has.
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

// Empty if the option may have this value, else a sentence that names option, value and range.
template <typename Value>
std::string CheckOption(const NumberOption<Value>& option, Value value) {
  if (option.IsInRange(value) || value == option.automatic) return {};
  if (option.unknown) {
    return value == value ? std::string() : std::string(option.name) + " is not a number";
  }
  std::ostringstream text;
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

// The only one that need not be set, which its last value stands for.
template <size_t kCount>
std::string CheckOption(const NamedOption<std::optional<FilterKind>, kCount>& option,
                        const std::optional<FilterKind>& kind) {
  if (!NameOf(option, kind).empty()) return {};
  return option.name + (" is " + std::string(ToString(*kind))) + ", but must be " +
         NamesOf(option, kCount - 1) + ", or not be set";
}

// The same of a value that is in its range, whether a builder may have it, which sees no lookups.
template <typename Value>
std::string CheckForBuilder(const Value&) {
  return {};
}
std::string CheckForBuilder(LevelPlan plan);

// The same of a share that is in its range, whether it has an effect with this plan.
std::string CheckShareOfPlan(double absent_share, LevelPlan level_plan);

// The options with every value moved to the nearest valid one.
FilterOptions NearestValid(FilterOptions options) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_OPTIONS_H_
