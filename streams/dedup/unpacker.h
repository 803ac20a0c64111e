// Streaming decompression of gzip, LZ4 and zstd by their libraries.

#ifndef WINNOW_STREAMS_DEDUP_UNPACKER_H_
#define WINNOW_STREAMS_DEDUP_UNPACKER_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace winnow::dedup {

class Unpacker {
 public:
  virtual ~Unpacker() = default;

  // Decompresses at most *taken bytes of `from` into at most *made bytes of `to`, and sets both to
  // the actual numbers. If all the output space was used, more output may follow without further
  // input. Returns an empty string, or the library's reason why the input is invalid; output
  // written before an error is valid.
  virtual std::string Unpack(const char* from, size_t* taken, char* to, size_t* made) = 0;

  // Returns whether the input may end here: all frames (members, for gzip) that were begun are
  // complete. Either the end or another frame of any format follows.
  virtual bool whole() const = 0;

  // Returns whether Unpack() failed because the bytes behind a complete frame are no frame. The
  // command-line tool of this format reads such a file nevertheless, with a warning.
  virtual bool is_behind_the_end() const { return false; }
};

// A compression format, recognized by its magic bytes.
struct Packing {
  absl::string_view name;     // "gzip"
  absl::string_view unpacks;  // command that decompresses a file to standard output: "gzip -dc"
  // Command that checks a file; empty if this build cannot read the format.
  absl::string_view checks;
  // Creates an unpacker, or returns null if out of memory. Null if this build cannot read the
  // format.
  std::unique_ptr<Unpacker> (*make)();
};

// Number of bytes that suffice to recognize every format.
inline constexpr size_t kMaxMagic = 10;

// Returns the format of a frame with this beginning, or null if it is none. Fewer than kMaxMagic
// bytes are taken as the whole frame. `before` is the format of the preceding frame, null for the
// first one.
const Packing* PackingOf(std::string_view start, const Packing* before);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_UNPACKER_H_
