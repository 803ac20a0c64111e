#include "src/rocksdb/policy_options.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/rocksdb/parse_number.h"
#include "winnow/options.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Status;

// A whole number, and RocksDB's suffix for a power of 1024.
bool ParseCount(std::string_view text, uint64_t* count) {
  unsigned shift = 0;
  if (!text.empty()) {
    constexpr std::string_view kSuffixes = "kKmMgGtT";
    const size_t suffix = kSuffixes.find(text.back());
    if (suffix != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(suffix / 2 + 1);
      text.remove_suffix(1);
    }
  }
  uint64_t number = 0;
  if (!ParseNumber(text, &number) || number > std::numeric_limits<uint64_t>::max() >> shift) {
    return false;
  }
  *count = number << shift;
  return true;
}

// The shortest text that gives the same number again.
std::string NumberText(double number) {
  char buffer[32];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, result.ptr);
}

struct Option {
  const char* name;
  const char* expected;
  int offset;
  OptionType type;
  bool (*parse)(std::string_view text, PolicyOptions* options);
  std::string (*text)(const PolicyOptions& options);
};

// An options string and a saved OPTIONS file have them in this order.
constexpr Option kOptions[] = {
    {"bits_per_key", "a number from 1 to 32", offsetof(PolicyOptions, bits_per_key),
     OptionType::kDouble,
     [](std::string_view text, PolicyOptions* options) {
       return ParseNumber(text, &options->bits_per_key);
     },
     [](const PolicyOptions& options) { return NumberText(options.bits_per_key); }},
    {"ribbon_min_keys", "a whole number from 0 to 18446744073709551615",
     offsetof(PolicyOptions, ribbon_min_keys), OptionType::kUInt64T,
     [](std::string_view text, PolicyOptions* options) {
       return ParseCount(text, &options->ribbon_min_keys);
     },
     [](const PolicyOptions& options) { return std::to_string(options.ribbon_min_keys); }},
    {"bloom_before_level", "a whole number from -1 to 2147483647",
     offsetof(PolicyOptions, bloom_before_level), OptionType::kInt,
     [](std::string_view text, PolicyOptions* options) {
       return ParseNumber(text, &options->bloom_before_level);
     },
     [](const PolicyOptions& options) { return std::to_string(options.bloom_before_level); }},
};

Status ParseInto(const Option& option, std::string_view text, PolicyOptions* options) {
  PolicyOptions changed = *options;
  if (!option.parse(text, &changed) || !CheckPolicyOptions(changed).ok()) {
    return Status::InvalidArgument(std::string(option.name) + " is \"" + std::string(text) +
                                   "\", but must be " + option.expected);
  }
  *options = changed;
  return Status::OK();
}

// RocksDB hands over the address of the member; the rest of the parser wants the object.
template <typename Pointer>
Pointer* ObjectOf(const Option& option, void* member) {
  return reinterpret_cast<Pointer*>(static_cast<char*>(member) - option.offset);
}
const PolicyOptions& ObjectOf(const Option& option, const void* member) {
  return *reinterpret_cast<const PolicyOptions*>(static_cast<const char*>(member) - option.offset);
}

OptionTypeInfo TypeOf(const Option& option) {
  return OptionTypeInfo(
      option.offset, option.type, OptionVerificationType::kNormal, OptionTypeFlags::kNone,
      [&option](const ConfigOptions&, const std::string&, const std::string& value, void* member) {
        return ParseInto(option, value, ObjectOf<PolicyOptions>(option, member));
      },
      [&option](const ConfigOptions&, const std::string&, const void* member, std::string* value) {
        *value = option.text(ObjectOf(option, member));
        return Status::OK();
      },
      [&option](const ConfigOptions&, const std::string& name, const void* one, const void* other,
                std::string* mismatch) {
        if (option.text(ObjectOf(option, one)) == option.text(ObjectOf(option, other))) {
          return true;
        }
        *mismatch = name;
        return false;
      });
}

}  // namespace

Status CheckPolicyOptions(const PolicyOptions& options) {
  FilterOptions filter;
  filter.bits_per_key = options.bits_per_key;
  filter.ribbon_min_keys = options.ribbon_min_keys;
  filter.bloom_before_level = options.bloom_before_level;
  const std::string problem = CheckOptions(filter);
  return problem.empty() ? Status::OK() : Status::InvalidArgument(problem);
}

Status ParsePolicyId(std::string_view id, PolicyOptions* options) {
  const size_t colon = id.find(':');
  const std::string_view name = id.substr(0, colon);
  if (name != "winnow" && name != "winnow.Filter") {
    return Status::InvalidArgument("a Winnow policy is called winnow or winnow.Filter, not \"" +
                                   std::string(name) + "\"");
  }
  if (colon == std::string_view::npos) {
    return Status::OK();
  }
  return ParsePolicyOption("bits_per_key", id.substr(colon + 1), options);
}

Status ParsePolicyOption(std::string_view name, std::string_view text, PolicyOptions* options) {
  for (const Option& option : kOptions) {
    if (name == option.name) {
      return ParseInto(option, text, options);
    }
  }
  return Status::NotFound("Winnow's policy has no option \"" + std::string(name) + "\", only " +
                          PolicyOptionNames());
}

std::string ToString(const PolicyOptions& options) {
  std::string text;
  for (const Option& option : kOptions) {
    text += text.empty() ? "" : ";";
    text += option.name;
    text += "=";
    text += option.text(options);
  }
  return text;
}

const std::unordered_map<std::string, OptionTypeInfo>& PolicyOptionTypes() {
  // Never destroyed: policies may outlive static objects.
  static const auto& types = *[] {
    auto* made = new std::unordered_map<std::string, OptionTypeInfo>;
    for (const Option& option : kOptions) {
      made->emplace(option.name, TypeOf(option));
    }
    return made;
  }();
  return types;
}

const std::string& PolicyOptionNames() {
  static const std::string& names =
      *new std::string("bits_per_key, ribbon_min_keys and bloom_before_level");
  return names;
}

}  // namespace winnow::plugin
