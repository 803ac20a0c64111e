// Seen lines that are kept in a file from one run to the next.

#ifndef WINNOW_SRC_DEDUP_KEPT_LINES_H_
#define WINNOW_SRC_DEDUP_KEPT_LINES_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "src/dedup/seen_lines.h"
#include "src/dedup/state_layout.h"

namespace winnow::dedup {

// A filter of fixed size that goes on from what the file holds; the file is made, with all the room
// that it will ever take, if there is none. Its bytes are described in src/amq/FORMAT.md. It is
// locked while this lives: an error for a file that another one has. An error as well, and the file
// is as it was, for one that is damaged, none of these or of another plan; and where there is no
// room for it. Throws std::bad_alloc.
//
// At most kMostUnkept lines may be added between two calls of Keep. Lines are forgotten unless it
// is called after they were added; then they are remembered however the program ends, or the file
// says that it is damaged after the machine's own end.
absl::StatusOr<std::unique_ptr<SeenLines>> OpenKept(const std::string& path, uint64_t capacity,
                                                    double rate);

}  // namespace winnow::dedup

#endif  // WINNOW_SRC_DEDUP_KEPT_LINES_H_
