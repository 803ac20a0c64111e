#include "streams/dedup/cluster_lines.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "streams/dedup/key_holders.h"
#include "streams/dedup/line_command.h"
#include "streams/dedup/recent_lines.h"
#include "streams/dedup/server_checks.h"
#include "streams/dedup/stream_plan.h"
#include "streams/dedup/stream_watch.h"
#include "streams/redis/key_slots.h"
#include "streams/redis/redis_cluster.h"

namespace winnow::dedup {
namespace {

using redis::RedisCluster;
using redis::Reply;
using redis::Slots;

constexpr std::chrono::seconds kBetweenRefreshes(1);
constexpr size_t kReplayedAtOnce = 4096;
constexpr uint64_t kSampledBytesOfMaster = uint64_t{1} << 20;
constexpr uint64_t kMaxSampledKeys = 1024;

// State shared by all pipelines.
struct Stream {
  const StreamPlan& plan;
  const LineCommand& command;
  const RedisCluster& cluster;
};

// Pipeline that sends lines in their order.
class Lines : public redis::Pipeline {
 public:
  Lines(const Stream& stream, const KeyHash* hashes) : stream_(stream), hashes_(hashes) {}

  unsigned SlotOf(size_t i) const override {
    return stream_.plan.SlotOfKey(stream_.command.KeyOf(hashes_[i]));
  }
  void Append(size_t i, std::string* bytes) const override {
    const uint64_t key = stream_.command.KeyOf(hashes_[i]);
    stream_.command.Append(hashes_[i], stream_.plan.Key(key), bytes);
  }
  absl::Status Take(size_t i, const redisReply& reply, bool may_be_second) override {
    const auto error_of = [this](const redisReply& error) {
      return stream_.cluster.ErrorOf(error);
    };
    Fate fate = Fate::kUncertain;
    absl::Status status =
        stream_.command.Understand(reply, may_be_second, stream_.plan, error_of, &fate);
    TakeFate(i, fate);
    return status;
  }
  void TakeLost(size_t i) override { TakeFate(i, Fate::kUncertain); }

 protected:
  virtual void TakeFate(size_t i, Fate fate) = 0;

 private:
  const Stream stream_;
  const KeyHash* const hashes_;
};

class AddedLines : public Lines {
 public:
  AddedLines(const Stream& stream, const KeyHash* hashes, std::vector<Fate>* fates)
      : Lines(stream, hashes), fates_(*fates) {}

 private:
  void TakeFate(size_t i, Fate fate) override { fates_[i] = fate; }

  std::vector<Fate>& fates_;
};

class ReplayedLines : public Lines {
 public:
  ReplayedLines(const Stream& stream, const KeyHash* hashes, uint64_t* lost, uint64_t* perhaps_lost)
      : Lines(stream, hashes), lost_(*lost), perhaps_lost_(*perhaps_lost) {}

 private:
  void TakeFate(size_t, Fate fate) override {
    lost_ += fate == Fate::kNew;
    perhaps_lost_ += fate == Fate::kUncertain;
  }

  uint64_t& lost_;
  uint64_t& perhaps_lost_;
};

// Returns a key that lies on this master.
std::string KeyOf(const RedisCluster::Master& master) {
  return absl::StrCat("{", redis::TagOfSlot(master.a_slot), "}");
}

class ClusterLines : public SeenLines {
 public:
  explicit ClusterLines(const RedisPlan& plan)
      : plan_(StreamPlan::OfCluster(plan)),
        inflight_(plan.inflight),
        replay_(plan.replay.value_or(kDefaultReplay)),
        command_(plan_.shape),
        waits_(plan.waits),
        cluster_(plan.servers, plan.waits),
        keys_(plan_, &cluster_),
        watch_(plan_, command_, plan.warn) {}

  absl::Status Open(const RedisPlan& plan);

  size_t most_at_once() const override { return inflight_; }
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override;
  bool IsLeftOut(size_t i) const override { return fates_[i] == Fate::kLeftOut; }
  uint64_t num_added() const override { return counted_ + since_counted_; }
  size_t size_bytes() const override { return plan_.shape.num_keys * plan_.shape.bits_per_key / 8; }
  // Rate at the last count.
  double RateNow() const override { return rate_; }
  std::string Remark() const override;
  absl::Status Finish() override;

 private:
  Stream stream() const { return {plan_, command_, cluster_}; }
  unsigned SlotOf(KeyHash hash) const { return plan_.SlotOfKey(command_.KeyOf(hash)); }
  bool replays() const { return replay_.count() > 0; }

