// Tests that the commands of the documentation run with an installed Winnow: everything that they
// need is installed and works together.
//
// Each command runs in its own folder, in which names of the pages, such as FOLDER and KEY, are
// files and keys. Trees of a million keys are shortened to some thousand. The environment variable
// WINNOW_INSTALLED names another prefix than the build's own, for example /usr for packages.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/repo/pages.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;
using testing::ChildResult;
using testing::IndentedBlocks;
using testing::InlineCode;
using testing::InstalledPages;
using testing::Page;
using testing::RunProgram;
using testing::TemporaryFolder;
using testing::WriteFile;

struct PageCommands {
  std::string page;
  std::vector<std::string> texts;  // bash commands in the page's order
  int left_out = 0;                // number of lines that need more than is installed
};

// Printer for GoogleTest, which otherwise prints the object's bytes.
void PrintTo(const PageCommands& commands, std::ostream* out) { *out << commands.page; }

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns whether the text runs one of Winnow's programs, or a program with the preloaded library.
bool NamesWinnow(const std::string& text) {
  static const std::regex ours(
      R"((^|[\s|(/'])(winnow [a-z]+|db_bench_ext --[a-z])|libwinnow_preload\.so)");
  return std::regex_search(text, ours);
}

// Returns whether a block is input or output of another program, or has commands that need
// RocksDB's source or install packages.
bool IsNoCommand(const std::string& block) {
  static const std::regex other(
      R"((^|\n)(\[[A-Za-z]+\]\n|Environment=|winnow: |#include|find_package|(FROM|RUN|ENV|apt) ))");
  return std::regex_search(block, other) || Has(block, "ROCKSDB");
}

// Adds the commands of a block, without their output, which follows a blank line, without comments
// after #, and without lines that need a Redis server, which is not installed with Winnow.
void AddCommandsOf(const std::string& block, PageCommands* commands) {
  std::istringstream lines(block);
  std::string text;
  std::string part;
  const auto end_part = [&] {
    if (NamesWinnow(part) && !IsNoCommand(part)) text += part;
    part.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      end_part();
    } else if (Has(line, "--redis=") ||
               (Has(line, "winnow adopt ") && !fs::exists(ROCKSDB_ARCHIVE))) {
      ++commands->left_out;
    } else {
      part += line.substr(0, line.find(" #")) + "\n";
    }
  }
  end_part();
  if (!text.empty()) commands->texts.push_back(text);
}

// Returns whether inline code is a complete command, with its operand.
bool IsWhole(const std::string& piece) {
  static const std::regex command(
      R"((winnow|db_bench_ext) .* ?('[^']+'|FOLDER|DB|COPY|(^|[^=])FILE|OPTIONS-FILE)( .*)?)");
  if (Has(piece, "--lookups=FILE") && !Has(piece, " DB") && !Has(piece, " FOLDER")) return false;
  return std::regex_match(piece, command) || piece.rfind("env WINNOW_", 0) == 0;
}

// Returns the commands of each page that has commands, except pages of results, whose trees take
// hours, and for contributors, which need the build folder.
std::vector<PageCommands> AllCommands() {
  std::vector<PageCommands> all;
  for (const Page& page : InstalledPages()) {
    if (page.IsResult() || page.path == "CONTRIBUTING.md" || page.path == "CHANGELOG.md") continue;
    PageCommands commands;
    commands.page = page.path;
    for (const std::string& block : IndentedBlocks(page.text)) AddCommandsOf(block, &commands);
    for (const std::string& piece : InlineCode(page.text)) {
      const std::string text = std::regex_replace(piece, std::regex(R"(\\\|)"), "|");
      if (IsWhole(text)) commands.texts.push_back(text);
    }
    if (!commands.texts.empty() || commands.left_out > 0) all.push_back(commands);
  }
  return all;
}

// Returns the PATH for bash, in which the programs of this RocksDB come first.
std::string SearchPath() {
  const std::string programs = ROCKSDB_PROGRAMS;
  return programs.empty() ? "$PATH" : "'" + programs + "':$PATH";
}

// Returns the command for a small tree and few lookups. If a flag is given twice, the later one
// counts.
std::string Shortened(const std::string& text) {
  static const std::regex keys(R"(--num=\d+)");
  static const std::regex db_bench(R"(\bdb_bench(?= -))");
  static const std::regex db_bench_ext(R"(\bdb_bench_ext(?= -))");
  static const std::regex own_keys(R"(\bdb_bench_ext(?= --(num|heat)))");
  std::string shorter = std::regex_replace(text, keys, "--num=1000");
  shorter = std::regex_replace(shorter, own_keys, "db_bench_ext --num=1000");
  shorter = std::regex_replace(shorter, db_bench_ext,
                               "db_bench_ext --reads=1000 --timed_reads=100 --timed_rounds=1");
  return std::regex_replace(shorter, db_bench, "db_bench --num=2000 --benchmarks=fillseq");
}

