// Pages of a filter in a Redis or Valkey server.

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

// One key a page, named NAME:PAGE, a command at a time. Who stores or removes must have the lock,
// the key NAME:lock: each command checks it in the server, so that of two processes that both
// believe to have it only one changes anything. A server that loads its data is waited for, and in
// a cluster a server that fails over, a minute at most. Stored bytes outlive a crash as far as the
// servers' persistence and replication go.
class RedisPageStore : public amq::PageStore {
 public:
  // One server, or any of one cluster, where lock and pages must be in one slot: the name is {NAME}
  // then. Null, and a sentence that names the place, if there is no server to talk to.
  static std::unique_ptr<RedisPageStore> Connect(const std::vector<redis::RedisAccess>& servers,
                                                 const std::string& name, std::string* reason,
                                                 const redis::Waits& waits = {});
  ~RedisPageStore() override;  // gives the lock back

  // False, and a sentence, if another process has it. It is kept while pages are stored, and ends
  // by itself ten minutes after the last one: after a process was killed, so long. What others
  // changed before outlives what Flush promises.
  bool Lock(std::string* reason);

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override;
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override;
  bool Remove(const std::string& name, std::string* reason) override;
  // In a cluster: a replica has it all, if the master has one.
  bool Flush(std::string* reason) override;

 private:
  explicit RedisPageStore(std::string name) : name_(std::move(name)) {}

  std::string Key(const std::string& name) const { return name_ + ":" + name; }
  // Sends a command for one key, or for several of its slot.
  absl::Status Ask(const std::string& key, const std::vector<std::string_view>& command,
                   redis::Reply* reply);
  // One that changes something, if the lock is ours.
  bool Change(std::vector<std::string_view> command, std::string* reason);
  // In a cluster, after a change.
  bool AwaitReplica(std::string* reason);

  const std::string name_;
  std::string where_;
  std::optional<redis::RedisClient> server_;
  std::optional<redis::RedisCluster> cluster_;  // or this
  std::string token_;                           // of the lock; empty: not ours
};

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_PAGES_REDIS_PAGE_STORE_H_
