// The pages are true: their links lead somewhere, the files that they name exist, and the code that
// they show is compiled and run by tests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/repo/pages.h"
#include "tests/support/files.h"
#include "tests/support/matches.h"

namespace winnow {
namespace readme_test {

namespace fs = std::filesystem;
using testing::AllMatches;
using testing::IndentedBlocks;
using testing::InlineCode;
using testing::InstalledPages;
using ::testing::IsSupersetOf;
using testing::Page;
using testing::ReadFile;

const std::string kRoot = WINNOW_SOURCE_DIR "/";

// Returns the targets of a page's links, without anchors, except those to the network.
std::vector<std::string> LinksOf(const Page& page) {
  static const std::regex link(R"(\]\(([^)#\s]+)[^)]*\))");
  std::vector<std::string> paths;
  for (const std::string& target : AllMatches(page.text, link, 1)) {
    if (target.find("://") != std::string::npos) continue;
    paths.push_back((fs::path(page.path).parent_path() / target).lexically_normal().string());
  }
  return paths;
}

// Pages are installed without the rest of the tree.
TEST(PagesTest, TheirLinksLeadToPagesAndPicturesThatAreInstalledToo) {
  std::set<std::string> reached = {"README.md"};
  for (const Page& page : InstalledPages()) {
    for (const std::string& target : LinksOf(page)) {
      EXPECT_TRUE(fs::exists(kRoot + target)) << page.path << " links to " << target;
      EXPECT_TRUE(target.rfind("docs/", 0) == 0 || target.rfind("streams/docs/", 0) == 0 ||
                  target == "streams/README.md" || target.find('/') == std::string::npos)
          << page.path << " links to " << target << ", which is not installed with it";
      reached.insert(target);
    }
  }
  EXPECT_GT(reached.size(), 40u);
  for (const Page& page : InstalledPages()) {
    EXPECT_EQ(reached.count(page.path), 1u) << "no page links to " << page.path;
  }
}

// The words of code that are paths of the tree, without what a shell or a sentence adds to them.
std::vector<std::string> PathsIn(const std::string& code) {
  static const std::regex path(
      R"((^|[\s"'(])((\.ci|db_bench_ext|docs|include|src|streams|tests|third_party|tools)/[A-Za-z0-9_./+-]*))");
  return AllMatches(code, path, 2);
}

// NAME stands for a name to be chosen: the folder in which it would be exists.
std::string KnownPart(const std::string& path) {
  const size_t at = path.find("NAME");
  return at == std::string::npos ? path : path.substr(0, path.rfind('/', at));
}

TEST(PagesTest, TheFilesThatTheyNameExist) {
  size_t paths = 0;
  for (const Page& page : InstalledPages()) {
    std::vector<std::string> code = IndentedBlocks(page.text);
    for (const std::string& piece : InlineCode(page.text)) code.push_back(piece);
    for (const std::string& piece : code) {
      if (piece.rfind("cd ROCKSDB", 0) == 0) continue;  // paths of RocksDB's tree
      for (const std::string& path : PathsIn(piece)) {
        EXPECT_TRUE(fs::exists(kRoot + KnownPart(path))) << page.path << " names " << path;
        ++paths;
      }
    }
  }
  EXPECT_GT(paths, 60u);
}

// Replaces each run of white space by a blank, since clang-format breaks lines where a page does
// not.
std::string WithoutLayout(const std::string& code) {
  std::istringstream words(code);
  std::string text;
  for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Returns whether it is C, C++, Go or Rust; commands and options have no such ends of lines.
bool IsProgram(const std::string& block) {
  static const std::regex code_line(R"([;{][ ]*(//[^\n]*)?\n)");
  return std::regex_search(block, code_line);
}

TEST(PagesTest, TheirCodeIsThatOfExamplesAndTests) {
  std::vector<std::string> examples;
  std::string sources;
  std::vector<fs::path> files;
  for (const char* folder : {"tests", "streams/tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot + folder)) {
      files.push_back(entry.path());
    }
  }
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    if (name == "filter_example.cc" || name == "c_example.c" || name == "filter_set_example.cc" ||
        name == "range_filter_example.cc") {
      examples.push_back(ReadFile(path.string()));
    }
    const std::string end = path.extension().string();
    if (end == ".cc" || end == ".go" || end == ".rs") {
      sources += WithoutLayout(ReadFile(path.string())) + "\n";
    }
  }
  ASSERT_EQ(examples.size(), 4u);
  std::vector<std::string> whole;
  for (const Page& page : InstalledPages()) {
    for (const std::string& block : IndentedBlocks(page.text)) {
      if (!IsProgram(block)) continue;
      if (std::find(examples.begin(), examples.end(), block) != examples.end()) {
        whole.push_back(block);
      } else {
        EXPECT_NE(sources.find(WithoutLayout(block)), std::string::npos)
            << page.path << " has code that no test compiles:\n"
            << block;
      }
    }
  }
  EXPECT_THAT(whole, IsSupersetOf(examples)) << "no page shows these examples";
}

// Each figure of the README's table of gains, or a thousandth of it, stands in one of the pages
// that the section links to; and each of its picture in that table or there.
TEST(ReadmeTest, ItsFiguresAreThoseOfTheResults) {
  const std::string readme = ReadFile(kRoot + "README.md");
  const size_t begin = readme.find("## What it gains\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string section = readme.substr(begin, readme.find("\n## ", begin + 1) - begin);
  std::string results;
  for (const std::string& path : LinksOf({"README.md", section})) {
    if (path.rfind("docs/results/", 0) == 0) results += ReadFile(kRoot + path);
  }
  int figures = 0;
  const auto expect_in_results = [&](const std::string& figure) {
    std::string digits = figure;
    digits.erase(digits.find('.'), 1);
    const std::string thousandth = "0." + std::string(digits.size() == 4 ? "0" : "00") + digits;
    EXPECT_TRUE(results.find(" " + figure + " |") != std::string::npos ||
                results.find(" " + thousandth + " |") != std::string::npos)
        << figure << " is in no result that the README's section links to";
    ++figures;
  };
  static const std::regex cell(R"( (\d+\.\d+) \|)");
  for (const std::string& figure : AllMatches(section, cell, 1)) expect_in_results(figure);
  const std::string picture = ReadFile(kRoot + "docs/what-it-gains.svg");
  static const std::regex label(R"(>(\d+\.\d+)</text>)");
  for (const std::string& figure : AllMatches(picture, label, 1)) expect_in_results(figure);
  EXPECT_GE(figures, 24);
}

}  // namespace readme_test

}  // namespace winnow
