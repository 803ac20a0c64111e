// Pages of a filter on a Redis or Valkey server.

#ifndef WINNOW_STREAMS_WINNOW_PAGES_REDIS_PAGE_STORE_H_
#define WINNOW_STREAMS_WINNOW_PAGES_REDIS_PAGE_STORE_H_

#include <absl/status/status.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "streams/redis/patience.h"
#include "streams/redis/redis_access.h"
#include "streams/redis/redis_client.h"
#include "streams/redis/redis_cluster.h"
#include "winnow/amq/page_store.h"

namespace winnow::tools {

// Store with one key per page, named NAME:PAGE, and one command at a time. Store() and Remove()
// require the lock, the key NAME:lock: each command checks it on the server, so that of two
// processes that both believe to have the lock only one changes anything. Waits at most a minute
// for a server that loads its data and, in a cluster, for a fail-over. Stored bytes survive a crash
// as far as the servers' persistence and replication permit.
class RedisPageStore : public amq::PageStore {
 public:
  // Connects to one server, or to any server of one cluster. In a cluster, lock and pages must be
  // in one slot: the name is then {NAME}. Returns null and sets *reason if no server can be
  // reached.
  static std::unique_ptr<RedisPageStore> Connect(const std::vector<redis::RedisAccess>& servers,
                                                 const std::string& name, std::string* reason,
                                                 const redis::Waits& waits = {});
  ~RedisPageStore() override;  // releases the lock

  // Takes the lock. Returns false and sets *reason if another process has it. The lock is extended
  // while pages are stored, and expires ten minutes after the last one, for the case that the
  // process is killed. Earlier changes of other processes are then as durable as after Flush().
  bool Lock(std::string* reason);

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override;
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override;
  bool Remove(const std::string& name, std::string* reason) override;
  // Waits until a replica has all changes, if this is a cluster and the master has a replica.
  bool Flush(std::string* reason) override;

 private:
  explicit RedisPageStore(std::string name) : name_(std::move(name)) {}

  std::string Key(const std::string& name) const { return name_ + ":" + name; }
  // Sends a command for one key, or for several keys of its slot.
  absl::Status Ask(const std::string& key, const std::vector<std::string_view>& command,
                   redis::Reply* reply);
  // Sends a command that changes a key, if this process has the lock.
  bool Change(std::vector<std::string_view> command, std::string* reason);
  // Waits for a replica, in a cluster after a change.
  bool AwaitReplica(std::string* reason);

  const std::string name_;
  std::string where_;
  std::optional<redis::RedisClient> server_;
  std::optional<redis::RedisCluster> cluster_;  // alternative to a single server
  std::string token_;                           // token of the lock; empty: not locked
};

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_PAGES_REDIS_PAGE_STORE_H_
