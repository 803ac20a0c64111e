#include "src/dedup/stream_plan.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <numeric>

#include "src/dedup/line_command.h"
#include "src/dedup/seen_lines.h"
#include "src/redis/key_slots.h"

namespace winnow::dedup {
namespace {

using redis::Reply;

constexpr char kForServers[] = "winnow dedup 1 ";
constexpr char kForClusters[] = "winnow dedup 2 ";

std::vector<uint64_t> AllKeys(const StreamPlan& plan) {
  std::vector<uint64_t> numbers(plan.shape.num_keys);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

absl::Status MakeKeys(const StreamPlan& plan, KeyHolder* holder) {
  const std::string sentinel = Sentinel(plan.shape);
  const auto take = [](uint64_t, const redisReply&) { return absl::OkStatus(); };
  absl::Status status;
  do {
    status = holder->AskKeys(AllKeys(plan), {"SETBIT", {sentinel, "1"}}, take);
  } while (status.ok() && holder->MayHaveLostWrites());
  return status;
}

absl::Status OtherPlanError(const StreamPlan& plan, const std::string& found) {
  if (plan.is_of_cluster() && absl::StartsWith(found, kForServers)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the stream ", plan.name, " is one of servers without cluster mode, '", found,
        "': its keys are not those of a cluster's. Go on with it on such servers, or begin another "
        "--name here, which prints again what that one has seen"));
  }
  if (!plan.is_of_cluster() && absl::StartsWith(found, kForClusters)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the stream ", plan.name, " is one of a cluster, '", found,
        "', and this server has no cluster mode: give servers of the cluster, or another --name"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the stream ", plan.name, " has another plan, '", found, "'; this one's is '",
                   plan.Text("whole"), "': give the same values, or another --name"));
}

std::string TextOf(const Reply& reply) {
  return std::string(reply->str == nullptr ? "" : reply->str, reply->len);
}

}  // namespace

StreamPlan StreamPlan::OfServers(const RedisPlan& plan) {
  const auto append_address = [](std::string* text, const redis::RedisAccess& server) {
    text->append(server.address);
  };
  return {plan.name, plan.capacity, plan.rate,
          ShapeForServers(plan.capacity, plan.rate, plan.servers.size()),
          absl::StrJoin(plan.servers, ",", append_address)};
}

StreamPlan StreamPlan::OfCluster(const RedisPlan& plan) {
  return {plan.name, plan.capacity, plan.rate, ShapeForCluster(plan.capacity, plan.rate), ""};
}

std::string StreamPlan::PlanKey() const { return name + ":plan"; }

std::string StreamPlan::Key(uint64_t number) const {
  return is_of_cluster()
             ? absl::StrCat(name, ":{", redis::TagOfSlot(SlotOfKey(number)), "}:", number)
             : absl::StrCat(name, ":", number);
}

unsigned StreamPlan::SlotOfKey(uint64_t number) const {
  return static_cast<unsigned>((2 * number + 1) * redis::kNumSlots / (2 * shape.num_keys));
}

std::string StreamPlan::Text(std::string_view phase) const {
  return absl::StrCat(is_of_cluster() ? kForClusters : kForServers, "capacity=", capacity,
                      " rate=", rate, " k=", shape.probes, " hash=XXH3-64 keys=", shape.num_keys,
                      " bits=", shape.bits_per_key, is_of_cluster() ? "" : " servers=", servers,
                      " ", std::string(phase));
}

absl::Status JoinStream(const StreamPlan& plan, KeyHolder* holder) {
  const std::string plan_key = plan.PlanKey();
  Reply reply;
  absl::Status status = holder->Ask(plan_key, {"GET", plan_key}, &reply);
  if (status.ok() && reply->type == REDIS_REPLY_NIL) {
    status = CheckNewPlan(plan.capacity, plan.rate);
    if (!status.ok()) return status;
    const std::string first = plan.Key(0);
    status = holder->Ask(first, {"EXISTS", first}, &reply);
    const bool has_keys = status.ok() && reply->integer != 0;
    if (status.ok()) {
      status = holder->Ask(plan_key, {"SET", plan_key, plan.Text("begun"), "NX"}, &reply);
    }
    if (status.ok() && reply->type != REDIS_REPLY_NIL && has_keys) {
      status = holder->Ask(plan_key, {"DEL", plan_key}, &reply);
      return status.ok() ? VanishedError(plan, "the plan") : status;
    }
    if (status.ok()) status = holder->Ask(plan_key, {"GET", plan_key}, &reply);
  }
  if (!status.ok()) return status;
  const std::string found = TextOf(reply);
  if (found == plan.Text("whole")) return CheckKeys(plan, AllKeys(plan), holder);
  if (found != plan.Text("begun")) return OtherPlanError(plan, found);
  status = MakeKeys(plan, holder);
  return status.ok() ? holder->Ask(plan_key, {"SET", plan_key, plan.Text("whole")}, &reply)
                     : status;
}

absl::Status CheckKeys(const StreamPlan& plan, const std::vector<uint64_t>& numbers,
                       KeyHolder* holder) {
  const auto take = [&](uint64_t number, const redisReply& reply) {
    return reply.integer == 1 ? absl::OkStatus()
                              : VanishedError(plan, absl::StrCat("the key ", plan.Key(number)));
  };
  const std::string sentinel = Sentinel(plan.shape);
  return holder->AskKeys(numbers, {"GETBIT", {sentinel}}, take);
}

absl::Status CheckStream(const StreamPlan& plan, KeyHolder* holder) {
  const std::string plan_key = plan.PlanKey();
  Reply reply;
  absl::Status status = holder->Ask(plan_key, {"GET", plan_key}, &reply);
  if (!status.ok()) return status;
  return TextOf(reply) == plan.Text("whole") ? CheckKeys(plan, AllKeys(plan), holder)
                                             : VanishedError(plan, "the plan");
}

absl::Status VanishedError(const StreamPlan& plan, std::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(
      std::string(what), " of the stream ", plan.name,
      " vanished, by eviction, by hand or as a server came back empty: what was seen is no longer "
      "known. Begin a stream of another --name, on servers that evict nothing and keep a log"));
}

}  // namespace winnow::dedup
