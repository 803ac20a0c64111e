// Lines to a file by large writes.

#ifndef WINNOW_STREAMS_DEDUP_LINE_SINK_H_
#define WINNOW_STREAMS_DEDUP_LINE_SINK_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace winnow::dedup {

class LineSink {
 public:
  explicit LineSink(int file);

  // Writes the line and a line feed, or keeps them for a later write. Lines are cut only where a
  // write takes a part, or where one is longer than the buffer.
  void Add(std::string_view line);

  // Writes all that is kept. False if the file did not take all lines, now or before: error() is
  // then the errno of the first failure, and nothing was written since.
  bool Flush();

  // Syncs what was written to the disk, where that is what the file is on. False as from Flush.
  bool Sync();

  int error() const { return error_; }
  // Lines that were to be written and are in the file in part at most, after an error.
  uint64_t num_unwritten() const { return num_unwritten_; }

 private:
  void Write(std::string_view text);

  const int file_;
  int error_ = 0;
  uint64_t num_unwritten_ = 0;
  std::vector<char> kept_;
  size_t size_ = 0;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_LINE_SINK_H_