  std::vector<ServerFacts> AskForFacts();
  void WarnIfLarge(const Warn& warn);
  absl::Status AwaitReplicas(std::vector<std::string>* alone);
  absl::Status Watch(std::chrono::milliseconds at_most);
  absl::Status Look();
  absl::Status ReplayDoubtful();
  absl::Status Replay(const Slots& slots);
  void TellKnownLines(const KeyHash* hashes);
  void Remember(const KeyHash* hashes);
  void KnowLines(const KeyHash* hashes);
  absl::Status Count();

  const StreamPlan plan_;
  const size_t inflight_;
  const std::chrono::seconds replay_;
  const LineCommand command_;
  const redis::Waits waits_;
  RedisCluster cluster_;
  KeysOfCluster keys_;
  StreamWatch watch_;
  Slots doubtful_;      // slots in which acknowledged lines were not resent yet
  RecentLines recent_;  // recently acknowledged lines
  std::vector<Fate> fates_;
  double rate_ = 0;
  uint64_t counted_ = 0;  // lines of all clients, estimated from the share of set bits
  uint64_t since_counted_ = 0;
  uint64_t uncertain_ = 0;
  // Acknowledged lines that were resent: found lost, and possibly lost because the answer to the
  // resent line was lost too.
  uint64_t lost_ = 0;
  uint64_t perhaps_lost_ = 0;
};

absl::Status ClusterLines::Open(const RedisPlan& plan) {
  if (plan_.name.find_first_of("{}") != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--name=", plan_.name,
        " has a brace, which says in a cluster where keys lie: give a name without braces"));
  }
  absl::Status status = cluster_.Connect();
  if (status.ok()) status = cluster_.AwaitWhole();
  bool has_begun = false;
  if (status.ok()) WarnIfLarge(plan.warn);
  if (status.ok()) status = JoinStream(plan_, {&keys_}, plan.may_begin, plan.waits, &has_begun);
  std::vector<std::string> alone;
  if (status.ok()) status = AwaitReplicas(&alone);
  if (!status.ok()) return status;
  if (has_begun) plan.warn(NewStreamSentence(plan_));
  if (replays() && !cluster_.terms_known().ok()) {
    plan.warn(
        absl::StrCat("warning: ", std::string(cluster_.terms_known().message()),
                     "; what is lost as a master fails, and is one again before this client looks, "
                     "is not noticed"));
  }
  if (!alone.empty()) {
    plan.warn(
        absl::StrCat("warning: ", absl::StrJoin(alone, ", "), alone.size() == 1 ? " has" : " have",
                     " no replica that keeps up: the stream waits while such a master is away, a "
                     "minute at most, and ends when its keys are not there afterwards"));
  }
  WarnOfServers(AskForFacts(), plan.warn);
  return Count();
}

std::vector<ServerFacts> ClusterLines::AskForFacts() {
  std::vector<ServerFacts> facts;
  for (const RedisCluster::Master& master : cluster_.masters()) {
    facts.push_back(FactsOf(master.address, KeyOf(master), &keys_));
  }
  return facts;
}

void ClusterLines::WarnIfLarge(const Warn& warn) {
  size_t most = 0;
  std::vector<ServerFacts> servers;
  for (const RedisCluster::Master& master : cluster_.masters()) {
    most = std::max(most, master.num_slots);
    servers.push_back({master.address, "", "", ""});
  }
  const double share = static_cast<double>(most) / redis::kNumSlots;
  dedup::WarnIfLarge(plan_, servers, share * static_cast<double>(size_bytes()), &keys_, warn);
}

// Waits until replicas have the keys of a new stream, since no client could create them again after
// a fail-over. Appends the addresses of masters without such a replica to *alone.
absl::Status ClusterLines::AwaitReplicas(std::vector<std::string>* alone) {
  for (const RedisCluster::Master& master : cluster_.masters()) {
    const absl::StatusOr<RedisCluster::Copied> copied = cluster_.AwaitReplica(KeyOf(master));
    if (!copied.ok()) return copied.status();
    if (*copied != RedisCluster::Copied::kYes) alone->push_back(master.address);
  }
  return absl::OkStatus();
}

