#include "streams/dedup/stream_plan.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "streams/dedup/seen_lines.h"
#include "streams/redis/key_slots.h"

namespace winnow::dedup {
namespace {

using redis::Reply;

constexpr char kForServers[] = "winnow dedup 1 ";
constexpr char kForClusters[] = "winnow dedup 2 ";
// Maximum delay until a client of version 1.0, which creates the servers' keys one after the other,
// begins on the next server.
constexpr std::chrono::milliseconds kOthersBegin = std::chrono::seconds(10);

std::vector<uint64_t> AllKeys(const StreamPlan& plan) {
  std::vector<uint64_t> numbers(plan.shape.num_keys);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

absl::Status MakeKeys(const StreamPlan& plan, KeyHolder* holder, const redis::Waits& waits) {
  const std::string sentinel = Sentinel(plan.shape);
  const auto take = [](uint64_t, const redisReply&) { return absl::OkStatus(); };
  redis::Patience patience(waits);
  for (;;) {
    absl::Status status = holder->AskKeys(AllKeys(plan), {"SETBIT", {sentinel, "1"}}, take);
    if (!status.ok() || !holder->MayHaveLostWrites()) return status;
    status = patience.Wait(absl::UnavailableError(
        "the connection to a master is lost each time that keys are made there"));
    if (!status.ok()) return status;
  }
}

absl::Status OtherPlanError(const StreamPlan& plan, const std::string& text) {
  const std::string found = redis::Shown(text);
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

absl::Status NoStreamError(const StreamPlan& plan) {
  return absl::FailedPreconditionError(absl::StrCat(
      "there is no stream ", plan.name,
      ", and --join begins none: it was not begun yet, or all of it vanished. Begun without --join "
      "it prints each line again"));
}

// Error for a missing plan whose keys exist.
absl::Status NoPlanError(const StreamPlan& plan) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the plan of the stream ", plan.name,
      " vanished, or these keys are something else's: keys of its names are there, and no ",
      plan.PlanKey(), ". Set the plan again where it was deleted, or give another --name"));
}

std::string TextOf(const Reply& reply) {
  return std::string(reply->str == nullptr ? "" : reply->str, reply->len);
}

enum class Phase { kNone, kBegun, kWhole };

// Joins a stream according to the plans of all holders.
class Joining {
 public:
  Joining(const StreamPlan& plan, const std::vector<KeyHolder*>& holders, const redis::Waits& waits)
      : plan_(plan),
        holders_(holders),
        waits_(waits),
        phases_(holders.size()),
        num_made_(holders.size()),
        others_begin_(Shorter(waits)),
        keys_are_made_(waits) {}

  absl::Status Look();
  bool Have(Phase phase) const {
    return std::find(phases_.begin(), phases_.end(), phase) != phases_.end();
  }
  // Begins a stream without plans; returns an error if keys exist nevertheless. *has_begun is set
  // if a plan of this client was stored.
  absl::Status Begin(bool* has_begun);
  // Creates missing keys where the plan does not say that all exist, then completes the plans;
  // checks the other keys.
  absl::Status Complete();
  // Waits for another client to complete a partial stream; returns an error if nobody does.
  absl::Status Wait();

 private:
  static redis::Waits Shorter(redis::Waits waits) {
    waits.longest = std::min(waits.longest, kOthersBegin);
    return waits;
  }
  absl::Status ReadPhase(KeyHolder* holder, Phase* phase) const;
  absl::Status CountMade(KeyHolder* holder, uint64_t* num_made) const;
  absl::Status Unfinished() const;

