// The ranges of keys that an SST file deletes.

#ifndef WINNOW_SRC_SST_RANGE_DELETIONS_H_
#define WINNOW_SRC_SST_RANGE_DELETIONS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// From `first` on, and before `end`: user keys, with timestamps where the database has them.
struct RangeDeletion {
  std::string first;
  std::string end;
  uint64_t sequence = 0;
};

struct RangeDeletions {
  std::vector<RangeDeletion> ranges;
  std::string problem;  // why they can't be read, as a sentence; empty: they are
};

// Reads the range deletions of a file that RocksDB has opened, with its properties.
RangeDeletions ReadRangeDeletions(const std::string& path,
                                  const ROCKSDB_NAMESPACE::TableProperties& properties);

// The sequence number of the newest one that covers a key, which is given without a timestamp.
// Unset: none does.
std::optional<uint64_t> NewestCovering(const RangeDeletions& deletions,
                                       const ROCKSDB_NAMESPACE::Comparator& comparator,
                                       const std::string& key);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_RANGE_DELETIONS_H_
