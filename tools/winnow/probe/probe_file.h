// Which keys an SST file may hold: by the range of its keys and by its filter, as lookups and scans
// are told.

#ifndef WINNOW_TOOLS_WINNOW_PROBE_PROBE_FILE_H_
#define WINNOW_TOOLS_WINNOW_PROBE_PROBE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/classify_block.h"

namespace winnow::inspect {

// A key to look for, without a timestamp.
struct ProbedKey {
  std::string bytes;
  uint64_t hash = 0;  // HashKey(bytes).value, computed once for all files
};

// Keys to look for from `begin` on, and before `end`; without timestamps.
struct ProbedRange {
  std::string begin;
  std::string end;
};

// The newest entry that a file has of a key.
struct FoundEntry {
  int type = 0;  // RocksDB's ValueType: see NameOfType
  uint64_t sequence = 0;
  uint64_t value_bytes = 0;

  template <typename Code>
  void Fields(Code& code) {
    code(type, sequence, value_bytes);
  }
};

// A key that a file may hold.
struct ProbeHit {
  size_t key = 0;                   // its place in the list that was given
  bool by_filter = false;           // a filter was asked; else only the range of keys tells
  bool looked_for = false;          // the block where it would be was read
  std::optional<FoundEntry> entry;  // unset: not there, where it was looked for

  template <typename Code>
  void Fields(Code& code) {
    code(key, by_filter, looked_for, entry);
  }
};

// A file's hit: it may hold a key of the range.
struct RangeHit {
  bool by_filter = false;           // a range filter was asked; else only the range of keys tells
  bool looked_for = false;          // the block where the first one would be was read
  std::string key;                  // of the entry, with a timestamp if keys have one
  std::optional<FoundEntry> entry;  // the first one; unset: none is there, where it was looked for

  template <typename Code>
  void Fields(Code& code) {
    code(by_filter, looked_for, key, entry);
  }
};

// A key that a file's range deletions cover.
struct CoveredKey {
  size_t key = 0;         // its place in the list that was given
  uint64_t sequence = 0;  // of the newest one that covers it

  template <typename Code>
  void Fields(Code& code) {
    code(key, sequence);
  }
};

struct FileProbe {
  std::string path;           // these three for the caller to set
  std::optional<int> level;   // unset: not known
  std::string column_family;  // empty: not known
  bool asked = false;         // it has none of the keys that are no hits; else it may have any
  std::string kind = std::string(kUnknown);  // of the filter, as FilterSummary::kind
  std::vector<ProbeHit> hits;                // in the order of the keys
  std::vector<CoveredKey> covered;           // only if exact; also of keys that are no hits
  std::optional<RangeHit> range_hit;         // unset: it has no key of the range, or none was given
  bool exact = false;  // each hit was looked for, but for what could not be read

  // Why it can't be told better than the hits say, though the file was read, as a sentence; empty:
  // nothing to say.
  std::string remark;
  std::optional<std::string> fault;  // of the filter, which is damaged, a sentence
  std::optional<std::string> error;  // why the file, or a block of it, can't be read

  // All but what the caller sets, for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(asked, kind, hits, covered, range_hit, exact, remark, fault, error);
  }
};

// Asks as a Get does: the filter for the whole key where it holds whole keys, else for its prefix,
// else nobody. Where the file's comparator is unknown here, or its first or last block can't be
// read, the range tells nothing; without the comparator any partition of a filter may say yes. A
// damaged filter is not asked. exact: reads for each hit the block where the key would be, and the
// file's range deletions, of which those of the range are not told.
FileProbe ProbeFile(const std::string& path, const std::vector<ProbedKey>& keys, bool exact,
                    const std::optional<ProbedRange>& range = std::nullopt);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_PROBE_PROBE_FILE_H_
