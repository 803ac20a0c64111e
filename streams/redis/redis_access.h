// Whom to talk to, servers as users name them, and how what they say can be shown.

#ifndef WINNOW_STREAMS_REDIS_REDIS_ACCESS_H_
#define WINNOW_STREAMS_REDIS_REDIS_ACCESS_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>
#include <vector>

namespace winnow::redis {

struct RedisAccess {
  std::string address;  // HOST, HOST:PORT or [IPv6]:PORT, as it was given: for errors and plans
  std::string host;     // without the brackets
  int port = 6379;
  std::string user;           // empty: the server's default one
  std::string password;       // empty: none
  std::string password_from;  // what the user gives it by, for errors
  int database = 0;
  bool encrypted = false;  // by TLS

  // Another server that is reached in the same way.
  RedisAccess At(const std::string& other_host, int other_port) const;
};

// A password for servers whose URL has none.
struct GivenPassword {
  std::string text;  // empty: none
  std::string from;  // what it was given by, or else could be
};

// Parses a list with commas: each is HOST, HOST:PORT, [IPv6]:PORT, or a URL:
// redis://[[USER][:PASSWORD]@]HOST[:PORT][/DATABASE], or rediss:// for TLS; valkey:// and
// valkeys:// are the same. What a URL would misread is written as %XX, in a list also the comma. A
// name without a password before @ is a user, whose password is the given one; redis-cli takes it
// for a password.
//
// An error is a sentence, which never has what may be a password, or a part of one.
absl::StatusOr<std::vector<RedisAccess>> ParseServers(const std::string& list,
                                                      const GivenPassword& password);

// A text of a server's for a message: its first bytes, and what can't be printed in ASCII as \xHH.
inline constexpr size_t kMaxShown = 300;
std::string Shown(absl::string_view text);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_ACCESS_H_
