// Buffered output of lines.

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

  // Writes the line and a line feed, or buffers them for a later write. A line is split only by a
  // partial write, or if it is longer than the buffer.
  void Add(std::string_view line);

  // Writes all buffered lines. Returns false if a write failed, now or before: error() is then the
  // errno of the first failure, after which nothing is written.
  bool Flush();

  // Syncs written lines to the disk, if the file is on one. Returns false like Flush().
  bool Sync();

  int error() const { return error_; }
  // Number of lines that were added but are at most partly in the file, after an error.
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
