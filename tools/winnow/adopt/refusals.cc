#include "tools/winnow/adopt/refusals.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "src/text/printable.h"
#include "tools/winnow/adopt/policy_names.h"

namespace winnow::inspect {
namespace {

#define WINNOW_ADOPT_QUOTE_EXPANDED(text) #text
#define WINNOW_ADOPT_QUOTE(text) WINNOW_ADOPT_QUOTE_EXPANDED(text)
constexpr char kOurRocksDB[] =
    WINNOW_ADOPT_QUOTE(ROCKSDB_MAJOR) "." WINNOW_ADOPT_QUOTE(ROCKSDB_MINOR);

constexpr char kInTree[] =
    "build RocksDB with Winnow in its tree (WINNOW_STAND_IN=1, docs/in-tree.md)";

const Member* FirstMember(const Archive& archive, bool (*is_it)(const Member&)) {
  const auto found = std::find_if(archive.members.begin(), archive.members.end(), is_it);
  return found == archive.members.end() ? nullptr : &*found;
}

std::string WhyObjectsAreRefused(const Archive& archive) {
  if (archive.members.empty()) return "has no object files. Expected an archive of RocksDB";
  if (const Member* lto =
          FirstMember(archive, [](const Member& member) { return member.has_lto; })) {
    return absl::StrCat(
        "was compiled for optimization by the linker (-flto): ", Printable(std::string(lto->name)),
        " has code in which functions can't get other names, and machine code alone is expected. "
        "Build RocksDB without -flto, or ",
        kInTree);
  }
  if (const Member* other =
          FirstMember(archive, [](const Member& member) { return !member.problem.empty(); })) {
    return absl::StrCat("has ", Printable(std::string(other->name)), ", which ", other->problem,
                        ". Expected object files in ELF for this machine");
  }
  return std::string();
}

// Refuses an archive that already contains Winnow.
std::string WhyOursAreRefused(const Archive& archive,
                              const std::map<std::string, std::string>& names) {
  for (const auto& [own, stock] : names) {
    if (archive.MemberThatDefines(stock) != nullptr) {
      return "has Winnow inside already: it was made by winnow adopt, or with WINNOW_STAND_IN=1. "
             "Expected a RocksDB without; take the original";
    }
  }
  if (archive.MemberThatDefines("winnow_register_in_tree") != nullptr) {
    return absl::StrCat(
        "was built with Winnow in its tree already, and RocksDB alone is expected. To have Winnow "
        "in the place of built-in policies, ",
        kInTree);
  }
  return std::string();
}

std::string NamespaceIn(const Archive& archive, const std::vector<std::string>& policies) {
  for (const Member& member : archive.members) {
    for (const Symbol& symbol : member.symbols) {
      for (const std::string& own : policies) {
        std::string found = symbol.is_defined ? NamespaceOf(symbol.name, own) : std::string();
        if (!found.empty()) return found;
      }
    }
  }
  return std::string();
}

std::string WhyNamesAreRefused(const Archive& archive, const std::vector<std::string>& policies) {
  const Member* const member = archive.MemberThatDefines(policies.front());
  const std::string other = member == nullptr ? NamespaceIn(archive, policies) : std::string();
  if (!other.empty()) {
    return absl::StrCat("has RocksDB in the namespace ", other,
                        " (ROCKSDB_NAMESPACE), and this Winnow is compiled for ",
                        WINNOW_ADOPT_QUOTE(ROCKSDB_NAMESPACE), ". Build RocksDB without it, or ",
                        kInTree);
  }
  for (const std::string& own : policies) {
    const Member* const has_it = archive.MemberThatDefines(own);
    if (has_it == nullptr) {
      return absl::StrCat("has no ", Demangled(own),
                          ", by which programs get filter policies. Expected an archive of all of "
                          "RocksDB, compiled with this machine's C++ library: take the "
                          "librocksdb.a that your program is linked with");
    }
    if (has_it != member) {
      return absl::StrCat("has the functions that make filter policies in ",
                          Printable(std::string(member->name)), " and in ",
                          Printable(std::string(has_it->name)),
                          ", and they are expected in one object file. Instead, ", kInTree);
    }
  }
  return std::string();
}

// Refuses an object file that has the functions that make filter policies together with their
// callers, whose calls could not be redirected.
std::string WhySourcesAreRefused(const Member& member) {
  constexpr absl::string_view kCallers[] = {"_ZN7rocksdb25NewBlockBasedTableFactory",
                                            "_ZN7rocksdb2DB4Open",
                                            "rocksdb_filterpolicy_create_bloom"};
  const auto is_caller = [&](const Symbol& symbol) {
    return symbol.is_defined && std::any_of(std::begin(kCallers), std::end(kCallers),
                                            [&symbol](absl::string_view caller) {
                                              return absl::StartsWith(symbol.name, caller);
                                            });
  };
  const auto is_unity = [](absl::string_view name) { return absl::StartsWith(name, "unity"); };
  if (member.source_files.size() <= 1 && !is_unity(member.name) &&
      std::none_of(member.source_files.begin(), member.source_files.end(), is_unity) &&
      std::none_of(member.symbols.begin(), member.symbols.end(), is_caller)) {
    return std::string();
  }
  return absl::StrCat(
      "was compiled many sources at a time (a unity build): ", Printable(std::string(member.name)),
      " has the functions that make filter policies together with others, which call them, and an "
      "object file of filter_policy.cc alone is expected. Build RocksDB without "
      "CMAKE_UNITY_BUILD, or ",
      kInTree);
}

std::string WhyVersionIsAnother(const std::string& version) {
  if (version == kOurRocksDB || absl::StartsWith(version, absl::StrCat(kOurRocksDB, "."))) {
    return std::string();
  }
  return absl::StrCat("is RocksDB ", version, ", and this Winnow is compiled for ", kOurRocksDB,
                      ". Build Winnow for that version: cmake -S . -B BUILD "
                      "-DWINNOW_ROCKSDB_ROOT=PREFIX");
}

std::string WhyTypesAreRefused(const Archive& archive) {
  const bool has_types = archive.MemberThatDefines("_ZTIN7rocksdb12FilterPolicyE") != nullptr;
  if (has_types == WINNOW_ROCKSDB_HAS_RTTI) return std::string();
  return absl::StrCat("was compiled ", has_types ? "with" : "without",
                      " type information (RTTI), and this Winnow for a RocksDB ",
                      has_types ? "without" : "with",
                      ". Build Winnow with that RocksDB: cmake -S . -B BUILD "
                      "-DWINNOW_ROCKSDB_ROOT=PREFIX");
}

// Refuses an archive that lacks functions of RocksDB that Winnow's object files need.
std::string WhyFunctionsAreRefused(const Archive& archive, const Archive& ours,
                                   const std::map<std::string, std::string>& names) {
  std::set<absl::string_view> there;
  for (const Archive* from : {&archive, &ours}) {
    for (const Member& member : from->members) {
      for (const Symbol& symbol : member.symbols) {
        if (symbol.is_defined) there.insert(symbol.name);
      }
    }
  }
  for (const auto& [own, stock] : names) {
    if (there.count(own) != 0) there.insert(stock);
  }
  for (const Member& member : ours.members) {
    for (const Symbol& symbol : member.symbols) {
      if (!symbol.is_defined && !symbol.is_weak && absl::StrContains(symbol.name, "7rocksdb") &&
          there.count(symbol.name) == 0) {
        const std::string own = OwnName(symbol.name);
        return absl::StrCat("has no ", Demangled(own.empty() ? symbol.name : own),
                            ", which Winnow calls. Expected all of RocksDB ", kOurRocksDB,
                            ", built as the RocksDB that this Winnow was compiled with. Build "
                            "Winnow with that RocksDB: cmake -S . -B BUILD "
                            "-DWINNOW_ROCKSDB_ROOT=PREFIX");
      }
    }
  }
  return std::string();
}

}  // namespace

std::string WhyRefused(const Archive& archive, const std::map<std::string, std::string>& names) {
  const std::vector<std::string> policies = PolicyNames(names);
  if (std::string why = WhyObjectsAreRefused(archive); !why.empty()) return why;
  if (std::string why = WhyOursAreRefused(archive, names); !why.empty()) return why;
  if (std::string why = WhyNamesAreRefused(archive, policies); !why.empty()) return why;
  return WhySourcesAreRefused(*archive.MemberThatDefines(policies.front()));
}

std::string WhyVersionIsRefused(const Archive& archive, const Archive& ours,
                                const std::map<std::string, std::string>& names,
                                const std::string& version) {
  if (std::string why = WhyVersionIsAnother(version); !why.empty()) return why;
  if (std::string why = WhyTypesAreRefused(archive); !why.empty()) return why;
  return WhyFunctionsAreRefused(archive, ours, names);
}

}  // namespace winnow::inspect
