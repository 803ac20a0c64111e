// Key lists: files with one key per line, as bytes or hexadecimal digits, plain or compressed as
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

// Maximum size of a key in a list, in bytes.
inline constexpr size_t kMaxListedKey = size_t{16} << 20;

// Encoding of the key in a line.
enum class KeyFormat {
  kLine,  // the bytes of the line
  kHex,   // two hexadecimal digits per byte, with or without a 0x prefix
};

// Returns the format with this name, "line" or "hex", or an error.
absl::StatusOr<KeyFormat> ParseKeyFormat(std::string_view name);

// Returns the bytes of a key in KeyFormat::kHex, or nullopt if `digits` are invalid.
std::optional<std::string> ParseHexKey(std::string_view digits);

// Number of keys in a list, and bytes that are not a part of any key.
struct KeyListNotes {
  uint64_t keys = 0;              // number of visited keys
  uint64_t carriage_returns = 0;  // before line feeds, not part of keys
  bool byte_order_mark = false;   // UTF-8 byte order mark before the first key

  // Returns a sentence for people about what was left out of the keys, or an empty string. The
  // sentence continues "name: " and has no full stop.
  std::string Sentence() const;
};

// A RocksDB trace begins with kBeforeTraceMagic arbitrary bytes and this magic; its version
// follows.
inline constexpr size_t kBeforeTraceMagic = 13;
inline constexpr absl::string_view kTraceMagic = "feedcafedeadbeef\tTrace Version: ";

// Returns true for a regular file that begins like a trace, and so is not a list of lines. False
// for a pipe, since bytes read from it are gone.
bool IsTraceFile(const std::string& path);

// Calls `visit` for every key of the list at `path`, in order; "-" is standard input.
//
// A key is all bytes of a line before its line feed, or the bytes that its hexadecimal digits
// represent. If the first line ends with a carriage return and a line feed, all lines must: the
// carriage return is then not a part of the key, and a line without it is an error. If the first
// line has no carriage return, one in a later line is a part of its key, except after hexadecimal
// digits. A UTF-8 byte order mark is not a part of a key. The last line may lack a line feed. Empty
// lines are skipped. Content that begins as an LZ4 frame is decompressed, including further frames.
//
// Returns an error for a list without keys, for one compressed with gzip, zstd, xz or zip, and for
// text that begins like UTF-16 or UTF-32.
//
// The key passed to `visit` is valid until `visit` returns. The error message names the list and
// the position; `visit` has then been called for the preceding keys. Not thread-safe for standard
// input.
absl::StatusOr<KeyListNotes> ForEachKey(const std::string& path, KeyFormat format,
                                        absl::FunctionRef<void(std::string_view)> visit);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_KEY_LIST_H_
