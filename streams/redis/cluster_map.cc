#include "streams/redis/cluster_map.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace winnow::redis {
namespace {

constexpr char kAskForSlots[] = "*2\r\n$7\r\nCLUSTER\r\n$5\r\nSLOTS\r\n";
constexpr char kAskForNodes[] = "*2\r\n$7\r\nCLUSTER\r\n$5\r\nNODES\r\n";
constexpr char kAskForInfo[] = "*2\r\n$7\r\nCLUSTER\r\n$4\r\nINFO\r\n";

// A server that loads its data is not waited for, since others may answer.
absl::Status AskServer(RedisClient* server, std::string_view command, Reply* reply) {
  const absl::Status status = server->AskOnce(command, reply);
  if (!status.ok() || (*reply)->type != REDIS_REPLY_ERROR) return status;
  const absl::string_view words((*reply)->str, (*reply)->len);
  if (absl::StrContains(words, "cluster support disabled")) {
    return absl::FailedPreconditionError(
        absl::StrCat("it is not part of a cluster: give servers of one cluster, and no others (",
                     Shown(words), ")"));
  }
  if (absl::StartsWith(words, "NOPERM")) {
    return absl::FailedPreconditionError(absl::StrCat(
        "its user may not ask who has which slot: allow it +cluster|slots and +cluster|nodes (",
        Shown(words), ")"));
  }
  return server->ErrorOf(**reply);
}

// Returns the number behind "NAME:" in an answer to CLUSTER INFO, or `otherwise`.
size_t NumberIn(absl::string_view info, absl::string_view name, size_t otherwise) {
  for (absl::string_view line : absl::StrSplit(info, "\r\n")) {
    size_t number = 0;
    if (absl::ConsumePrefix(&line, name) && absl::SimpleAtoi(line, &number)) return number;
  }
  return otherwise;
}

bool AreOfOneCluster(const std::vector<SlotRange>& some, const std::vector<SlotRange>& others) {
  for (const SlotRange& range : some) {
    for (const SlotRange& other : others) {
      if (range.master_id == other.master_id) return true;
    }
  }
  return false;
}

}  // namespace

ClusterMap::ClusterMap(std::vector<RedisAccess> seeds)
    : servers_(std::move(seeds)), num_seeds_(servers_.size()) {
  masters_.fill(kNobody);
}

uint16_t ClusterMap::NumberOf(const HostAndPort& server) {
  const auto found = std::find_if(servers_.begin(), servers_.end(), [&](const RedisAccess& access) {
    return access.host == server.host && access.port == server.port;
  });
  const auto number = static_cast<uint16_t>(found - servers_.begin());
  if (number == kNobody) return kNobody;
  if (number == servers_.size()) servers_.push_back(servers_.front().At(server.host, server.port));
  return number;
}

uint16_t ClusterMap::WhoListensAt(int port) {
  uint16_t found = kNobody;
  const auto look_at = [&](const HostAndPort& server) {
    if (server.port != port) return true;
    const uint16_t number = NumberOf(server);
    const bool is_only = found == kNobody || found == number;
    found = is_only ? number : kNobody;
    return is_only;
  };
  for (const SlotRange& range : ranges_) {
    if (!look_at(range.master)) return kNobody;
    for (const HostAndPort& replica : range.replicas) {
      if (!look_at(replica)) return kNobody;
    }
  }
  return found;
}

size_t ClusterMap::NumSlotsOf(uint16_t server) const {
  return static_cast<size_t>(std::count(masters_.begin(), masters_.end(), server));
}

size_t ClusterMap::NumReplicasOf(uint16_t server) const {
  const auto range = std::find_if(ranges_.begin(), ranges_.end(), [&](const SlotRange& one) {
    return one.master.host == servers_[server].host && one.master.port == servers_[server].port;
  });
  return range == ranges_.end() ? 0 : range->replicas.size();
}

absl::Status ClusterMap::ConnectTo(uint16_t server) {
  if (asker_ != nullptr && asked_ == server) return absl::OkStatus();
  asker_ = std::make_unique<RedisClient>(servers_[server]);
  asked_ = server;
  return asker_->Open(kPatience);
}

