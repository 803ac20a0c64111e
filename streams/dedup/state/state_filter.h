// Reads and writes a filter's bytes in a file, through a small buffer.

#ifndef WINNOW_STREAMS_DEDUP_STATE_STATE_FILTER_H_
#define WINNOW_STREAMS_DEDUP_STATE_STATE_FILTER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>

#include "streams/dedup/state/state_file.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::dedup {

// Writes the bytes of BlockedBloom::Serialize() from offset `at` on.
absl::Status WriteFilter(const StateFile& file, uint64_t at, const amq::BlockedBloom& filter);

// Reads the filter at offset `at`. Returns an error if the bytes are damaged or of a filter of
// another shape; throws std::bad_alloc.
absl::StatusOr<amq::BlockedBloom> ReadFilter(const StateFile& file, uint64_t at,
                                             const amq::BlockedShape& shape);

// Reads the blocks without verification, as a filter of this shape with the fewest keys that can
// have set its bits. Returns an error if a complete header of another shape precedes them.
absl::StatusOr<amq::BlockedBloom> ReadBlocks(const StateFile& file, uint64_t at,
                                             const amq::BlockedShape& shape, uint64_t capacity);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STATE_STATE_FILTER_H_
