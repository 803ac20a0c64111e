// One server that holds bits of a stream: commands and their answers, in words for the user.

#ifndef WINNOW_SRC_DEDUP_REDIS_SERVER_H_
#define WINNOW_SRC_DEDUP_REDIS_SERVER_H_

#include <absl/status/status.h>
#include <hiredis/hiredis.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::dedup {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

class RedisServer {
 public:
  RedisServer(std::string address, std::string password);

  const std::string& address() const { return address_; }

  // Connects, anew if it was connected before; gives the password; waits while the server loads its
  // data. IsLost of an error: to be tried again.
  absl::Status Connect();

  // Sends one command and waits for its answer, which is no error then.
  absl::Status Ask(const std::vector<std::string>& command, Reply* reply);

  // Hands over commands as the protocol has them, and the same for one answer to them, which may be
  // an error of the server's.
  absl::Status Send(std::string_view commands);
  absl::Status Receive(Reply* reply);

  // The error that this answer is.
  absl::Status ErrorOf(const redisReply& reply) const;

  // An error with the server's address.
  absl::Status Fault(std::string_view what) const;

 private:
  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  absl::Status Lost();
  absl::Status WaitUntilLoaded();

  const std::string address_;
  const std::string password_;
  std::unique_ptr<redisContext, FreeContext> context_;
};

// Whether the connection is gone, or the server does not answer yet.
inline bool IsLost(const absl::Status& status) { return absl::IsUnavailable(status); }

}  // namespace winnow::dedup

#endif  // WINNOW_SRC_DEDUP_REDIS_SERVER_H_
