// `winnow adopt`: archives that it refuses, and its messages. tests/preload/adopt_test.sh tests
// archives that it adopts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/version.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

  // Expects this message about the archive, exit code 1, and no output files.
  void ExpectRefused(const ::testing::Matcher<std::string>& sentence) const {
    const std::string before = ReadFile(archive_);
    const ChildResult result = Adopt();
    EXPECT_EQ(result.status, 1) << result.errors;
    EXPECT_THAT(result.errors, AllOf(StartsWith("winnow adopt: " + archive_ + " "), sentence,
                                     HasSubstr(". Nothing was made\n")));
    EXPECT_THAT(result.output, IsEmpty());
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

TEST_F(VerbAdoptTest, RefusesAnotherVersion) {
  MakeArchive({POLICIES, OTHER_VERSION});
  const std::string ours = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  ExpectRefused(HasSubstr(" is RocksDB 99.8.7, and this Winnow is compiled for " + ours +
                          ". Build Winnow for that version: cmake -S . -B BUILD "));
  EXPECT_EQ(testing::JsonOf(Adopt("--json"), 1)["rocksdb"], "99.8.7");
}

TEST_F(VerbAdoptTest, RefusesOneThatDoesNotTellItsVersion) {
  MakeArchive({POLICIES});
  ExpectRefused(HasSubstr(" has no function GetRocksVersionAsString, by which the version"));
}

TEST_F(VerbAdoptTest, RefusesOneWithOtherTypeInformation) {
  std::vector<std::string> objects = {POLICIES, OUR_VERSION};
  if (!HAS_RTTI) objects.emplace_back(TYPES);
  MakeArchive(objects);
  ExpectRefused(HasSubstr(HAS_RTTI ? " was compiled without type information (RTTI), and this "
                                     "Winnow for a RocksDB with. Build Winnow "
                                   : " was compiled with type information (RTTI), and this "
                                     "Winnow for a RocksDB without. Build Winnow "));
}

TEST_F(VerbAdoptTest, RefusesOneOfTheRightVersionWithoutWhatWinnowCalls) {
  std::vector<std::string> objects = {POLICIES, OUR_VERSION};
  if (HAS_RTTI) objects.emplace_back(TYPES);
  MakeArchive(objects);
  ExpectRefused(AllOf(HasSubstr(" has no rocksdb::"),
                      HasSubstr(", which Winnow calls. Expected all of RocksDB ")));
}

TEST_F(VerbAdoptTest, RefusesOneWithoutTheFunctionsThatMakePolicies) {
  MakeArchive({OUR_VERSION});
  ExpectRefused(AllOf(HasSubstr(" has no rocksdb::"),
                      HasSubstr(", by which programs get filter policies. Expected "),
                      HasSubstr("take the librocksdb.a that your program is linked with")));
}

TEST_F(VerbAdoptTest, RefusesAnotherNamespace) {
  MakeArchive({OTHER_NAMESPACE, OUR_VERSION});
  ExpectRefused(
      AllOf(HasSubstr(" has RocksDB in the namespace otherdb (ROCKSDB_NAMESPACE), and this "
                      "Winnow is compiled for rocksdb. Build RocksDB without it"),
            HasSubstr("WINNOW_STAND_IN=1")));
}

TEST_F(VerbAdoptTest, RefusesWhatTheLinkerIsToOptimize) {
  MakeArchive({POLICIES, LTO, OUR_VERSION});
  ExpectRefused(AllOf(HasSubstr(" was compiled for optimization by the linker (-flto): "),
                      HasSubstr(" machine code alone is expected. Build RocksDB without -flto")));
}

TEST_F(VerbAdoptTest, RefusesAUnityBuild) {
  MakeArchive({UNITY, OUR_VERSION});
  ExpectRefused(AllOf(HasSubstr(" was compiled many sources at a time (a unity build): "),
                      HasSubstr("Build RocksDB without CMAKE_UNITY_BUILD")));
  // The file name shows the unity build.
  fs::copy_file(POLICIES, folder_ / "unity_0_cxx.cxx.o");
  MakeArchive({folder_ / "unity_0_cxx.cxx.o", OUR_VERSION});
  ExpectRefused(HasSubstr(" (a unity build): unity_0_cxx.cxx.o has the functions "));
  // Merged object files are refused like a unity build.
  ASSERT_EQ(RunProgram({"ld", "-r", "-o", folder_ / "all.o", POLICIES, OUR_VERSION}, {}).status, 0);
  MakeArchive({folder_ / "all.o"});
  ExpectRefused(HasSubstr(" (a unity build): all.o has the functions "));
}

TEST_F(VerbAdoptTest, RefusesAThinArchive) {
  MakeArchive({POLICIES, OUR_VERSION}, "qcT");
  ExpectRefused(AllOf(HasSubstr(" is a thin archive, which has only the names of its object files"),
                      HasSubstr("make one of the same files, by ar without --thin")));
}

TEST_F(VerbAdoptTest, RefusesOneThatHasWinnow) {
  MakeArchive({ADOPTED, OUR_VERSION});
  ExpectRefused(AllOf(HasSubstr(" has Winnow inside already: it was made by winnow adopt, or with "
                                "WINNOW_STAND_IN=1."),
                      HasSubstr("take the original")));
  MakeArchive({IN_TREE, POLICIES, OUR_VERSION});
  ExpectRefused(HasSubstr(" was built with Winnow in its tree already, and RocksDB alone is "));
}

TEST_F(VerbAdoptTest, RefusesObjectsOfAnotherMachine) {
  std::string object = ReadFile(POLICIES);
  constexpr size_t kMachine = 18;  // e_machine
  object[kMachine] = 8;            // MIPS
  object[kMachine + 1] = 0;
  WriteFile(folder_ / "other.o", object);
  MakeArchive({folder_ / "other.o", OUR_VERSION}, "qcS");
  ExpectRefused(HasSubstr(" has other.o, which is for another machine (ELF's machine 8, "));
}

TEST_F(VerbAdoptTest, RefusesWhatIsNoArchive) {
  WriteFile(archive_, "no archive at all");
  ExpectRefused(HasSubstr(" is no static archive: it does not begin with !<arch>."));
  WriteFile(archive_, "!<arch>\n");
  ExpectRefused(HasSubstr(" has no object files."));
  MakeArchive({POLICIES, OUR_VERSION});
  const std::string whole = ReadFile(archive_);
  WriteFile(archive_, whole.substr(0, whole.size() - 100));
  ExpectRefused(HasSubstr(" is damaged: a member's header is not where it must be."));
  WriteFile(folder_ / "text", "text");
  MakeArchive({POLICIES, folder_ / "text"});
  ExpectRefused(HasSubstr(" has text, which is no object file in the form ELF."));
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
  const auto adopt_to = [&](const std::string& name) {
    const ChildResult result = Run(Quoted("librocksdb.a") + "--output=" + Quoted(name).substr(1));
    EXPECT_EQ(result.status, 2) << name;
    return result.errors;
  };
  EXPECT_THAT(adopt_to("librocksdb.a"),
              HasSubstr(", which is the original: that stays as it is. Name a new file"));
  fs::create_symlink(archive_, folder_ / "link.a");
  EXPECT_THAT(adopt_to("link.a"), HasSubstr(", which is the original: "));
  WriteFile(folder_ / "there.a", "x");
  EXPECT_THAT(adopt_to("there.a"),
              HasSubstr("there.a is there already, and a new file is expected."));
  WriteFile(folder_ / "rocksdb.pc", "x");
  EXPECT_THAT(adopt_to("copy.a"), HasSubstr("rocksdb.pc is there already, "));
  EXPECT_THAT(adopt_to("nowhere/copy.a"),
              HasSubstr("nowhere, in which the copy is to be made. Make it first"));
  EXPECT_EQ(ReadFile(folder_ / "there.a"), "x");
}

TEST_F(VerbAdoptTest, SaysWhatItNeeds) {
  EXPECT_THAT(Run("").errors, HasSubstr("which archive?"));
  EXPECT_THAT(Run("one.a").errors, HasSubstr("where to? -o FOLDER/librocksdb.a"));
  EXPECT_THAT(Run("one.a two.a -o three.a").errors, HasSubstr("one archive at a time"));
  EXPECT_THAT(Run("one.a -o").errors, HasSubstr("the flag --output needs a value"));
  const ChildResult missing = Run(Quoted("missing.a") + "-o" + Quoted("copy.a"));
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.errors, HasSubstr("missing.a can't be read: No such file or directory"));
}

}  // namespace
}  // namespace winnow
