#include "src/database/backup_folder.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

bool HasTables(const fs::path& folder) {
  std::error_code code;
  const fs::directory_iterator files(folder, code);
  return !code &&
         std::any_of(fs::begin(files), fs::end(files), [](const fs::directory_entry& file) {
           return file.path().extension() == ".sst";
         });
}

}  // namespace

bool IsBackupWithoutTables(const std::string& folder) {
  std::error_code code;
  const fs::path real = fs::canonical(folder, code);
  const fs::path backups = real.parent_path().parent_path();
  return !code && real.parent_path().filename() == "private" &&
         fs::is_regular_file(backups / "meta" / real.filename(), code) && !HasTables(real);
}

bool HasTablesOfBackups(const std::string& folder) {
  std::error_code code;
  const fs::path real = fs::canonical(folder, code);
  return !code && (real.filename() == "shared_checksum" || real.filename() == "shared") &&
         fs::is_directory(real.parent_path() / "meta", code) &&
         fs::is_directory(real.parent_path() / "private", code);
}

std::string AboutBackupWithoutTables(const std::string& folder) {
  return absl::StrCat(
      folder,
      " is part of a backup of RocksDB's BackupEngine, whose SST files lie "
      "elsewhere: name the folder of all backups, or restore this one and name that");
}

std::string AboutTablesOfBackups() {
  return "these are the SST files of all backups (of RocksDB's BackupEngine) in this place "
         "together, without their levels: restore a backup to see its tree";
}

}  // namespace winnow::inspect
