#include "src/dedup/redis_lines.h"

#include <absl/strings/str_cat.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "src/amq/mix.h"
#include "src/dedup/cluster_lines.h"
#include "src/dedup/line_command.h"
#include "src/dedup/stream_plan.h"
#include "src/redis/redis_cluster.h"

namespace winnow::dedup {
namespace {

using redis::IsLost;
using redis::RedisAccess;
using redis::RedisClient;
using redis::RedisCluster;
using redis::Reply;

constexpr std::chrono::seconds kLongestOutage(60);
constexpr std::chrono::seconds kFirstAnswer(2);
constexpr timespec kBetweenConnects = {0, 100'000'000};
constexpr size_t kMostToSend = size_t{64} << 10;
constexpr uint64_t kSampledBytes = uint64_t{1} << 20;

constexpr uint64_t kServerBits = 2;  // of HashBits

// What one server has of a round.
struct Share {
  std::vector<size_t> lines;  // that have no answer yet, in turn
  size_t num_sent = 0;        // so many of them the server may have
};

// A plan that can't be kept is no fault of the server's.
absl::Status Named(const RedisClient& server, const absl::Status& status) {
  return status.ok() || absl::IsInvalidArgument(status)
             ? status
             : absl::Status(status.code(),
                            absl::StrCat("the server ", server.address(), ": ", status.message()));
}

class KeysOfServer : public KeyHolder {
 public:
  KeysOfServer(const StreamPlan& plan, RedisClient* server) : plan_(plan), server_(server) {}

  absl::Status Ask(std::string_view, const std::vector<std::string_view>& command,
                   Reply* reply) override {
    return server_->Ask(command, reply);
  }
  absl::Status AskKeys(const std::vector<uint64_t>& numbers, const KeysCommand& command,
                       TakeAnswer take) override {
    absl::Status status;
    for (size_t i = 0; i < numbers.size() && status.ok(); ++i) {
      const std::string key = plan_.Key(numbers[i]);
      std::vector<std::string_view> words = {command.word, key};
      words.insert(words.end(), command.arguments.begin(), command.arguments.end());
      Reply reply;
      status = Ask(key, words, &reply);
      if (status.ok()) status = take(numbers[i], *reply);
    }
    return status;
  }

 private:
  const StreamPlan& plan_;
  RedisClient* const server_;
};

class RedisLines : public SeenLines {
 public:
  explicit RedisLines(const RedisPlan& plan)
      : stream_(StreamPlan::OfServers(plan)), inflight_(plan.inflight), command_(stream_.shape) {
    for (const RedisAccess& access : plan.servers) servers_.emplace_back(access);
  }

  absl::Status Open() {
    for (RedisClient& server : servers_) {
      absl::Status status = server.Connect();
      if (status.ok()) status = RefuseCluster(&server);
      KeysOfServer keys(stream_, &server);
      if (status.ok()) status = JoinStream(stream_, &keys);
      if (!status.ok()) return Named(server, status);
    }
    return Count();
  }

  size_t most_at_once() const override { return inflight_; }
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override;
  bool IsLeftOut(size_t i) const override { return fates_[i] == Fate::kLeftOut; }
  uint64_t num_added() const override { return counted_ + since_counted_; }
  size_t size_bytes() const override {
    return servers_.size() * stream_.shape.num_keys * stream_.shape.bits_per_key / 8;
  }
  // As of the last count.
  double RateNow() const override { return std::pow(fill_, stream_.shape.probes); }
  std::string Remark() const override {
    return absl::StrCat(" with k = ", stream_.shape.probes, "; ", uncertain_, " uncertain");
  }
  absl::Status Finish() override { return Count(); }

 private:
  absl::Status RefuseCluster(RedisClient* server) const;
  absl::Status Reconnect(RedisClient* server);
  void SendAll(RedisClient* server, const KeyHash* hashes, Share* share);
  absl::Status ReceiveAll(RedisClient* server, Share* share);
  absl::Status Count();

