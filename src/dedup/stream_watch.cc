#include "src/dedup/stream_watch.h"

#include <absl/strings/str_cat.h>

#include <string_view>
#include <vector>

namespace winnow::dedup {
namespace {

// Longer than a server with appendfsync everysec writes its log late.
constexpr std::chrono::minutes kLongestTail(1);
// Bits of the line, which are hardly all set in a stream that was begun anew and is nearly empty.
constexpr unsigned kMostAsked = 4;

absl::Status BegunAnew(const StreamPlan& plan) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the stream ", plan.name,
      " was begun anew while this client ran: its keys were deleted, and made by another client. "
      "What was seen before is no longer known; end all clients before you delete a stream"));
}

}  // namespace

absl::Status StreamWatch::Look(Time now, KeyHolder* keys, MayHaveLost may_have_lost) {
  if (now - looked_at_ < kBetweenLooks) return absl::OkStatus();
  looked_at_ = now;
  const absl::StatusOr<bool> has_line = HasLine(keys);
  if (!has_line.ok()) return has_line.status();
  if (!*has_line) {
    const absl::StatusOr<bool> is_lost = may_have_lost();
    if (!is_lost.ok()) return is_lost.status();
    if (!*is_lost) return BegunAnew(plan_);
    Forget();
  }
  return LookAtPlan(keys);
}

absl::Status StreamWatch::LookAfterOutage(KeyHolder* keys) {
  bool has_plan = true;
  if (absl::Status status = CheckStream(plan_, keys, &has_plan); !status.ok()) return status;
  if (!has_plan) SayPlanIsDeleted();
  const absl::StatusOr<bool> has_line = HasLine(keys);
  if (!has_line.ok() || *has_line) return has_line.status();
  if (last_at_ - first_at_ > kLongestTail) return BegunAnew(plan_);
  warn_(absl::StrCat("warning: a server of the stream ", plan_.name,
                     " came back without lines that it had acknowledged, which are printed again "
                     "when they come again; appendfsync always loses none"));
  Forget();
  return absl::OkStatus();
}

// The bits are there without it, and clients that use them go on.
absl::Status StreamWatch::LookAtPlan(KeyHolder* keys) {
  redis::Reply reply;
  const std::string key = plan_.PlanKey();
  absl::Status status = keys->Ask(key, {"GET", key}, &reply);
  if (!status.ok() || reply->type == REDIS_REPLY_STRING) return status;
  // What is sent to a stream that was removed would leave a part of a key.
  status = CheckKeys(plan_, {0}, keys);
  if (status.ok()) SayPlanIsDeleted();
  return status;
}

void StreamWatch::SayPlanIsDeleted() {
  if (std::exchange(has_warned_, true)) return;
  warn_(absl::StrCat("warning: the plan of the stream ", plan_.name, " (", plan_.PlanKey(),
                     ") was deleted: this client goes on, and those that begin now are refused; "
                     "set it again to '",
                     plan_.Text("whole"), "'"));
}

absl::StatusOr<bool> StreamWatch::HasLine(KeyHolder* keys) const {
  if (!line_) return true;
  const uint64_t number = command_.KeyOf(*line_);
  absl::Status status = CheckKeys(plan_, {number}, keys);
  const std::string key = plan_.Key(number);
  for (const std::string& position : command_.Positions(*line_, kMostAsked)) {
    redis::Reply reply;
    if (status.ok()) status = keys->Ask(key, {"GETBIT", key, position}, &reply);
    if (!status.ok()) return status;
    if (reply->integer != 1) return false;
  }
  return true;
}

}  // namespace winnow::dedup
