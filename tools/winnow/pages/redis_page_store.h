// Pages of a filter in a Redis or Valkey server.

#ifndef WINNOW_TOOLS_WINNOW_PAGES_REDIS_PAGE_STORE_H_
#define WINNOW_TOOLS_WINNOW_PAGES_REDIS_PAGE_STORE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/dedup/redis_client.h"
#include "winnow/amq/page_store.h"

namespace winnow::tools {

// One key a page, named NAME:PAGE, through one connection, a command at a time. Who stores or
// removes must have the lock, the key NAME:lock: each command checks it in the server, so that of
// two processes that both believe to have it only one changes anything. A server that loads its
// data is waited for. Stored bytes outlive a crash as far as the server's persistence goes.
class RedisPageStore : public amq::PageStore {
 public:
  // `address` is one of RedisAccess; the password is what the environment has in REDISCLI_AUTH, as
  // for redis-cli. Null, and a sentence that names the place, if there is no server to talk to.
  static std::unique_ptr<RedisPageStore> Connect(const std::string& address,
                                                 const std::string& name, std::string* reason);
  ~RedisPageStore() override;  // gives the lock back

  // False, and a sentence, if another process has it. It is kept while pages are stored, and ends
  // by itself ten minutes after the last one: after a process was killed, so long.
  bool Lock(std::string* reason);

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override;
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override;
  bool Remove(const std::string& name, std::string* reason) override;

 private:
  RedisPageStore(std::string name, dedup::RedisClient server);

  std::string Key(const std::string& name) const { return name_ + ":" + name; }
  // One that changes something, if the lock is ours.
  bool Change(std::vector<std::string_view> command, std::string* reason);

  const std::string name_;
  dedup::RedisClient server_;
  std::string token_;  // of the lock; empty: not ours
};

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_PAGES_REDIS_PAGE_STORE_H_
