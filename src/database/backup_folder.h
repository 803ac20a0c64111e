// Folders of RocksDB's BackupEngine: meta/N lists the files of backup N; private/N has the backup's
// CURRENT, MANIFEST and OPTIONS; and shared_checksum/ (or shared/) has the SST files of all
// backups, under names that differ from those in the MANIFEST.

#ifndef WINNOW_SRC_DATABASE_BACKUP_FOLDER_H_
#define WINNOW_SRC_DATABASE_BACKUP_FOLDER_H_

#include <string>

namespace winnow::inspect {

// Returns true if the folder has a backup's MANIFEST without the SST files.
bool IsBackupWithoutTables(const std::string& folder);

// Returns true if the folder has the SST files of backups.
bool HasTablesOfBackups(const std::string& folder);

// Returns a sentence that says why such a folder can't be read, or what is unknown about its files.
std::string AboutBackupWithoutTables(const std::string& folder);
std::string AboutTablesOfBackups();

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_BACKUP_FOLDER_H_
