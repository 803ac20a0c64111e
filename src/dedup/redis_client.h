// A connection to one Redis or Valkey server: commands and their answers, with errors in words for
// the user.

#ifndef WINNOW_SRC_DEDUP_REDIS_CLIENT_H_
#define WINNOW_SRC_DEDUP_REDIS_CLIENT_H_

#include <absl/status/status.h>
#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::dedup {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// Whom to talk to.
struct RedisAccess {
  std::string address;             // HOST, HOST:PORT or [IPv6]:PORT; the port is else 6379
  std::string password;            // empty: none
  const char* password_from = "";  // what the user gives it by, for errors
};

// Errors don't name the server: the caller does. Not for several threads at a time. No signal is
// raised where the server goes away in the middle of a command.
class RedisClient {
 public:
  explicit RedisClient(RedisAccess access);

  const std::string& address() const { return access_.address; }

  // Connects, anew if it was connected before; gives the password; waits while the server loads its
  // data. An error: IsLost, to be tried again; InvalidArgument, a sentence, for what is no address.
  absl::Status Connect();

  // Sends one command and waits for its answer, which is no error then; sends it again while the
  // server loads its data.
  absl::Status Ask(const std::vector<std::string_view>& command, Reply* reply);

  // Hands over commands as the protocol has them, and the same for one answer to them, which may be
  // an error of the server's.
  absl::Status Send(std::string_view commands);
  absl::Status Receive(Reply* reply);

  // The error that this answer is; IsLost while the server loads its data.
  absl::Status ErrorOf(const redisReply& reply) const;

 private:
  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  absl::Status Lost();

  const RedisAccess access_;
  std::unique_ptr<redisContext, FreeContext> context_;
  std::string why_lost_ = "not connected";
};

// One word of a command, as the protocol has it.
void AppendWord(std::string_view word, std::string* bytes);

// Whether the connection is gone, or the server does not answer yet.
inline bool IsLost(const absl::Status& status) { return absl::IsUnavailable(status); }

}  // namespace winnow::dedup

#endif  // WINNOW_SRC_DEDUP_REDIS_CLIENT_H_
