// Queue of one server of a cluster: commands that wait to be sent, and commands in flight.

#ifndef WINNOW_STREAMS_REDIS_SERVER_QUEUE_H_
#define WINNOW_STREAMS_REDIS_SERVER_QUEUE_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "streams/redis/redis_client.h"

namespace winnow::redis {

// A queued command.
struct QueuedCommand {
  size_t number = 0;
  uint64_t end = 0;     // end of its bytes in all bytes handed to the connection
  uint8_t hops = 0;     // number of redirects so far
  bool asking = false;  // goes to a server that is importing the slot
  bool may_be_second = false;
};

// All functions except Open() are non-blocking. An error means that the connection is lost; call
// GiveUp() then.
class ServerQueue {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ServerQueue(RedisAccess access) : client_(std::move(access)) {}

  bool is_open() const { return client_.socket() >= 0; }
  int socket() const { return client_.socket(); }
  const RedisClient& client() const { return client_; }

  absl::Status Open(std::chrono::milliseconds patience);

  void Push(const QueuedCommand& command) { commands_.push_back(command); }
  bool has_waiting() const { return num_sent_ < commands_.size(); }
  bool has_bytes() const { return is_open() && client_.num_unsent() > 0; }
  bool is_under_way() const { return num_answered_ < num_sent_; }
  // Returns the command of the next answer; requires commands in flight.
  const QueuedCommand& oldest() const { return commands_[num_answered_]; }
  // Earliest time since which the server has been silent although an answer is due.
  Clock::time_point silent_since() const { return silent_since_; }

  // Hands over waiting commands once earlier ones are sent, and sends as much as the connection
  // takes. append() appends a command's bytes.
  absl::Status Send(Clock::time_point now,
                    absl::FunctionRef<void(size_t number, std::string* bytes)> append);
  absl::Status Receive(Clock::time_point now);
  // Gets one received answer and its command; *reply is null if there is none.
  absl::Status Next(QueuedCommand* command, Reply* reply);

  // Moves the waiting commands, which were not handed over, to the end of *commands.
  void TakeWaiting(std::vector<QueuedCommand>* commands);
  // Closes the connection and moves all unanswered commands to *commands. Returns how many may have
  // been executed; these are marked.
  size_t GiveUp(std::vector<QueuedCommand>* commands);

 private:
  RedisClient client_;
  // Commands in order: answered, in flight, waiting.
  std::vector<QueuedCommand> commands_;
  size_t num_answered_ = 0;
  size_t num_sent_ = 0;
  std::string bytes_;
  uint64_t num_bytes_ = 0;           // bytes handed to the connection
  bool asking_is_answered_ = false;  // refers to the oldest command
  Clock::time_point silent_since_;
};

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_SERVER_QUEUE_H_
