// Files of a database in use that are deleted while they are read.

#ifndef WINNOW_TOOLS_WINNOW_GONE_FILES_H_
#define WINNOW_TOOLS_WINNOW_GONE_FILES_H_

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace winnow::tools {

// Of paths that could not be read: those of files that are not there any more and that lay in the
// folders of databases among the arguments, whose trees don't name them now. They are no part of
// the database, and nothing to speak of. Reads these databases again if there may be such a file.
std::set<std::string> GoneFiles(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& unread);

// "2 files were deleted …", for stderr.
std::string AboutGoneFiles(size_t files);

// Takes these out of what was found of files, each with a path and an error, and says so among the
// warnings.
template <typename File>
void DropGone(const std::vector<std::string>& arguments, std::vector<File>* files,
              std::vector<std::string>* warnings) {
  std::vector<std::string> unread;
  for (const File& file : *files) {
    if (file.error) {
      unread.push_back(file.path);
    }
  }
  const std::set<std::string> gone =
      unread.empty() ? std::set<std::string>() : GoneFiles(arguments, unread);
  files->erase(std::remove_if(files->begin(), files->end(),
                              [&gone](const File& file) { return gone.count(file.path) > 0; }),
               files->end());
  if (!gone.empty()) {
    warnings->push_back(AboutGoneFiles(gone.size()));
  }
}

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_GONE_FILES_H_