absl::Status ClusterLines::Add(const KeyHash* hashes, size_t n, bool* is_new) {
  fates_.assign(n, Fate::kLeftOut);
  absl::Status status = Watch(kBetweenRefreshes);
  if (status.ok()) status = Look();
  if (status.ok()) {
    AddedLines lines(stream(), hashes, &fates_);
    status = cluster_.AskAll(n, &lines);
  }
  doubtful_ |= cluster_.TakeDoubtful();
  if (replays()) {
    if (doubtful_.any()) TellKnownLines(hashes);
    Remember(hashes);
  }
  KnowLines(hashes);
  if (status.ok()) status = ReplayDoubtful();
  since_counted_ += TellPrinted(fates_, is_new, &uncertain_);
  return status.ok() && plan_.IsCountDue(since_counted_, num_added()) ? Count() : status;
}

// Lines are forgotten only once all fail-overs of the time when they were recent are known and
// their lines were resent: a client that waited long for input may learn of a fail-over late.
absl::Status ClusterLines::Watch(std::chrono::milliseconds at_most) {
  absl::Status status = cluster_.Refresh(at_most);
  if (status.ok()) status = ReplayDoubtful();
  if (status.ok()) recent_.DropUntil(cluster_.known_until() - replay_);
  return status;
}

// This check may be the first to find a fail-over; lines that the new master lacks are then resent.
absl::Status ClusterLines::Look() {
  bool has_refreshed = false;
  const auto may_have_lost = [&](KeyHash line) -> absl::StatusOr<bool> {
    if (!std::exchange(has_refreshed, true)) {
      const absl::Status status = cluster_.Refresh(std::chrono::milliseconds(0));
      if (!status.ok()) return status;
    }
    doubtful_ |= cluster_.TakeDoubtful();
    return doubtful_[SlotOf(line)];
  };
  const absl::Status status = watch_.Look(std::chrono::steady_clock::now(), &keys_, may_have_lost);
  return status.ok() ? ReplayDoubtful() : status;
}

// Another fail-over may lose resent lines again; the loop then continues with the new state of the
// cluster. A master that stays must not lose them each time.
absl::Status ClusterLines::ReplayDoubtful() {
  redis::Patience patience(waits_);
  uint64_t version = cluster_.version();
  Slots slots;
  for (;;) {
    doubtful_ |= cluster_.TakeDoubtful();
    if (doubtful_.none()) return absl::OkStatus();
    absl::Status status;
    if (std::exchange(version, cluster_.version()) != cluster_.version()) patience.Done();
    if ((doubtful_ & slots).any()) {
      status = patience.Wait(absl::UnavailableError(
          "the connection to a master is lost each time that lines are sent to it again"));
    }
    slots = std::exchange(doubtful_, Slots());
    if (status.ok()) status = Replay(slots);
    if (!status.ok()) {
      doubtful_ |= slots;
      return status;
    }
  }
}

// The newest lines are sent first: a replica lacks these, and another client may send them.
absl::Status ClusterLines::Replay(const Slots& slots) {
  watch_.Forget([&](KeyHash line) { return slots[SlotOf(line)]; });
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < plan_.shape.num_keys; ++i) {
    if (slots[plan_.SlotOfKey(i)]) keys.push_back(i);
  }
  absl::Status status = CheckKeys(plan_, keys, &keys_);
  std::vector<KeyHash> hashes;
  for (size_t i = recent_.size(); i > 0 && status.ok();) {
    hashes.clear();
    for (; i > 0 && hashes.size() < kReplayedAtOnce; --i) {
      if (slots[SlotOf(recent_[i - 1])]) hashes.push_back(recent_[i - 1]);
    }
    ReplayedLines lines(stream(), hashes.data(), &lost_, &perhaps_lost_);
    status = cluster_.AskAll(hashes.size(), &lines);
  }
  return status;
}

// A line that comes back new or uncertain, although this client recently had an answer to it, was
// lost or was set by its own first sending: it is not a new line. Within one round, answers may
// have come out of order, so that one of several equal lines keeps its fate.
void ClusterLines::TellKnownLines(const KeyHash* hashes) {
  enum class Past { kNone, kSeen, kKnown };
  std::unordered_map<uint64_t, Past> asked;
  for (size_t i = 0; i < fates_.size(); ++i) {
    if (IsPrinted(fates_[i]) && doubtful_[SlotOf(hashes[i])]) {
      asked.emplace(hashes[i].value, Past::kNone);
    }
  }
  for (size_t i = 0; i < recent_.size() && !asked.empty(); ++i) {
    const auto found = asked.find(recent_[i].value);
    if (found != asked.end()) found->second = Past::kKnown;
  }
  for (size_t i = 0; i < fates_.size(); ++i) {
    const auto found = asked.find(hashes[i].value);
    if (found == asked.end()) continue;
    Past& past = found->second;
    Fate& fate = fates_[i];
    if (fate == Fate::kSeen && past == Past::kNone) past = Past::kSeen;
    if (!IsPrinted(fate)) continue;
    if (past == Past::kKnown) {
      lost_ += fate == Fate::kNew;
      fate = Fate::kSeen;
    } else {
      if (past == Past::kSeen) fate = Fate::kUncertain;
      past = Past::kKnown;
    }
  }
}

