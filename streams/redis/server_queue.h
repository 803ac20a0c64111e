// One server's part of what is asked of a cluster: commands that wait for it, and those whose
// answers are under way.

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

// A command on its way.
struct QueuedCommand {
  size_t number = 0;
  uint64_t end = 0;     // of its bytes, in all that was handed to the connection
  uint8_t hops = 0;     // redirects that it has followed
  bool asking = false;  // it goes to a server that does not have the slot yet
  bool may_be_second = false;
};

// Nothing here waits but Open. An error means that the connection is lost: then GiveUp is due.
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
  // The command whose answer is next; some are under way.
  const QueuedCommand& oldest() const { return commands_[num_answered_]; }
  // Since when, at least, nothing was heard though an answer is due.
  Clock::time_point silent_since() const { return silent_since_; }

  // Hands over some of the commands that wait, if those before are sent, and sends what the
  // connection takes. append gives a command's bytes.
  absl::Status Send(Clock::time_point now,
                    absl::FunctionRef<void(size_t number, std::string* bytes)> append);
  absl::Status Receive(Clock::time_point now);
  // An answer of those received, and its command; null if there is none.
  absl::Status Next(QueuedCommand* command, Reply* reply);

  // Takes those back that were not handed over.
  void TakeWaiting(std::vector<QueuedCommand>* commands);
  // Closes the connection and takes back all that were not answered; returns how many of them may
  // have been carried out, which is noted in them.
  size_t GiveUp(std::vector<QueuedCommand>* commands);

 private:
  RedisClient client_;
  // Answered, under way, waiting.
  std::vector<QueuedCommand> commands_;
  size_t num_answered_ = 0;
  size_t num_sent_ = 0;
  std::string bytes_;
  uint64_t num_bytes_ = 0;           // that were handed to the connection
  bool asking_is_answered_ = false;  // of the oldest
  Clock::time_point silent_since_;
};

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_SERVER_QUEUE_H_
