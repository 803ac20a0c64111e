// The folders of RocksDB's BackupEngine. In its folder lie meta/N, which names the files of backup
// N, private/N with the backup's CURRENT, MANIFEST and OPTIONS, and for all backups together
// shared_checksum/ (or shared/) with SST files, whose names are not those of the MANIFEST.

#ifndef WINNOW_SRC_DATABASE_BACKUP_FOLDER_H_
#define WINNOW_SRC_DATABASE_BACKUP_FOLDER_H_

#include <string>

namespace winnow::inspect {

// Returns whether the folder is that of a backup's MANIFEST, without the SST files.
bool IsBackupWithoutTables(const std::string& folder);

// Returns whether the folder has the SST files of backups.
bool HasTablesOfBackups(const std::string& folder);

// Sentences about such folders: why the one can't be read, and what is not known of the other.
std::string AboutBackupWithoutTables(const std::string& folder);
std::string AboutTablesOfBackups();

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_BACKUP_FOLDER_H_
