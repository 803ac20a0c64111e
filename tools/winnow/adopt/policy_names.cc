#include "tools/winnow/adopt/policy_names.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

namespace winnow::inspect {
namespace {

constexpr absl::string_view kNested = "_ZN";
constexpr absl::string_view kStock = "Stock";

// The parts of a mangled nested name: its identifiers, and the suffix after them.
struct NameParts {
  std::vector<absl::string_view> names;
  absl::string_view rest;
};

// Returns the parts of a mangled nested name; nullopt for names of another form.
std::optional<NameParts> TakeApart(absl::string_view mangled) {
  if (mangled.substr(0, kNested.size()) != kNested) return std::nullopt;
  NameParts parts;
  parts.rest = mangled.substr(kNested.size());
  while (!parts.rest.empty() && absl::ascii_isdigit(static_cast<unsigned char>(parts.rest[0]))) {
    size_t length = 0;
    while (!parts.rest.empty() && absl::ascii_isdigit(static_cast<unsigned char>(parts.rest[0]))) {
      length = 10 * length + static_cast<size_t>(parts.rest[0] - '0');
      parts.rest.remove_prefix(1);
      if (length > mangled.size()) return std::nullopt;
    }
    if (length == 0 || length > parts.rest.size()) return std::nullopt;
    parts.names.push_back(parts.rest.substr(0, length));
    parts.rest.remove_prefix(length);
  }
  return parts.names.size() < 2 ? std::nullopt : std::optional(parts);
}

std::string PutTogether(const NameParts& parts) {
  std::string mangled(kNested);
  for (const absl::string_view name : parts.names) {
    absl::StrAppend(&mangled, name.size(), name);
  }
  absl::StrAppend(&mangled, parts.rest);
  return mangled;
}

}  // namespace

std::string OwnName(absl::string_view stock) {
  std::optional<NameParts> parts = TakeApart(stock);
  if (!parts || parts->names.front() == "winnow" ||
      parts->names.back().substr(0, kStock.size()) != kStock ||
      parts->names.back().size() == kStock.size()) {
    return std::string();
  }
  parts->names.back().remove_prefix(kStock.size());
  return PutTogether(*parts);
}

bool IsPolicyName(absl::string_view own) { return absl::StrContains(own, "FilterPolicy"); }

std::vector<std::string> PolicyNames(const std::map<std::string, std::string>& names) {
  std::vector<std::string> policies;
  for (const auto& [own, stock] : names) {
    if (IsPolicyName(own)) policies.push_back(own);
  }
  return policies;
}

std::string NamespaceOf(absl::string_view name, absl::string_view own) {
  const std::optional<NameParts> parts = TakeApart(name);
  const std::optional<NameParts> wanted = TakeApart(own);
  if (!parts || !wanted || parts->rest != wanted->rest || name == own) return std::string();
  // Number of identifiers besides the namespace: RocksDB has a single one.
  const size_t behind = wanted->names.size() - 1;
  if (parts->names.size() <= behind ||
      !std::equal(wanted->names.begin() + 1, wanted->names.end(),
                  parts->names.end() - static_cast<std::ptrdiff_t>(behind))) {
    return std::string();
  }
  return absl::StrJoin(parts->names.begin(),
                       parts->names.end() - static_cast<std::ptrdiff_t>(behind), "::");
}

std::string TableOfClass(absl::string_view member) {
  std::optional<NameParts> parts = TakeApart(member);
  if (!parts) return std::string();
  parts->names.pop_back();
  parts->rest = "E";
  return absl::StrCat("_ZTV", PutTogether(*parts).substr(2));
}

std::string Demangled(absl::string_view name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status);
  const std::string demangled = status == 0 ? text : std::string(name);
  std::free(text);
  return demangled;
}

}  // namespace winnow::inspect
