#include "src/database/table_places.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace winnow::inspect {

namespace fs = std::filesystem;

std::vector<std::string> StandInPaths(const std::string& database) {
  std::vector<std::string> paths = {database};
  while (paths.size() < kMaxPaths) {
    paths.push_back(absl::StrCat(database, "/path ", paths.size(), " that winnow does not know"));
  }
  return paths;
}

int NumberOfPath(const std::string& database, const std::string& stand_in) {
  const std::vector<std::string> paths = StandInPaths(database);
  const auto found = std::find(paths.begin(), paths.end(), stand_in);
  return found == paths.end() ? 0 : static_cast<int>(found - paths.begin());
}

std::optional<std::string> FindTableFile(const std::string& name, uint64_t bytes,
                                         const std::vector<std::string>& folders) {
  std::optional<std::string> of_another_size;
  for (const std::string& folder : folders) {
    const fs::path path = (fs::path(folder) / name).lexically_normal();
    std::error_code code;
    const uint64_t found = fs::file_size(path, code);
    if (!code && found == bytes) {
      return path.string();
    }
    if (!of_another_size && fs::exists(path, code)) {
      of_another_size = path.string();
    }
  }
  return of_another_size;
}

std::string WhyNotFound(const std::string& name, int path_number, const std::string& database) {
  constexpr const char* kAdvice = "name its folder with --path=FOLDER";
  return path_number == 0
             ? absl::StrCat("there is no file ", name, " in ", database,
                            ", which the MANIFEST names; if the database has db_paths or cf_paths, "
                            "or was copied without them, ",
                            kAdvice)
             : absl::StrCat("the MANIFEST names the file ", name, " on path ", path_number + 1,
                            " of db_paths or cf_paths, and RocksDB saves these paths nowhere; ",
                            kAdvice);
}

}  // namespace winnow::inspect
