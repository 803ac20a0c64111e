#include "tools/winnow/pages/redis_page_store.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <stdlib.h>

#include <random>
#include <utility>

namespace winnow::tools {
namespace {

constexpr char kLockMilliseconds[] = "600000";

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

std::string NewToken() {
  std::random_device random;
  return absl::StrCat(absl::Hex(random()), "-", absl::Hex(random()), "-", absl::Hex(random()), "-",
                      absl::Hex(random()));
}

}  // namespace

RedisPageStore::RedisPageStore(std::string name, dedup::RedisClient server)
    : name_(std::move(name)), server_(std::move(server)) {}

RedisPageStore::~RedisPageStore() {
  if (token_.empty()) return;
  dedup::Reply reply;
  server_.Ask({"EVAL", kUnlock, "1", Key("lock"), token_}, &reply).IgnoreError();
}

std::unique_ptr<RedisPageStore> RedisPageStore::Connect(const std::string& address,
                                                        const std::string& name,
                                                        std::string* reason) {
  const char* const password = getenv("REDISCLI_AUTH");
  dedup::RedisClient server(
      {address, password == nullptr ? "" : password, "REDISCLI_AUTH in the environment"});
  const absl::Status status = server.Connect();
  if (status.ok()) {
    return std::unique_ptr<RedisPageStore>(new RedisPageStore(name, std::move(server)));
  }
  *reason = absl::IsInvalidArgument(status)
                ? std::string(status.message())
                : absl::StrCat(dedup::IsLost(status) ? "can't connect to " : "", address, ": ",
                               status.message());
  return nullptr;
}

bool RedisPageStore::Lock(std::string* reason) {
  const std::string token = NewToken();
  dedup::Reply reply;
  const absl::Status status =
      server_.Ask({"SET", Key("lock"), token, "NX", "PX", kLockMilliseconds}, &reply);
  if (!status.ok()) {
    *reason = absl::StrCat(server_.address(), ": ", status.message());
    return false;
  }
  if (reply->type == REDIS_REPLY_NIL) {
    *reason = absl::StrCat("another process changes the pages ", name_, " on ", server_.address(),
                           " and has locked them (", Key("lock"),
                           "): try again when it has ended; if it was killed, after ten minutes");
    return false;
  }
  token_ = token;
  return true;
}

amq::PageStore::Found RedisPageStore::Load(const std::string& name, std::string* bytes,
                                           std::string* reason) {
  const std::string key = Key(name);
  dedup::Reply reply;
  if (const absl::Status status = server_.Ask({"GET", key}, &reply); !status.ok()) {
    *reason = absl::StrCat("can't read ", key, " on ", server_.address(), ": ", status.message());
    return Found::kFailed;
  }
  if (reply->type != REDIS_REPLY_STRING) return Found::kNo;
  bytes->assign(reply->str, reply->len);
  return Found::kYes;
}

bool RedisPageStore::Change(std::vector<std::string_view> command, std::string* reason) {
  const std::string lock = Key("lock");
  const std::string key(command[1]);
  std::vector<std::string_view> words = {"EVAL", kIfLocked,         "2",       lock, key,
                                         token_, kLockMilliseconds, command[0]};
  words.insert(words.end(), command.begin() + 2, command.end());
  dedup::Reply reply;
  const absl::Status status = server_.Ask(words, &reply);
  if (status.ok() && reply->integer == 1) return true;
  *reason = absl::StrCat("can't change ", key, " on ", server_.address(), ": ");
  if (status.ok()) {
    absl::StrAppend(reason, "the lock ", lock, " is not ours any more");
  } else {
    absl::StrAppend(reason, status.message());
  }
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
