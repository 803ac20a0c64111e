// Location of a database's SST files: its folder, or others (db_paths, cf_paths).
//
// The MANIFEST has only the index of each file's path, and RocksDB saves the paths nowhere, not
// even in the OPTIONS file, up to 11.9. So a user must name the folders. File numbers are unique in
// a database, over all its column families and paths, so a file is searched in all folders, in any
// order.

#ifndef WINNOW_SRC_DATABASE_TABLE_PLACES_H_
#define WINNOW_SRC_DATABASE_TABLE_PLACES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// Maximum number of paths of a database, which RocksDB's encoding in the MANIFEST limits.
inline constexpr int kMaxPaths = 4;

// Returns kMaxPaths db_paths for RocksDB, which aborts if the MANIFEST refers to more paths than
// these. The first is the database's folder; the others need not exist.
std::vector<std::string> StandInPaths(const std::string& database);

// Returns the index of a stand-in path, 0 to kMaxPaths - 1; 0 for another folder.
int NumberOfPath(const std::string& database, const std::string& stand_in);

// Returns the lexically normal path of the file in the first folder that has a file of this name
// and size, else in the first one with a file of this name, or nullopt.
std::optional<std::string> FindTableFile(const std::string& name, uint64_t bytes,
                                         const std::vector<std::string>& folders);

// Returns a sentence that says why a file of the MANIFEST was not found, and what to do.
std::string WhyNotFound(const std::string& name, int path_number, const std::string& database);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TABLE_PLACES_H_
