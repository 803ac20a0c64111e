// `winnow adopt`: archives that it refuses, and its messages. tests/preload/adopt_test.sh tests
// archives that it adopts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/version.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::WriteFile;

class VerbAdoptTest : public testing::VerbTest {
 protected:
  VerbAdoptTest() : VerbTest("adopt") {}

  // Makes an archive of these object files; `how` is the operation of ar.
  void MakeArchive(const std::vector<std::string>& objects, const std::string& how = "qc") {
    std::vector<std::string> command = {"ar", how, archive_};
    command.insert(command.end(), objects.begin(), objects.end());
    fs::remove(archive_);
    ASSERT_EQ(RunProgram(command, {}).status, 0);
  }

  ChildResult Adopt(const std::string& further = "") const {
    return Run(Quoted("librocksdb.a") + "-o" + Quoted("copy.a") + further);
  }

  // Expects a message about the archive with this regular expression, exit code 1, and no output.
  void ExpectRefused(const std::string& said) const {
    const std::string before = ReadFile(archive_);
    const ChildResult result = Adopt();
    EXPECT_EQ(result.status, 1) << result.errors;
    EXPECT_THAT(result.errors, AllOf(StartsWith("winnow adopt: " + archive_ + " "),
                                     ContainsRegex(said), HasSubstr(". Nothing was made\n")));
    EXPECT_THAT(result.output, ::testing::IsEmpty());
    EXPECT_FALSE(fs::exists(folder_ / "copy.a"));
    EXPECT_FALSE(fs::exists(folder_ / "rocksdb.pc"));
    EXPECT_EQ(ReadFile(archive_), before);
    const nlohmann::json document = testing::JsonOf(Adopt("--json"), 1);
    EXPECT_EQ(document["schema"], "winnow.adopt/1");
    EXPECT_EQ("winnow adopt: " + document["problem"].get<std::string>() + ". Nothing was made\n",
              result.errors);
    EXPECT_TRUE(document["pkg_config"].is_null());
  }

  const std::string archive_ = folder_ / "librocksdb.a";
};

TEST_F(VerbAdoptTest, RefusesArchivesThatItCanNotAdopt) {
  const std::string ours = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string other = folder_ / "other.o";
  fs::copy_file(POLICIES, other);
  testing::FlipBits(other, /*e_machine*/ 18);
  const std::string text = folder_ / "text";
  WriteFile(text, "text");
  // The file name shows a unity build; merged object files are refused like one.
  const std::string unity = folder_ / "unity_0_cxx.cxx.o";
  const std::string merged = folder_ / "all.o";
  fs::copy_file(POLICIES, unity);
  ASSERT_EQ(RunProgram({"ld", "-r", "-o", merged, POLICIES, OUR_VERSION}, {}).status, 0);
  const std::vector<std::string> without_types = {POLICIES, OUR_VERSION};
  const std::vector<std::string> with_types = {POLICIES, OUR_VERSION, TYPES};
  const struct {
    std::vector<std::string> objects;
    std::string said;        // a regular expression
    std::string how = "qc";  // the operation of ar
  } cases[] = {
      {{POLICIES, OTHER_VERSION},
       " is RocksDB 99.8.7, and this Winnow is compiled for " + ours + ".*: cmake -S . -B BUILD "},
      {{POLICIES}, " has no function GetRocksVersionAsString, by which the version"},
      {HAS_RTTI ? without_types : with_types,
       HAS_RTTI ? " was compiled without type information .RTTI.,.* for a RocksDB with. Build "
                : " was compiled with type information .RTTI.,.* for a RocksDB without. Build "},
      {HAS_RTTI ? with_types : without_types,
       " has no .*rocksdb::.*, which Winnow calls. Expected "},
      {{OUR_VERSION},
       " has no rocksdb::.*, by which programs get filter policies.* take the librocksdb.a that "},
      {{OTHER_NAMESPACE, OUR_VERSION}, " has RocksDB in the namespace otherdb .*WINNOW_STAND_IN=1"},
      {{POLICIES, LTO, OUR_VERSION}, " was compiled for .* .-flto.: .* RocksDB without -flto"},
      {{UNITY, OUR_VERSION}, " .a unity build.: .*Build RocksDB without CMAKE_UNITY_BUILD"},
      {{unity, OUR_VERSION}, " .a unity build.: unity_0_cxx.cxx.o has the functions "},
      {{merged}, " .a unity build.: all.o has the functions "},
      {without_types, " is a thin archive.* by ar without --thin", "qcT"},
      {{ADOPTED, OUR_VERSION}, " has Winnow inside already: .* take the original"},
      {{IN_TREE, POLICIES, OUR_VERSION}, " was built with Winnow in its tree already"},
      {{other, OUR_VERSION}, " has other.o, which is for another machine .ELF's machine ", "qcS"},
      {{POLICIES, text}, " has text, which is no object file in the form ELF."},
  };
  for (const auto& [objects, said, how] : cases) {
    SCOPED_TRACE(said);
    MakeArchive(objects, how);
    ExpectRefused(said);
  }
  MakeArchive({POLICIES, OTHER_VERSION});
  EXPECT_EQ(testing::JsonOf(Adopt("--json"), 1)["rocksdb"], "99.8.7");
}

