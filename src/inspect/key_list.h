// Key lists: files with one key a line, plain or compressed as LZ4 frames.

#ifndef WINNOW_SRC_INSPECT_KEY_LIST_H_
#define WINNOW_SRC_INSPECT_KEY_LIST_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::inspect {

// The longest key that a list may hold, in bytes.
inline constexpr size_t kMaxListedKey = size_t{16} << 20;

// Calls visit for every key of the list at `path`, in the list's order; "-" is standard input.
//
// A key is all bytes of a line before its line feed, whatever they are: a carriage return before it
// belongs to the key. The last line needs no line feed. Empty lines are passed over. Content that
// begins as an LZ4 frame is decompressed, and further frames after the first as well.
//
// The key that visit is given lives until visit returns. On an error, a sentence that names the
// list and the place, visit has been called for the keys before it. Not for several threads at once
// with standard input.
absl::Status ForEachKey(const std::string& path, absl::FunctionRef<void(std::string_view)> visit);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_KEY_LIST_H_
