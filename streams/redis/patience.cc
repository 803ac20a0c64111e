#include "streams/redis/patience.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <thread>

namespace winnow::redis {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMinPause(20);
constexpr milliseconds kMaxPause(500);

}  // namespace

void Patience::Begin() {
  if (has_begun_) return;
  has_begun_ = true;
  since_ = waits_.now();
  say_at_ = since_ + waits_.until_said;
}

absl::Status Patience::GoOn(const absl::Status& why) {
  Begin();
  const Clock::time_point now = waits_.now();
  if (now >= since_ + waits_.longest) {
    return absl::FailedPreconditionError(
        absl::StrCat(why.message(), "; it was not better after ", Seconds(waits_.longest)));
  }
  if (now >= say_at_) {
    say_at_ = now + waits_.between_said;
    waits_.say(absl::StrCat(
        who_, why.message(), "; it is waited for, ",
        IsLoading(why) ? "as long as it says so" : Seconds(waits_.longest) + " at most"));
  }
  return absl::OkStatus();
}

milliseconds Patience::UntilDue() const {
  const Clock::duration left = std::min(since_ + waits_.longest, say_at_) - waits_.now();
  return std::max(std::chrono::ceil<milliseconds>(left), milliseconds(0));
}

absl::Status Patience::AwaitReply() {
  return GoOn(why_.ok() ? absl::UnavailableError("no reply yet") : why_);
}

void Patience::Lengthen() { pause_ = std::clamp(2 * pause_, kMinPause, kMaxPause); }

absl::Status Patience::Wait(const absl::Status& why) {
  why_ = why;
  if (IsLoading(why)) Promised();
  if (absl::Status over = GoOn(why); !over.ok()) return over;
  std::this_thread::sleep_for(std::min(pause_, UntilDue()));
  Lengthen();
  return absl::OkStatus();
}

std::string Seconds(milliseconds time) {
  return absl::StrCat(static_cast<double>(time.count()) / 1000, " seconds");
}

bool IsLoading(const absl::Status& status) {
  return IsLost(status) && absl::StrContains(status.message(), "LOADING");
}

}  // namespace winnow::redis
