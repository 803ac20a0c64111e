// Notes on column families without a Winnow policy, which nothing else reports.

#ifndef WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_
#define WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_

#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Returns the note on a column family that a program opens or creates with these options, as the
// end of a sentence about the family; empty if its policy is Winnow's, or RocksDB's and interposed.
std::string NoteOn(const ColumnFamilyOptions& options);

// Mark of a thread that opens a database, and reports its families afterwards: RocksDB creates
// missing families, and opens wrapped databases, by functions that are replaced, too.
class Opening {
 public:
  Opening() noexcept;
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  static bool IsOpen() noexcept;

 private:
  const bool is_inner_;
};

// Report the notes on the column families of an open database, in one line for all families with
// the same note (family_lines.h): on stderr if WINNOW_LOG is on, and in the database's own LOG if
// WINNOW_POLICY is set. Nothing is said within an Opening. `name` is the database's name in
// messages. Never throw.
void SayNotes(DB& database, const std::string& name, const Families& families) noexcept;
void SayNotes(DB& database, const std::string& name, const ColumnFamilyOptions& options,
              const Names& families) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FAMILY_NOTES_H_