  const StreamPlan& plan_;
  const std::vector<KeyHolder*>& holders_;
  const redis::Waits waits_;
  std::vector<Phase> phases_;
  std::vector<uint64_t> num_made_;  // keys of begun plans
  redis::Patience others_begin_;
  redis::Patience keys_are_made_;
};

absl::Status Joining::ReadPhase(KeyHolder* holder, Phase* phase) const {
  const std::string key = plan_.PlanKey();
  Reply reply;
  absl::Status status = holder->Ask(key, {"GET", key}, &reply);
  if (!status.ok()) return holder->About(status);
  const std::string found = TextOf(reply);
  *phase = reply->type == REDIS_REPLY_NIL ? Phase::kNone
           : found == plan_.Text("whole") ? Phase::kWhole
                                          : Phase::kBegun;
  return *phase != Phase::kBegun || found == plan_.Text("begun")
             ? absl::OkStatus()
             : holder->About(OtherPlanError(plan_, found));
}

absl::Status Joining::Look() {
  const std::vector<Phase> before = phases_;
  for (size_t i = 0; i < holders_.size(); ++i) {
    if (absl::Status status = ReadPhase(holders_[i], &phases_[i]); !status.ok()) return status;
  }
  // Another client made progress.
  if (phases_ != before) {
    others_begin_.Promised();
    keys_are_made_.Promised();
  }
  return absl::OkStatus();
}

// Keys are created in order: a binary search finds the first missing one in a few commands.
absl::Status Joining::CountMade(KeyHolder* holder, uint64_t* num_made) const {
  uint64_t least = 0;
  uint64_t most = plan_.shape.num_keys;
  while (least < most) {
    const uint64_t middle = least + (most - least) / 2;
    const auto take = [&](uint64_t, const redisReply& reply) {
      (reply.integer != 0 ? least : most) = middle + (reply.integer != 0 ? 1 : 0);
      return absl::OkStatus();
    };
    absl::Status status = holder->AskKeys({middle}, {"EXISTS", {}}, take);
    if (!status.ok()) return holder->About(status);
  }
  *num_made = least;
  return absl::OkStatus();
}

absl::Status Joining::Begin(bool* has_begun) {
  if (absl::Status status = CheckNewPlan(plan_.capacity, plan_.rate); !status.ok()) return status;
  for (size_t i = 0; i < holders_.size(); ++i) {
    if (phases_[i] != Phase::kNone) continue;
    uint64_t num_keys = 0;
    absl::Status status = holders_[i]->AskKeys(AllKeys(plan_), {"EXISTS", {}},
                                               [&](uint64_t, const redisReply& reply) {
                                                 num_keys += reply.integer != 0;
                                                 return absl::OkStatus();
                                               });
    if (!status.ok()) return holders_[i]->About(status);
    if (num_keys == 0) continue;
    // Another client may have created the keys meanwhile.
    status = ReadPhase(holders_[i], &phases_[i]);
    if (status.ok() && phases_[i] == Phase::kNone) {
      status = holders_[i]->About(NoPlanError(plan_));
    }
    return status;
  }
  const std::string key = plan_.PlanKey();
  for (size_t i = 0; i < holders_.size(); ++i) {
    if (phases_[i] != Phase::kNone) continue;
    Reply reply;
    absl::Status status = holders_[i]->Ask(key, {"SET", key, plan_.Text("begun"), "NX"}, &reply);
    if (!status.ok()) return holders_[i]->About(status);
    *has_begun |= reply->type != REDIS_REPLY_NIL;
  }
  return absl::OkStatus();
}

absl::Status Joining::Complete() {
  for (size_t i = 0; i < holders_.size(); ++i) {
    const absl::Status status = phases_[i] == Phase::kWhole
                                    ? CheckKeys(plan_, AllKeys(plan_), holders_[i])
                                    : MakeKeys(plan_, holders_[i], waits_);
    if (!status.ok()) return holders_[i]->About(status);
  }
  const std::string key = plan_.PlanKey();
  for (size_t i = 0; i < holders_.size(); ++i) {
    Reply reply;
    if (phases_[i] == Phase::kWhole) continue;
    absl::Status status = holders_[i]->Ask(key, {"SET", key, plan_.Text("whole")}, &reply);
    if (!status.ok()) return holders_[i]->About(status);
  }
  return absl::OkStatus();
}

absl::Status Joining::Unfinished() const {
  for (size_t i = 0; i < holders_.size() && Have(Phase::kWhole); ++i) {
    if (phases_[i] == Phase::kNone) return holders_[i]->About(VanishedError(plan_, "the plan"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the stream ", plan_.name,
      " was begun, and nobody makes it whole: give no --join once, so that this is done"));
}

absl::Status Joining::Wait() {
  for (size_t i = 0; i < holders_.size(); ++i) {
    if (phases_[i] != Phase::kBegun) continue;
    const uint64_t before = num_made_[i];
    absl::Status status = CountMade(holders_[i], &num_made_[i]);
    if (!status.ok()) return status;
    if (num_made_[i] != before) keys_are_made_.Promised();
  }
  redis::Patience& patience = Have(Phase::kBegun) ? keys_are_made_ : others_begin_;
  const absl::Status status = patience.Wait(absl::UnavailableError(
      absl::StrCat("the stream ", plan_.name, " is not whole on all servers")));
  return status.ok() ? status : Unfinished();
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

absl::Status JoinStream(const StreamPlan& plan, const std::vector<KeyHolder*>& holders,
                        bool may_begin, const redis::Waits& waits, bool* has_begun) {
  *has_begun = false;
  Joining joining(plan, holders, waits);
  for (;;) {
    absl::Status status = joining.Look();
    if (!status.ok()) return status;
    const bool some_lack = joining.Have(Phase::kNone);
    const bool some_are_whole = joining.Have(Phase::kWhole);
    if (!some_lack && (may_begin || !joining.Have(Phase::kBegun))) return joining.Complete();
    if (!may_begin && !some_are_whole && !joining.Have(Phase::kBegun)) return NoStreamError(plan);
    status = may_begin && !some_are_whole ? joining.Begin(has_begun) : joining.Wait();
    if (!status.ok()) return status;
  }
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

absl::Status CheckStream(const StreamPlan& plan, KeyHolder* holder, bool* has_plan) {
  const std::string plan_key = plan.PlanKey();
  Reply reply;
  absl::Status status = holder->Ask(plan_key, {"GET", plan_key}, &reply);
  if (!status.ok()) return status;
  *has_plan = reply->type != REDIS_REPLY_NIL;
  return !*has_plan || TextOf(reply) == plan.Text("whole") ? CheckKeys(plan, AllKeys(plan), holder)
                                                           : VanishedError(plan, "the plan");
}

std::string NewStreamSentence(const StreamPlan& plan) {
  return absl::StrCat("the stream ", plan.name,
                      " is begun anew, as nothing of it was there: all lines are new to it; --join "
                      "refuses to begin one");
}

absl::Status VanishedError(const StreamPlan& plan, std::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(
      std::string(what), " of the stream ", plan.name,
      " vanished, by eviction, by hand or as a server came back empty: what was seen is no longer "
      "known. Begin a stream of another --name, on servers that evict nothing and keep a log"));
}

}  // namespace winnow::dedup
