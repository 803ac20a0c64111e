// Key lists: files with one key a line, as it is or as hexadecimal digits, plain or compressed as
// LZ4 frames.

#ifndef WINNOW_SRC_TEXT_KEY_LIST_H_
#define WINNOW_SRC_TEXT_KEY_LIST_H_

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

// The longest key that a list may hold, in bytes.
inline constexpr size_t kMaxListedKey = size_t{16} << 20;

// How a line holds its key.
enum class KeyFormat {
  kLine,  // the bytes of the line themselves
  kHex,   // two hexadecimal digits a byte, with 0x before them or without
};

// The format called "line" or "hex"; an error for another name.
absl::StatusOr<KeyFormat> ParseKeyFormat(std::string_view name);

// The bytes of a key in KeyFormat::kHex; unset if these are no such digits.
std::optional<std::string> ParseHexKey(std::string_view digits);

// Notes on what was read, and what of it belongs to no key.
struct KeyListNotes {
  uint64_t keys = 0;              // visited
  uint64_t carriage_returns = 0;  // before line feeds, not taken as bytes of keys
  bool byte_order_mark = false;   // of UTF-8, before the first key

  // Says what was left out of the keys, for the person who gave the list; empty if nothing was. It
  // goes on from "name: ", without a full stop.
  std::string Sentence() const;
};

// A trace of RocksDB's begins with so many bytes of any value and these; its version follows.
inline constexpr size_t kBeforeTraceMagic = 13;
inline constexpr absl::string_view kTraceMagic = "feedcafedeadbeef\tTrace Version: ";

// True for a regular file that begins as a trace, and so is no list of lines. A pipe is none: what
// is read of it is gone.
bool IsTraceFile(const std::string& path);

// Calls visit for every key of the list at `path`, in the list's order; "-" is standard input.
//
// A key is all bytes of a line before its line feed, whatever they are, or the bytes that a line of
// hexadecimal digits means. Where the first line ends with a carriage return and a line feed, so do
// all: the carriage return belongs to no key then, and a line without it is an error. Where the
// first line has none, one in a later line belongs to its key. Behind hexadecimal digits none ever
// does. A byte order mark of UTF-8 belongs to no key. The last line needs no line feed. Empty lines
// are passed over. Content that begins as an LZ4 frame is decompressed, and further frames after
// the first as well.
//
// An error for a list without keys, for one compressed with gzip, zstd, xz or zip, and for text
// that begins like UTF-16 or UTF-32.
//
// The key that visit is given lives until visit returns. On an error, a sentence that names the
// list and the place, visit has been called for the keys before it. Not for several threads at once
// with standard input.
absl::StatusOr<KeyListNotes> ForEachKey(const std::string& path, KeyFormat format,
                                        absl::FunctionRef<void(std::string_view)> visit);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_KEY_LIST_H_
