// Retry policy for servers, and the messages during waits: one rule for all servers.

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
  // Times after which a message says what is awaited: the first time, and between repetitions.
  std::chrono::milliseconds until_said = std::chrono::seconds(2);
  std::chrono::milliseconds between_said = std::chrono::minutes(1);
  // Called with each message, a sentence.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  std::function<Clock::time_point()> now = Clock::now;
};

// Retry policy: exponential backoff, occasional messages, and a deadline.
class Patience {
 public:
  using Clock = Waits::Clock;

  // Messages begin with `who`.
  explicit Patience(Waits waits, std::string who = "")
      : waits_(std::move(waits)), who_(std::move(who)) {}

  // Starts the clock, unless it is running.
  void Begin();
  // Resets the clock for the next failure. Answered(): something was answered; Done(): everything
  // was, and the pause is reset.
  void Answered() {
    has_begun_ = false;
    why_ = absl::OkStatus();
  }
  void Done() {
    Answered();
    pause_ = std::chrono::milliseconds(0);
  }
  // Restarts the clock: the server itself announced that it will answer.
  void Promised() { since_ = waits_.now(); }

  // Gives due messages. Returns an error with the reason once the deadline has passed.
  absl::Status GoOn(const absl::Status& why);
  // GoOn() while an answer is awaited; the reason is that of the last Wait(), if any.
  absl::Status AwaitReply();
  // Returns the time until the next message or the deadline; the clock must be running.
  std::chrono::milliseconds UntilDue() const;

  // Pause before the next try, initially none.
  std::chrono::milliseconds pause() const { return pause_; }
  void Lengthen();

  // Calls GoOn() and sleeps for the pause, which grows each time. A server that loads its data
  // counts as Promised().
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

// Returns whether the connection is lost, or the server does not answer yet.
inline bool IsLost(const absl::Status& status) { return absl::IsUnavailable(status); }
// Returns whether the server is loading its data, by the message, which may be embedded in a
// sentence.
bool IsLoading(const absl::Status& status);

// Returns "60 seconds".
std::string Seconds(std::chrono::milliseconds time);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_PATIENCE_H_
