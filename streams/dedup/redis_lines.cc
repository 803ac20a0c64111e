#include "streams/dedup/redis_lines.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "streams/amq/mix.h"
#include "streams/dedup/cluster_lines.h"
#include "streams/dedup/key_holders.h"
#include "streams/dedup/line_command.h"
#include "streams/dedup/server_checks.h"
#include "streams/dedup/stream_plan.h"
#include "streams/dedup/stream_watch.h"
#include "streams/redis/redis_cluster.h"

namespace winnow::dedup {
namespace {

using redis::IsLost;
using redis::RedisAccess;
using redis::RedisClient;
using redis::RedisCluster;
using redis::Reply;

constexpr std::chrono::seconds kFirstAnswer(2);
constexpr size_t kMaxToSend = size_t{64} << 10;
constexpr uint64_t kSampledBytes = uint64_t{1} << 20;

constexpr uint64_t kServerBits = 2;  // index in HashBits()

// One server's share of a round of lines.
struct Share {
  std::vector<size_t> lines;  // unanswered lines, in order
  size_t num_sent = 0;        // lines that the server may have received, from the first on
  bool is_in_doubt = false;   // the connection was lost: acknowledged lines may be lost too
};

absl::Status Named(const RedisClient& server, const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? status : redis::AboutServer(server.address(), status);
}

class RedisLines : public SeenLines {
 public:
  explicit RedisLines(const RedisPlan& plan)
      : stream_(StreamPlan::OfServers(plan)), inflight_(plan.inflight), command_(stream_.shape) {
    for (const RedisAccess& access : plan.servers) {
      servers_.emplace_back(access, plan.waits);
      watches_.emplace_back(stream_, command_, plan.warn);
    }
  }

  absl::Status Open(const RedisPlan& plan);

  size_t most_at_once() const override { return inflight_; }
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override;
  bool IsLeftOut(size_t i) const override { return fates_[i] == Fate::kLeftOut; }
  uint64_t num_added() const override { return counted_ + since_counted_; }
  size_t size_bytes() const override {
    return servers_.size() * stream_.shape.num_keys * stream_.shape.bits_per_key / 8;
  }
  // Rate at the last count.
  double RateNow() const override { return std::pow(fill_, stream_.shape.probes); }
  std::string Remark() const override {
    return absl::StrCat(" with k = ", stream_.shape.probes, "; ", uncertain_, " uncertain");
  }
  absl::Status Finish() override { return Count(); }

 private:
  absl::Status RefuseCluster(RedisClient* server) const;
  std::vector<ServerFacts> AskForFacts();
  absl::Status Reconnect(RedisClient* server, absl::Status why);
  absl::Status AwaitOpen(RedisClient* server);
  absl::Status Look(RedisClient* server);
  StreamWatch& WatchOf(const RedisClient* server) {
    return watches_[static_cast<size_t>(server - servers_.data())];
  }
  uint64_t ServerOf(KeyHash hash) const {
    return amq::Reduce(amq::HashBits(hash.value, kServerBits), servers_.size());
  }
  void SendAll(RedisClient* server, const KeyHash* hashes, Share* share);
  absl::Status ReceiveAll(RedisClient* server, Share* share);
  absl::Status Count();

