// Client for a cluster of Redis or Valkey servers: routes commands to the server that has the key's
// slot, also while slots move.

#ifndef WINNOW_STREAMS_REDIS_REDIS_CLUSTER_H_
#define WINNOW_STREAMS_REDIS_REDIS_CLUSTER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "streams/redis/cluster_map.h"
#include "streams/redis/key_slots.h"
#include "streams/redis/patience.h"
#include "streams/redis/redis_client.h"
#include "streams/redis/server_queue.h"
#include "streams/redis/slot_map.h"

namespace winnow::redis {

// Commands of one key each, submitted in bulk.
class Pipeline {
 public:
  virtual ~Pipeline() = default;
  virtual unsigned SlotOf(size_t command) const = 0;
  virtual void Append(size_t command, std::string* bytes) const = 0;  // protocol form
  // Takes the answer of a command, once per command; never a redirect or a request to retry. Error
  // answers are passed too (RedisCluster::ErrorOf() gives their message during this call).
  // may_be_second: the command was sent before and that answer was lost, so that it may have been
  // executed then. If an error is returned, the pipeline ends once the answers in flight are taken.
  virtual absl::Status Take(size_t command, const redisReply& reply, bool may_be_second) = 0;
  // Called after an error has ended the pipeline, for a command that may have been executed: its
  // answer was lost or is not awaited. All other commands without an answer were not executed.
  virtual void TakeLost(size_t command) { static_cast<void>(command); }
};

// Error messages name the server that they are about. Functions never return IsLost() errors: lost
// connections are retried until the deadline, and then become a final error. Not thread-safe.
class RedisCluster {
 public:
  // `seeds` are any servers of the cluster; the first that answers gives the others, which are
  // accessed with its user, password and encryption.
  explicit RedisCluster(std::vector<RedisAccess> seeds, Waits waits = {})
      : waits_(std::move(waits)), map_(std::move(seeds)), patience_(waits_) {}

  // Returns whether this connected server is in cluster mode.
  static absl::StatusOr<bool> IsCluster(RedisClient* server);

  // Asks all seeds; ignores those without an answer if one answers. Waits only for a server that
  // loads its data.
  absl::Status Connect();

  // Checks that all slots are served, which keys spread over all slots require. Waits at most ten
  // seconds for a fail-over in progress; afterwards returns an error with the share of slots that
  // are not served.
  absl::Status AwaitWhole();

  // Sends one command of one key and waits for its answer; an error answer becomes an error status.
  absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                   Reply* reply);

  // Sends commands to all servers concurrently, and to each server in the order of their numbers,
  // except if slots move.
  absl::Status AskAll(size_t num_commands, Pipeline* pipeline);

  // Returns whether a replica has the writes to the key's master that precede this client's last
  // write there; waits at most five seconds.
  enum class Copied { kYes, kNo, kNoReplica };
  absl::StatusOr<Copied> AwaitReplica(std::string_view key);

  // Returns the error for an error answer; for use in Pipeline::Take().
  absl::Status ErrorOf(const redisReply& reply) const;

  // Refreshes the map, unless it was refreshed within `at_most`.
  absl::Status Refresh(std::chrono::milliseconds at_most);
  // Time (of the steady clock) until which all changes are known.
  std::chrono::steady_clock::time_point known_until() const { return map_.asked_at(); }

  // Returns the slots whose writes may have been lost since the last call: their master changed, or
  // the connection to it, or to a server that imports the slot, was lost.
  Slots TakeDoubtful() { return map_.TakeDoubtful() | std::exchange(doubtful_, {}); }

  // Error if TakeDoubtful() may lack slots of masters that were demoted for a while and promoted
  // again, else OK.
  const absl::Status& terms_known() const { return map_.terms_known(); }
  // Increases whenever slots change their masters.
  uint64_t version() const { return map_.version(); }

  // Master that has slots: address, first slot, and number of slots.
  struct Master {
    std::string address;
    unsigned a_slot = 0;
    size_t num_slots = 0;
  };
  std::vector<Master> masters() const;

  // Number of commands that were redirected or resent because slots moved or servers failed.
  struct Redirects {
    uint64_t moved = 0;
    uint64_t ask = 0;
    uint64_t try_again = 0;
    uint64_t cluster_down = 0;  // or the server could not execute them yet
    uint64_t lost = 0;
  };
  const Redirects& redirects() const { return redirects_; }

 private:
  using Clock = Patience::Clock;

  struct Server {
    std::unique_ptr<ServerQueue> queue;  // null: no commands were sent to it
    Clock::time_point suspected_at;
  };

  ServerQueue& QueueOf(uint16_t server);
  bool IsDone() const;
  void Step();
  void Route(const QueuedCommand& command);
  void RouteAnew();
  bool LookAtMap();
  void SendAll();
  void Send(uint16_t server);
  void Listen(std::chrono::milliseconds at_most);
  void Receive(uint16_t server);
  void Handle(uint16_t server, const QueuedCommand& command, Reply reply);
  void Follow(uint16_t server, QueuedCommand command, const Redirect& redirect,
              const redisReply& reply);
  void Later(QueuedCommand command);
  void Trouble(uint16_t server, const absl::Status& status);
  void Lose(uint16_t server, const absl::Status& why);
  void Suspect(uint16_t server);
  void Fail(const absl::Status& status);
  void DropTaken();
  void GiveUp(const absl::Status& why);
  Clock::time_point NextDeadline() const;

  const Waits waits_;
  ClusterMap map_;
  std::vector<Server> servers_;  // indexed by their numbers in the map
  Redirects redirects_;
  // Per slot, the server that was last asked for it without being its master. Entries remain after
  // the migration: at worst, a slot is then doubted without need.
  std::unordered_map<unsigned, uint16_t> importers_;
  Slots doubtful_;  // lost via importers; the map has those lost via masters

  // State of the commands in progress.
  Pipeline* pipeline_ = nullptr;
  Reply* kept_reply_ = nullptr;  // destination of the answer; null: none
  uint16_t answering_ = ClusterMap::kNobody;
  size_t num_left_ = 0;
  absl::Status error_;
  Clock::time_point now_;
  std::vector<QueuedCommand> later_;  // commands waiting for a condition to improve
  std::vector<QueuedCommand> taken_;
  Clock::time_point retry_at_;
  Patience patience_;  // covers all waits since the last answer
  std::vector<pollfd> polled_;
  bool map_is_old_ = false;
  Clock::time_point look_at_;  // earliest time of the next map check
  uint16_t refresh_first_ = ClusterMap::kNobody;
  uint16_t refresh_last_ = ClusterMap::kNobody;
  uint64_t routed_version_ = 0;
  absl::Status trouble_;  // awaited condition, OK if unknown
};

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_CLUSTER_H_
