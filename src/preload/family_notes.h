// Notes on column families without a Winnow policy, which nothing else reports.

#ifndef WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_
#define WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_

#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Returns the note on a column family that a program opens or creates with these options, as the
// end of a sentence about the family; empty if its policy is Winnow's, or RocksDB's and interposed.
std::string NoteOn(const ColumnFamilyOptions& options);

// Report the notes on the column families of an open database, each once: on stderr if WINNOW_LOG
// is on, and in the database's own LOG if WINNOW_POLICY is set. `name` is the database's name in
// messages. Never throw.
void SayNotes(DB& database, const std::string& name, const Families& families) noexcept;
void SayNotes(DB& database, const std::string& name, const ColumnFamilyOptions& options,
              const Names& families) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_
