// Seen lines that persist in a file between runs.

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
  // True if the corresponding value applies to a new file only; an existing file keeps its own
  // value.
  bool takes_capacity = false;
  bool takes_rate = false;
};

// Opens a filter of fixed size that continues from the content of the file. If there is no file,
// Begin() creates it with all the room that it will ever take. streams/amq/FORMAT.md describes its
// bytes. The file is locked for the lifetime of the result: returns an error, here or from Begin(),
// if another process has it. Also returns an error, and leaves the file unchanged, if it is
// damaged, of another format or of another plan, or if there is no room for it. Throws
// std::bad_alloc. On success *plan is that of the file.
//
// Lines are forgotten unless Keep() is called after they were added. After Keep(), they persist
// even if the program is killed. After a crash of the machine, the file either has them or is
// detected as damaged; other files may then be older than this one.
//
// If more than kMaxUnkept lines are added between two calls of Keep(), the second call rewrites the
// filter. If the program is killed meanwhile, some of these lines are forgotten, but none of the
// earlier ones.
absl::StatusOr<std::unique_ptr<SeenLines>> OpenKept(const std::string& path, KeptPlan* plan);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_KEPT_LINES_H_
