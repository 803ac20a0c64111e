// Range deletions of an SST file.

#ifndef WINNOW_SRC_SST_RANGE_DELETIONS_H_
#define WINNOW_SRC_SST_RANGE_DELETIONS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// A range deletion: `first` is inclusive, `end` exclusive. User keys have timestamps if the
// database has them.
struct RangeDeletion {
  std::string first;
  std::string end;
  uint64_t sequence = 0;
};

struct RangeDeletions {
  std::vector<RangeDeletion> ranges;
  std::string problem;  // sentence that says why they can't be read, or empty
};

// Reads the range deletions of a file that RocksDB has opened. `properties` are those of the file.
RangeDeletions ReadRangeDeletions(const std::string& path,
                                  const ROCKSDB_NAMESPACE::TableProperties& properties);

// Returns the sequence number of the newest range deletion that covers a key, given without
// timestamp, or nullopt.
std::optional<uint64_t> NewestCovering(const RangeDeletions& deletions,
                                       const ROCKSDB_NAMESPACE::Comparator& comparator,
                                       const std::string& key);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_RANGE_DELETIONS_H_
