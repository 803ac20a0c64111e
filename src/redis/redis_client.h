// A connection to one Redis or Valkey server: commands and their answers, with errors in words for
// the user.

#ifndef WINNOW_SRC_REDIS_REDIS_CLIENT_H_
#define WINNOW_SRC_REDIS_REDIS_CLIENT_H_

#include <absl/status/status.h>
#include <hiredis/hiredis.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/redis/redis_access.h"

namespace winnow::redis {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// Errors don't name the server: the caller does. Not for several threads at a time. No signal is
// raised where the server goes away in the middle of a command.
class RedisClient {
 public:
  explicit RedisClient(RedisAccess access);

  const std::string& address() const { return access_.address; }

  // Connects, anew if it was connected before; encrypts; gives user and password; chooses the
  // database; waits while the server loads its data. An error: IsLost, to be tried again;
  // InvalidArgument, a sentence, if this program can't do what is asked for.
  absl::Status Connect();
  // The same, but no answer is waited for longer, and a server that loads its data is none to wait
  // for.
  absl::Status Open(std::chrono::milliseconds patience);

  // Sends one command and waits for its answer, which is no error then; sends it again while the
  // server loads its data.
  absl::Status Ask(const std::vector<std::string_view>& command, Reply* reply);

  // The same for one as the protocol has it, whose answer may be an error of the server's.
  absl::Status AskOnce(std::string_view command, Reply* reply);
  // Hands over commands as the protocol has them, and waits for one answer to them, which may be
  // an error of the server's.
  absl::Status Send(std::string_view commands);
  absl::Status Receive(Reply* reply);

  // For who waits for several servers at a time, after Open: these do what can be done at once.
  // Write sends of what is appended what the connection takes; num_unsent: bytes that are left,
  // also when the connection was lost. Read takes what has come. Next gives one answer of it, null
  // where no whole one has come.
  void DontWait();
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
  absl::Status LogIn();
  absl::Status ErrorOfAuth(const redisReply& reply) const;
  bool IsSentinel();

  const RedisAccess access_;
  std::unique_ptr<redisContext, FreeContext> context_;
  std::string why_lost_ = "not connected";
  std::chrono::milliseconds patience_{0};
  size_t num_unsent_ = 0;
  bool is_broken_ = false;  // nothing can be sent any more
};

// One word of a command, as the protocol has it.
void AppendWord(std::string_view word, std::string* bytes);

// Whether the connection is gone, or the server does not answer yet.
inline bool IsLost(const absl::Status& status) { return absl::IsUnavailable(status); }

}  // namespace winnow::redis

#endif  // WINNOW_SRC_REDIS_REDIS_CLIENT_H_
