#include "tools/winnow/adopt/binutils.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace winnow::inspect {
namespace {

bool IsInPath(const std::string& name) {
  const char* const path = std::getenv("PATH");
  const std::vector<std::string> folders =
      absl::StrSplit(path == nullptr ? "/usr/bin:/bin" : path, ':');
  return std::any_of(folders.begin(), folders.end(), [&name](const std::string& folder) {
    return access(absl::StrCat(folder.empty() ? "." : folder, "/", name).c_str(), X_OK) == 0;
  });
}

}  // namespace

std::vector<std::string> MissingPrograms(const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  std::copy_if(names.begin(), names.end(), std::back_inserter(missing),
               [](const std::string& name) { return !IsInPath(name); });
  return missing;
}

}  // namespace winnow::inspect
