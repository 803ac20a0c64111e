#include "src/dedup/redis_server.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <sys/time.h>
#include <time.h>

#include <utility>

namespace winnow::dedup {
namespace {

constexpr timeval kConnecting = {5, 0};
constexpr timeval kAnswering = {60, 0};
constexpr timespec kBetweenTries = {0, 100'000'000};

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// What to do about an error of the server's; null: it is not known here.
const char* AdviceFor(absl::string_view error) {
  constexpr struct {
    const char* start;
    const char* advice;
  } kKnown[] = {
      {"MOVED",
       "it is part of a cluster, which moves keys between servers: give servers without "
       "cluster mode"},
      {"ASK",
       "it is part of a cluster, which moves keys between servers: give servers without "
       "cluster mode"},
      {"CLUSTERDOWN", "it is part of a cluster: give servers without cluster mode"},
      {"READONLY", "it is a replica, which can't be written to: give the primary"},
      {"OOM", "its memory is full: raise its maxmemory, or begin a stream of lower --capacity"},
      {"MISCONF", "it takes no writes as it can't save its data"},
      {"NOAUTH",
       "it wants a password: give --password_file, or WINNOW_REDIS_PASSWORD in the "
       "environment"},
      {"WRONGPASS", "it refuses the password"},
      {"NOPERM", "its user may not do that"},
      {"WRONGTYPE", "a key of this --name is something else: give another name"},
  };
  for (const auto& known : kKnown) {
    if (absl::StartsWith(error, known.start)) return known.advice;
  }
  return absl::StrContains(error, "without any password") ? "it knows no password" : nullptr;
}

}  // namespace

RedisServer::RedisServer(std::string address, std::string password)
    : address_(std::move(address)), password_(std::move(password)) {}

absl::Status RedisServer::Fault(std::string_view what) const {
  return absl::FailedPreconditionError(absl::StrCat("the server ", address_, ": ", View(what)));
}

absl::Status RedisServer::Lost() {
  const std::string why = context_ == nullptr ? "not connected" : std::string(context_->errstr);
  context_.reset();
  return absl::UnavailableError(absl::StrCat("the server ", address_, ": ", why));
}

absl::Status RedisServer::Connect() {
  const size_t colon = address_.rfind(':');
  std::string host = address_.substr(0, colon);
  int port = 0;
  if (colon == std::string::npos || host.empty() ||
      !absl::SimpleAtoi(address_.substr(colon + 1), &port) || port < 1 || port > 65535) {
    return Fault("this is no HOST:PORT");
  }
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  context_.reset(redisConnectWithTimeout(host.c_str(), port, kConnecting));
  if (context_ == nullptr) return Fault("no memory for a connection");
  if (context_->err != 0) return Lost();
  redisSetTimeout(context_.get(), kAnswering);
  redisEnableKeepAlive(context_.get());
  if (!password_.empty()) {
    Reply reply;
    if (absl::Status status = Ask({"AUTH", password_}, &reply); !status.ok()) return status;
  }
  return WaitUntilLoaded();
}

absl::Status RedisServer::WaitUntilLoaded() {
  for (;;) {
    Reply reply;
    absl::Status status = Send("*1\r\n$4\r\nPING\r\n");
    if (status.ok()) status = Receive(&reply);
    if (!status.ok()) return status;
    if (reply->type != REDIS_REPLY_ERROR) return absl::OkStatus();
    status = ErrorOf(*reply);
    if (!IsLost(status)) return status;
    nanosleep(&kBetweenTries, nullptr);
  }
}

absl::Status RedisServer::Ask(const std::vector<std::string>& command, Reply* reply) {
  std::string bytes = absl::StrCat("*", command.size(), "\r\n");
  for (const std::string& word : command) {
    absl::StrAppend(&bytes, "$", word.size(), "\r\n", word, "\r\n");
  }
  absl::Status status = Send(bytes);
  if (status.ok()) status = Receive(reply);
  if (!status.ok()) return status;
  return (*reply)->type == REDIS_REPLY_ERROR ? ErrorOf(**reply) : absl::OkStatus();
}

absl::Status RedisServer::Send(std::string_view commands) {
  if (context_ == nullptr) return Lost();
  if (redisAppendFormattedCommand(context_.get(), commands.data(), commands.size()) != REDIS_OK) {
    return Lost();
  }
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return Lost();
  }
  return absl::OkStatus();
}

absl::Status RedisServer::Receive(Reply* reply) {
  if (context_ == nullptr) return Lost();
  void* received = nullptr;
  if (redisGetReply(context_.get(), &received) != REDIS_OK) return Lost();
  reply->reset(static_cast<redisReply*>(received));
  return absl::OkStatus();
}

absl::Status RedisServer::ErrorOf(const redisReply& reply) const {
  const absl::string_view words(reply.str, reply.len);
  if (absl::StartsWith(words, "LOADING")) {
    return absl::UnavailableError(absl::StrCat("the server ", address_, ": ", words));
  }
  const char* const advice = AdviceFor(words);
  return Fault(advice == nullptr ? std::string(words) : absl::StrCat(advice, " (", words, ")"));
}

}  // namespace winnow::dedup
