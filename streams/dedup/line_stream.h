// Lines of files, one after the other, to where those go that were not seen before.

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
  uint64_t window = 0;                // lines of a generation; 0: they have no end
  std::chrono::nanoseconds every{0};  // time of a generation; 0: they have no end
  bool grows = false;                 // past the capacity, at the same rate
  bool prints_seen = false;           // the lines that were seen, instead
  bool counts = false;                // their number, at the end, instead of them
  bool plain = false;                 // compressed input is lines as well
  bool keeps_nothing_back = false;    // each batch is written when it is dealt with
  std::string state;                  // the file that keeps what was seen; empty: none
  std::string past_rate;              // what to do when the rate is passed: "give …"
  std::function<Clock::time_point()> now = Clock::now;
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // a sentence
  std::function<void()> has_written = [] {};                                 // called now and then
};

// Number of lines that were read, but for those left out at the end, and of new ones among them.
struct Totals {
  uint64_t lines = 0;
  uint64_t fresh = 0;
};

// A stream of lines. It keeps what it has seen (SeenLines::Keep) only when the output is written,
// of whatever kind that is: who ends in between has some of the output again, and none is lost.
// Where it counts, this is at the end.
class LineStream {
 public:
  // The descriptor is of the output.
  LineStream(StreamOptions options, std::unique_ptr<SeenLines> seen, int output);

  // All lines of this file ("-" is standard input). An error, a sentence, ends the stream if
  // ended() says so, else only this file. Throws std::bad_alloc.
  absl::Status Read(const std::string& path);

  // Writes what is left and keeps it. To be called at the end, also of a stream that ended early.
  // An error as well where the rate is found to be passed only now: past_rate() says so from here.
  absl::Status End();

  bool ended() const { return ended_; }
  // True if it ended as the chance that a new line is dropped is higher than planned.
  bool past_rate() const { return past_rate_; }

  const Totals& totals() const { return totals_; }
  const SeenLines& seen() const { return *seen_; }

 private:
  // Lines on their way from the source to the sink. What they are to be compared with is brought
  // while those before them are dealt with.
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
  uint64_t handed_ = 0;  // batches
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
