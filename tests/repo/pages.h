// Documentation pages of the tree, and the code in them.

#ifndef WINNOW_TESTS_REPO_PAGES_H_
#define WINNOW_TESTS_REPO_PAGES_H_

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/matches.h"

namespace winnow::testing {

struct Page {
  std::string path;  // relative to the root of the tree
  std::string text;

  bool IsResult() const {
    return path.rfind("docs/results/", 0) == 0 || path.rfind("streams/docs/results/", 0) == 0;
  }
};

// Returns the installed pages: README.md and other top-level pages, all of docs/, and the same of
// streams/.
inline std::vector<Page> InstalledPages() {
  const std::filesystem::path root = WINNOW_SOURCE_DIR;
  std::vector<Page> pages;
  const auto add = [&](const std::filesystem::path& path) {
    if (path.extension() == ".md") {
      pages.push_back({path.lexically_relative(root).generic_string(), ReadFile(path.string())});
    }
  };
  for (const auto& entry : std::filesystem::directory_iterator(root)) add(entry.path());
  add(root / "streams/README.md");
  for (const char* folder : {"docs", "streams/docs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      add(entry.path());
    }
  }
  std::sort(pages.begin(), pages.end(),
            [](const Page& a, const Page& b) { return a.path < b.path; });
  return pages;
}

// Returns the blocks indented by four columns, without the indentation: code, commands, options and
// outputs.
inline std::vector<std::string> IndentedBlocks(const std::string& page) {
  std::vector<std::string> blocks;
  std::istringstream lines(page);
  std::string block;
  std::string blank;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      blank += "\n";
    } else if (line.rfind("    ", 0) == 0) {
      block += (block.empty() ? "" : blank) + line.substr(4) + "\n";
      blank.clear();
    } else {
      if (!block.empty()) blocks.push_back(block);
      block.clear();
      blank.clear();
    }
  }
  if (!block.empty()) blocks.push_back(block);
  return blocks;
}

// Returns the texts between backticks on one line.
inline std::vector<std::string> InlineCode(const std::string& page) {
  static const std::regex code("`([^`\n]+)`");
  return AllMatches(page, code, 1);
}

// Shell commands that put RocksDB's programs into the folder "other", linked to a RocksDB renamed
// as another version, and add the folder to the PATH. Exit with 77 if the programs are not linked
// to a shared RocksDB.
inline constexpr char kOtherRocksDB[] = R"(mkdir other
for program in ldb db_bench; do
  file=$(command -v $program)
  set -- $(ldd "$file" | awk '/librocksdb/ { print $1, $3 }')
  [ $# = 2 ] || exit 77
  case $1 in *9) name=${1%9}1 ;; *) name=${1%?}9 ;; esac
  LC_ALL=C sed "s/$1/$name/g" "$file" >other/$program
  LC_ALL=C sed "s/$1/$name/g" "$2" >other/$name
  chmod +x other/$program
done
PATH=$PWD/other:$PATH
export LD_LIBRARY_PATH=$PWD/other
)";

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_REPO_PAGES_H_
