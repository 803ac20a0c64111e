// Helpers for tests of the command line tool: running it, its JSON, its examples with files for the
// names in them, and files for it to read.

#ifndef WINNOW_TESTS_TOOLS_TOOL_TESTING_H_
#define WINNOW_TESTS_TOOLS_TOOL_TESTING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/sst/sst_filters.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/sanitized.h"

namespace winnow::testing {

// Runs the tool. The caller quotes the arguments for the shell.
inline ChildResult RunTool(const std::string& arguments) {
  return RunProgram({"sh", "-c", "'" WINNOW_TOOL "' " + arguments});
}

// Expects exit code 2, no output, and `said` in the message.
inline void ExpectWrongUsage(const std::string& arguments, const std::string& said = "winnow") {
  const ChildResult outcome = RunTool(arguments);
  EXPECT_EQ(outcome.status, 2) << arguments;
  EXPECT_EQ(outcome.output, "") << arguments;
  EXPECT_THAT(outcome.errors, ::testing::HasSubstr(said)) << arguments;
}

// Returns the JSON output. Expects the exit code `code`.
inline nlohmann::json JsonOf(const ChildResult& outcome, int code) {
  EXPECT_EQ(outcome.status, code) << outcome.errors << outcome.output;
  nlohmann::json document =
      nlohmann::json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(document.is_object()) << outcome.output;
  return document;
}

// Returns the paths of the folder's SST files, in order.
inline std::vector<std::string> SstFilesIn(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".sst") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline ROCKSDB_NAMESPACE::BlockBasedTableOptions TableOf(const std::string& policy,
                                                         bool partitioned) {
  return partitioned ? PartitionedTableWith(policy) : TableWith(policy);
}

// Makes a column family, and flushes a file of it for each of `files`.
inline void PutInFamily(ROCKSDB_NAMESPACE::DB* database, const ROCKSDB_NAMESPACE::Options& options,
                        const std::string& name, const std::vector<KeyNumbers>& files) {
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(database->CreateColumnFamily(options, name, &family));
  for (const KeyNumbers& keys : files) PutAndFlush(database, keys, family);
  ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
}

// Opens the database with column families of these names and options.
inline void Open(const ROCKSDB_NAMESPACE::Options& options, const std::string& path,
                 const std::vector<std::string>& names, OpenFamilies* open) {
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  open->Open(options, path, families);
}

// Flips bits of the file's byte at this offset.
inline void FlipBits(const std::string& path, size_t at, int bits = 1) {
  std::string bytes = ReadFile(path);
  ASSERT_LT(at, bytes.size());
  bytes[at] = static_cast<char>(bytes[at] ^ bits);
  WriteFile(path, bytes);
}

// Returns where the file's first filter block is, and its size.
inline std::pair<size_t, size_t> PlaceOfFilter(const std::string& path) {
  std::string error;
  const std::string block = inspect::ReadFilterBlocks(path, &error).at(0);
  return {ReadFile(path).find(block), block.size()};
}

// Flips a bit in the middle of the file's first filter block.
inline void FlipFilterBit(const std::string& path) {
  const auto [place, bytes] = PlaceOfFilter(path);
  FlipBits(path, place + bytes / 2, 8);
}

// Fixture for one verb of the tool, with a folder for its files.
class VerbTest : public ::testing::Test {
 protected:
  // Further words of `verb` are arguments of every run.
  explicit VerbTest(std::string verb) : verb_(std::move(verb)) {}

  // Runs the verb. The caller quotes the arguments for the shell.
  ChildResult Run(const std::string& arguments) const {
    return RunProgram({"sh", "-c", "exec '" WINNOW_TOOL "' " + verb_ + " " + arguments});
  }

  nlohmann::json RunJson(const std::string& arguments, int code) const {
    return JsonOf(Run(arguments + " --json"), code);
  }

  // Returns the path of a file in the folder, quoted and between spaces.
  std::string Quoted(const std::string& name) const { return " '" + folder_ / name + "' "; }

  TemporaryFolder folder_;

 private:
  const std::string verb_;
};

// Returns the verbs listed by `winnow help`.
inline std::vector<std::string> VerbNames() {
  std::vector<std::string> names;
  for (const std::string& line : LinesThatBegin(RunTool("help").output, "  winnow ")) {
    const std::string rest = line.substr(9);
    names.push_back(rest.substr(0, rest.find(' ')));
  }
  return names;
}

// Returns whether this build has the verb.
inline bool HasVerb(const std::string& verb) {
  const std::vector<std::string> verbs = VerbNames();
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

// Returns the example lines of a verb's help: "  winnow verify DB".
inline std::vector<std::string> ExamplesOf(const std::string& verb) {
  const std::string help = RunTool("help " + verb).output;
  const size_t at = help.find("\nExamples:\n");
  return at == std::string::npos ? std::vector<std::string>()
                                 : LinesThatBegin(help.substr(at), "  winnow ");
}

inline std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// Fixture with a small database and the other files that the examples name.
class ToolExamples : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto options = MakeOptions(TableWith("winnow:10"));
    {
      const auto database = OpenDatabase(options, folder_ / "db");
      PutAndFlush(database.get(), {1'000});
    }
    WriteSst(options, 1'000, folder_ / "file.sst");
    WriteFile(folder_ / "keys", KeyOf(1) + "\n" + KeyOf(2) + "\n");
    // The examples of `winnow run` preload a library before the sanitizer's.
    if (kSanitized) setenv("ASAN_OPTIONS", "verify_asan_link_order=0", /*overwrite=*/1);
    if (HasVerb("pages")) {
      ASSERT_EQ(
          RunTool("pages build --capacity=1000 '" + folder_ / "pages" + "' " + KeyOf(3)).status, 0);
    }
    stands_for_ = {{"OPTIONS", folder_ / "db"},
                   {"FILE.sst", folder_ / "file.sst"},
                   {"KEYS", folder_ / "keys"},
                   {"STATE", folder_ / "state"},
                   {"KEY", KeyOf(3)},
                   {"PAGES", folder_ / "pages"},
                   {"PROGRAM", WINNOW_TOOL},
                   {"DB", folder_ / "db"},
                   {"FILTER_USE.json", folder_ / "filter_use.json"}};
    WriteFile(folder_ / "filter_use.json",
              R"({"schema": "winnow.filter_use/1", "one_counted_of": 2048, "rows": []})");
  }

  // Returns an example's arguments, for a shell.
  std::string ArgumentsOf(const std::string& example) const {
    std::string arguments = example.substr(std::string("  winnow ").size());
    for (const auto& [name, what] : stands_for_) {
      arguments = Replaced(arguments, " " + name, " '" + what + "'");
      arguments = Replaced(arguments, "=" + name, "='" + what + "'");
    }
    return arguments;
  }

  // Returns the arguments of all examples of all verbs except `adopt`, which needs an archive of
  // RocksDB (tests/preload/adopt_test.sh).
  std::vector<std::string> AllExamples() const {
    std::vector<std::string> all;
    for (const std::string& verb : VerbNames()) {
      if (verb == "adopt") continue;
      for (const std::string& example : ExamplesOf(verb)) {
        all.push_back(ArgumentsOf(example));
      }
    }
    return all;
  }

  TemporaryFolder folder_;

 private:
  std::vector<std::pair<std::string, std::string>> stands_for_;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_TOOL_TESTING_H_