absl::StatusOr<std::vector<SlotRange>> ClusterMap::AskFor(uint16_t server) {
  absl::Status status = ConnectTo(server);
  Reply reply;
  if (status.ok()) status = AskServer(asker_.get(), kAskForSlots, &reply);
  if (!status.ok()) {
    asker_ = nullptr;
    return status;
  }
  absl::StatusOr<std::vector<SlotRange>> ranges = ParseSlotRanges(*reply, servers_[server].host);
  if (ranges.ok() && ranges->empty()) {
    return absl::UnavailableError("it knows no server that has slots: its cluster is not made yet");
  }
  return ranges;
}

absl::Status ClusterMap::Connect() {
  const Clock::time_point now = Clock::now();
  std::vector<SlotRange> ranges;
  std::string told_by;
  std::vector<std::string> silent;
  for (uint16_t seed = 0; seed < num_seeds_; ++seed) {
    absl::StatusOr<std::vector<SlotRange>> told = AskFor(seed);
    if (!told.ok() && IsLost(told.status())) {
      silent.push_back(absl::StrCat(address(seed), ": ", told.status().message()));
    } else if (!told.ok()) {
      return AboutServer(address(seed), told.status());
    } else if (ranges.empty()) {
      ranges = *std::move(told);
      told_by = address(seed);
    } else if (!AreOfOneCluster(ranges, *told)) {
      return AboutServer(address(seed),
                         absl::FailedPreconditionError(absl::StrCat(
                             "it is of another cluster than ", told_by, ": give servers of one")));
    }
  }
  if (ranges.empty()) {
    return absl::UnavailableError(
        absl::StrCat("no server of the cluster answers: ", absl::StrJoin(silent, "; ")));
  }
  asked_at_ = now;
  LearnAll(std::move(ranges));
  LearnTerms();
  doubtful_.reset();
  return absl::OkStatus();
}

std::vector<uint16_t> ClusterMap::WhomToAsk(uint16_t best, uint16_t worst) {
  std::vector<uint16_t> servers;
  const auto add = [&servers](uint16_t server) {
    if (server != kNobody && std::find(servers.begin(), servers.end(), server) == servers.end()) {
      servers.push_back(server);
    }
  };
  add(best);
  if (asker_ != nullptr) add(asked_);
  for (const SlotRange& range : ranges_) add(NumberOf(range.master));
  for (const SlotRange& range : ranges_) {
    for (const HostAndPort& replica : range.replicas) add(NumberOf(replica));
  }
  for (uint16_t seed = 0; seed < num_seeds_; ++seed) add(seed);
  const auto last = std::find(servers.begin(), servers.end(), worst);
  if (last != servers.end()) std::rotate(last, last + 1, servers.end());
  return servers;
}

absl::Status ClusterMap::Refresh(uint16_t best, uint16_t worst) {
  std::vector<std::string> why_not;
  bool may_come_back = false;
  // Ranges from a server that is partitioned off, or of a cluster that is down.
  std::vector<SlotRange> half;
  absl::Status why_half;
  const Clock::time_point begin = Clock::now();
  for (const uint16_t server : WhomToAsk(best, worst)) {
    const Clock::time_point now = Clock::now();
    if (!half.empty() && (server == worst || now - begin > kPatience)) break;
    absl::StatusOr<std::vector<SlotRange>> ranges = AskFor(server);
    if (ranges.ok()) {
      const absl::Status whole = IsWhole(*ranges);
      if (whole.ok()) {
        asked_at_ = now;
        whole_ = whole;
        LearnAll(*std::move(ranges));
        LearnTerms();
        return absl::OkStatus();
      }
      if (half.empty()) {
        half = *std::move(ranges);
        why_half = whole;
      }
      continue;
    }
    may_come_back |= IsLost(ranges.status());
    why_not.push_back(absl::StrCat(address(server), ": ", ranges.status().message()));
  }
  if (!half.empty()) {
    whole_ = why_half;
    LearnAll(std::move(half));
    return absl::OkStatus();
  }
  const std::string message = absl::StrCat("no server of the cluster says who has which slot: ",
                                           absl::StrJoin(why_not, "; "));
  return may_come_back ? absl::UnavailableError(message) : absl::FailedPreconditionError(message);
}

