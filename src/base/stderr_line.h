// Lines on stderr from a library that lives in other people's programs.
//
// A program may close descriptor 2, and the next file that it opens, a database's WAL as well as
// any other, gets that number. So a line is written only while the descriptor is what it was when
// the program started. No duplicate of it is kept: that would hold a pipe open for whoever reads
// it, and its number may be given to a file as well.
//
// Nothing here throws, allocates or calls the C++ library, which the library that is preloaded does
// without. All functions are safe from any thread.

#ifndef WINNOW_SRC_BASE_STDERR_LINE_H_
#define WINNOW_SRC_BASE_STDERR_LINE_H_

#include <sys/types.h>

#include <cstddef>

namespace winnow::base {

// Which file descriptor 2 is.
struct StderrDescriptor {
  dev_t device;
  ino_t inode;
  bool is_open;  // and inherited: not one that is closed on exec, as RocksDB opens its files
};

// As it is now.
StderrDescriptor StderrNow() noexcept;

// As it was when this library was loaded, or what SetStderrAtStart said: a library that is loaded
// late is told so by one that was there from the start, before it writes anything. A program may
// have set its stderr to be closed on exec, as Node does: that matters where nobody said so, and
// where stderr is a regular file, which RocksDB's files are, too.
StderrDescriptor StderrAtStart() noexcept;
void SetStderrAtStart(const StderrDescriptor& descriptor) noexcept;

// A line that begins with "winnow: ". What does not fit is left out, which "..." at its end tells.
class StderrLine {
 public:
  static constexpr size_t kMaxBytes = 4096;

  StderrLine() noexcept;

  // A text that has an end, as it is.
  StderrLine& Add(const char* text) noexcept;

  // A text of somebody else's, such as a value from the environment: in quotation marks, at most
  // its first kMaxQuoted bytes, and what can't be printed in ASCII as \xHH.
  static constexpr size_t kMaxQuoted = 200;
  StderrLine& AddQuoted(const char* text) noexcept;

  bool is_empty() const noexcept;

  // Writes it in one piece, so that lines of several threads and processes don't mix, if descriptor
  // 2 is what it was at the start; else nothing.
  void Write() noexcept;

 private:
  void AddByte(char byte) noexcept;

  char bytes_[kMaxBytes];
  size_t size_ = 0;
};

// Writes one text quoted as above to `output`, which has room for kMaxQuotedSize bytes; the size.
inline constexpr size_t kMaxQuotedSize = 4 * StderrLine::kMaxQuoted + 5;
size_t Quote(const char* text, size_t size, char* output) noexcept;

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_STDERR_LINE_H_
