// Seen lines that are kept in a file from one run to the next.

#ifndef WINNOW_STREAMS_DEDUP_KEPT_LINES_H_
#define WINNOW_STREAMS_DEDUP_KEPT_LINES_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "streams/dedup/seen_lines.h"

namespace winnow::dedup {

struct KeptPlan {
  uint64_t capacity = 0;
  double rate = 0;
  // True if the value above is for a new file only: one that is there keeps its own.
  bool takes_capacity = false;
  bool takes_rate = false;
};

// A filter of fixed size that goes on from what the file holds; if there is none, Begin makes it,
// with all the room that it will ever take. Its bytes are described in streams/amq/FORMAT.md. It is
// locked while this lives: an error, here or of Begin, for a file that another one has. An error as
// well, and the file is as it was, for one that is damaged, none of these or of another plan; and
// where there is no room for it. Throws std::bad_alloc. *plan is then that of the file.
//
// Lines are forgotten unless Keep is called after they were added; then they are remembered however
// the program ends, or the file says that it is damaged after the machine's own end. What the
// machine's end leaves of other files may be older than that.
//
// Where more than kMaxUnkept lines are added between two calls of Keep, the filter is written
// anew by the second one; a program that is killed meanwhile leaves some of them forgotten, and
// none of those before.
absl::StatusOr<std::unique_ptr<SeenLines>> OpenKept(const std::string& path, KeptPlan* plan);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_KEPT_LINES_H_
