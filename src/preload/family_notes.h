// Notes on what is missing where a column family has no policy of ours: nothing else would tell.

#ifndef WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_
#define WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_

#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Returns what there is to say of a column family that a program opens or makes with these options,
// as the end of a sentence about it; empty where its policy is one of ours or RocksDB's policy in
// our hands.
std::string NoteOn(const ColumnFamilyOptions& options);

// Says the notes on the column families of a database that is open: on stderr where WINNOW_LOG is
// on, and where WINNOW_POLICY is set in the database's own LOG, each once. `name` is what the lines
// call the database. Never throws.
void SayNotes(DB& database, const std::string& name, const Families& families) noexcept;
void SayNotes(DB& database, const std::string& name, const ColumnFamilyOptions& options,
              const Names& families) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_