TEST_F(VerbAdoptTest, RefusesWhatIsNoArchive) {
  MakeArchive({POLICIES, OUR_VERSION});
  const std::string whole = ReadFile(archive_);
  const std::pair<std::string, std::string> cases[] = {
      {"no archive at all", " is no static archive: it does not begin with !<arch>."},
      {"!<arch>\n", " has no object files."},
      {whole.substr(0, whole.size() - 100),
       " is damaged: a member's header is not where it must be."}};
  for (const auto& [bytes, sentence] : cases) {
    WriteFile(archive_, bytes);
    ExpectRefused(sentence);
  }
}

// No damaged byte makes the reader leave the archive's memory.
TEST_F(VerbAdoptTest, SurvivesDamage) {
  MakeArchive({POLICIES, OTHER_VERSION});
  const std::string whole = ReadFile(archive_);
  for (size_t at = 8; at < whole.size(); at += whole.size() / 60 + 1) {
    std::string damaged = whole;
    damaged.replace(at, 4, "\xFF\xFF\xFF\x7F");
    WriteFile(archive_, damaged);
    const ChildResult result = Adopt();
    EXPECT_TRUE(result.status == 1 || result.status == 2)
        << at << ": " << result.status << result.errors;
  }
}

TEST_F(VerbAdoptTest, NeedsBinutils) {
  MakeArchive({POLICIES, OTHER_VERSION});
  const ChildResult result = RunProgram({WINNOW_TOOL, "adopt", archive_, "-o", folder_ / "copy.a"},
                                        {"PATH=" + folder_.path()});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            "winnow adopt: there is no ar, ld, objcopy in PATH, and winnow adopt runs the programs "
            "of binutils: install the package binutils. Nothing was made\n");
}

// The tool is installed alone, or with another build's object files.
TEST_F(VerbAdoptTest, NeedsItsObjectFiles) {
  MakeArchive({POLICIES, OUR_VERSION});
  fs::create_directories(folder_ / "bin");
  fs::create_directories(folder_ / "lib/winnow");
  const std::string tool = folder_ / "bin/winnow";
  fs::copy_file(WINNOW_TOOL, tool);
  const auto adopt = [&] {
    const ChildResult result = RunProgram({tool, "adopt", archive_, "-o", folder_ / "copy.a"}, {});
    EXPECT_EQ(result.status, 2);
    EXPECT_FALSE(fs::exists(folder_ / "copy.a"));
    return result.errors;
  };
  EXPECT_THAT(adopt(), AllOf(StartsWith("winnow adopt: there is no libwinnow_adopted.a beside this "
                                        "program, in the folder winnow of its libraries, "),
                             HasSubstr("The package libwinnow-rocksdb-dev has it")));
  const std::string ours = folder_ / "lib/winnow/libwinnow_adopted.a";
  fs::copy_file(archive_, ours);
  EXPECT_EQ(adopt(), "winnow adopt: " + ours +
                         " is not what this Winnow needs. Install Winnow anew. Nothing was made\n");
}

TEST_F(VerbAdoptTest, WritesOverNothing) {
  MakeArchive({POLICIES, OTHER_VERSION});
  fs::create_symlink(archive_, folder_ / "link.a");
  WriteFile(folder_ / "there.a", "x");
  WriteFile(folder_ / "rocksdb.pc", "x");
  const std::pair<std::string, const char*> cases[] = {
      {"librocksdb.a", ", which is the original: that stays as it is. Name a new file"},
      {"link.a", ", which is the original: "},
      {"there.a", "there.a is there already, and a new file is expected."},
      {"copy.a", "rocksdb.pc is there already, "},
      {"nowhere/copy.a", "nowhere, in which the copy is to be made. Make it first"}};
  for (const auto& [name, said] : cases) {
    const ChildResult result = Run(Quoted("librocksdb.a") + "--output=" + Quoted(name).substr(1));
    EXPECT_EQ(result.status, 2) << name;
    EXPECT_THAT(result.errors, HasSubstr(said));
  }
  EXPECT_EQ(ReadFile(folder_ / "there.a"), "x");
}

TEST_F(VerbAdoptTest, SaysWhatItNeeds) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "which archive?"},
      {"one.a", "where to? -o FOLDER/librocksdb.a"},
      {"one.a two.a -o three.a", "one archive at a time"},
      {"one.a -o", "the flag --output needs a value"},
      {Quoted("missing.a") + "-o" + Quoted("copy.a"),
       "missing.a can't be read: No such file or directory"}};
  for (const auto& [arguments, said] : cases) {
    testing::ExpectWrongUsage("adopt " + arguments, said);
  }
}

}  // namespace
}  // namespace winnow
