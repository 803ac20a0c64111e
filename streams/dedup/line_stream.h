// Stream of lines: reads files one after the other and writes the lines that were not seen before.

#ifndef WINNOW_STREAMS_DEDUP_LINE_STREAM_H_
#define WINNOW_STREAMS_DEDUP_LINE_STREAM_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "streams/dedup/file_identity.h"
#include "streams/dedup/line_sink.h"
#include "streams/dedup/seen_lines.h"
#include "winnow/hash.h"

namespace winnow::dedup {

using Clock = std::chrono::steady_clock;

struct StreamOptions {
  uint64_t capacity = 0;
  double rate = 0;
  uint64_t window = 0;                // lines per generation; 0: unlimited
  std::chrono::nanoseconds every{0};  // duration of a generation; 0: unlimited
  bool grows = false;                 // the filter grows past the capacity and keeps the rate
  bool prints_seen = false;           // prints seen lines instead of new ones
  bool counts = false;                // prints the number of lines at the end instead of the lines
  bool plain = false;                 // compressed input is treated as plain lines
  bool keeps_nothing_back = false;    // each batch is written once it is processed
  std::string state;                  // file that keeps the seen lines; empty: none
  std::string past_rate;              // advice for the case that the rate is exceeded: "give …"
  std::function<Clock::time_point()> now = Clock::now;
  // Called with each warning, a sentence.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  std::function<void()> has_written = [] {};  // called now and then after writes
};

// Number of lines read, without those left out at the end, and of new lines among them.
struct Totals {
  uint64_t lines = 0;
  uint64_t fresh = 0;
};

// A stream of lines. Keeps the seen lines (SeenLines::Keep) only after the output is written,
// whatever its kind: after a crash, some output may be repeated, but none is lost. If the stream
// counts, it keeps them at the end.
class LineStream {
 public:
  // `output` is a file descriptor.
  LineStream(StreamOptions options, std::unique_ptr<SeenLines> seen, int output);

  // Reads all lines of this file ("-" is standard input). Returns an error message as status; if
  // ended(), it ended the stream, else only this file. Throws std::bad_alloc.
  absl::Status Read(const std::string& path);

  // Writes and keeps the remaining lines. Must be called at the end, also after an error. Also
  // returns an error if the rate is found to be exceeded only here; past_rate() is then true.
  absl::Status End();

  bool ended() const { return ended_; }
  // Returns whether the stream ended because new lines are dropped with a higher probability than
  // planned.
  bool past_rate() const { return past_rate_; }

  const Totals& totals() const { return totals_; }
  const SeenLines& seen() const { return *seen_; }

 private:
  // A batch of lines between source and sink. Its filter blocks are prefetched while earlier
  // batches are processed.
  struct Batch {
    std::vector<std::string_view> lines;
    std::unique_ptr<KeyHash[]> hashes;
  };
  static constexpr size_t kBatches = kMaxBatches;

  size_t BatchSize() const;
  absl::Status Begin();
  absl::Status HandOver(Batch* batch);
  absl::Status TakeAll();
  absl::Status TakeOne();
  void RotateByTime();
  uint64_t NextCheckOfGrowing(uint64_t added, double rate) const;
  absl::Status CheckRate();
  absl::Status Write();
  absl::Status WriteAndKeep();
  absl::Status Ended(absl::Status status);

  const StreamOptions options_;
  const std::unique_ptr<SeenLines> seen_;
  LineSink sink_;
  const std::optional<FileIdentity> output_;
  const bool brings_;
  const size_t batch_size_;
  Batch batches_[kBatches];
  uint64_t handed_ = 0;  // batches handed to the filter
  uint64_t taken_ = 0;
  const std::unique_ptr<bool[]> is_new_;
  Totals totals_;
  uint64_t since_written_ = 0;
  uint64_t in_window_ = 0;
  Clock::time_point rotated_;
  uint64_t check_at_;
  bool warned_ = false;
  bool ended_ = false;
  bool past_rate_ = false;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_LINE_STREAM_H_
