// Known masters of a cluster's slots, and queries that update them.

#ifndef WINNOW_STREAMS_REDIS_CLUSTER_MAP_H_
#define WINNOW_STREAMS_REDIS_CLUSTER_MAP_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "streams/redis/key_slots.h"
#include "streams/redis/redis_client.h"
#include "streams/redis/slot_map.h"

namespace winnow::redis {

using Slots = std::bitset<kNumSlots>;

// Servers have numbers that never change. Error messages name the server, or all servers that were
// asked. IsLost() means that a retry may succeed.
class ClusterMap {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr uint16_t kNobody = UINT16_MAX;
  // Timeout of a query about slots and of a new connection.
  static constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(2);

  explicit ClusterMap(std::vector<RedisAccess> seeds);

  // Asks each seed once. The first map does not count as a change.
  absl::Status Connect();

  // Asks one server, or further ones if it does not answer or has unserved slots: `best` first,
  // `worst` last. If all have unserved slots, the first answer is used.
  absl::Status Refresh(uint16_t best = kNobody, uint16_t worst = kNobody);
  // Time of the latest query whose answer had a master for each slot.
  Clock::time_point asked_at() const { return asked_at_; }

  // State of the whole cluster, according to the server that gave the map.
  const absl::Status& whole() const { return whole_; }
  // Error if the epochs of the masters could not be read, else OK.
  const absl::Status& terms_known() const { return terms_known_; }

  uint16_t MasterOf(unsigned slot) const { return masters_[slot]; }
  // Increases whenever slots change their masters.
  uint64_t version() const { return version_; }
  // Returns the server's number, or kNobody if there are too many servers.
  uint16_t NumberOf(const HostAndPort& server);
  // Returns the only server of the map with this port, else kNobody.
  uint16_t WhoListensAt(int port);
  size_t num_servers() const { return servers_.size(); }
  const RedisAccess& access(uint16_t server) const { return servers_[server]; }
  const std::string& address(uint16_t server) const { return servers_[server].address; }
  size_t NumSlotsOf(uint16_t server) const;
  size_t NumReplicasOf(uint16_t server) const;

  // Records that the server is the slot's new master.
  void Learn(unsigned slot, uint16_t server);
  // Records that the connection to the server was lost.
  void Doubt(uint16_t server);
  Slots TakeDoubtful();

 private:
  absl::Status ConnectTo(uint16_t server);
  absl::StatusOr<std::vector<SlotRange>> AskFor(uint16_t server);
  absl::Status IsWhole(const std::vector<SlotRange>& ranges);
  void LearnAll(std::vector<SlotRange> ranges);
  void LearnTerms();
  std::vector<uint16_t> WhomToAsk(uint16_t best, uint16_t worst);

  std::vector<RedisAccess> servers_;  // the seeds come first
  const size_t num_seeds_;
  std::array<uint16_t, kNumSlots> masters_;
  std::vector<SlotRange> ranges_;
  // Start of each server's term as master, by number: a server that was demoted and promoted again
  // may have lost writes although the map is unchanged.
  struct Term {
    std::string id;  // empty: unknown
    uint64_t epoch = 0;
  };
  std::vector<Term> terms_;
  std::vector<bool> has_gained_;  // gained slots since the terms were read
  uint64_t version_ = 0;
  Slots doubtful_;
  Clock::time_point asked_at_;
  absl::Status whole_;
  absl::Status terms_known_;
  // A separate connection, so that queries do not wait behind commands.
  std::unique_ptr<RedisClient> asker_;
  uint16_t asked_ = kNobody;
};

// Returns "5461 of the 16384 slots (33 %)".
std::string ShareOfSlots(size_t num_slots);

// Returns the status with the server's address in the message.
absl::Status AboutServer(const std::string& address, const absl::Status& status);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_CLUSTER_MAP_H_