bool TakesThePreload(const std::string& text) {
  return Has(text, "libwinnow_preload.so") || Has(text, "winnow run ");
}

class InstalledPagesTest : public ::testing::TestWithParam<PageCommands> {
 protected:
  void SetUp() override {
    for (const std::string program : {"db_bench", "ldb"}) {
      if (RunProgram({"sh", "-c", "PATH=" + SearchPath() + "; command -v " + program}).status !=
          0) {
        GTEST_SKIP() << "skipped: no " << program
                     << " here, which the pages name; Debian has it in rocksdb-tools";
      }
    }
    const char* const named = std::getenv("WINNOW_INSTALLED");
    prefix_ = named != nullptr ? named : WINNOW_INSTALLED;
    ASSERT_TRUE(fs::exists(prefix_ / "bin/winnow"))
        << "expected an installation in " << prefix_
        << ", which has no bin/winnow: run the test by ctest, which installs the build there, or "
           "name another by WINNOW_INSTALLED";
    // Debian's packages have one folder per architecture.
    library_ = prefix_ / "lib";
    for (const auto& entry : fs::directory_iterator(prefix_ / "lib")) {
      if (fs::exists(entry.path() / "libwinnow_preload.so")) library_ = entry.path();
    }
    MakeDatabase();
  }

  // Makes the database FOLDER with RocksDB's Bloom filters, as after the first step of a roll-out,
  // and with the key KEY.
  void MakeDatabase() {
    const std::string folder = made_ / "FOLDER";
    const std::string path = "PATH=" + SearchPath() + "; ";
    const ChildResult filled = RunProgram(
        {"sh", "-ec",
         path + "db_bench --db=\"$0\" --benchmarks=fillrandom,compact --num=5000 --bloom_bits=10 "
                "--value_size=20 --seed=28",
         folder});
    ASSERT_EQ(filled.status, 0) << filled.output << filled.errors;
    const std::string ldb = "ldb --db='" + folder + "' --try_load_options ";
    const ChildResult preloaded =
        RunProgram({"sh", "-ec",
                    path + "export LD_PRELOAD=\"$0\"; " + ldb + "put KEY value; " + ldb + "compact",
                    library_ / "libwinnow_preload.so"},
                   {"WINNOW_POLICY=read", "WINNOW_LOG=1"});
    ASSERT_EQ(preloaded.status, 0) << preloaded.output << preloaded.errors;
    ASSERT_TRUE(Has(preloaded.errors, "winnow: in force in ldb")) << preloaded.errors;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("OPTIONS-", 0) == 0) options_ = std::max(options_, entry.path().string());
      if (entry.path().extension() == ".sst") table_ = entry.path().string();
    }
    ASSERT_FALSE(options_.empty() || table_.empty());
  }

  // Returns the page's example of the table of filter use.
  static std::string TableOfUse() {
    for (const Page& page : InstalledPages()) {
      for (const std::string& block : IndentedBlocks(page.text)) {
        if (block.rfind("[winnow] what filters answered", 0) == 0) return block;
      }
    }
    return "";
  }

  // Runs the command in a new folder with all files that pages name, after the bash commands
  // `before`.
  ChildResult Run(const std::string& text, const std::string& before = "") const {
    const TemporaryFolder folder;
    const bool makes_pages = Has(text, " pages build FOLDER");
    for (const char* name : {"FOLDER", "DB", "COPY"}) {
      if (makes_pages) continue;
      fs::copy(made_ / "FOLDER", folder / name, fs::copy_options::recursive);
    }
    for (const char* name : {"LIST", "KEYS", "LOG...", "today"}) {
      WriteFile(folder / name, "KEY\nabsent\nKEY\n");
    }
    WriteFile(folder / "TRACE", "KEY\nabsent\n");
    WriteFile(folder / "LOG", TableOfUse());
    fs::copy_file(WINNOW_SOURCE_DIR "/tests/golden/filter_use.json", folder / "FILTER_USE.json");
    fs::copy_file(options_, folder / "OPTIONS-FILE");
    if (Has(text, "lookups=FILE")) {
      WriteFile(folder / "FILE", "4b4559\n616273656e74\n");  // KEY and an absent key
    } else {
      fs::copy_file(Has(text, "options_file=FILE") ? options_ : table_, folder / "FILE");
    }
    if (fs::exists(ROCKSDB_ARCHIVE)) {
      fs::create_symlink(ROCKSDB_ARCHIVE, folder / "librocksdb.a");
    }
    fs::create_directories(folder / "build/release");
    for (const char* prefix : {"PREFIX", "build/release"}) {
      fs::create_directories(folder / prefix);
      fs::create_directory_symlink(prefix_ / "bin", folder / prefix + "/bin");
      fs::create_directory_symlink(library_, folder / prefix + "/lib");
    }
    fs::create_directory(folder / "programs");
    WriteFile(folder / "programs/PROGRAM",
              "#!/bin/sh\nexec ldb --db=FOLDER get_property rocksdb.estimate-num-keys\n");
    fs::permissions(folder / "programs/PROGRAM", fs::perms::owner_all);
    const std::string commands =
        std::regex_replace(Shortened(text), std::regex("/usr/local/lib/"), "$PWD/PREFIX/lib/");
    return RunProgram(
        {"bash", "-c", "cd \"$0\" && PATH=$2/bin:$0/programs:" + SearchPath() + " && eval \"$1\"",
         folder.path(), before + "set -e -o pipefail\n" + commands, prefix_.string()},
        {"WINNOW_LOG=1", "TEST_TMPDIR=" + folder.path()});  // TEST_TMPDIR is for db_bench
  }

  fs::path prefix_;
  fs::path library_;
  TemporaryFolder made_;
  std::string options_;
  std::string table_;
};

