// What the shared libraries show to the dynamic linker.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/sanitized.h"

namespace winnow {
namespace {

using ::testing::AnyOf;
using testing::ChildResult;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::LinesThatBegin;
using ::testing::MatchesRegex;
using testing::RunProgram;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> Lines(const std::string& command) {
  const ChildResult result = RunProgram({"sh", "-c", command});
  EXPECT_EQ(result.status, 0) << command << ": " << result.errors;
  return LinesThatBegin(result.output, "");
}

// A symbol of RocksDB's here would replace RocksDB's own in a program that the library is preloaded
// into.
TEST(Exports, AreOursOnly) {
  std::vector<std::string> expected = {"winnow::CurrentLookupCounters()",
                                       "winnow::CurrentSampleCounters()",
                                       "winnow::NewFilterPolicy",
                                       "winnow::NewHugePageAllocator",
                                       "winnow::NewListener",
                                       "winnow::Version()",
                                       "winnow_rocksdb_register"};
  if (!std::string(WINNOW_PRELOAD).empty()) {
    expected.emplace_back("winnow_rocksdb_interposer");  // what libwinnow_preload.so calls
  }
  std::vector<std::string> names =
      Lines("nm -D --defined-only --format=posix '" WINNOW_PLUGIN "' | cut -d' ' -f1 | c++filt");
  for (std::string& name : names) {
    for (const std::string function :
         {"winnow::NewFilterPolicy", "winnow::NewHugePageAllocator", "winnow::NewListener"}) {
      if (name.rfind(function + "(", 0) == 0) name = function;
    }
  }
  EXPECT_THAT(names, UnorderedElementsAreArray(expected));
}

// The hooks, and what it and the plugin know each other by.
TEST(Exports, OfThePreloadAreTheHooks) {
  if (std::string(WINNOW_PRELOAD).empty()) {
    GTEST_SKIP() << "skipped: the interposer was left out of this build";
  }
  std::vector<std::string> names =
      Lines("nm -D --defined-only --format=posix '" WINNOW_PRELOAD "' | cut -d' ' -f1 | c++filt");
  for (std::string& name : names) {
    name = name.substr(0, name.find('('));
  }
  EXPECT_THAT(
      names,
      UnorderedElementsAre(
          "rocksdb::NewBloomFilterPolicy", "rocksdb::NewRibbonFilterPolicy",
          "rocksdb::FilterPolicy::CreateFromString", "rocksdb::DB::Open", "rocksdb::DB::Open",
          "rocksdb::DB::OpenForReadOnly", "rocksdb::DB::OpenForReadOnly",
          "rocksdb::DB::OpenAsSecondary", "rocksdb::DB::OpenAsSecondary",
          "rocksdb::TransactionDB::Open", "rocksdb::TransactionDB::Open",
          "rocksdb::DBImpl::CreateColumnFamily", "rocksdb::DBImpl::CreateColumnFamilies",
          "rocksdb::DBImpl::CreateColumnFamilies", "rocksdb::DBImpl::CreateColumnFamilyWithImport",
          "rocksdb::DBImpl::SetOptions", "winnow_preload_front", "winnow_rocksdb_register"));
}

// Or it would bring a RocksDB into programs that have none or another, and be bound to theirs.
TEST(Exports, ThePreloadNeedsTheCLibraryOnly) {
  if (std::string(WINNOW_PRELOAD).empty()) {
    GTEST_SKIP() << "skipped: the interposer was left out of this build";
  }
  EXPECT_THAT(Lines("readelf -d '" WINNOW_PRELOAD "' | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'"),
              Each(AnyOf(StartsWith("libc.so"), StartsWith("ld-linux"))));
  EXPECT_THAT(Lines("nm -D --undefined-only '" WINNOW_PRELOAD "' | grep -c -i rocksdb || true"),
              UnorderedElementsAre("0"));
  EXPECT_THAT(RunProgram({"readelf", "-d", WINNOW_PRELOAD}).output, HasSubstr("NODELETE"));
}

// The names that the core's library exports with this version, which each has.
std::vector<std::string> NamesOfVersion(const std::string& version) {
  std::vector<std::string> names;
  for (const std::string& line :
       Lines("nm -D --defined-only --format=posix '" WINNOW_LIBRARY "' | cut -d' ' -f1,2")) {
    if (line.substr(line.size() - 2) == " A") {
      continue;  // the version itself
    }
    const size_t at = line.find("@@");
    if (at == std::string::npos) {
      ADD_FAILURE() << line << " has no version";
    } else if (line.substr(at + 2, line.size() - at - 4) == version) {
      names.push_back(line.substr(0, at));
    }
  }
  return names;
}

// What winnow.h declares. A name that is taken away or changes its version breaks programs.
TEST(Exports, OfTheCApiAreThoseOfItsHeader) {
  const std::vector<std::string> declared =
      Lines("grep -o '\\bwinnow_[a-z_]*(' '" WINNOW_C_HEADER "' | tr -d '(' | sort -u");
  EXPECT_GT(declared.size(), 50u);
  EXPECT_THAT(NamesOfVersion("WINNOW_C_1"), UnorderedElementsAreArray(declared));
}

// What include/winnow/ declares, and nothing of the standard library or of the folders within.
TEST(Exports, OfTheCoreAreTheContractOnly) {
  std::string mangled;
  for (const std::string& name : NamesOfVersion("WINNOW_0.1")) {
    mangled += name + "\n";
  }
  const std::vector<std::string> names = Lines("c++filt <<'END'\n" + mangled + "END\n");
  EXPECT_THAT(
      names,
      Each(AnyOf(StartsWith("winnow::CheckOptions"), StartsWith("winnow::HashKey("),
                 StartsWith("winnow::FilterBuilder::"), "winnow::Version()", "winnow::KernelName()",
                 StartsWith("winnow::FilterSet::"), StartsWith("winnow::FilterSetEdit::"),
                 StartsWith("winnow::FilterView::"), "winnow::ToString(winnow::Fault)",
                 "winnow::ToString(winnow::FilterKind)", "winnow::ToString(winnow::LevelPlan)",
                 StartsWith("winnow::NeedsFilter("))));
  EXPECT_THAT(names,
              IsSupersetOf({StartsWith("winnow::CheckOptions"), StartsWith("winnow::HashKey("),
                            StartsWith("winnow::FilterBuilder::Finish("),
                            StartsWith("winnow::FilterSet::Candidates("),
                            StartsWith("winnow::FilterSetEdit::Build("),
                            StartsWith("winnow::FilterView::FilterView(")}));
}

// The classes and functions that the headers of include/winnow/amq/ declare.
TEST(Exports, OfTheAmqLibraryAreItsContractOnly) {
  const std::vector<std::string> declared = Lines(
      "sed -n 's/^class WINNOW_EXPORT \\([A-Za-z]*\\).*/\\1/p; "
      "s/^WINNOW_EXPORT [^(]* \\([A-Za-z]*\\)(.*/\\1/p' '" WINNOW_AMQ_HEADERS "'/*.h");
  EXPECT_THAT(declared, IsSupersetOf({"BlockedBloom", "CheckPlan", "SizesFor"}));
  const std::vector<std::string> exported =
      Lines("nm -D --defined-only --format=posix '" WINNOW_AMQ_LIBRARY
            "' | cut -d' ' -f1 | c++filt | sed -E 's/^(vtable|typeinfo( name)?) for //; "
            "s/^winnow::amq::([A-Za-z]+)(::.*|[([].*|)$/\\1/' | sort -u");
  EXPECT_THAT(exported, UnorderedElementsAreArray(declared));
}

// An embedder of the core carries none of the other library, which stands on the core alone.
TEST(Exports, TheAmqLibraryNeedsTheCoreAndTheLanguagesOnly) {
  if (testing::kSanitized) {
    GTEST_SKIP() << "skipped: sanitizers are libraries too";
  }
  EXPECT_THAT(
      Lines("readelf -d '" WINNOW_AMQ_LIBRARY "' | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'"),
      Each(AnyOf(StartsWith("libwinnow.so"), StartsWith("libstdc++.so"), StartsWith("libgcc_s.so"),
                 StartsWith("libm.so"), StartsWith("libc.so"), StartsWith("ld-linux"))));
}

TEST(Exports, NoSymbolIsWeakOrUnique) {
  for (const std::string library : {WINNOW_PLUGIN, WINNOW_LIBRARY, WINNOW_AMQ_LIBRARY}) {
    for (const std::string& line : Lines("nm -D --defined-only --format=posix '" + library +
                                         "' | cut -d' ' -f1,2 | grep -v '^WINNOW_.* A$'")) {
      // But for what belongs to a class that users derive from, which compilers make weak.
      EXPECT_THAT(line, AnyOf(EndsWith(" T"), MatchesRegex("_ZT[VIS]N6winnow3amq.*PageStoreE V")))
          << library;
    }
  }
}

TEST(Exports, LibraryNeedsRocksDBAndTheLanguagesOnly) {
  if (testing::kSanitized) {
    GTEST_SKIP() << "skipped: sanitizers are libraries too";
  }
  EXPECT_THAT(
      Lines("readelf -d '" WINNOW_PLUGIN "' | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'"),
      Each(AnyOf(StartsWith("librocksdb.so"), StartsWith("libstdc++.so"), StartsWith("libgcc_s.so"),
                 StartsWith("libm.so"), StartsWith("libc.so"), StartsWith("ld-linux"))));
}

// Thread-local storage without a call is what is left for libraries that are opened late: 512
// bytes of glibc, for all of them.
TEST(Exports, ThreadLocalStorageIsSmall) {
  if (testing::kSanitized) {
    GTEST_SKIP() << "skipped: sanitizers have some of their own";
  }
  for (const std::string library : {WINNOW_PLUGIN, WINNOW_PRELOAD}) {
    if (library.empty()) {
      continue;  // it was left out of this build
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
