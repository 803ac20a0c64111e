// Lines of a file or of standard input, plain or compressed (unpacker.h), of any length and with
// any bytes.

#ifndef WINNOW_STREAMS_DEDUP_LINE_SOURCE_H_
#define WINNOW_STREAMS_DEDUP_LINE_SOURCE_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "streams/dedup/unpacker.h"

namespace winnow::dedup {

class LineSource {
 public:
  // `path` "-" is standard input. If all_is_plain, nothing is decompressed, even if it begins like
  // a compressed format.
  LineSource(const std::string& path, bool all_is_plain);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  absl::Status Open();

  // Gets the next lines without their line feeds: at least one and at most `most`, or none at the
  // end. The last line needs no line feed. The lines stay valid until the next call of before_read,
  // which precedes each read or decompression and the end of the source. `waits` is true if the
  // read would block, for example on a pipe. An error of before_read is returned. Other errors name
  // the file. Throws std::bad_alloc for a line that does not fit in memory.
  using BeforeRead = absl::FunctionRef<absl::Status(bool waits)>;
  absl::Status Next(size_t most, BeforeRead before_read, std::vector<std::string_view>* lines);

  // Returns the path, or "standard input".
  const std::string& name() const { return name_; }

  // Returns the file's descriptor once it is open.
  int file() const { return file_; }

 private:
  absl::Status Fill(BeforeRead before_read);
  absl::Status Read(char* to, size_t room, size_t* got);
  absl::Status Begin(BeforeRead before_read);
  absl::Status Take(const Packing* packing);
  bool WantsPacked() const;
  absl::Status ReadPacked();
  absl::Status Unpack();
  void Damaged(const std::string& reason);
  std::string Advice() const;
  void MakeRoom();

  const std::string path_;
  const std::string name_;
  const bool all_is_plain_;
  int file_ = -1;
  bool begun_ = false;
  bool ended_ = false;

  std::vector<char> text_;  // [begin_, end_) is not yet returned
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t searched_ = 0;  // bytes from begin_ on without a line feed

  const Packing* packing_ = nullptr;  // format of the current frame
  std::unique_ptr<Unpacker> unpacker_;
  std::vector<char> packed_;
  size_t packed_begin_ = 0;
  size_t packed_end_ = 0;
  bool packed_ended_ = false;
  bool filled_the_room_ = false;  // true if the decompressor may have more output for its input
  uint64_t unpacked_bytes_ = 0;   // compressed bytes consumed
  absl::Status at_the_end_;       // error to report after the last line
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_LINE_SOURCE_H_
