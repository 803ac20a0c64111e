#include "tools/winnow/findings/table_folders.h"

#include <absl/flags/flag.h>
#include <absl/strings/string_view.h>

#include <algorithm>

namespace winnow::tools {
namespace {

struct FolderList {
  std::vector<std::string> folders;
};

// Abseil parses each mention of a flag by itself and keeps the last: so all are kept here.
std::vector<std::string>& AllNamed() {
  static auto* all = new std::vector<std::string>;
  return *all;
}

// The empty text is the default; the command line can't have it (winnow.cc).
bool AbslParseFlag(absl::string_view text, FolderList* list, std::string*) {
  std::vector<std::string>& all = AllNamed();
  if (!text.empty() && std::find(all.begin(), all.end(), text) == all.end()) {
    all.emplace_back(text);
  }
  list->folders = all;
  return true;
}

std::string AbslUnparseFlag(const FolderList& list) {
  return list.folders.empty() ? std::string() : list.folders.back();
}

}  // namespace
}  // namespace winnow::tools

WINNOW_SHARED_FLAG(
    kPathFlag, winnow::tools::FolderList, path, {}, TextValue("FOLDER"),
    "a folder in which a database with db_paths or cf_paths has table files; for several "
    "folders the flag is repeated, in any order");

namespace winnow::tools {

std::vector<std::string> TableFolders() { return absl::GetFlag(FLAGS_path).folders; }

}  // namespace winnow::tools