void ClusterLines::Remember(const KeyHash* hashes) {
  const auto now = std::chrono::steady_clock::now();
  for (size_t i = 0; i < fates_.size(); ++i) {
    if (fates_[i] != Fate::kLeftOut) recent_.Add(hashes[i], now);
  }
}

// Passes to watch_ the lines whose bits cannot have been lost unnoticed in a fail-over.
void ClusterLines::KnowLines(const KeyHash* hashes) {
  if (doubtful_.any() || !cluster_.terms_known().ok()) return;
  const auto now = std::chrono::steady_clock::now();
  for (size_t i = 0; i < fates_.size(); ++i) {
    if (fates_[i] == Fate::kNew || fates_[i] == Fate::kSeen) watch_.Know(hashes[i], now);
  }
}

absl::Status ClusterLines::Finish() {
  absl::Status status = Watch(std::chrono::milliseconds(0));
  return status.ok() ? Count() : status;
}

std::string ClusterLines::Remark() const {
  std::string remark =
      absl::StrCat(" with k = ", plan_.shape.probes, "; ", uncertain_, " uncertain");
  if (replays()) {
    absl::StrAppend(&remark, ", ", lost_, " lost by fail-overs and set again");
    if (perhaps_lost_ > 0) absl::StrAppend(&remark, ", ", perhaps_lost_, " more perhaps");
  } else {
    remark += "; what fail-overs lost is unknown, as --replay=0 sends nothing again";
  }
  if (recent_.size() > 0) {
    absl::StrAppend(&remark, "; which of the last ", recent_.size(), " lines a fail-over ",
                    doubtful_.any() ? "has lost or " : "", "loses from now on is unknown");
  }
  const RedisCluster::Redirects& redirects = cluster_.redirects();
  const uint64_t elsewhere = redirects.moved + redirects.ask;
  const uint64_t again = redirects.try_again + redirects.cluster_down + redirects.lost;
  if (elsewhere + again > 0) {
    absl::StrAppend(&remark, "; ", elsewhere, " commands were sent elsewhere, ", again, " again");
  }
  return remark;
}

// Estimates the number of lines of all clients as the sum over the keys of -m / k ln(1 - fill),
// since keys differ. Samples a part of the keys, which lie on all masters.
absl::Status ClusterLines::Count() {
  const uint64_t keys = std::min(plan_.shape.num_keys, kMaxSampledKeys);
  const uint64_t bytes = std::clamp<uint64_t>(
      kSampledBytesOfMaster * cluster_.masters().size() / keys, 1, plan_.shape.bits_per_key / 8);
  std::vector<uint64_t> numbers(keys);
  for (uint64_t i = 0; i < keys; ++i) numbers[i] = i * plan_.shape.num_keys / keys;
  double rates = 0;
  double lines = 0;
  const std::string last = std::to_string(bytes - 1);
  const auto take = [&](uint64_t, const redisReply& reply) {
    const double fill = static_cast<double>(reply.integer) / (8 * static_cast<double>(bytes));
    rates += std::pow(fill, plan_.shape.probes);
    lines += -std::log1p(-std::min(fill, 0.999)) / plan_.shape.probes *
             static_cast<double>(plan_.shape.bits_per_key);
    return absl::OkStatus();
  };
  absl::Status status = keys_.AskKeys(numbers, {"BITCOUNT", {"0", last}}, take);
  if (!status.ok()) return status;
  rate_ = rates / static_cast<double>(keys);
  counted_ = static_cast<uint64_t>(lines / static_cast<double>(keys) *
                                   static_cast<double>(plan_.shape.num_keys));
  since_counted_ = 0;
  return status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeenLines>> OpenCluster(const RedisPlan& plan) {
  auto lines = std::make_unique<ClusterLines>(plan);
  if (absl::Status status = lines->Open(plan); !status.ok()) return status;
  return lines;
}

}  // namespace winnow::dedup
