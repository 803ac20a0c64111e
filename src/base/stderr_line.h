// Lines on stderr from a library inside other programs.
//
// A program may close file descriptor 2, and the next file that it opens, such as a database's WAL,
// gets this number. A line is therefore written only while the descriptor refers to the same file
// as at the start of the program. No duplicate of the descriptor is kept: it would keep a pipe open
// for its reader, and its number may be reused for a file as well.
//
// Functions don't throw, don't allocate and don't call the C++ standard library, which the preload
// library does without. All functions are thread-safe.

#ifndef WINNOW_SRC_BASE_STDERR_LINE_H_
#define WINNOW_SRC_BASE_STDERR_LINE_H_

#include <sys/types.h>

#include <cstddef>

namespace winnow::base {

// Identity of file descriptor 2.
struct StderrDescriptor {
  dev_t device;
  ino_t inode;
  bool is_open;  // open and inherited; false if closed on exec, as RocksDB opens its files
};

// Returns the current identity.
StderrDescriptor StderrNow() noexcept;

// Returns the identity when this library was loaded, or that of SetStderrAtStart: a library that
// was there from the start passes it to one that is loaded late, before the latter writes anything.
// A program may have set close-on-exec for its stderr, as Node does. This matters only without
// SetStderrAtStart and if stderr is a regular file, as RocksDB's files are.
StderrDescriptor StderrAtStart() noexcept;
void SetStderrAtStart(const StderrDescriptor& descriptor) noexcept;

// A line that begins with "winnow: ". Text that does not fit is dropped, and "..." at the end shows
// this.
class StderrLine {
 public:
  static constexpr size_t kMaxBytes = 4096;

  StderrLine() noexcept;

  // Appends a null-terminated text as is.
  StderrLine& Add(const char* text) noexcept;

  // Appends a foreign text, such as a value from the environment, in quotation marks: at most its
  // first kMaxQuoted bytes, with nonprintable and non-ASCII bytes as \xHH.
  static constexpr size_t kMaxQuoted = 200;
  StderrLine& AddQuoted(const char* text) noexcept;

  bool is_empty() const noexcept;

  // Writes the line with one call, so that lines of several threads and processes don't mix. Writes
  // nothing if descriptor 2 has changed since the start.
  void Write() noexcept;

 private:
  void AddByte(char byte) noexcept;

  char bytes_[kMaxBytes];
  size_t size_ = 0;
};

// Writes a text, quoted as in AddQuoted, to `output`, which has room for kMaxQuotedSize bytes.
// Returns the number of bytes written.
inline constexpr size_t kMaxQuotedSize = 4 * StderrLine::kMaxQuoted + 5;
size_t Quote(const char* text, size_t size, char* output) noexcept;

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_STDERR_LINE_H_
