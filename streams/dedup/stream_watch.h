// Watches whether a stream that is in use is still the one that it was: others may delete its plan,
// or all of it, and begin it anew under clients that wait for input.

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

// How long a client may send lines without having looked.
inline constexpr std::chrono::seconds kBetweenLooks(1);

// The watch of a stream on one server, or in a cluster.
class StreamWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Says once, in a sentence, that there is no plan any more.
  StreamWatch(const StreamPlan& plan, const LineCommand& command,
              std::function<void(const std::string&)> warn)
      : plan_(plan), command_(command), warn_(std::move(warn)) {}

  // A line that was acknowledged: its bits stay set as long as the stream does. Some are kept of
  // all that there were, since another client may set those of one again.
  void Know(KeyHash line, Time now);
  // Which is due where the server may have lost lines in another way.
  void Forget(absl::FunctionRef<bool(KeyHash)> is_in_doubt);

  // Looks at plan and lines if a second has passed since that was done last, in a few commands. An
  // error where the stream was begun anew, or a line's key has vanished. may_have_lost is asked
  // of a line that is gone: whether the server may have lost it in another way, as above.
  using MayHaveLost = absl::FunctionRef<absl::StatusOr<bool>(KeyHash)>;
  absl::Status Look(Time now, KeyHolder* keys, MayHaveLost may_have_lost);
  // Looks at all keys, plan and lines, of a server that was away, and may have lost the last lines
  // that it had acknowledged, and no older one.
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
  uint64_t num_known_ = 0;  // so many they were taken from
  Time last_at_;            // of all lines
  Time looked_at_;
  bool has_warned_ = false;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STREAM_WATCH_H_
