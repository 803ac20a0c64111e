// Compressed bytes to what they were, in pieces: gzip, LZ4 and zstd, by their libraries.

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

  // Takes bytes from `from`, *taken at most, and writes what they were to `to`, *made at most; both
  // become what it was. Where all the room was used, there may be more without another byte. Empty,
  // or why the bytes can't go on so: the reason in the words of the library. What
  // was written before counts then as well.
  virtual std::string Unpack(const char* from, size_t* taken, char* to, size_t* made) = 0;

  // Returns whether nothing is missing: all frames (gzip calls them members) that were begun are
  // whole. What follows is another one, of any of the formats, or the end.
  virtual bool whole() const = 0;

  // Returns whether Unpack failed as what follows a whole frame is none, and the program of this
  // format reads such a file for all that, with a warning.
  virtual bool is_behind_the_end() const { return false; }
};

// A way in which files are compressed, known by the bytes that they begin with.
struct Packing {
  absl::string_view name;     // "gzip"
  absl::string_view unpacks;  // a command that writes what a file holds: "gzip -dc"
  absl::string_view checks;   // one that checks a file; empty where it can't be read here
  // Null where it can't be read here; gives null where there is no memory.
  std::unique_ptr<Unpacker> (*make)();
};

// So many bytes tell each format that there is.
inline constexpr size_t kMaxMagic = 10;

// The packing of a frame that begins so; null if it is none. Where there are fewer than kMaxMagic
// bytes, they are taken for all. `before` is that of the frame before it, null for the first one.
const Packing* PackingOf(std::string_view start, const Packing* before);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_UNPACKER_H_
