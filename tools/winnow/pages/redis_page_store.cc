#include "tools/winnow/pages/redis_page_store.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <errno.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <utility>

namespace winnow::tools {
namespace {

constexpr int kDefaultPort = 6379;
constexpr timeval kConnectTimeout = {10, 0};
constexpr timeval kReplyTimeout = {60, 0};
constexpr char kLockMilliseconds[] = "600000";
constexpr std::chrono::minutes kLongestLoading(10);

// Keys: the lock, and the one to change. Arguments: the lock's token and time, the command's name,
// and what it has behind its key. A server without memory refuses the first change of a script, and
// lets those after it through.
constexpr char kIfLocked[] = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call(ARGV[3], KEYS[2], unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1)";

constexpr char kUnlock[] = R"(
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0)";

// A server that goes away in the middle of a command is an error like others: hiredis does not say
// to send() that it wants no signal.
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

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};
struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

struct Address {
  std::string host;
  int port = kDefaultPort;
};

std::optional<Address> ParseAddress(absl::string_view text) {
  Address address;
  const size_t bracket = absl::StartsWith(text, "[") ? text.find(']') : 0;
  if (bracket == absl::string_view::npos) return std::nullopt;
  const size_t colon = text.find(':', bracket);
  absl::string_view host = text.substr(0, colon);
  if (bracket > 0) {
    host = text.substr(1, bracket - 1);
    if (text.size() > bracket + 1 && colon != bracket + 1) return std::nullopt;
  }
  address.host = std::string(host);
  if (colon != absl::string_view::npos &&
      (!absl::SimpleAtoi(text.substr(colon + 1), &address.port) || address.port < 1 ||
       address.port > 65'535)) {
    return std::nullopt;
  }
  return address.host.empty() ? std::nullopt : std::optional(address);
}

std::string NewToken() {
  std::random_device random;
  return absl::StrCat(absl::Hex(random()), "-", absl::Hex(random()), "-", absl::Hex(random()), "-",
                      absl::Hex(random()));
}

// What the server's words mean to who reads them here.
std::string Hint(absl::string_view error) {
  if (absl::StartsWith(error, "NOAUTH") || absl::StartsWith(error, "WRONGPASS")) {
    return "; the password is taken from the environment, REDISCLI_AUTH";
  }
  if (absl::StartsWith(error, "MOVED") || absl::StrContains(error, "CROSSSLOT")) {
    return "; it is part of a cluster, in which pages can't be kept: take a server by itself";
  }
  if (absl::StartsWith(error, "READONLY")) return "; it is a replica: name the one that it follows";
  return absl::StrContains(error, "OOM") ? "; its memory is full (maxmemory)" : "";
}

}  // namespace

struct RedisPageStore::Connection {
  std::unique_ptr<redisContext, FreeContext> context;

