// Detects that a stream in use was removed or begun anew: others may delete its plan, or all of it,
// while clients wait for input.

#ifndef WINNOW_STREAMS_DEDUP_STREAM_WATCH_H_
#define WINNOW_STREAMS_DEDUP_STREAM_WATCH_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "streams/dedup/line_command.h"
#include "streams/dedup/stream_plan.h"
#include "winnow/hash.h"

namespace winnow::dedup {

// Maximum time during which a client sends lines without a check.
inline constexpr std::chrono::seconds kBetweenLooks(1);

// Watch of a stream on one server or in a cluster.
class StreamWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Calls `warn` once, with a sentence, if the plan is deleted.
  StreamWatch(const StreamPlan& plan, const LineCommand& command,
              std::function<void(const std::string&)> warn)
      : plan_(plan), command_(command), warn_(std::move(warn)) {}

  // Records an acknowledged line, whose bits stay set as long as the stream exists. Keeps a sample
  // of all lines, since another client may set the bits of a single line again.
  void Know(KeyHash line, Time now);
  // Forgets lines in doubt. Call it if the server may have lost lines for another reason.
  void Forget(absl::FunctionRef<bool(KeyHash)> is_in_doubt);

  // Checks the plan and known lines, in a few commands, if the last check was over a second ago.
  // Returns an error if the stream was begun anew or a line's key is missing. may_have_lost is
  // called for a missing line and returns whether the server may have lost it for another reason.
  using MayHaveLost = absl::FunctionRef<absl::StatusOr<bool>(KeyHash)>;
  absl::Status Look(Time now, KeyHolder* keys, MayHaveLost may_have_lost);
  // Checks all keys, the plan and known lines of a server after an outage. The server may have lost
  // the last lines that it acknowledged, but no older ones.
  absl::Status LookAfterOutage(KeyHolder* keys);

 private:
  absl::Status LookAtPlan(KeyHolder* keys);
  void SayPlanIsDeleted();
  absl::Status FindMissing(KeyHolder* keys);
  void ForgetMissing();

  const StreamPlan& plan_;
  const LineCommand& command_;
  std::function<void(const std::string&)> warn_;
  struct KnownLine {
    KeyHash hash;
    Time at;
    bool is_missing = false;
  };
  std::vector<KnownLine> lines_;
  uint64_t num_known_ = 0;  // number of lines that the sample is drawn from
  Time last_at_;            // time of the last line
  Time looked_at_;
  bool has_warned_ = false;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STREAM_WATCH_H_
