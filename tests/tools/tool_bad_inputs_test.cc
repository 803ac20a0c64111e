// Invalid paths for verbs that read SST files: the tool prints one line with the path and the
// fault, still reads the other files, and sets the exit status.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace tool_bad_inputs_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ROCKSDB_NAMESPACE::Options;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::KeyOf;
using testing::MakeOptions;
using testing::OpenDatabase;
using testing::RunTool;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class ToolBadInputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::permissions(folder_.path(), fs::perms(0755));
    WriteSst(TableWith("winnow:10"), 5'000, good_);
    whole_ = testing::ReadFile(good_);
  }

  // Returns a copy with other bytes at an offset from the file's end.
  std::string Patched(size_t from_end, const std::string& bytes) const {
    std::string patched = whole_;
    patched.replace(patched.size() - from_end, bytes.size(), bytes);
    return patched;
  }

  void Add(const std::string& name, const std::string& bytes, const std::string& fault) {
    WriteFile(folder_ / name, bytes);
    inputs_.push_back({folder_ / name, fault});
  }

  void AddDamagedOnes() {
    Add("empty.sst", "", "it is empty");
    Add("short.sst", whole_.substr(0, 20), "it has 20 bytes");
    Add("text.sst", std::string(10'000, 'x'), "it does not end as a table");
    Add("truncated.sst", whole_.substr(0, whole_.size() / 2), "it does not end as a table");
    Add("one_less.sst", whole_.substr(0, whole_.size() - 1), "it does not end as a table");
    Add("metaindex.sst", Patched(53 + 20, "damage"), "checksum mismatch");
    Add("future.sst", Patched(12, std::string("\x63\0\0\0", 4)),
        "it has format version 99, which RocksDB " + ROCKSDB_NAMESPACE::GetRocksVersionAsString() +
            " does not read");
  }

  void AddOtherFormats() {
    Options plain = MakeOptions(TableWith(""));
    plain.table_factory.reset(ROCKSDB_NAMESPACE::NewPlainTableFactory());
    plain.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(4));
    WriteSst(plain, 1'000, folder_ / "plain.sst");
    inputs_.push_back({folder_ / "plain.sst", "it is a plain table"});
    Options cuckoo = MakeOptions(TableWith(""));
    cuckoo.table_factory.reset(ROCKSDB_NAMESPACE::NewCuckooTableFactory());
    WriteSst(cuckoo, 1'000, folder_ / "cuckoo.sst");
    inputs_.push_back({folder_ / "cuckoo.sst", "it is a cuckoo table"});
  }

  void AddSpecialOnes() {
    ASSERT_EQ(mkfifo((folder_ / "pipe.sst").c_str(), 0666), 0);
    inputs_.push_back({folder_ / "pipe.sst", "it is a pipe, not a regular file"});
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = folder_ / "socket.sst";
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.c_str(), path.size());
    ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    close(listener);
    inputs_.push_back({path, "it is a socket, not a regular file"});
    inputs_.push_back({"/dev/zero", "it is a device, not a regular file"});
  }

  // A block's compression type is in its trailer, which nothing covers without a checksum.
  void AddOneOfUnknownCompression() {
    auto table = TableWith("winnow:10");
    table.format_version = 5;  // later ones mix the offset into the trailer's checksum
    table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
    table.enable_index_compression = false;
    Options options = MakeOptions(table);
    options.compression = ROCKSDB_NAMESPACE::kLZ4Compression;
    WriteSst(options, 5'000, folder_ / "xpress.sst");
    std::string bytes = testing::ReadFile(folder_ / "xpress.sst");
    const size_t behind = bytes.find(std::string("\x04\0\0\0\0", 5));
    ASSERT_NE(behind, std::string::npos);
    bytes[behind] = static_cast<char>(ROCKSDB_NAMESPACE::kXpressCompression);
    WriteFile(folder_ / "xpress.sst", bytes);
    inputs_.push_back({folder_ / "xpress.sst", "compression method"});
  }

  ChildResult Run(const std::string& verb, const std::vector<std::string>& paths,
                  const std::vector<std::string>& more) {
    std::vector<std::string> command = before_;
    command.insert(command.end(), {"timeout", "60", WINNOW_TOOL, verb});
    command.insert(command.end(), paths.begin(), paths.end());
    command.insert(command.end(), more.begin(), more.end());
    return testing::RunProgram(command);
  }

  // Drops root's right to read all files, for the tool. Returns false if the tool can't run that
  // way.
  bool GiveUpRootsRights() {
    if (geteuid() == 0) {
      before_ = {"setpriv", "--bounding-set=-dac_override,-dac_read_search"};
    }
    return Run("inspect", {good_}, {}).status == 0;
  }

  // Expects the verbs that read tables to print each part once, for this path, with exit code 2.
  void ExpectNotRead(const std::string& path, const std::vector<std::string>& parts) {
    const std::vector<std::vector<std::string>> commands = {{"inspect", path},
                                                            {"verify", path},
                                                            {"probe", path, "zzz"},
                                                            {"policy", "winnow", path},
                                                            {"advise", "--draws=100", path}};
    for (const std::vector<std::string>& command : commands) {
      SCOPED_TRACE(command[0]);
      const ChildResult outcome = Run(command[0], {command.begin() + 1, command.end()}, {});
      EXPECT_EQ(outcome.status, 2) << outcome.output;
      for (const std::string& part : parts) {
        const size_t at = outcome.errors.find(part);
        EXPECT_NE(at, std::string::npos) << part << "\n" << outcome.errors;
        EXPECT_EQ(outcome.errors.find(part, at + 1), std::string::npos) << outcome.errors;
      }
      if (command[0] != "probe") continue;
      EXPECT_THAT(outcome.output, HasSubstr("zzz (0x7a7a7a): not known: "));
    }
  }

  // Runs the verb with each bad input and a good file.
  void ExpectLines(const std::string& verb, const std::vector<std::string>& more = {}) {
    for (const auto& [path, fault] : inputs_) {
      const ChildResult text = Run(verb, {path, good_}, more);
      EXPECT_EQ(text.status, 2) << verb << " " << path;
      EXPECT_THAT(testing::LinesThatBegin(text.errors, ""),
                  ::testing::ElementsAre(::testing::AllOf(HasSubstr("winnow " + verb + ": " + path),
                                                          HasSubstr(fault))));
      std::vector<std::string> with_json = more;
      with_json.emplace_back("--json");
      const json files = testing::JsonOf(Run(verb, {path, good_}, with_json), 2).at("files");
      ASSERT_EQ(files.size(), 2u);
      EXPECT_THAT(files[0].at("error"), HasSubstr(fault));
      EXPECT_EQ(files[0].at("path"), path);
      EXPECT_TRUE(files[1].at("error").is_null()) << files;
    }
  }

  testing::TemporaryFolder folder_;
  const std::string good_ = folder_ / "good.sst";
  std::string whole_;
  std::vector<std::pair<std::string, std::string>> inputs_;  // paths, and parts of their messages
  std::vector<std::string> before_;                          // prefix of the command
};

TEST_F(ToolBadInputsTest, EachVerbSaysWhatIsWrong) {
  AddDamagedOnes();
  AddOtherFormats();
  AddSpecialOnes();
  // `winnow inspect` reads no data blocks, and may report faults in its table.
  for (const auto& [path, fault] : inputs_) {
    const ChildResult text = Run("inspect", {path, good_}, {});
    EXPECT_EQ(text.status, 2) << path;
    EXPECT_THAT(text.output + text.errors,
                ::testing::AllOf(HasSubstr(path + ": "), HasSubstr(fault)));
    EXPECT_THAT(text.output, HasSubstr("winnow-ribbon"));
  }
  // The probed keys include one in a block of unknown compression.
  AddOneOfUnknownCompression();
  ExpectLines("probe", {KeyOf(7), "--exact"});
  inputs_.push_back({folder_ / "missing.sst", "there is no file or folder"});
  fs::create_symlink("nowhere", folder_ / "link.sst");
  inputs_.push_back({folder_ / "link.sst", "there is no file where the link"});
  fs::create_directory(folder_ / "folder.sst");
  inputs_.push_back({folder_ / "folder.sst", "neither SST files"});
  inputs_.push_back({folder_ / "*.ldb", "no file or folder matches the pattern"});
  ExpectLines("verify");
}

TEST_F(ToolBadInputsTest, AFileWithoutPermissionIsOneToo) {
  fs::copy_file(good_, folder_ / "closed.sst");
  fs::permissions(folder_ / "closed.sst", fs::perms::none);
  if (!GiveUpRootsRights()) {
    GTEST_SKIP() << "the tool can't be run without root's rights";
  }
  inputs_.push_back({folder_ / "closed.sst", "can't open it: Permission denied"});
  ExpectLines("verify");
  ExpectLines("probe", {KeyOf(7)});
  const ChildResult inspect = Run("inspect", {folder_ / "closed.sst", good_}, {});
  EXPECT_EQ(inspect.status, 2);
  EXPECT_THAT(inspect.output + inspect.errors, HasSubstr("Permission denied"));
}

// The unlistable folders are also in subfolders, and below a pattern.
TEST_F(ToolBadInputsTest, AFolderThatCannotBeListedIsNamed) {
  const std::vector<std::string> closed = {folder_ / "shelf/b", folder_ / "shelf/deep/c"};
  for (const std::string& folder : {std::string(folder_ / "shelf/a"), closed[0], closed[1]}) {
    fs::create_directories(folder);
    fs::copy_file(good_, folder + "/1.sst");
  }
  if (!GiveUpRootsRights()) {
    GTEST_SKIP() << "the tool can't be run without root's rights";
  }
  for (const std::string& folder : closed) {
    fs::permissions(folder, fs::perms::none);
  }
  ExpectNotRead(folder_ / "shelf",
                {"can't list the folder " + closed[0] + ": Permission denied\n",
                 "can't list the folder " + closed[1] + ": Permission denied\n"});
  ExpectNotRead(folder_ / "shelf/*/*.sst",
                {"can't list the folder " + closed[0] + ": Permission denied\n"});
  for (const std::string& folder : closed) {
    fs::permissions(folder, fs::perms::owner_all);
  }
}

// The folder's names can be listed, but no file can be accessed, which differs from a missing
// CURRENT.
TEST_F(ToolBadInputsTest, AFolderThatCannotBeEnteredHasWhatItNames) {
  const std::string database = folder_ / "db";
  fs::create_directory(database);
  for (const char* name : {"CURRENT", "MANIFEST-000005"}) {
    WriteFile(database + "/" + name, "");
  }
  fs::copy_file(good_, database + "/1.sst");
  if (!GiveUpRootsRights()) {
    GTEST_SKIP() << "the tool can't be run without root's rights";
  }
  fs::permissions(database, fs::perms::owner_read);
  ExpectNotRead(database, {"levels are unknown: can't look at the file CURRENT, which names the "
                           "MANIFEST in force: Permission denied\n",
                           "1.sst: can't look at it: Permission denied\n"});
  // A readable database is given too; the unreadable files must not count as deleted ones.
  const std::string other = folder_ / "other";
  OpenDatabase(MakeOptions(TableWith("winnow:10")), other);
  EXPECT_EQ(Run("verify", {folder_.path(), other}, {}).status, 2);
  fs::permissions(database, fs::perms::owner_all);
}

// The file is a readable table, but RocksDB does not open the database with it.
TEST_F(ToolBadInputsTest, AFileOfAnotherSizeIsNotTheDatabases) {
  const std::string database = folder_ / "db";
  testing::PutAndFlush(OpenDatabase(MakeOptions(TableWith("winnow:10")), database).get(), {100});
  const std::string table = testing::SstFilesIn(database).at(0);
  EXPECT_EQ(Run("verify", {database}, {}).status, 0);
  const std::string sizes = "the MANIFEST says " + std::to_string(fs::file_size(table)) +
                            " bytes, and it has " + std::to_string(whole_.size());
  WriteFile(table, whole_);
  ExpectNotRead(database, {table + ": it is not the file that the database wrote: " + sizes});
  EXPECT_EQ(Run("verify", {table}, {}).status, 0);  // valid if named itself
}

// The reason is printed to stderr, after the report, and only once if both go to one file.
TEST_F(ToolBadInputsTest, WhyAFileCouldNotBeReadIsSaidOnce) {
  WriteFile(folder_ / "empty.sst", "");
  const std::string path = folder_ / "empty.sst";
  for (const std::string& arguments :
       {"verify '" + path + "'", "inspect '" + path + "'", "probe '" + path + "' key",
        "policy winnow '" + path + "'"}) {
    const ChildResult apart = RunTool(arguments);
    EXPECT_THAT(apart.output, Not(HasSubstr("it is empty"))) << arguments;
    EXPECT_EQ(testing::LinesThatBegin(apart.errors, "winnow ").size(), 1u) << apart.errors;
    EXPECT_EQ(RunTool(arguments + " 2>&1").output, apart.output + apart.errors) << arguments;
  }
}

// Totals include files that could not be read.
TEST_F(ToolBadInputsTest, AVerdictCountsWhatCouldNotBeRead) {
  WriteFile(folder_ / "empty.sst", "");
  const std::string paths = " '" + folder_ / "empty.sst" + "' '" + good_ + "' ";
  const auto run = [&](const std::string& before, const std::string& after) {
    return testing::JsonOf(RunTool(before + " --json" + paths + after), 2);
  };
  EXPECT_EQ(run("verify", "").at("files_not_verified"), 1);
  EXPECT_EQ(run("inspect", "").at("converted").at("files_not_read"), 1);
  const json probed = run("probe", "zzz " + KeyOf(7));
  EXPECT_EQ(probed.at("files_not_read"), 1);
  EXPECT_EQ(probed.at("keys").at(0).at("answer"), "not known");
  EXPECT_EQ(probed["keys"][1].at("answer"), "may be in some");
}

}  // namespace tool_bad_inputs_test
}  // namespace winnow
