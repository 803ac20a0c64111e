#include "src/database/table_list.h"

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "src/database/database.h"

namespace winnow::inspect {

TableList ListTables(const std::string& path, const std::vector<std::string>& table_folders,
                     int workers) {
  TableList list;
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) {
    list.tables.push_back({path, std::nullopt, std::nullopt});
    return list;
  }
  DatabaseReport database = ListDatabase(path, table_folders, workers);
  for (SstReport& file : database.files) {
    ListedTable table;
    table.error = std::move(file.error);
    table.path = std::move(file.path);
    table.level = file.level;
    table.column_family = std::move(file.column_family);
    table.database = path;
    list.tables.push_back(std::move(table));
  }
  if (database.error) {
    list.tables.push_back({path, std::nullopt, database.error});
  }
  if (database.remark) {
    list.remarks.push_back(absl::StrCat(path, ": ", *database.remark));
  }
  if (database.warning) {
    list.warnings.push_back(absl::StrCat(path, ": ", *database.warning));
  }
  return list;
}

}  // namespace winnow::inspect
