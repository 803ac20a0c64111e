// Options that column families get when a database is opened, and when they are created later: a
// filter policy if they have none (WINNOW_ADD), and the prefix extractor of range filters
// (WINNOW_RANGE_BITS); and what is said of families that get none.

#ifndef WINNOW_SRC_PRELOAD_FAMILY_OPTIONS_H_
#define WINNOW_SRC_PRELOAD_FAMILY_OPTIONS_H_

#include <rocksdb/table.h>

#include <map>
#include <memory>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::TableFactory;

// Returns the options of block-based tables, also of a wrapped factory; null if there are none.
const BlockBasedTableOptions* TableOf(const std::shared_ptr<TableFactory>& factory);

// Returns their filter policy, or null if there is none.
const FilterPolicy* PolicyOf(const std::shared_ptr<TableFactory>& factory);

// Reasons and notes are ends of sentences about a column family, and empty if there is none.

// Returns the reason why a family with these options gets no policy. It gets one if it has
// block-based tables without a filter policy, and if a filter can't change what the program reads:
// its comparator must distinguish all keys that differ in a byte, and it must have no prefix
// extractor except winnow.range: with another one, a filter would make iterators skip keys after a
// prefix. The reason "has a filter policy" means that none is needed.
std::string ReasonToLeave(const ColumnFamilyOptions& options);

// Returns the reason of ReasonToLeave, or that the RocksDB in use would hide the SetOptions call
// which must remove the policy.
std::string ReasonNotToAdd(const ColumnFamilyOptions& options);

// Returns the note on a column family that a program opens or creates with these options; empty if
// its policy is Winnow's, or RocksDB's and interposed.
std::string NoteOn(const ColumnFamilyOptions& options);

// Mark of a thread that opens a database, and reports its families afterwards: RocksDB creates
// missing families, and opens wrapped databases, by functions that are replaced, too.
class Opening {
 public:
  Opening() noexcept;
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  const bool is_inner_;
};

// Changes of the options of one database's families that are opened or created together. Families
// that share a table factory continue to share one; their block cache is used.
class FamilyChanges {
 public:
  // `database` is its name in messages, and must outlive this object.
  explicit FamilyChanges(const std::string& database);

  // Returns whether WINNOW_ADD or WINNOW_RANGE_BITS is in force, so that Make may change options.
  bool may_change() const noexcept { return adds_policies_ || adds_ranges_; }

  // Changes the options of a family that has these: a copy of the program's.
  void Make(const std::string& family, ColumnFamilyOptions* options);
  // Adds a policy alone, unless there is a reason not to.
  void AddPolicy(const std::string& family, ColumnFamilyOptions* options);

  // If WINNOW_LOG is on, names the families on stderr that got a policy (SayNotes names the
  // others), and says which got range filters, and why others did not.
  void Say() const;

 private:
  void AddRanges(const std::string& family, ColumnFamilyOptions* options);

  const std::string& database_;
  const bool adds_policies_;
  const bool adds_ranges_;
  Names added_;                          // families that got a policy
  std::map<std::string, Names> ranges_;  // families by what is said of their range filters
  std::map<const TableFactory*, std::shared_ptr<TableFactory>> replacements_;
};

// Reports the notes on the column families of an open database, in one line for all families with
// the same note (family_lines.h): on stderr if WINNOW_LOG is on, and in the database's own LOG if
// WINNOW_POLICY is set. Nothing is said within an Opening. `name` is the database's name in
// messages. Never throws.
void SayNotes(DB& database, const std::string& name, const Families& families) noexcept;

// Must be called before a database's SetOptions. If this sets a prefix extractor, an added policy
// builds no filters from now on (interposed_policy.h). A running flush or compaction may have asked
// for its filters before, and then has no prefix extractor either. Reports this in the database's
// LOG, and on stderr if WINNOW_LOG is on.
void BeforeSetOptions(DB& database, ColumnFamilyHandle* family, const OptionTexts& options);
#if WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL
inline void BeforeSetOptions(DB& database, const TextsOfFamilies& all) {
  for (const auto& [family, options] : all) BeforeSetOptions(database, family, options);
}
#endif

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FAMILY_OPTIONS_H_
