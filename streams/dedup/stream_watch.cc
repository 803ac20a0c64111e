#include "streams/dedup/stream_watch.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "streams/amq/mix.h"

namespace winnow::dedup {
namespace {

// Exceeds the delay with which a server with appendfsync everysec writes its log.
constexpr std::chrono::minutes kLongestTail(1);
// Maximum number of a line's bits that are checked: a stream that was begun anew, and is nearly
// empty, rarely has all set.
constexpr unsigned kMaxAsked = 4;
constexpr size_t kMaxKnown = 16;

absl::Status BegunAnew(const StreamPlan& plan) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the stream ", plan.name,
      " was begun anew while this client ran: its keys were deleted, and made by another client. "
      "What was seen before is no longer known; end all clients before you delete a stream"));
}

}  // namespace

// Reservoir sampling: each line is kept with equal probability, regardless of their number.
void StreamWatch::Know(KeyHash line, Time now) {
  last_at_ = now;
  ++num_known_;
  if (lines_.size() < kMaxKnown) {
    lines_.push_back({line, now});
    return;
  }
  const uint64_t place = amq::Reduce(amq::Mix(num_known_), num_known_);
  if (place < kMaxKnown) lines_[place] = {line, now};
}

void StreamWatch::Forget(absl::FunctionRef<bool(KeyHash)> is_in_doubt) {
  const auto is_forgotten = [&](const KnownLine& line) { return is_in_doubt(line.hash); };
  lines_.erase(std::remove_if(lines_.begin(), lines_.end(), is_forgotten), lines_.end());
}

absl::Status StreamWatch::Look(Time now, KeyHolder* keys, MayHaveLost may_have_lost) {
  if (now - looked_at_ < kBetweenLooks) return absl::OkStatus();
  looked_at_ = now;
  absl::Status status = FindMissing(keys);
  for (const KnownLine& line : lines_) {
    if (!status.ok()) return status;
    if (!line.is_missing) continue;
    const absl::StatusOr<bool> is_lost = may_have_lost(line.hash);
    status = !is_lost.ok() ? is_lost.status() : *is_lost ? absl::OkStatus() : BegunAnew(plan_);
  }
  if (!status.ok()) return status;
  ForgetMissing();
  return LookAtPlan(keys);
}

absl::Status StreamWatch::LookAfterOutage(KeyHolder* keys) {
  bool has_plan = true;
  if (absl::Status status = CheckStream(plan_, keys, &has_plan); !status.ok()) return status;
  if (!has_plan) SayPlanIsDeleted();
  if (absl::Status status = FindMissing(keys); !status.ok()) return status;
  bool lacks_one = false;
  for (const KnownLine& line : lines_) {
    lacks_one |= line.is_missing;
    if (line.is_missing && last_at_ - line.at > kLongestTail) return BegunAnew(plan_);
  }
  if (!lacks_one) return absl::OkStatus();
  warn_(absl::StrCat("warning: a server of the stream ", plan_.name,
                     " came back without lines that it had acknowledged, which are printed again "
                     "when they come again; appendfsync always loses none"));
  ForgetMissing();
  return absl::OkStatus();
}

// A missing plan is no error: the bits exist without it, and clients continue to use them.
absl::Status StreamWatch::LookAtPlan(KeyHolder* keys) {
  redis::Reply reply;
  const std::string key = plan_.PlanKey();
  absl::Status status = keys->Ask(key, {"GET", key}, &reply);
  if (!status.ok() || reply->type == REDIS_REPLY_STRING) return status;
  // Checks a key, because lines sent to a removed stream would create a part of a key.
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

absl::Status StreamWatch::FindMissing(KeyHolder* keys) {
  std::vector<BitOfKey> bits;
  std::vector<KnownLine*> line_of;  // null: the bit is the sentinel of a key
  for (KnownLine& line : lines_) {
    line.is_missing = false;
    const uint64_t key = command_.KeyOf(line.hash);
    bits.push_back({key, Sentinel(plan_.shape)});
    line_of.push_back(nullptr);
    for (std::string& position : command_.Positions(line.hash, kMaxAsked)) {
      bits.push_back({key, std::move(position)});
      line_of.push_back(&line);
    }
  }
  absl::Status vanished;
  const auto take = [&](size_t i, bool is_set) {
    if (is_set) return;
    if (line_of[i] != nullptr) {
      line_of[i]->is_missing = true;
    } else if (vanished.ok()) {
      vanished = VanishedError(plan_, absl::StrCat("the key ", plan_.Key(bits[i].key)));
    }
  };
  absl::Status status = keys->AskBits(bits, take);
  return status.ok() ? vanished : status;
}

void StreamWatch::ForgetMissing() {
  const auto is_missing = [](const KnownLine& line) { return line.is_missing; };
  lines_.erase(std::remove_if(lines_.begin(), lines_.end(), is_missing), lines_.end());
}

}  // namespace winnow::dedup
