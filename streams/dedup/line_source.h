// The lines of a file or of standard input, plain or compressed (unpacker.h), of any length and
// with any bytes.

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
  // "-" is standard input. Where all is plain, what begins like something compressed is text too.
  LineSource(const std::string& path, bool all_is_plain);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  absl::Status Open();

  // The next lines, at least one and at most `most`, without their line feeds; none at the end. The
  // last line needs no line feed. Lines live until before_read is called, as it is before more is
  // read or unpacked, or the source ends. It is told whether that would wait for input, as from a
  // pipe; what it gives is given back if that is an error. Other errors are sentences that name the
  // file; throws std::bad_alloc for a line that memory does not hold.
  using BeforeRead = absl::FunctionRef<absl::Status(bool waits)>;
  absl::Status Next(size_t most, BeforeRead before_read, std::vector<std::string_view>* lines);

  // The path, or "standard input".
  const std::string& name() const { return name_; }

  // The file's descriptor, once it is open.
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

  std::vector<char> text_;  // what is between begin_ and end_ was not given yet
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t searched_ = 0;  // without a line feed, from begin_ on

  const Packing* packing_ = nullptr;  // of what is unpacked now
  std::unique_ptr<Unpacker> unpacker_;
  std::vector<char> packed_;
  size_t packed_begin_ = 0;
  size_t packed_end_ = 0;
  bool packed_ended_ = false;
  bool filled_the_room_ = false;  // so that there may be more of what was taken
  uint64_t unpacked_bytes_ = 0;   // as they are in the file
  absl::Status at_the_end_;       // to be said after the last line
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_LINE_SOURCE_H_
