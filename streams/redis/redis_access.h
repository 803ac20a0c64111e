// Addresses and credentials of servers, and printable forms of their messages.

#ifndef WINNOW_STREAMS_REDIS_REDIS_ACCESS_H_
#define WINNOW_STREAMS_REDIS_REDIS_ACCESS_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>
#include <vector>

namespace winnow::redis {

struct RedisAccess {
  std::string address;  // HOST, HOST:PORT or [IPv6]:PORT, as given; for messages and plans
  std::string host;     // name or IP address without brackets
  int port = 6379;
  std::string user;           // empty: the server's default user
  std::string password;       // empty: none
  std::string password_from;  // source of the password, for messages
  int database = 0;
  bool encrypted = false;  // TLS

  // Returns the access to another server with the same credentials and encryption.
  RedisAccess At(const std::string& other_host, int other_port) const;
};

// Password for servers whose URL has none.
struct GivenPassword {
  std::string text;  // empty: none
  std::string from;  // actual or possible source, for messages
};

// Parses a comma-separated list of HOST, HOST:PORT, [IPv6]:PORT, and URLs:
// redis://[[USER][:PASSWORD]@]HOST[:PORT][/DATABASE], or rediss:// for TLS; valkey:// and
// valkeys:// are synonyms. Special characters of URLs, and commas in the list, are written as %XX.
// A name without a password before @ is a user, whose password is `password`; redis-cli takes such
// a name as a password.
//
// Error messages never contain a possible password or a part of one.
absl::StatusOr<std::vector<RedisAccess>> ParseServers(const std::string& list,
                                                      const GivenPassword& password);

// Returns a server's text for a message: its first bytes, with bytes that are not printable ASCII
// as \xHH.
inline constexpr size_t kMaxShown = 300;
std::string Shown(absl::string_view text);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_ACCESS_H_