// Returns an error if the server that gave `ranges` says that the cluster is incomplete.
absl::Status ClusterMap::IsWhole(const std::vector<SlotRange>& ranges) {
  size_t num_served = 0;
  for (const SlotRange& range : ranges) num_served += range.last - range.first + 1;
  num_served = std::min<size_t>(num_served, kNumSlots);
  Reply reply;
  bool is_down = false;
  // A user without permission for CLUSTER INFO learns the state from the commands themselves.
  if (asker_ != nullptr && AskServer(asker_.get(), kAskForInfo, &reply).ok() &&
      reply->str != nullptr) {
    const absl::string_view info(reply->str, reply->len);
    is_down = absl::StrContains(info, "cluster_state:fail");
    num_served = std::min(num_served, NumberIn(info, "cluster_slots_ok:", num_served));
  }
  if (!is_down && num_served == kNumSlots) return absl::OkStatus();
  return AboutServer(
      address(asked_),
      absl::UnavailableError(absl::StrCat(
          is_down ? "its cluster is down (cluster_state:fail): " : "its cluster is half down: ",
          num_served == kNumSlots
              ? std::string("too few of its masters see each other")
              : absl::StrCat("no server that runs has ", ShareOfSlots(kNumSlots - num_served)),
          "; start the servers that are missing, or give the slots to others")));
}

void ClusterMap::Learn(unsigned slot, uint16_t server) {
  if (masters_[slot] == server) return;
  masters_[slot] = server;
  doubtful_.set(slot);
  ++version_;
  if (server == kNobody) return;
  if (has_gained_.size() <= server) has_gained_.resize(server + size_t{1});
  has_gained_[server] = true;
}

void ClusterMap::LearnAll(std::vector<SlotRange> ranges) {
  ranges_ = std::move(ranges);
  std::array<uint16_t, kNumSlots> masters;
  masters.fill(kNobody);
  for (const SlotRange& range : ranges_) {
    std::fill(masters.begin() + range.first, masters.begin() + range.last + 1,
              NumberOf(range.master));
  }
  for (unsigned slot = 0; slot < kNumSlots; ++slot) Learn(slot, masters[slot]);
}

// A server that takes over a slot by migration also gets a new epoch, but nothing is lost.
void ClusterMap::LearnTerms() {
  if (asker_ == nullptr) return;
  Reply reply;
  const absl::Status asked = AskServer(asker_.get(), kAskForNodes, &reply);
  // A user without permission for CLUSTER NODES works without terms.
  terms_known_ =
      asked.ok() || IsLost(asked) ? absl::OkStatus() : AboutServer(address(asked_), asked);
  if (!asked.ok()) return;
  const std::map<std::string, uint64_t> epochs = ParseEpochs(*reply);
  terms_.resize(servers_.size());
  has_gained_.resize(servers_.size());
  for (const SlotRange& range : ranges_) {
    const auto epoch = epochs.find(range.master_id);
    if (epoch == epochs.end()) continue;
    const uint16_t server = NumberOf(range.master);
    if (server == kNobody) continue;
    Term& term = terms_[server];
    // This server may have older information than the one asked before.
    if (term.id == range.master_id && epoch->second <= term.epoch) continue;
    if (!term.id.empty() && !has_gained_[server]) Doubt(server);
    term = {range.master_id, epoch->second};
  }
  has_gained_.assign(servers_.size(), false);
}

void ClusterMap::Doubt(uint16_t server) {
  for (unsigned slot = 0; slot < kNumSlots; ++slot) {
    if (masters_[slot] == server) doubtful_.set(slot);
  }
}

Slots ClusterMap::TakeDoubtful() { return std::exchange(doubtful_, {}); }

std::string ShareOfSlots(size_t num_slots) {
  return absl::StrCat(num_slots, " of the ", kNumSlots, " slots (",
                      std::max(1L, std::lround(100.0 * static_cast<double>(num_slots) / kNumSlots)),
                      " %)");
}

absl::Status AboutServer(const std::string& address, const absl::Status& status) {
  return status.ok() ? status
                     : absl::Status(status.code(),
                                    absl::StrCat("the server ", address, ": ", status.message()));
}

}  // namespace winnow::redis
