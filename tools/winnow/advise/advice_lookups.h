// Lookups by which policies are compared, recorded or drawn from the keys of the files, and the
// files' answers to them.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LOOKUPS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LOOKUPS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_files.h"

namespace winnow::inspect {

// Options for drawing keys from a file.
struct DrawOptions {
  uint64_t lookups = 0;
  double absent_share = 1;  // share of lookups that are near misses of keys; the others are keys
  uint64_t present = 0;     // number of keys to draw besides the lookups
  uint64_t seed = 0;        // equal seeds give equal keys
};

struct DrawnKeys {
  std::string error;  // a sentence, or empty
  std::vector<std::string> lookups;
  std::vector<std::string> present;  // existing keys
  // Number of keys in each filter partition, or in the whole filter. Empty if not all keys were
  // read, or if the filter is whole and the file records its keys.
  std::vector<uint64_t> filter_keys;

  template <typename Code>
  void Fields(Code& code) {
    code(error, lookups, present, filter_keys);
  }
};

// Draws uniformly distributed keys of the file, without timestamps. For near misses, changes a byte
// near the end of the key or appends one; if the filter has only prefixes, the change is within the
// prefix. A near miss may be a key of this or another file by chance. Reads all keys of a sampled
// file; in others, seeks to random places in the file's key range.
DrawnKeys DrawLookups(const AdvisedFile& file, const DrawOptions& options,
                      const std::function<void(double share)>& progress);

// Returns true if an internal key's type is RocksDB's kTypeDeletion, kTypeSingleDeletion or
// kTypeDeletionWithTimestamp.
bool IsDeletion(int type);

// Answer of a file to a lookup.
enum class FileAnswer : char {
  kNotAsked = 0,  // the key is outside of the file's key range
  kDenied = 1,    // denied by the file's filter
  kFalse = 2,     // false read: a data block is read, but the key is absent
  kSure = 3,      // false read with any filter (PassesAnyFilter)
  kFound = 4,     // a value; ends the lookup
  kMerge = 5,     // a merge operand; the lookup goes on
  kDeleted = 6,   // a deletion; ends the lookup
};

// Range of indexes in a sorted list of lookups or scans.
struct AskedRange {
  size_t begin = 0;
  size_t end = 0;
};
// Returns, for each file of the family, the lookups within its key range. `keys` are sorted by the
// family's comparator.
std::vector<AskedRange> LookupsWithin(const std::vector<std::string>& keys,
                                      const AdvisedFamily& family);

// Returns the indexes of the keys, sorted by the comparator.
std::vector<uint32_t> SortedPlaces(const ROCKSDB_NAMESPACE::Comparator& comparator,
                                   const std::vector<std::string>& keys);

// Looks up keys[begin] to keys[end - 1], which are within the file's key range, with the file's
// filter. Returns a FileAnswer per key, as a char. Sets *error to a sentence on failure, else to an
// empty string.
std::string AskFile(const std::string& path, const std::vector<std::string>& keys,
                    const AskedRange& range, std::string* error);

// Lookups of a column family, and the files that they query under any policy.
struct FamilyLookups {
  std::vector<std::string> keys;  // sorted
  // True for the half of recorded lookups to learn from; the other half evaluates the result. Empty
  // for drawn lookups.
  std::vector<bool> is_to_learn;

  uint64_t lookups = 0;      // all recorded lookups, and drawn ones that are absent
  uint64_t absent = 0;       // lookups whose key is in no file
  uint64_t false_reads = 0;  // false reads with the files' own filters

  // Number of lookups that would query the file for an absent key if all files were merged into
  // one: the key is within the key range, and is absent or deleted.
  uint64_t asks_of_one = 0;

  // Lookups that query each file, in the order of AdvisedFamily::files, although it does not have
  // the key, as indexes in `keys`.
  std::vector<std::vector<uint32_t>> asks;
  std::vector<uint64_t> sure;  // number of lookups in `asks` with FileAnswer::kSure
};

// Follows each lookup through the files until it ends. answers[i] is the result of AskFile() for
// ranges[i] of the family's file i. `drop_found` drops lookups whose key is found.
void FollowLookups(const std::vector<AskedRange>& ranges, const std::vector<std::string>& answers,
                   bool drop_found, FamilyLookups* lookups);

// Returns the share of the files' entries that a full compaction keeps, 0 to 1: one entry per key,
// and none for deleted keys. `ranges` and `answers` belong to `present` keys that were drawn
// uniformly from all entries. Returns 1 if there are none.
double LiveShare(const std::vector<AskedRange>& ranges, const std::vector<std::string>& answers,
                 size_t present);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LOOKUPS_H_