  const StreamPlan stream_;
  const size_t inflight_;
  const LineCommand command_;
  std::vector<RedisClient> servers_;
  std::vector<StreamWatch> watches_;  // one per server
  // Fates by line; kUncertain also for a line that is resent because its answer was lost.
  std::vector<Fate> fates_;
  double fill_ = 0;
  uint64_t counted_ = 0;  // lines of all clients, estimated from the share of set bits
  uint64_t since_counted_ = 0;
  uint64_t uncertain_ = 0;
};

absl::Status RedisLines::Open(const RedisPlan& plan) {
  std::vector<KeysOfServer> keys;
  for (RedisClient& server : servers_) {
    absl::Status status = server.Connect();
    if (status.ok()) status = RefuseCluster(&server);
    if (!status.ok()) return Named(server, status);
    keys.emplace_back(stream_, &server);
  }
  const std::vector<ServerFacts> facts = AskForFacts();
  absl::Status status = RefuseSameServer(plan.servers, facts);
  if (!status.ok()) return status;
  WarnIfLarge(stream_, facts, static_cast<double>(size_bytes() / servers_.size()), &keys.front(),
              plan.warn);
  std::vector<KeyHolder*> holders;
  for (KeysOfServer& each : keys) holders.push_back(&each);
  bool has_begun = false;
  status = JoinStream(stream_, holders, plan.may_begin, plan.waits, &has_begun);
  if (!status.ok()) return status;
  if (has_begun) plan.warn(NewStreamSentence(stream_));
  WarnOfServers(facts, plan.warn);
  return Count();
}

std::vector<ServerFacts> RedisLines::AskForFacts() {
  std::vector<ServerFacts> facts;
  for (RedisClient& server : servers_) {
    KeysOfServer keys(stream_, &server);
    facts.push_back(FactsOf(server.address(), "", &keys));
  }
  return facts;
}

// Returns an error if the server is in cluster mode. The first server is known not to be.
absl::Status RedisLines::RefuseCluster(RedisClient* server) const {
  absl::StatusOr<bool> is_cluster = RedisCluster::IsCluster(server);
  if (!is_cluster.ok()) return is_cluster.status();
  return !*is_cluster ? absl::OkStatus()
                      : absl::FailedPreconditionError(absl::StrCat(
                            "it is one of a cluster, and ", servers_.front().address(),
                            " is not: give servers of the cluster alone, or none of them"));
}

// Reconnects. The time limit continues to run across reconnections until a line or a count is
// answered.
absl::Status RedisLines::Reconnect(RedisClient* server, absl::Status why) {
  KeysOfServer keys(stream_, server);
  while (IsLost(why)) {
    if (absl::Status over = server->WaitToRetry(why); !over.ok()) return over;
    why = server->Connect();
    if (why.ok()) why = WatchOf(server).LookAfterOutage(&keys);
  }
  return why;
}

// Reconnects if the server closed an idle connection: commands sent on a closed connection would be
// in doubt.
absl::Status RedisLines::AwaitOpen(RedisClient* server) {
  return server->IsOpen() ? absl::OkStatus()
                          : Reconnect(server, absl::UnavailableError("it closed the connection"));
}

// Checks that the stream is unchanged, and that no other client began it anew while this client
// waited for input. The server has answered then, so that its time limit does not run while the
// other servers are checked.
absl::Status RedisLines::Look(RedisClient* server) {
  KeysOfServer keys(stream_, server);
  absl::Status status = AwaitOpen(server);
  const auto may_have_lost = [](KeyHash) { return false; };
  if (status.ok()) {
    status = WatchOf(server).Look(std::chrono::steady_clock::now(), &keys, may_have_lost);
  }
  if (status.ok()) server->Answered();
  return status;
}

// A connection lost during the send is detected by the next receive.
void RedisLines::SendAll(RedisClient* server, const KeyHash* hashes, Share* share) {
  share->num_sent = 0;
  std::string bytes;
  for (size_t i = 0; i < share->lines.size(); ++i) {
    const KeyHash hash = hashes[share->lines[i]];
    command_.Append(hash, stream_.Key(command_.KeyOf(hash)), &bytes);
    if (bytes.size() < kMaxToSend && i + 1 < share->lines.size()) continue;
    if (server->socket() < 0) return;
    share->num_sent = i + 1;
    if (!server->Send(bytes).ok()) return;
    bytes.clear();
  }
}

// The first error ends the stream, but the answers behind it are still evaluated. Leaves in `share`
// the lines to resend: refused lines, for example while the server loads its data, set no bits.
absl::Status RedisLines::ReceiveAll(RedisClient* server, Share* share) {
  absl::Status first;
  const auto take = [&first](absl::Status status) {
    if (!status.ok() && (first.ok() || IsLost(first))) first = std::move(status);
  };
  const auto error_of = [server](const redisReply& error) { return server->ErrorOf(error); };
  std::vector<size_t> left;
  size_t i = 0;
  for (; i < share->lines.size(); ++i) {
    Reply reply;
    if (absl::Status status = server->Receive(&reply); !status.ok()) {
      take(std::move(status));
      break;
    }
    Fate& fate = fates_[share->lines[i]];
    take(command_.Understand(*reply, fate == Fate::kUncertain, stream_, error_of, &fate));
    if (reply->type == REDIS_REPLY_ERROR) {
      left.push_back(share->lines[i]);
    } else {
      server->Answered();
    }
  }
  for (; i < share->lines.size(); ++i) {
    if (i < share->num_sent) fates_[share->lines[i]] = Fate::kUncertain;
    left.push_back(share->lines[i]);
  }
  share->lines = std::move(left);
  return first;
}

absl::Status RedisLines::Add(const KeyHash* hashes, size_t n, bool* is_new) {
  fates_.assign(n, Fate::kLeftOut);
  std::vector<Share> shares(servers_.size());
  for (size_t i = 0; i < n; ++i) {
    shares[ServerOf(hashes[i])].lines.push_back(i);
  }
  std::vector<absl::Status> opened(servers_.size());
  for (size_t s = 0; s < servers_.size(); ++s) {
    if (!shares[s].lines.empty()) opened[s] = Look(&servers_[s]);
  }
  for (size_t s = 0; s < servers_.size(); ++s) {
    if (opened[s].ok()) SendAll(&servers_[s], hashes, &shares[s]);
  }
  absl::Status first;
  for (size_t s = 0; s < servers_.size(); ++s) {
    absl::Status status = opened[s].ok() ? ReceiveAll(&servers_[s], &shares[s]) : opened[s];
    while (IsLost(status)) {
      shares[s].is_in_doubt = true;
      status = Reconnect(&servers_[s], status);
      if (!status.ok()) break;
      SendAll(&servers_[s], hashes, &shares[s]);
      status = ReceiveAll(&servers_[s], &shares[s]);
    }
    servers_[s].Done();
    if (first.ok()) first = Named(servers_[s], status);
  }
  const auto now = std::chrono::steady_clock::now();
  for (size_t i = 0; i < n; ++i) {
    const bool is_known = fates_[i] == Fate::kNew || fates_[i] == Fate::kSeen;
    const uint64_t server = ServerOf(hashes[i]);
    if (is_known && !shares[server].is_in_doubt) watches_[server].Know(hashes[i], now);
  }
  since_counted_ += TellPrinted(fates_, is_new, &uncertain_);
  return first.ok() && stream_.IsCountDue(since_counted_, num_added()) ? Count() : first;
}

// Estimates the number of lines of all clients as -m / k ln(1 - fill), with the fill of a sample.
absl::Status RedisLines::Count() {
  double fills = 0;
  for (RedisClient& server : servers_) {
    const uint64_t bytes = std::min(stream_.shape.bits_per_key / 8, kSampledBytes);
    const std::string key = stream_.Key(0);
    const std::string last = std::to_string(bytes - 1);
    Reply reply;
    absl::Status status = AwaitOpen(&server);
    if (status.ok()) status = server.Ask({"BITCOUNT", key, "0", last}, &reply);
    while (IsLost(status)) {
      status = Reconnect(&server, status);
      if (status.ok()) status = server.Ask({"BITCOUNT", key, "0", last}, &reply);
    }
    server.Done();
    if (!status.ok()) return Named(server, status);
    fills += static_cast<double>(reply->integer) / static_cast<double>(8 * bytes);
  }
  fill_ = fills / static_cast<double>(servers_.size());
  const double bits = 8 * static_cast<double>(size_bytes());
  counted_ =
      static_cast<uint64_t>(-bits / stream_.shape.probes * std::log1p(-std::min(fill_, 0.999)));
  since_counted_ = 0;
  return absl::OkStatus();
}

// Returns whether the servers form a cluster, by the first server that answers quickly, else by the
// first that answers at all. If that one refuses, it is tried once more as a single server, which
// gives the error message.
absl::StatusOr<bool> IsOfCluster(const RedisPlan& plan) {
  RedisClient first(plan.servers.front(), plan.waits);
  first.BeginTrying();
  absl::Status why;
  for (const RedisAccess& access : plan.servers) {
    RedisClient server(access, plan.waits);
    const absl::Status status = server.Open(kFirstAnswer);
    if (!status.ok() && !IsLost(status)) return false;
    const absl::StatusOr<bool> is_cluster =
        status.ok() ? RedisCluster::IsCluster(&server) : absl::StatusOr<bool>(status);
    if (is_cluster.ok()) return *is_cluster;
    if (why.ok()) why = is_cluster.status();
  }
  // WaitToRetry() is called first to report `why` in time; else little time would be left to
  // connect.
  absl::Status status = first.WaitToRetry(why);
  if (status.ok()) status = first.Connect();
  if (!status.ok()) return Named(first, status);
  absl::StatusOr<bool> is_cluster = RedisCluster::IsCluster(&first);
  return is_cluster.ok() ? is_cluster : Named(first, is_cluster.status());
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan& plan) {
  const absl::StatusOr<bool> is_of_cluster = IsOfCluster(plan);
  if (!is_of_cluster.ok()) return is_of_cluster.status();
  if (*is_of_cluster) return OpenCluster(plan);
  if (plan.replay) {
    return absl::InvalidArgumentError(
        "--replay does nothing with servers without cluster mode, which lose no line that they "
        "keep in their log: leave it out");
  }
  auto lines = std::make_unique<RedisLines>(plan);
  if (absl::Status status = lines->Open(plan); !status.ok()) return status;
  return lines;
}

}  // namespace winnow::dedup
