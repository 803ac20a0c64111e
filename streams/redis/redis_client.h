// A connection to one Redis or Valkey server: commands and their answers, with errors in words for
// the user.

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

// Errors don't name the server: the caller does. Not for several threads at a time. No signal is
// raised where the server goes away in the middle of a command.
class RedisClient {
 public:
  // How long an answer is waited for, and where what is waited for is said.
  explicit RedisClient(RedisAccess access, Waits waits = {});

  const std::string& address() const { return access_.address; }

  // Connects, anew if it was connected before; encrypts; gives user and password; chooses the
  // database; waits while the server loads its data. An error: IsLost, to be tried again;
  // InvalidArgument, a sentence, if this program can't do what is asked for.
  absl::Status Connect();
  // The same, but no answer is waited for longer, and a server that loads its data is none to wait
  // for.
  absl::Status Open(std::chrono::milliseconds patience);

  // Returns whether nothing has come that nobody asked for, as the end of the connection: what is
  // sent now may still be lost on the way, but not for a server that went away before. If false,
  // connect.
  bool IsOpen();

  // Sends one command and waits for its answer, which is no error then; connects before that where
  // the server has closed the connection, and sends it again while the server loads its data.
  absl::Status Ask(const std::vector<std::string_view>& command, Reply* reply);

  // The same for one as the protocol has it, whose answer may be an error of the server's.
  absl::Status AskOnce(std::string_view command, Reply* reply);
  // Hands over commands as the protocol has them, and waits for one answer to them, which may be
  // an error of the server's.
  absl::Status Send(std::string_view commands);
  absl::Status Receive(Reply* reply);

  // For who tries one thing until it is answered, whatever else is answered meanwhile: waits before
  // the next try, or says that it has been long enough. Begin: the time runs from now on; Answered:
  // it begins anew with the next wait; Done: each command has its own time again.
  absl::Status WaitToRetry(const absl::Status& why);
  void BeginTrying();
  void Answered() { patience_.Answered(); }
  void Done();

  // For who waits for several servers at a time, after Open: these do what can be done at once.
  // Write sends of what is appended what the connection takes; num_unsent: bytes that are left,
  // also when the connection was lost. Read takes what has come. Next gives one answer of it, null
  // where no whole one has come.
  int socket() const { return context_ == nullptr ? -1 : context_->fd; }  // -1: it is closed
  absl::Status Append(std::string_view commands);
  absl::Status Write();
  size_t num_unsent() const { return num_unsent_; }
  absl::Status Read();
  absl::Status Next(Reply* reply);
  void Close();

  // The error that this answer is; IsLost while the server loads its data.
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
  std::chrono::milliseconds longest_answer_{0};  // of this connection
  Patience patience_;
  bool is_trying_ = false;
  size_t num_unsent_ = 0;
  bool is_broken_ = false;  // nothing can be sent any more
};

// One word of a command, as the protocol has it.
void AppendWord(std::string_view word, std::string* bytes);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_CLIENT_H_
