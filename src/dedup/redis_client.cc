#include "src/dedup/redis_client.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <optional>
#include <utility>

namespace winnow::dedup {
namespace {

constexpr int kDefaultPort = 6379;
constexpr timeval kConnecting = {10, 0};
constexpr timeval kAnswering = {60, 0};
constexpr timespec kBetweenTries = {0, 100'000'000};

// hiredis does not say to send() that it wants no signal.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    constexpr timespec kNow = {0, 0};
    while (sigismember(&before_, SIGPIPE) == 0 && sigtimedwait(&pipe_, nullptr, &kNow) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

struct Place {
  std::string host;
  int port = kDefaultPort;
};

std::optional<Place> ParseAddress(absl::string_view text) {
  Place place;
  const size_t bracket = absl::StartsWith(text, "[") ? text.find(']') : 0;
  size_t colon = text.rfind(':');
  if (colon < bracket) colon = absl::string_view::npos;
  absl::string_view host = text.substr(0, colon);
  if (bracket > 0) {
    if (host.size() != bracket + 1) return std::nullopt;
    host = host.substr(1, bracket - 1);
  }
  place.host = std::string(host);
  if (colon != absl::string_view::npos && (!absl::SimpleAtoi(text.substr(colon + 1), &place.port) ||
                                           place.port < 1 || place.port > 65'535)) {
    return std::nullopt;
  }
  return place.host.empty() ? std::nullopt : std::optional(place);
}

// What to do about an error of the server's; empty: it is not known here.
std::string AdviceFor(absl::string_view error, const char* password_from) {
  constexpr char kCluster[] =
      "it is part of a cluster, which moves keys between servers: give servers without cluster "
      "mode";
  const struct {
    const char* start;
    const char* advice;
    const char* behind = "";
  } known[] = {
      {"MOVED", kCluster},
      {"ASK", kCluster},
      {"CROSSSLOT", kCluster},
      {"CLUSTERDOWN", "it is part of a cluster: give servers without cluster mode"},
      {"READONLY", "it is a replica, which can't be written to: give the primary"},
      {"OOM", "its memory is full: raise its maxmemory, or begin anew with a lower --capacity"},
      {"MISCONF", "it takes no writes as it can't save its data"},
      {"NOAUTH", "it wants a password: give ", password_from},
      {"WRONGPASS", "it refuses the password: check ", password_from},
      {"NOPERM", "its user may not do that"},
      {"WRONGTYPE", "a key of this --name is something else: give another name"},
  };
  for (const auto& row : known) {
    // A script wraps what the server says of a command of its own.
    if (absl::StartsWith(error, row.start) ||
        absl::StrContains(error, absl::StrCat(": -", row.start, " "))) {
      return absl::StrCat(row.advice, row.behind);
    }
  }
  return absl::StrContains(error, "without any password") ? "it knows no password" : "";
}

}  // namespace

RedisClient::RedisClient(RedisAccess access) : access_(std::move(access)) {}

absl::Status RedisClient::Lost() {
  if (context_ != nullptr) {
    const bool timed_out = context_->err == REDIS_ERR_IO && errno == EAGAIN;
    why_lost_ = timed_out ? "no reply within a minute" : context_->errstr;
    context_.reset();
  }
  return absl::UnavailableError(why_lost_);
}

absl::Status RedisClient::Connect() {
  const std::optional<Place> place = ParseAddress(access_.address);
  if (!place) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", access_.address, "' is no address of a server, like localhost:6379"));
  }
  context_.reset(redisConnectWithTimeout(place->host.c_str(), place->port, kConnecting));
  if (context_ == nullptr) return absl::ResourceExhaustedError("no memory for a connection");
  if (context_->err != 0) return Lost();
  redisSetTimeout(context_.get(), kAnswering);
  redisEnableKeepAlive(context_.get());
  Reply reply;
  absl::Status status;
  if (!access_.password.empty()) status = Ask({"AUTH", access_.password}, &reply);
  return status.ok() ? Ask({"PING"}, &reply) : status;
}

absl::Status RedisClient::Ask(const std::vector<std::string_view>& command, Reply* reply) {
  std::string bytes = absl::StrCat("*", command.size(), "\r\n");
  for (const std::string_view word : command) AppendWord(word, &bytes);
  for (;;) {
    absl::Status status = Send(bytes);
    if (status.ok()) status = Receive(reply);
    if (!status.ok() || (*reply)->type != REDIS_REPLY_ERROR) return status;
    status = ErrorOf(**reply);
    if (!IsLost(status)) return status;
    nanosleep(&kBetweenTries, nullptr);
  }
}

absl::Status RedisClient::Send(std::string_view commands) {
  if (context_ == nullptr) return Lost();
  const WithoutSigpipe without;
  if (redisAppendFormattedCommand(context_.get(), commands.data(), commands.size()) != REDIS_OK) {
    return Lost();
  }
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return Lost();
  }
  return absl::OkStatus();
}

absl::Status RedisClient::Receive(Reply* reply) {
  if (context_ == nullptr) return Lost();
  void* received = nullptr;
  if (redisGetReply(context_.get(), &received) != REDIS_OK) return Lost();
  reply->reset(static_cast<redisReply*>(received));
  return absl::OkStatus();
}

absl::Status RedisClient::ErrorOf(const redisReply& reply) const {
  const absl::string_view words(reply.str, reply.len);
  if (absl::StartsWith(words, "LOADING")) return absl::UnavailableError(words);
  const std::string advice = AdviceFor(words, access_.password_from);
  return absl::FailedPreconditionError(advice.empty() ? std::string(words)
                                                      : absl::StrCat(advice, " (", words, ")"));
}

void AppendWord(std::string_view word, std::string* bytes) {
  absl::StrAppend(bytes, "$", word.size(), "\r\n");
  bytes->append(word);
  bytes->append("\r\n");
}

}  // namespace winnow::dedup
