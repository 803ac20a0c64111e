#include "streams/redis/redis_access.h"

#include <absl/status/status.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace winnow::redis {
namespace {

constexpr absl::string_view kSchemeEnd = "://";

// The message repeats nothing of the input, since any part of it could be the password.
absl::Status NoUrl(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a server's URL is redis://[[USER][:PASSWORD]@]HOST[:PORT][/DATABASE], or rediss://... for "
      "TLS, but in the one that was given ",
      why, "; it is not shown here, as it may have a password"));
}

bool ParseHost(absl::string_view text, RedisAccess* access) {
  const size_t bracket = absl::StartsWith(text, "[") ? text.find(']') : 0;
  size_t colon = text.rfind(':');
  if (colon < bracket) colon = absl::string_view::npos;
  absl::string_view host = text.substr(0, colon);
  if (bracket > 0) {
    if (host.size() != bracket + 1) return false;
    host = host.substr(1, bracket - 1);
  }
  if (colon != absl::string_view::npos &&
      (!absl::SimpleAtoi(text.substr(colon + 1), &access->port) || access->port < 1 ||
       access->port > 65'535)) {
    return false;
  }
  access->address = std::string(text);
  access->host = std::string(host);
  return !host.empty();
}

std::optional<std::string> PercentDecoded(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    unsigned code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || end != digits.data() + 2) return std::nullopt;
    decoded.push_back(static_cast<char>(code));
    i += 2;
  }
  return decoded;
}

absl::StatusOr<RedisAccess> ParseUrl(absl::string_view scheme, absl::string_view rest) {
  RedisAccess access;
  access.encrypted =
      absl::EqualsIgnoreCase(scheme, "rediss") || absl::EqualsIgnoreCase(scheme, "valkeys");
  if (!access.encrypted && !absl::EqualsIgnoreCase(scheme, "redis") &&
      !absl::EqualsIgnoreCase(scheme, "valkey")) {
    return NoUrl("the scheme is another");
  }
  if (const size_t at = rest.rfind('@'); at != absl::string_view::npos) {
    const absl::string_view words = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    const size_t colon = words.find(':');
    const std::optional<std::string> user = PercentDecoded(words.substr(0, colon));
    const std::optional<std::string> password =
        colon == absl::string_view::npos ? "" : PercentDecoded(words.substr(colon + 1));
    if (!user || !password) return NoUrl("there is a % without two hexadecimal digits behind it");
    access.user = *user;
    access.password = *password;
    if (!access.password.empty()) access.password_from = "the URL of the server";
  }
  const size_t slash = rest.find('/');
  if (slash != absl::string_view::npos && slash + 1 < rest.size() &&
      (!absl::SimpleAtoi(rest.substr(slash + 1), &access.database) || access.database < 0)) {
    return NoUrl("there is something behind the host's / that is no number of a database");
  }
  if (!ParseHost(rest.substr(0, slash), &access)) return NoUrl("there is no HOST or HOST:PORT");
  return access;
}

absl::StatusOr<RedisAccess> ParseAccess(absl::string_view text) {
  const size_t scheme_end = text.find(kSchemeEnd);
  if (scheme_end != absl::string_view::npos) {
    return ParseUrl(text.substr(0, scheme_end), text.substr(scheme_end + kSchemeEnd.size()));
  }
  if (absl::StrContains(text, '@')) {
    return NoUrl("there is an @ without redis:// before it (a comma in a password is %2C)");
  }
  RedisAccess access;
  if (ParseHost(text, &access)) return access;
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is no address of a server, like localhost:6379"));
}

}  // namespace

RedisAccess RedisAccess::At(const std::string& other_host, int other_port) const {
  RedisAccess other = *this;
  const bool is_ipv6 = absl::StrContains(other_host, ':');
  // Hosts come from the cluster's announcements and are not trusted.
  other.address =
      absl::StrCat(is_ipv6 ? "[" : "", Shown(other_host), is_ipv6 ? "]:" : ":", other_port);
  other.host = other_host;
  other.port = other_port;
  return other;
}

absl::StatusOr<std::vector<RedisAccess>> ParseServers(const std::string& list,
                                                      const GivenPassword& password) {
  std::vector<RedisAccess> servers;
  for (const absl::string_view text : absl::StrSplit(list, ',')) {
    absl::StatusOr<RedisAccess> server = ParseAccess(text);
    if (!server.ok()) return server.status();
    if (server->password.empty()) {
      server->password = password.text;
      server->password_from = password.from;
    }
    if (server->password.empty() && !server->user.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the URL of ", server->address, " has a user, and there is no password: give ",
          password.from, "; a password without a user is redis://:PASSWORD@HOST"));
    }
    servers.push_back(*std::move(server));
  }
  return servers;
}

std::string Shown(absl::string_view text) {
  std::string shown;
  for (const char byte : text.substr(0, kMaxShown)) {
    if (byte >= ' ' && byte <= '~') {
      shown.push_back(byte);
    } else {
      absl::StrAppend(&shown, "\\x", absl::Hex(static_cast<unsigned char>(byte), absl::kZeroPad2));
    }
  }
  return text.size() > kMaxShown ? shown + "..." : shown;
}

}  // namespace winnow::redis