  const StreamPlan stream_;
  const size_t inflight_;
  const LineCommand command_;
  std::vector<RedisClient> servers_;
  std::vector<Fate> fates_;  // uncertain: also where a line is sent again, as its answer was lost
  double fill_ = 0;
  uint64_t counted_ = 0;  // lines of all clients, by the share of bits that are set
  uint64_t since_counted_ = 0;
  uint64_t uncertain_ = 0;
};

// The first is none of a cluster, or this would not be asked.
absl::Status RedisLines::RefuseCluster(RedisClient* server) const {
  absl::StatusOr<bool> is_cluster = RedisCluster::IsCluster(server);
  if (!is_cluster.ok()) return is_cluster.status();
  return !*is_cluster ? absl::OkStatus()
                      : absl::FailedPreconditionError(absl::StrCat(
                            "it is one of a cluster, and ", servers_.front().address(),
                            " is not: give servers of the cluster alone, or none of them"));
}

absl::Status RedisLines::Reconnect(RedisClient* server) {
  const auto end = std::chrono::steady_clock::now() + kLongestOutage;
  KeysOfServer keys(stream_, server);
  for (;;) {
    absl::Status status = server->Connect();
    if (status.ok()) status = CheckStream(stream_, &keys);
    if (status.ok() || !IsLost(status)) return status;
    if (std::chrono::steady_clock::now() > end) {
      return absl::FailedPreconditionError(absl::StrCat(
          "it was not back after ", kLongestOutage.count(), " seconds: ", status.message()));
    }
    nanosleep(&kBetweenConnects, nullptr);
  }
}

// A connection that is lost while it is sent to is found out when it is read from.
void RedisLines::SendAll(RedisClient* server, const KeyHash* hashes, Share* share) {
  share->num_sent = 0;
  std::string bytes;
  for (size_t i = 0; i < share->lines.size(); ++i) {
    const KeyHash hash = hashes[share->lines[i]];
    command_.Append(hash, stream_.Key(command_.KeyOf(hash)), &bytes);
    if (bytes.size() < kMostToSend && i + 1 < share->lines.size()) continue;
    if (server->socket() < 0) return;
    share->num_sent = i + 1;
    if (!server->Send(bytes).ok()) return;
    bytes.clear();
  }
}

// The first error ends the stream, but the answers behind it are of lines all the same. Leaves the
// lines that would have to be sent again: what was refused, as while the server loads its data, set
// no bits.
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
    if (reply->type == REDIS_REPLY_ERROR) left.push_back(share->lines[i]);
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
    const uint64_t server =
        amq::Reduce(amq::HashBits(hashes[i].value, kServerBits), servers_.size());
    shares[server].lines.push_back(i);
  }
  for (size_t s = 0; s < servers_.size(); ++s) SendAll(&servers_[s], hashes, &shares[s]);
  absl::Status first;
  for (size_t s = 0; s < servers_.size(); ++s) {
    absl::Status status = ReceiveAll(&servers_[s], &shares[s]);
    while (IsLost(status)) {
      status = Reconnect(&servers_[s]);
      if (!status.ok()) break;
      SendAll(&servers_[s], hashes, &shares[s]);
      status = ReceiveAll(&servers_[s], &shares[s]);
    }
    if (first.ok()) first = Named(servers_[s], status);
  }
  since_counted_ += TellPrinted(fates_, is_new, &uncertain_);
  return first.ok() && stream_.IsCountDue(since_counted_, num_added()) ? Count() : first;
}

// How many lines there are, by all clients: -m / k ln(1 - fill), where the fill is that of a part.
absl::Status RedisLines::Count() {
  double fills = 0;
  for (RedisClient& server : servers_) {
    const uint64_t bytes = std::min(stream_.shape.bits_per_key / 8, kSampledBytes);
    const std::string key = stream_.Key(0);
    const std::string last = std::to_string(bytes - 1);
    Reply reply;
    absl::Status status = server.Ask({"BITCOUNT", key, "0", last}, &reply);
    if (IsLost(status)) {
      status = Reconnect(&server);
      if (status.ok()) status = server.Ask({"BITCOUNT", key, "0", last}, &reply);
    }
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

// By the first that answers soon, or else by the first at all. Where that does not answer, or
// refuses, it is tried once more as a server, which says why.
bool IsOfCluster(const RedisPlan& plan) {
  for (const RedisAccess& access : plan.servers) {
    RedisClient server(access);
    const absl::Status status = server.Open(kFirstAnswer);
    if (!status.ok() && !IsLost(status)) return false;
    const absl::StatusOr<bool> is_cluster =
        status.ok() ? RedisCluster::IsCluster(&server) : absl::StatusOr<bool>(status);
    if (is_cluster.ok()) return *is_cluster;
  }
  RedisClient server(plan.servers.front());
  return server.Connect().ok() && RedisCluster::IsCluster(&server).value_or(false);
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan& plan) {
  if (IsOfCluster(plan)) return OpenCluster(plan);
  if (plan.replay) {
    return absl::InvalidArgumentError(
        "--replay does nothing with servers without cluster mode, which lose no line that they "
        "keep in their log: leave it out");
  }
  auto lines = std::make_unique<RedisLines>(plan);
  if (absl::Status status = lines->Open(); !status.ok()) return status;
  return lines;
}

}  // namespace winnow::dedup
