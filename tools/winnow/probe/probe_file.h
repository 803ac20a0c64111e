// Checks which keys an SST file may have, by its key range and its filter, as lookups and scans do.

#ifndef WINNOW_TOOLS_WINNOW_PROBE_PROBE_FILE_H_
#define WINNOW_TOOLS_WINNOW_PROBE_PROBE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/classify_block.h"

namespace winnow::inspect {

// A key to look up, without timestamp.
struct ProbedKey {
  std::string bytes;
  uint64_t hash = 0;  // HashKey(bytes).value, computed once for all files
};

// A range of keys to look up: `begin` is inclusive, `end` exclusive; without timestamps.
struct ProbedRange {
  std::string begin;
  std::string end;
};

// The newest entry of a key in a file.
struct FoundEntry {
  int type = 0;  // RocksDB's ValueType (NameOfType)
  uint64_t sequence = 0;
  uint64_t value_bytes = 0;

  template <typename Code>
  void Fields(Code& code) {
    code(type, sequence, value_bytes);
  }
};

// A key that a file may have.
struct ProbeHit {
  size_t key = 0;                   // index in the list of keys
  bool by_filter = false;           // a filter was queried; else only the key range was checked
  bool looked_for = false;          // the data block of the key was read
  std::optional<FoundEntry> entry;  // nullopt if not found or not looked for

  template <typename Code>
  void Fields(Code& code) {
    code(key, by_filter, looked_for, entry);
  }
};

// Result of a file that may have a key of the range.
struct RangeHit {
  bool by_filter = false;   // a range filter was queried; else only the key range was checked
  bool looked_for = false;  // the data block of the range's first key was read
  std::string key;          // key of the entry, with its timestamp if keys have one
  // First entry of the range; nullopt if not found or not looked for.
  std::optional<FoundEntry> entry;

  template <typename Code>
  void Fields(Code& code) {
    code(by_filter, looked_for, key, entry);
  }
};

// A key that a file's range deletions cover.
struct CoveredKey {
  size_t key = 0;         // index in the list of keys
  uint64_t sequence = 0;  // sequence number of the newest range deletion that covers the key

  template <typename Code>
  void Fields(Code& code) {
    code(key, sequence);
  }
};

struct FileProbe {
  std::string path;           // the caller sets path, level and column_family
  std::optional<int> level;   // nullopt if unknown
  std::string column_family;  // empty if unknown
  // True if keys that are not in `hits` are not in the file; false if it may have any key.
  bool asked = false;
  std::string kind = std::string(kUnknown);  // kind of the filter, as FilterSummary::kind
  std::vector<ProbeHit> hits;                // sorted by `key`
  std::vector<CoveredKey> covered;  // set only with `exact`; includes keys that are no hits
  // nullopt if the file has no key of the range, or no range was given.
  std::optional<RangeHit> range_hit;
  bool exact = false;  // entries of all hits were looked for, except in unreadable blocks

  // A sentence that says why a readable file could not be checked better; may be empty.
  std::string remark;
  std::optional<std::string> fault;  // a sentence on the damaged filter
  // Sentence that says why the file or one of its blocks can't be read.
  std::optional<std::string> error;

  // Serializes all members but those that the caller sets, for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(asked, kind, hits, covered, range_hit, exact, remark, fault, error);
  }
};

// Checks a file as Get() does. The filter is queried for the whole key if it has whole keys, else
// for the key's prefix. The key range is ignored if the file's comparator is not linked into this
// program, or if the first or last block can't be read; without the comparator, all partitions of a
// filter are queried. Damaged filters are ignored. `exact` reads the data block of each hit, and
// the file's range deletions, which are not applied to `range`.
FileProbe ProbeFile(const std::string& path, const std::vector<ProbedKey>& keys, bool exact,
                    const std::optional<ProbedRange>& range = std::nullopt);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_PROBE_PROBE_FILE_H_
