#include "streams/redis/redis_client.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <errno.h>
#include <fcntl.h>
#include <hiredis/sds.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <utility>

#include "src/base/without_sigpipe.h"
#include "streams/redis/redis_tls.h"

namespace winnow::redis {
namespace {

using base::WithoutSigpipe;  // hiredis does not pass MSG_NOSIGNAL to send()
using Clock = Patience::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kConnecting = std::chrono::seconds(10);
constexpr milliseconds kMinConnecting = std::chrono::seconds(1);

timeval TimevalOf(std::chrono::milliseconds time) {
  return {time.count() / 1000, time.count() % 1000 * 1000};
}

// Returns advice for a server's error, or an empty string if none is known.
std::string AdviceFor(absl::string_view error, absl::string_view password_from) {
  constexpr char kCluster[] =
      "it is part of a cluster, in which keys lie on other servers: give servers of one cluster, "
      "and no others";
  const struct {
    absl::string_view start;
    absl::string_view advice;
    absl::string_view behind = "";
  } known[] = {
      {"MOVED", kCluster},
      {"ASK", kCluster},
      {"CROSSSLOT", kCluster},
      {"CLUSTERDOWN", kCluster},
      {"READONLY", "it is a replica, which can't be written to: give the primary"},
      {"OOM", "its memory is full: raise its maxmemory, or begin anew with a lower --capacity"},
      {"MISCONF", "it takes no writes as it can't save its data"},
      {"NOAUTH", "it wants a password: give ", password_from},
      {"WRONGPASS", "it refuses the password, or its user: check ", password_from},
      {"ERR SELECT is not allowed in cluster mode",
       "a cluster has database 0 alone: leave the number out of its URL"},
      {"NOPERM", "its user may not do that"},
      {"WRONGTYPE", "a key of this --name is something else: give another name"},
  };
  for (const auto& row : known) {
    // A script embeds the error of a command that it ran.
    if (absl::StartsWith(error, row.start) ||
        absl::StrContains(error, absl::StrCat(": -", row.start, " "))) {
      return absl::StrCat(row.advice, row.behind);
    }
  }
  return absl::StrContains(error, "without any password")
             ? absl::StrCat("it knows no password, but one is given by ", password_from)
             : "";
}

// A server that does not know AUTH may repeat its arguments in the error, in part or transformed.
// These answers to AUTH have fixed texts.
bool MayShowAnswerToAuth(absl::string_view error) {
  for (const absl::string_view start :
       {"WRONGPASS", "NOAUTH", "NOPERM", "LOADING", "ERR invalid password",
        "ERR AUTH <password> called without any password", "ERR Client sent AUTH, but no password",
        "ERR wrong number of arguments for 'auth' command"}) {
    if (absl::StartsWith(error, start)) return true;
  }
  return false;
}

}  // namespace

RedisClient::RedisClient(RedisAccess access, Waits waits)
    : access_(std::move(access)),
      longest_(waits.longest),
      patience_(std::move(waits), absl::StrCat("the server ", access_.address, ": ")) {}

absl::Status RedisClient::Lost(std::string why) {
  why_lost_ = std::move(why);
  Close();
  return absl::UnavailableError(why_lost_);
}

absl::Status RedisClient::Lost() {
  return context_ == nullptr ? absl::UnavailableError(why_lost_) : Lost(context_->errstr);
}

absl::Status RedisClient::Connect() {
  absl::Status status = Open(longest_);
  Reply reply;
  return status.ok() ? AskConnected({"PING"}, &reply) : status;
}

absl::Status RedisClient::Open(milliseconds patience) {
  absl::Status status = access_.encrypted ? CheckTls() : absl::OkStatus();
  if (!status.ok()) return status;
  longest_answer_ = patience;
  num_unsent_ = 0;
  is_broken_ = false;
  milliseconds connects = std::min(patience, kConnecting);
  if (is_trying_) {
    // A message may be due during the connection attempt.
    connects = std::min(connects, std::max(patience_.UntilDue(), kMinConnecting));
  }
  const timeval connecting = TimevalOf(connects);
  context_.reset(redisConnectWithTimeout(access_.host.c_str(), access_.port, connecting));
  if (context_ == nullptr) return absl::ResourceExhaustedError("no memory for a connection");
  if (context_->err != 0) return Lost();
  redisEnableKeepAlive(context_.get());
  if (!access_.encrypted) return LogIn();
  {
    // A server without TLS on this port may wait for more input.
    redisSetTimeout(context_.get(), connecting);
    const WithoutSigpipe without;
    status = Encrypt(access_.host, context_.get());
  }
  if (!status.ok()) {
    Lost(std::string(status.message())).IgnoreError();
    return status;
  }
  status = LogIn();
  // The server verifies the client's certificate only after the client's handshake has ended.
  Reply reply;
  if (status.ok()) status = AskOnce("*1\r\n$4\r\nPING\r\n", &reply);
  return IsLost(status) ? absl::UnavailableError(absl::StrCat(
                              status.message(),
                              "; it may want another certificate of the client, from the file that "
                              "WINNOW_REDIS_CERT names in the environment"))
                        : status;
}

// The socket is non-blocking from here on.
absl::Status RedisClient::LogIn() {
  context_->flags &= ~REDIS_BLOCK;
  fcntl(context_->fd, F_SETFL, fcntl(context_->fd, F_GETFL) | O_NONBLOCK);
  Reply reply;
  absl::Status status;
  if (!access_.password.empty()) {
    status = access_.user.empty() ? AskConnected({"AUTH", access_.password}, &reply)
                                  : AskConnected({"AUTH", access_.user, access_.password}, &reply);
  }
  if (!status.ok() || access_.database == 0) return status;
  return AskConnected({"SELECT", std::to_string(access_.database)}, &reply);
}

void RedisClient::BeginTrying() {
  is_trying_ = true;
  patience_.Begin();
}

absl::Status RedisClient::WaitToRetry(const absl::Status& why) {
  BeginTrying();
  return patience_.Wait(why);
}

void RedisClient::Done() {
  is_trying_ = false;
  patience_.Done();
}

bool RedisClient::IsOpen() {
  if (context_ == nullptr) return false;
  pollfd polled = {context_->fd, POLLIN, 0};
  if (poll(&polled, 1, 0) <= 0) return true;
  Reply reply;
  absl::Status status = Read();
  if (status.ok()) status = Next(&reply);
  if (status.ok() && reply == nullptr) return true;
  if (status.ok()) Lost("it answers what nobody asked").IgnoreError();
  return false;
}

absl::Status RedisClient::AskOnce(std::string_view command, Reply* reply) {
  if (!is_trying_) patience_.Done();
  const absl::Status status = Send(command);
  return status.ok() ? Receive(reply) : status;
}

// Returns whether the server is a Sentinel, which speaks the protocol but has only a few commands.
bool RedisClient::IsSentinel() {
  Reply reply;
  return AskOnce("*1\r\n$4\r\nROLE\r\n", &reply).ok() && reply->type == REDIS_REPLY_ARRAY &&
         reply->elements > 0 && reply->element[0]->type == REDIS_REPLY_STRING &&
         std::string_view(reply->element[0]->str) == "sentinel";
}

absl::Status RedisClient::Ask(const std::vector<std::string_view>& command, Reply* reply) {
  const absl::Status status = context_ == nullptr || IsOpen() ? absl::OkStatus() : Connect();
  return status.ok() ? AskConnected(command, reply) : status;
}

absl::Status RedisClient::AskConnected(const std::vector<std::string_view>& command, Reply* reply) {
  std::string bytes = absl::StrCat("*", command.size(), "\r\n");
  for (const std::string_view word : command) AppendWord(word, &bytes);
  if (!is_trying_) patience_.Done();
  for (;;) {
    absl::Status status = Send(bytes);
    if (status.ok()) status = Receive(reply);
    if (!status.ok() || (*reply)->type != REDIS_REPLY_ERROR) return status;
    status = command.front() == "AUTH" ? ErrorOfAuth(**reply) : ErrorOf(**reply);
    if (absl::StartsWith((*reply)->str, "ERR unknown command") && IsSentinel()) {
      return absl::FailedPreconditionError(
          "it is a Sentinel, which keeps no data, and winnow does not ask Sentinels: give the "
          "address of the master, as SENTINEL get-master-addr-by-name says it");
    }
    if (IsLost(status)) {
      const absl::Status over = patience_.Wait(status);
      if (over.ok()) continue;
      status = over;
    }
    return status;
  }
}

absl::Status RedisClient::Send(std::string_view commands) {
  absl::Status status = Append(commands);
  while (status.ok() && num_unsent_ > 0) {
    status = Write();
    if (status.ok() && is_broken_) return Lost();
    if (status.ok() && num_unsent_ > 0) status = Await(POLLOUT);
  }
  return status;
}

absl::Status RedisClient::Receive(Reply* reply) {
  bool has_come = true;  // assumed
  absl::Status status = Next(reply);
  while (status.ok() && *reply == nullptr) {
    status = has_come ? Read() : Await(POLLIN);
    has_come = !has_come;
    if (status.ok()) status = Next(reply);
  }
  return status;
}

// Waits until the socket is ready, or returns an error once the server was silent for too long.
absl::Status RedisClient::Await(short events) {
  pollfd polled = {context_->fd, events, 0};
  const Clock::time_point end = Clock::now() + longest_answer_;
  for (;;) {
    const Clock::time_point now = Clock::now();
    if (now >= end || !patience_.AwaitReply().ok()) {
      return Lost(absl::StrCat("no reply within ", Seconds(longest_answer_)));
    }
    const auto most = std::min(std::chrono::ceil<milliseconds>(end - now), patience_.UntilDue());
    if (poll(&polled, 1, static_cast<int>(most.count())) > 0) return absl::OkStatus();
  }
}

// TLS may have sent bytes that are not counted yet; none count as unsent.
void RedisClient::Close() {
  context_.reset();
  if (access_.encrypted) num_unsent_ = 0;
}

absl::Status RedisClient::Append(std::string_view commands) {
  if (context_ == nullptr) return Lost();
  num_unsent_ += commands.size();
  return redisAppendFormattedCommand(context_.get(), commands.data(), commands.size()) == REDIS_OK
             ? absl::OkStatus()
             : Lost();
}

absl::Status RedisClient::Write() {
  if (context_ == nullptr) return Lost();
  if (is_broken_) return absl::OkStatus();
  const WithoutSigpipe without;
  int done = 0;
  is_broken_ = redisBufferWrite(context_.get(), &done) != REDIS_OK;
  if (is_broken_) {
    // Answers that the server sent before can still be read, followed by the end of the stream.
    context_->err = 0;
    shutdown(context_->fd, SHUT_RDWR);
  } else {
    num_unsent_ = sdslen(context_->obuf);
  }
  return absl::OkStatus();
}

absl::Status RedisClient::Read() {
  if (context_ == nullptr || redisBufferRead(context_.get()) != REDIS_OK) return Lost();
  return absl::OkStatus();
}

absl::Status RedisClient::Next(Reply* reply) {
  void* received = nullptr;
  if (context_ == nullptr || redisGetReplyFromReader(context_.get(), &received) != REDIS_OK) {
    return Lost();
  }
  reply->reset(static_cast<redisReply*>(received));
  return absl::OkStatus();
}

absl::Status RedisClient::ErrorOf(const redisReply& reply) const {
  const absl::string_view words(reply.str, reply.len);
  if (absl::StartsWith(words, "LOADING")) return absl::UnavailableError(Shown(words));
  const std::string advice = AdviceFor(words, access_.password_from);
  return absl::FailedPreconditionError(
      advice.empty() ? Shown(words) : absl::StrCat(advice, " (", Shown(words), ")"));
}

absl::Status RedisClient::ErrorOfAuth(const redisReply& reply) const {
  if (MayShowAnswerToAuth({reply.str, reply.len})) return ErrorOf(reply);
  return absl::FailedPreconditionError(absl::StrCat(
      "it does not take the password (AUTH), and what it says is not shown, as it may repeat the "
      "password: find out whether it knows AUTH, and check ",
      access_.password_from));
}

void AppendWord(std::string_view word, std::string* bytes) {
  absl::StrAppend(bytes, "$", word.size(), "\r\n");
  bytes->append(word);
  bytes->append("\r\n");
}

}  // namespace winnow::redis
