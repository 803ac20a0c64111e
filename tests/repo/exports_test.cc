// Tests of the symbols and dependencies of the shared libraries.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/matches.h"
#include "tests/support/sanitized.h"
#include "third_party/rocksdb_abi/version_at_least.h"
#include "winnow/version.h"

namespace winnow {
namespace {

using ::testing::AnyOf;
using testing::ChildResult;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::LinesThatBegin;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::RunProgram;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

bool EndsIn(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::vector<std::string> Lines(const std::string& command) {
  const ChildResult result = RunProgram({"sh", "-c", command});
  EXPECT_EQ(result.status, 0) << command << ": " << result.errors;
  return LinesThatBegin(result.output, "");
}

// Returns the command that prints the exports of a library, each with its symbol type.
std::string ExportsOf(const std::string& library) {
  return "nm -D --defined-only --format=posix '" + library + "' | cut -d' ' -f1,2";
}

// Returns the entries with a tag, such as NEEDED, in the library's dynamic section.
std::vector<std::string> DynamicEntries(const std::string& library, const std::string& tag) {
  return Lines("readelf -d '" + library + "' | sed -n 's/.*" + tag + ".*\\[\\(.*\\)\\]/\\1/p'");
}

// Returns the name of an export without parameters and compiler suffixes, as
// "winnow::FilterSet::Find".
std::string WithoutParameters(const std::string& name) {
  return name.substr(0, name.find_first_of("(["));
}

// Returns the exports of this version or of its minor versions, for example WINNOW_1.1 for
// WINNOW_1, without the version and demangled. All exports must have a version.
std::vector<std::string> NamesOfVersion(const std::string& library, const std::string& version) {
  std::string names;
  for (const std::string& line : Lines(ExportsOf(library))) {
    if (EndsIn(line, " A")) continue;  // the version itself
    const size_t at = line.find("@@");
    if (at == std::string::npos) {
      ADD_FAILURE() << line << " has no version";
      continue;
    }
    const std::string found = line.substr(at + 2, line.size() - at - 4);
    if (found == version || found.rfind(version + ".", 0) == 0) {
      names += line.substr(0, at) + "\n";
    }
  }
  return Lines("c++filt <<'END'\n" + names + "END\n");
}

std::set<std::string> FunctionsOfVersion(const std::string& library, const std::string& version) {
  std::set<std::string> functions;
  for (const std::string& name : NamesOfVersion(library, version)) {
    functions.insert(WithoutParameters(name));
  }
  return functions;
}

// Returns the text of public headers without comments and macros.
std::string Headers(const std::vector<std::string>& names) {
  static const std::regex comment("//[^\n]*|\n#([^\n]*\\\\\n)*[^\n]*");
  std::string text;
  for (const std::string& name : names) {
    text += testing::ReadFile(WINNOW_HEADERS "/" + name);
  }
  return std::regex_replace(text, comment, "");
}

// Returns the functions outside classes that headers mark as exported, as "winnow::HashKey".
std::set<std::string> MarkedFunctions(const std::string& headers) {
  static const std::regex marked("WINNOW_EXPORT[^(;{]*\\b(\\w+)\\(");
  std::set<std::string> names;
  for (const std::string& name : testing::AllMatches(headers, marked, 1)) {
    names.insert(name.rfind("winnow_", 0) == 0 ? name : "winnow::" + name);
  }
  return names;
}

// Removes function bodies, which contain calls.
std::string WithoutBodies(std::string text) {
  static const std::regex body("\\{[^{}]*\\}");
  for (std::string before; before != text;) {
    before = std::exchange(text, std::regex_replace(text, body, ";"));
  }
  return text;
}

// Returns the part of a class from its label `public:` or `private:` to the next label or its end.
std::string PartOfClass(const std::string& headers, const std::string& name,
                        const std::string& label) {
  const size_t begin = headers.find("class WINNOW_EXPORT " + name + " {");
  const size_t end = headers.find("\n};", begin);
  const size_t at = headers.find("\n " + label + ":", begin);
  if (begin == std::string::npos || at == std::string::npos || at > end) return {};
  return WithoutBodies(headers.substr(at, std::min(headers.find("\n private:", at + 1), end) - at));
}

const std::vector<std::string> kCoreHeaders = {"builder.h", "candidates.h",   "fault.h",
                                               "filter.h",  "filter_set.h",   "hash.h",
                                               "options.h", "range_filter.h", "version.h"};
const std::vector<std::string> kPluginHeaders = {"rocksdb_c.h",
                                                 "rocksdb_filter_loads.h",
                                                 "rocksdb_filter_use.h",
                                                 "rocksdb_huge_pages.h",
                                                 "rocksdb_listener.h",
                                                 "rocksdb_policy.h",
                                                 "rocksdb_remote_compaction.h"};
const std::vector<std::string> kLibraries = {
    WINNOW_PLUGIN,
    WINNOW_LIBRARY,
#ifdef WINNOW_AMQ_LIBRARY
    WINNOW_AMQ_LIBRARY,
#endif
};

// A RocksDB symbol exported here would replace RocksDB's own in a program that preloads the
// library.
TEST(Exports, OfThePluginAreThoseThatItsHeadersMark) {
  std::set<std::string> marked = MarkedFunctions(Headers(kPluginHeaders));
  EXPECT_GT(marked.size(), 10u);
  marked.insert("winnow::Version");
  EXPECT_EQ(FunctionsOfVersion(WINNOW_PLUGIN, "WINNOW_ROCKSDB_2"), marked);

  std::set<std::string> ours_alone;
  if (!std::string(WINNOW_PRELOAD).empty()) {
    ours_alone.insert("winnow_rocksdb_interposer");  // called by libwinnow_preload.so
  }
  EXPECT_EQ(FunctionsOfVersion(WINNOW_PLUGIN, "WINNOW_PRIVATE"), ours_alone);
  EXPECT_THAT(Lines(ExportsOf(WINNOW_PLUGIN) + " | grep -v '@@WINNOW_'"),
              Each(MatchesRegex("WINNOW_.* A")))
      << "the versions themselves have none, and nothing else may be without";
}

// A later overload would, by a pattern such as winnow::CheckOptions*, get the version of the
// existing ones, and programs that call it would start with libraries that lack it.
// interface_test.sh writes the records and says how.
TEST(Exports, AreThoseOfTheRecordEachWithItsVersion) {
  for (const std::string library : {WINNOW_LIBRARY, WINNOW_PLUGIN}) {
    const std::string name = std::filesystem::path(library).stem();
    const std::string recorded =
        "sed -n \"s/.*<elf-symbol name='\\([^']*\\)'.* version='\\([^']*\\)'.*/\\1@@\\2/p\" "
        "'" WINNOW_INTERFACE "/" +
        name + ".abi'";
    const std::string exported =
        ExportsOf(library) + " | sed -n '/@@WINNOW_PRIVATE /!s/^\\(.*@@[^ ]*\\) .*/\\1/p'";
    EXPECT_GE(Lines(recorded).size(), 10u);
    // Prints each line that occurs in only one of both.
    const auto of_one = [](const std::string& one, const std::string& other) {
      return Lines("{ " + one + "; " + other + "; " + other + "; } | sort | uniq -u | c++filt");
    };
    EXPECT_THAT(of_one(recorded, exported), IsEmpty()) << name << " lacks what programs call";
    EXPECT_THAT(of_one(exported, recorded), IsEmpty())
        << name
        << " has what is not recorded: CONTRIBUTING.md, \"A function of a contract header\"";
  }
}

// The exports are the hooks and the symbols shared with the plugin.
TEST(Exports, OfThePreloadAreTheHooks) {
  if (std::string(WINNOW_PRELOAD).empty()) {
    GTEST_SKIP() << "skipped: the interposer was left out of this build";
  }
  std::vector<std::string> names = Lines(ExportsOf(WINNOW_PRELOAD) + " | cut -d' ' -f1 | c++filt");
  for (std::string& name : names) {
    name = name.substr(0, name.find('('));
  }
  std::vector<std::string> expected = {"rocksdb::NewBloomFilterPolicy",
                                       "rocksdb::NewRibbonFilterPolicy",
                                       "rocksdb::FilterPolicy::CreateFromString",
                                       "rocksdb::DB::Open",
                                       "rocksdb::DB::Open",
                                       "rocksdb::DB::OpenForReadOnly",
                                       "rocksdb::DB::OpenForReadOnly",
                                       "rocksdb::DB::OpenAsSecondary",
                                       "rocksdb::DB::OpenAsSecondary",
                                       "rocksdb::TransactionDB::Open",
                                       "rocksdb::TransactionDB::Open",
                                       "rocksdb::DBImpl::CreateColumnFamily",
                                       "rocksdb::DBImpl::CreateColumnFamilies",
                                       "rocksdb::DBImpl::CreateColumnFamilies",
                                       "rocksdb::DBImpl::CreateColumnFamilyWithImport",
                                       "rocksdb::DBImpl::SetOptions",
                                       "rocksdb::DB::OpenAndCompact",
                                       "__cxa_atexit",
                                       "winnow_preload_front",
                                       "winnow_preload_host",
                                       "winnow_rocksdb_register"};
#if WINNOW_ROCKSDB_CANCELS_COMPACTIONS
  expected.emplace_back("rocksdb::DB::OpenAndCompact");
#endif
#if WINNOW_ROCKSDB_HAS_FOLLOWERS
  expected.insert(expected.end(), 2, "rocksdb::DB::OpenAsFollower");
#endif
  EXPECT_THAT(names, UnorderedElementsAreArray(expected));
}

// Otherwise it would load a RocksDB into programs that have none or another one, or bind to theirs.
TEST(Exports, ThePreloadNeedsTheCLibraryOnly) {
  if (std::string(WINNOW_PRELOAD).empty()) {
    GTEST_SKIP() << "skipped: the interposer was left out of this build";
  }
  EXPECT_THAT(DynamicEntries(WINNOW_PRELOAD, "NEEDED"),
              Each(AnyOf(StartsWith("libc.so"), StartsWith("ld-linux"))));
  EXPECT_THAT(Lines("nm -D --undefined-only '" WINNOW_PRELOAD "' | grep -c -i rocksdb || true"),
              UnorderedElementsAre("0"));
  EXPECT_THAT(RunProgram({"readelf", "-d", WINNOW_PRELOAD}).output, HasSubstr("NODELETE"));
}

// All functions in winnow.h are exported. Removing a name or changing its version breaks programs.
TEST(Exports, OfTheCApiAreThoseOfItsHeader) {
  const std::vector<std::string> declared =
      Lines("grep -o '\\bwinnow_[a-z_]*(' '" WINNOW_HEADERS "/winnow.h' | tr -d '(' | sort -u");
  EXPECT_GT(declared.size(), 50u);
  EXPECT_THAT(NamesOfVersion(WINNOW_LIBRARY, "WINNOW_C_1"), UnorderedElementsAreArray(declared));
}

// All functions in include/winnow/ are exported, and nothing of the standard library or of the
// subfolders. Of classes, only public members, and private ones that inline functions call.
TEST(Exports, OfTheCoreAreTheContractOnly) {
  const std::string headers = Headers(kCoreHeaders);
  std::set<std::string> functions;
  std::set<std::string> private_members;
  std::set<std::string> classes;
  for (const std::string& name : FunctionsOfVersion(WINNOW_LIBRARY, "WINNOW_1")) {
    static const std::regex member("winnow::(\\w+)::([~=\\w]+)");
    std::smatch parts;
    if (!std::regex_match(name, parts, member)) {
      functions.insert(name);
      continue;
    }
    classes.insert(parts[1]);
    const std::regex declaration("[ ~]" + parts[2].str() + "\\(");
    if (!std::regex_search(PartOfClass(headers, parts[1], "public"), declaration)) {
      EXPECT_TRUE(std::regex_search(PartOfClass(headers, parts[1], "private"), declaration))
          << name;
      private_members.insert(name);
    }
  }
  EXPECT_EQ(functions, MarkedFunctions(headers));
  EXPECT_THAT(classes, ElementsAre("FilterBuilder", "FilterSet", "FilterSetEdit", "FilterView",
                                   "RangeFilterBuilder", "RangeFilterView"));
  EXPECT_THAT(private_members,
              ElementsAre("winnow::FilterSet::CandidatesOfAll", "winnow::FilterView::FillInfo",
                          "winnow::RangeFilterView::FillInfo"));
}

// A pattern such as "winnow::FilterSet::*" would also export private members. A pattern without a
// match is of a removed function.
TEST(Exports, MapsNameTheMembersOneByOne) {
  const auto patterns = [](const std::string& map, const std::string& versions) {
    return Lines("sed -n '/^" + versions +
                 "\\(\\.[0-9]*\\)\\{0,1\\} {/,/^}.*;/s/^ "
                 "*\"\\{0,1\\}\\(winnow[^;\"]*\\)\"\\{0,1\\};.*/\\1/p' '" +
                 map + "'");
  };
  const auto expect_all_named = [&](const std::string& library, const std::string& map,
                                    const std::string& version, size_t least) {
    const std::vector<std::string> named = patterns(map, version);
    EXPECT_GE(named.size(), least) << version;
    const std::set<std::string> functions = FunctionsOfVersion(library, version);
    for (const std::string& pattern : named) {
      EXPECT_THAT(pattern, Not(EndsWith("::*")));
      EXPECT_THAT(pattern, Not(EndsWith("_*")));
      std::string name = WithoutParameters(pattern);
      if (EndsIn(name, "*")) name.pop_back();
      EXPECT_EQ(functions.count(name), 1u) << version << " names " << pattern;
    }
    for (const std::string& function : functions) {
      EXPECT_TRUE(
          std::any_of(named.begin(), named.end(),
                      [&](const std::string& pattern) { return pattern.rfind(function, 0) == 0; }))
          << version << " has " << function << " by the pattern of another one";
    }
  };
  expect_all_named(WINNOW_LIBRARY, WINNOW_SOURCES "/core/exports.map", "WINNOW_1", 45);
  expect_all_named(WINNOW_LIBRARY, WINNOW_SOURCES "/core/exports.map", "WINNOW_C_1", 60);
  expect_all_named(WINNOW_PLUGIN, WINNOW_SOURCES "/rocksdb/exports.map", "WINNOW_ROCKSDB_2", 20);
}

// Programs linked with one version of a library start with each later version of the same soname.
// The amq library guarantees this only within its minor version.
TEST(Exports, SonamesAreThoseOfThePromise) {
  const std::string major = std::to_string(WINNOW_VERSION_MAJOR);
  EXPECT_THAT(DynamicEntries(WINNOW_LIBRARY, "SONAME"), ElementsAre("libwinnow.so.1"));
  EXPECT_THAT(DynamicEntries(WINNOW_PLUGIN, "SONAME"),
              ElementsAre("libwinnow_rocksdb.so." + major));
#ifdef WINNOW_AMQ_LIBRARY
  EXPECT_THAT(
      DynamicEntries(WINNOW_AMQ_LIBRARY, "SONAME"),
      ElementsAre("libwinnow_amq.so." + major + "." + std::to_string(WINNOW_VERSION_MINOR)));
#endif
}

#ifdef WINNOW_AMQ_LIBRARY
// The classes and functions in the headers of winnow/amq/ are exported.
TEST(Exports, OfTheAmqLibraryAreItsContractOnly) {
  const std::vector<std::string> declared = Lines(
      "sed -n 's/^class WINNOW_EXPORT \\([A-Za-z]*\\).*/\\1/p; "
      "s/^WINNOW_EXPORT [^(]* \\([A-Za-z]*\\)(.*/\\1/p' '" WINNOW_AMQ_HEADERS "'/*.h");
  EXPECT_THAT(declared, IsSupersetOf({"BlockedBloom", "CheckPlan", "SizesFor"}));
  const std::vector<std::string> exported =
      Lines(ExportsOf(WINNOW_AMQ_LIBRARY) +
            " | cut -d' ' -f1 | c++filt | sed -E 's/^(vtable|typeinfo( name)?) for //; "
            "s/^winnow::amq::([A-Za-z]+)(::.*|[([].*|)$/\\1/' | sort -u");
  EXPECT_THAT(exported, UnorderedElementsAreArray(declared));
}
#endif

// Dependencies are limited to RocksDB or the core: embedders of the core do not carry the other
// libraries, and the amq library depends on the core only.
TEST(Exports, LibrariesNeedOneOtherAndTheLanguagesOnly) {
  if (testing::kSanitized) {
    GTEST_SKIP() << "skipped: sanitizers are libraries too";
  }
  const auto expect_needed = [](const std::string& library, const std::string& other) {
    EXPECT_THAT(DynamicEntries(library, "NEEDED"),
                Each(AnyOf(StartsWith(other), StartsWith("libstdc++.so"), StartsWith("libgcc_s.so"),
                           StartsWith("libm.so"), StartsWith("libc.so"), StartsWith("ld-linux"))))
        << library;
  };
#ifdef WINNOW_AMQ_LIBRARY
  expect_needed(WINNOW_AMQ_LIBRARY, "libwinnow.so");
#endif
  expect_needed(WINNOW_PLUGIN, "librocksdb.so");
}

TEST(Exports, NoSymbolIsWeakOrUnique) {
  for (const std::string& library : kLibraries) {
    for (const std::string& line : Lines(ExportsOf(library) + " | grep -v '^WINNOW_.* A$'")) {
      // Members of a class that users derive from are weak symbols.
      EXPECT_THAT(line, AnyOf(EndsWith(" T"), MatchesRegex("_ZT[VIS]N6winnow3amq.*PageStoreE V")))
          << library;
    }
  }
}

// Libraries loaded late by dlopen() share 512 bytes of glibc's surplus static TLS.
TEST(Exports, ThreadLocalStorageIsSmall) {
  if (testing::kSanitized) {
    GTEST_SKIP() << "skipped: sanitizers have some of their own";
  }
  for (const std::string library : {WINNOW_PLUGIN, WINNOW_PRELOAD}) {
    if (library.empty()) {
      continue;  // this build omits the library
    }
    const std::vector<std::string> sizes =
        Lines("readelf -lW '" + library + "' | awk '$1 == \"TLS\" { print $6 }'");
    ASSERT_EQ(sizes.size(), 1u) << library;
    EXPECT_LE(std::stoul(sizes[0], nullptr, 16), 128u) << library;
  }
}

TEST(Exports, LibraryStaysLoaded) {
  EXPECT_THAT(RunProgram({"readelf", "-d", WINNOW_PLUGIN}).output, HasSubstr("NODELETE"));
}

}  // namespace
}  // namespace winnow