  // Null, and what went wrong, where the reply is an error or there is none.
  Reply Run(const std::vector<std::string_view>& command, std::string* fault) const {
    std::vector<const char*> words;
    std::vector<size_t> sizes;
    for (const std::string_view word : command) {
      words.push_back(word.data());
      sizes.push_back(word.size());
    }
    const WithoutSigpipe without;
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      if (context->err != 0) {
        *fault = context->errstr;
        return nullptr;
      }
      Reply reply(static_cast<redisReply*>(redisCommandArgv(
          context.get(), static_cast<int>(words.size()), words.data(), sizes.data())));
      if (reply == nullptr) {
        *fault = context->err == REDIS_ERR_IO && errno == EAGAIN ? "no reply within a minute"
                                                                 : context->errstr;
        return nullptr;
      }
      if (reply->type != REDIS_REPLY_ERROR) return reply;
      const std::string error(reply->str, reply->len);
      if (!absl::StartsWith(error, "LOADING") ||
          std::chrono::steady_clock::now() - start > kLongestLoading) {
        *fault = absl::StrCat("the server says: ", error, Hint(error));
        return nullptr;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
};

RedisPageStore::RedisPageStore(std::string place, std::string name,
                               std::unique_ptr<Connection> connection)
    : place_(std::move(place)), name_(std::move(name)), connection_(std::move(connection)) {}

RedisPageStore::~RedisPageStore() {
  if (token_.empty()) return;
  std::string fault;
  connection_->Run({"EVAL", kUnlock, "1", Key("lock"), token_}, &fault);
}

std::unique_ptr<RedisPageStore> RedisPageStore::Connect(const std::string& address,
                                                        const std::string& name,
                                                        std::string* reason) {
  const std::optional<Address> parsed = ParseAddress(address);
  if (!parsed) {
    *reason = absl::StrCat("'", address, "' is no address of a server, like localhost:6379");
    return nullptr;
  }
  auto connection = std::make_unique<Connection>();
  connection->context.reset(
      redisConnectWithTimeout(parsed->host.c_str(), parsed->port, kConnectTimeout));
  if (connection->context == nullptr || connection->context->err != 0) {
    *reason =
        absl::StrCat("can't connect to ", address, ": ",
                     connection->context == nullptr ? "no memory" : connection->context->errstr);
    return nullptr;
  }
  redisSetTimeout(connection->context.get(), kReplyTimeout);
  std::string fault;
  const char* const password = getenv("REDISCLI_AUTH");
  if ((password != nullptr && *password != 0 &&
       connection->Run({"AUTH", password}, &fault) == nullptr) ||
      connection->Run({"PING"}, &fault) == nullptr) {
    *reason = absl::StrCat(address, ": ", fault);
    return nullptr;
  }
  return std::unique_ptr<RedisPageStore>(new RedisPageStore(address, name, std::move(connection)));
}

bool RedisPageStore::Lock(std::string* reason) {
  const std::string token = NewToken();
  std::string fault;
  const Reply reply =
      connection_->Run({"SET", Key("lock"), token, "NX", "PX", kLockMilliseconds}, &fault);
  if (reply == nullptr) {
    *reason = absl::StrCat(place_, ": ", fault);
    return false;
  }
  if (reply->type == REDIS_REPLY_NIL) {
    *reason = absl::StrCat("another process changes the pages ", name_, " on ", place_,
                           " and has locked them (", Key("lock"),
                           "): try again when it has ended; if it was killed, after ten minutes");
    return false;
  }
  token_ = token;
  return true;
}

amq::PageStore::Found RedisPageStore::Load(const std::string& name, std::string* bytes,
                                           std::string* reason) {
  std::string fault;
  const std::string key = Key(name);
  const Reply reply = connection_->Run({"GET", key}, &fault);
  if (reply == nullptr) {
    *reason = absl::StrCat("can't read ", key, " on ", place_, ": ", fault);
    return Found::kFailed;
  }
  if (reply->type != REDIS_REPLY_STRING) return Found::kNo;
  bytes->assign(reply->str, reply->len);
  return Found::kYes;
}

bool RedisPageStore::Change(std::vector<std::string_view> command, std::string* reason) {
  std::string fault;
  const std::string lock = Key("lock");
  const std::string key(command[1]);
  std::vector<std::string_view> words = {"EVAL", kIfLocked,         "2",       lock, key,
                                         token_, kLockMilliseconds, command[0]};
  words.insert(words.end(), command.begin() + 2, command.end());
  const Reply reply = connection_->Run(words, &fault);
  if (reply != nullptr && reply->integer == 1) return true;
  if (reply != nullptr) fault = absl::StrCat("the lock ", lock, " is not ours any more");
  *reason = absl::StrCat("can't change ", key, " on ", place_, ": ", fault);
  return false;
}

bool RedisPageStore::Store(const std::string& name, std::string_view bytes, std::string* reason) {
  const std::string key = Key(name);
  return Change({"SET", key, bytes}, reason);
}

bool RedisPageStore::Remove(const std::string& name, std::string* reason) {
  const std::string key = Key(name);
  return Change({"DEL", key}, reason);
}

}  // namespace winnow::tools
