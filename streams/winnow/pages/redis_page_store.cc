#include "streams/winnow/pages/redis_page_store.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <random>
#include <utility>

namespace winnow::tools {
namespace {

constexpr char kLockMilliseconds[] = "600000";

// Script that executes a command if the caller has the lock. KEYS: the lock, and the key to change.
// ARGV: the lock's token and lifetime, the command's name, and its arguments behind the key. The
// command precedes the extension of the lock, since a server out of memory refuses only the first
// write of a script.
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

RedisPageStore::~RedisPageStore() {
  if (token_.empty()) return;
  const std::string lock = Key("lock");
  redis::Reply reply;
  Ask(lock, {"EVAL", kUnlock, "1", lock, token_}, &reply).IgnoreError();
}

std::unique_ptr<RedisPageStore> RedisPageStore::Connect(
    const std::vector<redis::RedisAccess>& servers, const std::string& name, std::string* reason,
    const redis::Waits& waits) {
  std::unique_ptr<RedisPageStore> store(new RedisPageStore(name));
  absl::Status status;
  for (const redis::RedisAccess& server : servers) {
    store->server_.emplace(server, waits);
    status = store->server_->Connect();
    if (!redis::IsLost(status)) break;
  }
  store->where_ = store->server_->address();
  bool is_cluster = false;
  if (status.ok()) {
    const absl::StatusOr<bool> told = redis::RedisCluster::IsCluster(&*store->server_);
    status = told.status();
    is_cluster = told.ok() && *told;
  }
  if (!status.ok()) {
    *reason = absl::IsInvalidArgument(status)
                  ? std::string(status.message())
                  : absl::StrCat(redis::IsLost(status) ? "can't connect to " : "", store->where_,
                                 ": ", status.message());
    return nullptr;
  }
  if (!is_cluster && servers.size() == 1) return store;
  if (!is_cluster) {
    *reason = absl::StrCat("pages are kept in one server or in one cluster, and ", store->where_,
                           " is none of a cluster: give one server");
    return nullptr;
  }
  if (!absl::StartsWith(name, "{")) {
    *reason =
        absl::StrCat(store->where_,
                     " is one of a cluster, which spreads keys by their names, but a page and "
                     "its lock must be in one server: give --name='{",
                     name, "}'");
    return nullptr;
  }
  store->where_ = absl::StrCat("the cluster of ", store->where_);
  store->server_.reset();
  store->cluster_.emplace(servers, waits);
  status = store->cluster_->Connect();
  if (status.ok()) return store;
  *reason = std::string(status.message());
  return nullptr;
}

absl::Status RedisPageStore::Ask(const std::string& key,
                                 const std::vector<std::string_view>& command,
                                 redis::Reply* reply) {
  return cluster_ ? cluster_->Ask(key, command, reply) : server_->Ask(command, reply);
}

bool RedisPageStore::Lock(std::string* reason) {
  const std::string lock = Key("lock");
  const std::string token = NewToken();
  redis::Reply reply;
  absl::Status status = Ask(lock, {"SET", lock, token, "NX", "PX", kLockMilliseconds}, &reply);
  bool is_ours = status.ok() && reply->type != REDIS_REPLY_NIL;
  if (status.ok() && !is_ours) {
    // A cluster command whose answer was lost is resent, and then finds the lock that it set
    // itself.
    status = Ask(lock, {"GET", lock}, &reply);
    is_ours = status.ok() && reply->str != nullptr && reply->str == token;
  }
  if (!status.ok()) {
    *reason = absl::StrCat(where_, ": ", status.message());
  } else if (!is_ours) {
    *reason = absl::StrCat("another process changes the pages ", name_, " on ", where_,
                           " and has locked them (", lock,
                           "): try again when it has ended; if it was killed, after ten minutes");
  } else {
    token_ = token;
    // The previous process may have ended before its changes were replicated, and this one may have
    // nothing to change.
    is_ours = AwaitReplica(reason);
  }
  return is_ours;
}

amq::PageStore::Found RedisPageStore::Load(const std::string& name, std::string* bytes,
                                           std::string* reason) {
  const std::string key = Key(name);
  redis::Reply reply;
  if (const absl::Status status = Ask(key, {"GET", key}, &reply); !status.ok()) {
    *reason = absl::StrCat("can't read ", key, " on ", where_, ": ", status.message());
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
  redis::Reply reply;
  const absl::Status status = Ask(key, words, &reply);
  if (status.ok() && reply->integer == 1) return true;
  *reason = absl::StrCat("can't change ", key, " on ", where_, ": ");
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

// WAIT covers only the writes of its own connection, so that one is made here.
bool RedisPageStore::Flush(std::string* reason) {
  if (!cluster_) return true;
  const std::string lock = Key("lock");
  return Change({"PEXPIRE", lock, kLockMilliseconds}, reason) && AwaitReplica(reason);
}

bool RedisPageStore::AwaitReplica(std::string* reason) {
  if (!cluster_) return true;
  const absl::StatusOr<redis::RedisCluster::Copied> copied = cluster_->AwaitReplica(Key("lock"));
  if (!copied.ok()) {
    *reason = absl::StrCat(where_, ": ", copied.status().message());
    return false;
  }
  if (*copied != redis::RedisCluster::Copied::kNo) return true;
  *reason = absl::StrCat(
      where_, ": no replica of the master of ", name_,
      " has what was changed within five seconds, and one that takes over would call keys absent "
      "that were added: find out why it is behind (INFO replication), and do the same again");
  return false;
}

}  // namespace winnow::tools
