// The lookups that policies are compared by: recorded ones, or such as are drawn from the keys of
// the files; and what the files answer them.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LOOKUPS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LOOKUPS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_files.h"

namespace winnow::inspect {

// Numbers of keys to draw from one file.
struct DrawOptions {
  uint64_t lookups = 0;
  double absent_share = 1;  // of them that are near misses of the file's keys; the rest are keys
  uint64_t present = 0;     // keys besides
  uint64_t seed = 0;        // the same one gives the same keys
};

struct DrawnKeys {
  std::string error;  // a sentence; empty: they were drawn
  std::vector<std::string> lookups;
  std::vector<std::string> present;  // keys of the file as they are
  // The numbers of keys of the filter's partitions, or of the filter if it is whole. Empty where
  // not all keys were read, and where the file itself tells the number of a whole filter.
  std::vector<uint64_t> filter_keys;

  template <typename Code>
  void Fields(Code& code) {
    code(error, lookups, present, filter_keys);
  }
};

// Draws keys of the file, all alike likely, and changes a byte near the end of each lookup's, or
// appends one: of a file whose filter has prefixes only, within the prefix. Without timestamps.
// Near misses may be keys by chance, of this file or of others. Reads all keys of a sampled file;
// of others it seeks places by the bytes of the file's range.
DrawnKeys DrawLookups(const AdvisedFile& file, const DrawOptions& options,
                      const std::function<void(double share)>& progress);

// Returns whether an internal key's type is RocksDB's kTypeDeletion, kTypeSingleDeletion or
// kTypeDeletionWithTimestamp.
bool IsDeletion(int type);

// A file's answer to a lookup.
enum class FileAnswer : char {
  kNotAsked = 0,  // the key is out of the file's range
  kDenied = 1,    // by the filter that the file has
  kFalse = 2,     // a block is read, and the key is not there
  kSure = 3,      // the same with any filter: its prefix is there, or there is nothing to ask for
  kFound = 4,     // a value: the lookup ends
  kMerge = 5,     // found, but the lookup goes on
  kDeleted = 6,   // found to be deleted: the lookup ends
};

// Places in a sorted list of lookups or scans.
struct AskedRange {
  size_t begin = 0;
  size_t end = 0;
};
// The lookups that go to each file of the family. `keys` are in the order of its comparator.
std::vector<AskedRange> LookupsWithin(const std::vector<std::string>& keys,
                                      const AdvisedFamily& family,
                                      const std::vector<AdvisedFile>& files);

// The places of the keys in the order of the comparator.
std::vector<uint32_t> SortedPlaces(const ROCKSDB_NAMESPACE::Comparator& comparator,
                                   const std::vector<std::string>& keys);

// Asks the file for keys[begin] to keys[end - 1], all within its range, with the filter that it
// has: a FileAnswer for each, as a char. On failure *error is a sentence.
std::string AskFile(const std::string& path, const std::vector<std::string>& keys,
                    const AskedRange& range, std::string* error);

// The lookups of a column family, and the files that they ask, whatever the policy.
struct FamilyLookups {
  std::vector<std::string> keys;  // sorted
  // Recorded lookups are in halves: one to learn from, the other to judge by what was learned.
  std::vector<bool> is_to_learn;

  uint64_t lookups =
      0;                // that count: recorded ones all, drawn ones if they are what they should be
  uint64_t absent = 0;  // of these, whose key is in no file
  uint64_t false_reads = 0;  // with the filters that the files have

  // Lookups among these that would ask a file for an absent key if all files were one:
  // they lie between its keys, and it has no such key, or none any more that was deleted.
  uint64_t asks_of_one = 0;

  // For each file, by the place in AdvisedFamily::files: those that ask it although it does not
  // have the key, as places in `keys`.
  std::vector<std::vector<uint32_t>> asks;
  std::vector<uint64_t> sure;  // of them, as FileAnswer::kSure
  // The same of those that ask it, and it has the key.
  std::vector<std::vector<uint32_t>> finds;
};

// Goes through the files as lookups do, until the key is found. answers[i] is what AskFile gave for
// ranges[i] of file i of the family. drop_found: lookups whose key is found don't count.
void FollowLookups(const std::vector<AskedRange>& ranges, const std::vector<std::string>& answers,
                   bool drop_found, FamilyLookups* lookups);

// The share of the files' entries that is left when all are merged into one: 0 to 1, each key once,
// deleted ones not at all. `ranges` and `answers` are those of `present` keys that were drawn from
// the files, all entries alike likely. 1 without any.
double LiveShare(const std::vector<AskedRange>& ranges, const std::vector<std::string>& answers,
                 size_t present);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_LOOKUPS_H_
