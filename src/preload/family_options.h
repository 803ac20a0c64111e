// Options that the interposer sets for column families, when a database is opened and when a family
// is created later: a filter policy if they have none (WINNOW_ADD), and the prefix extractor of
// range filters (WINNOW_RANGE_BITS).

#ifndef WINNOW_SRC_PRELOAD_FAMILY_OPTIONS_H_
#define WINNOW_SRC_PRELOAD_FAMILY_OPTIONS_H_

#include <map>
#include <memory>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Reasons are ends of sentences about a column family, and empty if there is none.

// Returns the reason why a family with these options gets no policy. It gets one if it has
// block-based tables without a filter policy, and if a filter can't change what the program reads:
// its comparator must distinguish all keys that differ in a byte, and it must have no prefix
// extractor except winnow.range: with another one, a filter would make iterators skip keys after a
// prefix. The reason "has a filter policy" means that none is needed.
std::string ReasonToLeave(const ColumnFamilyOptions& options);

// Returns the reason of ReasonToLeave, or that the RocksDB in use would hide the SetOptions call
// which must remove the policy.
std::string ReasonNotToAdd(const ColumnFamilyOptions& options);

// Returns the reason why a family with these options, which have the added policy, gets no range
// filters. It gets them if an interposed policy builds Winnow's filters for it, and if winnow.range
// does not change its behavior: its keys are in bytewise order, it has no prefix extractor, and no
// memtable or filter that needs prefixes.
std::string ReasonForNoRanges(const ColumnFamilyOptions& options);

// Returns whether the options have RocksDB's own block-based tables, the only ones with filter
// policies.
bool HasBlockBasedTables(const ColumnFamilyOptions& options);

// Changes of the options of one database's families that are opened or created together. Families
// that share a table factory continue to share one; their block cache is used.
class FamilyChanges {
 public:
  // `database` is its name in messages, and must outlive this object.
  explicit FamilyChanges(const std::string& database);

  // Returns whether WINNOW_ADD or WINNOW_RANGE_BITS is in force, so that Make may change options.
  bool may_change() const noexcept { return adds_policies_ || adds_ranges_; }

  // Changes the options of families that have these: a copy of the program's.
  void Make(const Names& families, ColumnFamilyOptions* options);
  // Adds a policy alone, unless there is a reason not to.
  void AddPolicy(const Names& families, ColumnFamilyOptions* options);

  // If WINNOW_LOG is on, names the families on stderr that got a policy (family_notes.h names the
  // others), and says which got range filters, and why others did not.
  void Say() const;

 private:
  void AddRanges(const Names& families, ColumnFamilyOptions* options);

  const std::string& database_;
  const bool adds_policies_;
  const bool adds_ranges_;
  Names added_;                          // families that got a policy
  std::map<std::string, Names> ranges_;  // families by what is said of their range filters
  std::map<const ROCKSDB_NAMESPACE::TableFactory*, std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory>>
      replacements_;
};

// Must be called before a database's SetOptions. If this sets a prefix extractor, an added policy
// builds no filters from now on (interposed_policy.h). A running flush or compaction may have asked
// for its filters before, and then has no prefix extractor either. Reports this in the database's
// LOG, and on stderr if WINNOW_LOG is on.
void BeforeSetOptions(DB& database, ColumnFamilyHandle* family, const OptionTexts& options);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FAMILY_OPTIONS_H_
