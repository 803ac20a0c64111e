// A filter's bytes in a file, through a small buffer.

#ifndef WINNOW_STREAMS_DEDUP_STATE_STATE_FILTER_H_
#define WINNOW_STREAMS_DEDUP_STATE_STATE_FILTER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>

#include "streams/dedup/state/state_file.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::dedup {

// Writes what BlockedBloom::Serialize gives, from this place of the file on.
absl::Status WriteFilter(const StateFile& file, uint64_t at, const amq::BlockedBloom& filter);

// The filter of these bytes. An error if they are damaged or not those of a filter of this shape;
// throws std::bad_alloc.
absl::StatusOr<amq::BlockedBloom> ReadFilter(const StateFile& file, uint64_t at,
                                             const amq::BlockedShape& shape);

// A filter of this shape with the blocks that are there, and as many keys as it has at least. An
// error if a whole header of a filter of another shape stands before them.
absl::StatusOr<amq::BlockedBloom> ReadBlocks(const StateFile& file, uint64_t at,
                                             const amq::BlockedShape& shape, uint64_t capacity);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STATE_STATE_FILTER_H_
