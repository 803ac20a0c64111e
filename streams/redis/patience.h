// How long servers are waited for, and what is said meanwhile: one rule for all of them.

#ifndef WINNOW_STREAMS_REDIS_PATIENCE_H_
#define WINNOW_STREAMS_REDIS_PATIENCE_H_

#include <absl/status/status.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace winnow::redis {

struct Waits {
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds longest = std::chrono::minutes(1);
  // Times after which what is waited for is said: first, and then again and again.
  std::chrono::milliseconds until_said = std::chrono::seconds(2);
  std::chrono::milliseconds between_said = std::chrono::minutes(1);
  std::function<void(const std::string&)> say = [](const std::string&) {};  // a sentence
  std::function<Clock::time_point()> now = Clock::now;
};

// Retry policy: exponential back-off, messages now and then, and a deadline.
class Patience {
 public:
  using Clock = Waits::Clock;

  // Sentences begin with `who`.
  explicit Patience(Waits waits, std::string who = "")
      : waits_(std::move(waits)), who_(std::move(who)) {}

  // The time begins, unless it has begun.
  void Begin();
  // It begins anew with the next trouble: something was answered; or all was, and no pause is due.
  void Answered() {
    has_begun_ = false;
    why_ = absl::OkStatus();
  }
  void Done() {
    Answered();
    pause_ = std::chrono::milliseconds(0);
  }
  // It begins anew: the server says itself that it will answer.
  void Promised() { since_ = waits_.now(); }

  // Says what is due. An error, which says why, if it is not to be waited for any longer.
  absl::Status GoOn(const absl::Status& why);
  // The same where an answer is waited for; why is what Wait was told last, if anything was.
  absl::Status AwaitReply();
  // How long until that is due again, in a time that has begun.
  std::chrono::milliseconds UntilDue() const;

  // Before the next try: at first none.
  std::chrono::milliseconds pause() const { return pause_; }
  void Lengthen();

  // GoOn, and the pause, which is longer the next time; that a server loads its data is a promise.
  absl::Status Wait(const absl::Status& why);

 private:
  Waits waits_;
  std::string who_;
  absl::Status why_;
  bool has_begun_ = false;
  Clock::time_point since_;
  Clock::time_point say_at_;
  std::chrono::milliseconds pause_{0};
};

// Returns whether the connection is gone, or the server does not answer yet.
inline bool IsLost(const absl::Status& status) { return absl::IsUnavailable(status); }
// Returns whether it is the latter, by its own words, which a sentence may have around it.
bool IsLoading(const absl::Status& status);

// "60 seconds".
std::string Seconds(std::chrono::milliseconds time);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_PATIENCE_H_
