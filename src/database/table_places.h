// Where the SST files of a database lie: in its folder, or in others (db_paths, cf_paths).
//
// The MANIFEST has for each file the number of its path only, and RocksDB saves the paths nowhere:
// not in the OPTIONS file either, up to 11.9. So whoever knows the folders must name them. Numbers
// of files are unique in a database, over all its column families and paths: a file is looked for
// in every folder, in whatever order these are named.

#ifndef WINNOW_SRC_DATABASE_TABLE_PLACES_H_
#define WINNOW_SRC_DATABASE_TABLE_PLACES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// A database has at most so many paths, as RocksDB can write no more into its MANIFEST.
inline constexpr int kMaxPaths = 4;

// Returns the db_paths that RocksDB is told, kMaxPaths of them: with fewer than the MANIFEST refers
// to, it ends the program. The first is the database's folder; the others need not exist.
std::vector<std::string> StandInPaths(const std::string& database);

// Which of the stand-ins this is, 0 to kMaxPaths - 1; 0 for another folder.
int NumberOfPath(const std::string& database, const std::string& stand_in);

// The path, lexically normal, of the file of that name in the first folder that has it with so many
// bytes; if none has, in the first that has one of another size. Unset: no folder has it.
std::optional<std::string> FindTableFile(const std::string& name, uint64_t bytes,
                                         const std::vector<std::string>& folders);

// Why a file that the MANIFEST names was not found, and what to do: a sentence.
std::string WhyNotFound(const std::string& name, int path_number, const std::string& database);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TABLE_PLACES_H_
