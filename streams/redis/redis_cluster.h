// A cluster of Redis or Valkey servers: which server has which slot, and commands that find the
// right one, whatever moves meanwhile.

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

// Commands of one key each, which are handed over many at a time.
class Pipeline {
 public:
  virtual ~Pipeline() = default;
  virtual unsigned SlotOf(size_t command) const = 0;
  virtual void Append(size_t command, std::string* bytes) const = 0;  // as the protocol has it
  // Its answer, once for each command; never a redirect, nor one that says to try again. An error
  // of the server's comes here as well (`RedisCluster::ErrorOf` has its sentence, while this is
  // called). may_be_second: it was sent before, and that answer was lost: it may have been carried
  // out then. An error that is given back ends the whole, when the answers that are under way are
  // taken.
  virtual absl::Status Take(size_t command, const redisReply& reply, bool may_be_second) = 0;
  // An error has ended the whole, and this command may have been carried out: its answer was lost,
  // or is not waited for. All others that have no answer by then were not carried out.
  virtual void TakeLost(size_t command) { static_cast<void>(command); }
};

// Errors are sentences that name the server that they are about. IsLost never leaves here: what is
// lost is waited for, and then it is an error. Not for several threads at a time.
class RedisCluster {
 public:
  // Any servers of the cluster; the first that answers tells the others, which are reached with the
  // same user, password and encryption.
  explicit RedisCluster(std::vector<RedisAccess> seeds, Waits waits = {})
      : waits_(std::move(waits)), map_(std::move(seeds)), patience_(waits_) {}

  // Returns whether this server, which is connected to, is one of a cluster.
  static absl::StatusOr<bool> IsCluster(RedisClient* server);

  // Asks all seeds: those that don't answer are passed over while one does. Waits only for a server
  // that loads its data.
  absl::Status Connect();

  // Checks that all slots are served, as what spreads over all needs it. Waits for a fail-over that
  // is under way, ten seconds at most; then a sentence says which share of the slots is not served.
  absl::Status AwaitWhole();

  // One command of one key, and its answer, which is no error then.
  absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                   Reply* reply);

  // To all servers at a time, and to each in the order of the numbers but where slots move.
  absl::Status AskAll(size_t num_commands, Pipeline* pipeline);

  // Tells whether a replica has what was written to the key's master before the last command of
  // this client that wrote there; waits for it, five seconds at most.
  enum class Copied { kYes, kNo, kNoReplica };
  absl::StatusOr<Copied> AwaitReplica(std::string_view key);

  // The sentence for an answer that is an error; for Pipeline::Take.
  absl::Status ErrorOf(const redisReply& reply) const;

  // Asks who has which slot, anew, if that was not asked within `at_most` before.
  absl::Status Refresh(std::chrono::milliseconds at_most);
  // Until when (of the steady clock) all changes are known.
  std::chrono::steady_clock::time_point known_until() const { return map_.asked_at(); }

  // Slots of which writes may have been lost since this was asked last: another server is their
  // master, or the connection to it was lost; or to one that takes the slot over.
  Slots TakeDoubtful() { return map_.TakeDoubtful() | std::exchange(doubtful_, {}); }

  // Why TakeDoubtful lacks slots of masters that were none for a while and are masters again, if
  // so.
  const absl::Status& terms_known() const { return map_.terms_known(); }
  // Grows whenever slots change their masters.
  uint64_t version() const { return map_.version(); }

  // Masters that have slots: address, the first slot of each, and how many.
  struct Master {
    std::string address;
    unsigned a_slot = 0;
    size_t num_slots = 0;
  };
  std::vector<Master> masters() const;

  // Commands that were sent elsewhere, or again, as slots moved or servers failed.
  struct Redirects {
    uint64_t moved = 0;
    uint64_t ask = 0;
    uint64_t try_again = 0;
    uint64_t cluster_down = 0;  // or the server could not carry them out yet
    uint64_t lost = 0;
  };
  const Redirects& redirects() const { return redirects_; }

 private:
  using Clock = Patience::Clock;

  struct Server {
    std::unique_ptr<ServerQueue> queue;  // null: nothing was asked of it
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
  std::vector<Server> servers_;  // by their numbers in the map
  Redirects redirects_;
  // By slot, the server that was asked for it last without being its master. It stays here when the
  // move is over: then the slot is at worst doubted in vain.
  std::unordered_map<unsigned, uint16_t> importers_;
  Slots doubtful_;  // by their importers; by their masters the map knows

  // State of the commands that are being asked.
  Pipeline* pipeline_ = nullptr;
  Reply* kept_reply_ = nullptr;  // where the answer should be left; null: nowhere
  uint16_t answering_ = ClusterMap::kNobody;
  size_t num_left_ = 0;
  absl::Status error_;
  Clock::time_point now_;
  std::vector<QueuedCommand> later_;  // that wait for something to get better
  std::vector<QueuedCommand> taken_;
  Clock::time_point retry_at_;
  Patience patience_;  // of all that waits, since the last answer
  std::vector<pollfd> polled_;
  bool map_is_old_ = false;
  Clock::time_point look_at_;  // not before
  uint16_t refresh_first_ = ClusterMap::kNobody;
  uint16_t refresh_last_ = ClusterMap::kNobody;
  uint64_t routed_version_ = 0;
  absl::Status trouble_;  // what is being waited for, if it is known
};

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_CLUSTER_H_
