// Gives SST files of a closed database other ends, in batches, so that a process that is killed at
// any point leaves a database that a second run finishes or undoes.
//
// A file keeps its bytes and gets a longer copy of its end behind them, and a new number: a second
// name of the same inode, or a copy if the inode has further names, as files of checkpoints and
// backups do. Steps of a batch, each of which is synced before the next:
//
//   1. the journal names the files: their old and new numbers and sizes, and a hash of their old
//   ends
//   2. files under the new numbers, with the new ends
//   3. a MANIFEST with the new numbers and sizes
//   4. CURRENT names it: the batch is done
//   5. the old names and the old MANIFEST are removed, then the journal
//
// Between 2 and 4, RocksDB refuses the database, as files that are not copies are longer than its
// MANIFEST says. A process may open it all the same, or repair it, and give numbers of the journal
// to other files. So what ends a batch removes no file that is live, and cuts only a file that the
// MANIFEST lists with its old size, and that has its old end there. New numbers exceed all numbers
// of files in the database's folders, and ascend as the old ones do, by which RocksDB breaks ties
// on level 0. On file systems without hard links, files are copied.

#ifndef WINNOW_SRC_DATABASE_NEW_ENDS_H_
#define WINNOW_SRC_DATABASE_NEW_ENDS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/env.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/database/manifest.h"

namespace winnow::inspect {

// Name of the journal in the database's folder.
inline constexpr char kRefilterJournal[] = "REFILTER";

struct NewEnd {
  uint64_t number = 0;
  std::string folder;  // that has the file
  std::string bytes;   // to append; empty: the file only gets a new number
};

struct WrittenEnds {
  uint64_t bytes_written = 0;  // appended, copied, and of the MANIFEST
  uint64_t files_copied = 0;
};

// A database whose LOCK the process holds.
struct EndsToWrite {
  ROCKSDB_NAMESPACE::Env* env;  // Env::Default(), but in tests
  std::string database;
  std::vector<std::string> folders;  // all with its files, its own first, also that of its WAL
  bool copies_all = false;           // no inode of now is written
};

// Writes a batch, and updates *manifest. On an error, everything is as before, or FinishOrUndo is
// needed and fails, too; the message is a sentence.
absl::StatusOr<WrittenEnds> WriteEnds(const EndsToWrite& where, std::vector<NewEnd> ends,
                                      Manifest* manifest);

// Finishes or undoes the batch that the journal names, if there is one: what a killed process left.
// Returns whether there was one. Must come before anything else is read.
absl::StatusOr<bool> FinishOrUndo(const EndsToWrite& where);

// Returns OK, or an error that names the file.
absl::Status FileStatus(const std::string& path, const ROCKSDB_NAMESPACE::Status& status);

// Returns the text with its hash behind it, for a file. WithoutHash returns the text again, which
// points into the file's; nullopt if that is damaged.
std::string WithHash(std::string text);
std::optional<std::string_view> WithoutHash(std::string_view file);

// Returns whether a killed process left a journal.
bool HasRefilterJournal(ROCKSDB_NAMESPACE::Env* env, const std::string& database);

// Returns the hash of what was a file's end when it had so many bytes; nullopt if it can't be read.
std::optional<uint64_t> HashOfEnd(ROCKSDB_NAMESPACE::Env* env, const std::string& path,
                                  uint64_t bytes);

bool IsSymbolicLink(const std::string& path);

// Gives a file or folder the owner and the mode of another one, as far as the process may, but
// nothing to what a symbolic link names. Of a folder, searching is allowed where reading is.
void TakeOwner(const std::string& path, const std::string& of);

// Returns whether the file's inode has other names, as that of a symbolic link's target, so that it
// must not be written.
bool HasOtherNames(ROCKSDB_NAMESPACE::Env* env, const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_NEW_ENDS_H_
