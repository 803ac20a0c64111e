#include "streams/dedup/stream_places.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <numeric>
#include <utility>

#include "streams/dedup/key_holders.h"
#include "streams/redis/key_slots.h"
#include "streams/redis/redis_cluster.h"

namespace winnow::dedup {
namespace {

using redis::RedisClient;
using redis::RedisCluster;
using redis::Reply;

std::vector<uint64_t> Numbers(uint64_t count) {
  std::vector<uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

class ServerPlace : public Place {
 public:
  ServerPlace(const redis::RedisAccess& access, const redis::Waits& waits)
      : client_(access, waits) {}

  RedisClient* client() { return &client_; }
  const std::string& address() const override { return client_.address(); }
  absl::Status Ask(std::string_view, const std::vector<std::string_view>& command,
                   Reply* reply) override {
    return redis::AboutServer(address(), client_.Ask(command, reply));
  }
  absl::Status AskKeys(const StreamPlan& plan, const KeysCommand& command,
                       KeyHolder::TakeAnswer take) override {
    KeysOfServer keys(plan, &client_);
    return redis::AboutServer(address(), keys.AskKeys(Numbers(plan.shape.num_keys), command, take));
  }
  std::vector<std::string> KeyOfEachServer() const override { return {""}; }

 private:
  RedisClient client_;
};

class ClusterPlace : public Place {
 public:
  explicit ClusterPlace(const RedisPlan& plan)
      : address_(plan.servers.front().address), cluster_(plan.servers, plan.waits) {}

  absl::Status Connect() {
    absl::Status status = cluster_.Connect();
    return status.ok() ? cluster_.AwaitWhole() : status;
  }
  const std::string& address() const override { return address_; }
  absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                   Reply* reply) override {
    return cluster_.Ask(key, command, reply);
  }
  absl::Status AskKeys(const StreamPlan& plan, const KeysCommand& command,
                       KeyHolder::TakeAnswer take) override {
    KeysOfCluster keys(plan, &cluster_);
    return keys.AskKeys(Numbers(plan.shape.num_keys), command, take);
  }
  std::vector<std::string> KeyOfEachServer() const override {
    std::vector<std::string> keys;
    for (const RedisCluster::Master& master : cluster_.masters()) {
      keys.push_back(absl::StrCat("{", redis::TagOfSlot(master.a_slot), "}"));
    }
    return keys;
  }

 private:
  const std::string address_;
  RedisCluster cluster_;
};

}  // namespace

absl::StatusOr<Places> ConnectTo(const RedisPlan& plan, bool* is_cluster) {
  Places places;
  absl::Status first;
  *is_cluster = false;
  for (const redis::RedisAccess& access : plan.servers) {
    auto server = std::make_unique<ServerPlace>(access, plan.waits);
    absl::Status status = server->client()->Connect();
    if (status.ok()) {
      const absl::StatusOr<bool> answer = RedisCluster::IsCluster(server->client());
      status = answer.status();
      *is_cluster |= answer.ok() && *answer;
    }
    if (first.ok()) first = redis::AboutServer(access.address, status);
    places.push_back(std::move(server));
    if (*is_cluster) break;
  }
  if (*is_cluster) {
    auto cluster = std::make_unique<ClusterPlace>(plan);
    if (absl::Status status = cluster->Connect(); !status.ok()) return status;
    places.clear();
    places.push_back(std::move(cluster));
    return places;
  }
  if (!first.ok()) return first;
  return places;
}

}  // namespace winnow::dedup
