// Who has which slot of a cluster, as far as it is known, and whom to ask about it.

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

// Servers have numbers, which stay. Errors name the server, or all that were asked; IsLost means
// that it may be different soon.
class ClusterMap {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr uint16_t kNobody = UINT16_MAX;
  // How long an answer about slots, or a new connection, is waited for.
  static constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(2);

  explicit ClusterMap(std::vector<RedisAccess> seeds);

  // Asks all seeds, once. The first map is no change.
  absl::Status Connect();

  // Asks one server, or others if that does not answer, or knows of slots that nobody serves:
  // `best` first, `worst` last. If all know such slots, the first is believed.
  absl::Status Refresh(uint16_t best = kNobody, uint16_t worst = kNobody);
  // When the newest answer of a server that knows a master of each slot was asked for.
  Clock::time_point asked_at() const { return asked_at_; }

  // The state of the cluster as a whole, by the server that the map is from.
  const absl::Status& whole() const { return whole_; }
  // Why it is not known since when servers are masters, if so.
  const absl::Status& terms_known() const { return terms_known_; }

  uint16_t MasterOf(unsigned slot) const { return masters_[slot]; }
  // Grows whenever slots change their masters.
  uint64_t version() const { return version_; }
  // kNobody when there are too many.
  uint16_t NumberOf(const HostAndPort& server);
  // The only one of the map with this port, else kNobody.
  uint16_t WhoListensAt(int port);
  size_t num_servers() const { return servers_.size(); }
  const RedisAccess& access(uint16_t server) const { return servers_[server]; }
  const std::string& address(uint16_t server) const { return servers_[server].address; }
  size_t NumSlotsOf(uint16_t server) const;
  size_t NumReplicasOf(uint16_t server) const;

  // The server is the slot's master from now on.
  void Learn(unsigned slot, uint16_t server);
  // The connection to the server was lost.
  void Doubt(uint16_t server);
  Slots TakeDoubtful();

 private:
  absl::Status ConnectTo(uint16_t server);
  absl::StatusOr<std::vector<SlotRange>> AskFor(uint16_t server);
  absl::Status IsWhole(const std::vector<SlotRange>& ranges);
  void LearnAll(std::vector<SlotRange> ranges);
  void LearnTerms();
  std::vector<uint16_t> WhomToAsk(uint16_t best, uint16_t worst);

  std::vector<RedisAccess> servers_;  // the seeds are the first
  const size_t num_seeds_;
  std::array<uint16_t, kNumSlots> masters_;
  std::vector<SlotRange> ranges_;
  // Since when each server is master, by numbers: a server that was none for a while, and is one
  // again, may have lost writes although the map is the same.
  struct Term {
    std::string id;  // empty: not known yet
    uint64_t epoch = 0;
  };
  std::vector<Term> terms_;
  std::vector<bool> has_gained_;  // slots, since terms were learnt
  uint64_t version_ = 0;
  Slots doubtful_;
  Clock::time_point asked_at_;
  absl::Status whole_;
  absl::Status terms_known_;
  // A connection of its own, so that commands that are under way don't stand before a question.
  std::unique_ptr<RedisClient> asker_;
  uint16_t asked_ = kNobody;
};

// "5461 of the 16384 slots (33 %)".
std::string ShareOfSlots(size_t num_slots);

// The status as a sentence about the server.
absl::Status AboutServer(const std::string& address, const absl::Status& status);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_CLUSTER_MAP_H_