TEST_P(InstalledPagesTest, EachCommandRuns) {
  for (const std::string& text : GetParam().texts) {
    SCOPED_TRACE(GetParam().page + ":\n" + text);
    const ChildResult result = Run(text);
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    if (!TakesThePreload(text)) continue;
    // The dynamic loader ignores a preloaded library that it does not find.
    EXPECT_FALSE(Has(result.errors, "cannot be preloaded")) << result.errors;
    EXPECT_TRUE(Has(result.errors, "winnow: in force in ")) << result.errors;
  }
  if (GetParam().left_out > 0) {
    std::printf("%s: %d lines were left out, as they need a server of Redis\n",
                GetParam().page.c_str(), GetParam().left_out);
  }
}

// Commands that print which databases have files without a filter, or options without a policy.
constexpr char kSayWhatIsLost[] = R"sh(prefix=$2
say() {
  for database in FOLDER DB COPY; do
    [ -d $database ] || continue
    $prefix/bin/winnow inspect --summary $database | grep '^converted.* no filter' && echo LOST
    grep -q filter_policy=nullptr $(ls $database/OPTIONS-* | tail -n 1) && echo "LOST: the policy"
  done
}
trap say EXIT
)sh";

// Winnow is installed elsewhere, a name is misspelled, or RocksDB is of another version.
TEST_P(InstalledPagesTest, WithAWrongNameNoFilterIsLost) {
  static const std::regex writes(R"(\b(ldb|db_bench) -|\bwinnow run )");
  const std::pair<std::regex, std::string> wrong[] = {
      {std::regex(R"((\S+/)?\bwinnow (?=run|policy))"), "/nowhere/winnow "},
      {std::regex(R"(\bread\b|\bid=winnow|\bwinnow(?=:10| ldb))"), "wninow"},
      {std::regex(R"(FOLDER|COPY|\bDB\b)"), "FOLDRE"},
  };
  for (const std::string& text : GetParam().texts) {
    if (!std::regex_search(text, writes)) continue;
    SCOPED_TRACE(GetParam().page + ":\n" + text);
    for (const auto& [name, misspelt] : wrong) {
      if (!std::regex_search(text, name)) continue;
      const ChildResult result = Run(std::regex_replace(text, name, misspelt), kSayWhatIsLost);
      EXPECT_NE(result.status, 0) << misspelt;
      EXPECT_FALSE(Has(result.output, "LOST")) << result.output << result.errors;
    }
    const ChildResult result =
        Run(text, std::string("set -e\n") + kSayWhatIsLost + testing::kOtherRocksDB);
    const std::string said = result.output + result.errors;
    EXPECT_FALSE(Has(said, "LOST")) << said;
    if (result.status == 77) continue;  // programs that contain RocksDB
    EXPECT_EQ(Has(said, "winnow: not in force") || Has(said, "winnow run: "), TakesThePreload(text))
        << said;
    EXPECT_FALSE(Has(said, "winnow: in force")) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, InstalledPagesTest, ::testing::ValuesIn(AllCommands()),
                         [](const ::testing::TestParamInfo<PageCommands>& page) {
                           static const std::regex sign("[^A-Za-z0-9]");
                           static const std::regex streams("^streams/(?=docs/)");
                           return std::regex_replace(
                               std::regex_replace(page.param.page, streams, ""), sign, "_");
                         });

}  // namespace
}  // namespace winnow
