// Connection to one Redis or Valkey server: commands and answers, with errors as messages for the
// user.

#ifndef WINNOW_STREAMS_REDIS_REDIS_CLIENT_H_
#define WINNOW_STREAMS_REDIS_REDIS_CLIENT_H_

#include <absl/status/status.h>
#include <hiredis/hiredis.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "streams/redis/patience.h"
#include "streams/redis/redis_access.h"

namespace winnow::redis {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// Error messages do not name the server; the caller does. Not thread-safe. Writes to a closed
// connection raise no SIGPIPE.
class RedisClient {
 public:
  // `waits` has the timeout of answers and the callback for messages.
  explicit RedisClient(RedisAccess access, Waits waits = {});

  const std::string& address() const { return access_.address; }

  // Connects or reconnects: encrypts, authenticates, selects the database, and waits while the
  // server loads its data. Errors: IsLost() if a retry may succeed; InvalidArgument, with a
  // message, if this program does not support the access.
  absl::Status Connect();
  // Connects without messages: no answer is awaited for longer than `patience`, and a server that
  // loads its data is an error.
  absl::Status Open(std::chrono::milliseconds patience);

  // Returns whether the connection has no unexpected input, such as its end: a command sent now may
  // be lost on the way, but not because the server had already gone away. If false, call Connect().
  bool IsOpen();

  // Sends one command and waits for its answer; an error answer becomes an error status. Reconnects
  // first if the server has closed the connection, and resends while the server loads its data.
  absl::Status Ask(const std::vector<std::string_view>& command, Reply* reply);

  // Sends one command in protocol form and waits for its answer, which may be an error answer.
  absl::Status AskOnce(std::string_view command, Reply* reply);
  // Sends commands in protocol form, and waits for one of their answers, which may be an error
  // answer.
  absl::Status Send(std::string_view commands);
  absl::Status Receive(Reply* reply);

  // Retries of one operation across several commands. WaitToRetry() sleeps before the next try, or
  // returns an error after the deadline. BeginTrying() starts the clock; Answered() restarts it
  // with the next wait; Done() returns to one deadline per command.
  absl::Status WaitToRetry(const absl::Status& why);
  void BeginTrying();
  void Answered() { patience_.Answered(); }
  void Done();

  // Non-blocking operation for callers that wait for several servers, after Open(). Write() sends
  // as much appended data as the connection takes; num_unsent() is the number of remaining bytes,
  // also after a lost connection. Read() takes received data. Next() returns one answer of it, or
  // null if none is complete.
  int socket() const { return context_ == nullptr ? -1 : context_->fd; }  // -1: closed
  absl::Status Append(std::string_view commands);
  absl::Status Write();
  size_t num_unsent() const { return num_unsent_; }
  absl::Status Read();
  absl::Status Next(Reply* reply);
  void Close();

  // Returns the error of this answer; IsLost() while the server loads its data.
  absl::Status ErrorOf(const redisReply& reply) const;

 private:
  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  absl::Status Lost();
  absl::Status Lost(std::string why);
  absl::Status LogIn();
  absl::Status Await(short events);
  absl::Status AskConnected(const std::vector<std::string_view>& command, Reply* reply);
  absl::Status ErrorOfAuth(const redisReply& reply) const;
  bool IsSentinel();

  const RedisAccess access_;
  std::unique_ptr<redisContext, FreeContext> context_;
  std::string why_lost_ = "not connected";
  const std::chrono::milliseconds longest_;
  std::chrono::milliseconds longest_answer_{0};  // timeout of this connection
  Patience patience_;
  bool is_trying_ = false;
  size_t num_unsent_ = 0;
  bool is_broken_ = false;  // sending has failed
};

// Appends one word of a command in protocol form.
void AppendWord(std::string_view word, std::string* bytes);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_CLIENT_H_
