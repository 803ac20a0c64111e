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

enum class Told : unsigned char { kNothing, kNew, kSeen, kRefused };

// A line of a round.
struct Sent {
  size_t line;
  bool again;  // it was sent before
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
  absl::Status SendAll(RedisClient* server, const KeyHash* hashes, const std::vector<Sent>& lines);
  absl::Status ReceiveAll(RedisClient* server, const std::vector<Sent>& lines, size_t* received);
  absl::Status Understand(const RedisClient& server, const redisReply& reply, Told* told) const;
  absl::Status Count();

  const StreamPlan stream_;
  const size_t inflight_;
  const LineCommand command_;
  std::vector<RedisClient> servers_;
  std::vector<Told> told_;
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

absl::Status RedisLines::SendAll(RedisClient* server, const KeyHash* hashes,
                                 const std::vector<Sent>& lines) {
  std::string bytes;
  for (const Sent& sent : lines) {
    const KeyHash hash = hashes[sent.line];
    command_.Append(hash, stream_.Key(command_.KeyOf(hash)), &bytes);
    if (bytes.size() >= kMostToSend) {
      if (absl::Status status = server->Send(bytes); !status.ok()) return status;
      bytes.clear();
    }
  }
  return bytes.empty() ? absl::OkStatus() : server->Send(bytes);
}

absl::Status RedisLines::Understand(const RedisClient& server, const redisReply& reply,
                                    Told* told) const {
  if (reply.type == REDIS_REPLY_ERROR) {
    *told = Told::kRefused;
    return server.ErrorOf(reply);
  }
  absl::StatusOr<LineAnswer> answer = command_.Understand(reply);
  if (!answer.ok()) return answer.status();
  *told = answer->all_set ? Told::kSeen : Told::kNew;
  return answer->key_is_whole ? absl::OkStatus() : VanishedError(stream_, "a key");
}

// The first error ends the stream, but the answers behind it are of lines all the same.
absl::Status RedisLines::ReceiveAll(RedisClient* server, const std::vector<Sent>& lines,
                                    size_t* received) {
  absl::Status first;
  for (*received = 0; *received < lines.size(); ++*received) {
    const Sent& sent = lines[*received];
    Reply reply;
    if (absl::Status status = server->Receive(&reply); !status.ok()) {
      return first.ok() || IsLost(first) ? status : first;
    }
    Told told = Told::kNothing;
    const absl::Status status = Understand(*server, *reply, &told);
    if (first.ok()) first = status;
    if (told == Told::kSeen && sent.again) {
      ++uncertain_;
      told = Told::kNew;
    }
    told_[sent.line] = told;
  }
  return first;
}

absl::Status RedisLines::Add(const KeyHash* hashes, size_t n, bool* is_new) {
  told_.assign(n, Told::kNothing);
  std::vector<std::vector<Sent>> lines(servers_.size());
  for (size_t i = 0; i < n; ++i) {
    const uint64_t server =
        amq::Reduce(amq::HashBits(hashes[i].value, kServerBits), servers_.size());
    lines[server].push_back({i, false});
  }
  // A connection that is lost while it is sent to is found out when it is read from.
  for (size_t s = 0; s < servers_.size(); ++s) {
    SendAll(&servers_[s], hashes, lines[s]).IgnoreError();
  }
  absl::Status first;
  for (size_t s = 0; s < servers_.size(); ++s) {
    size_t received = 0;
    absl::Status status = ReceiveAll(&servers_[s], lines[s], &received);
    while (IsLost(status)) {
      // What was refused, as while the server loads its data, set no bits.
      std::vector<Sent> left;
      for (size_t i = 0; i < lines[s].size(); ++i) {
        const Sent& sent = lines[s][i];
        const bool refused = told_[sent.line] == Told::kRefused;
        if (i >= received || refused) left.push_back({sent.line, sent.again || !refused});
      }
      lines[s] = std::move(left);
      received = 0;
      status = Reconnect(&servers_[s]);
      if (status.ok()) SendAll(&servers_[s], hashes, lines[s]).IgnoreError();
      if (status.ok()) status = ReceiveAll(&servers_[s], lines[s], &received);
    }
    if (first.ok()) first = Named(servers_[s], status);
  }
  uint64_t fresh = 0;
  for (size_t i = 0; i < n; ++i) {
    uncertain_ += told_[i] == Told::kNothing;
    is_new[i] = told_[i] == Told::kNew || told_[i] == Told::kNothing;
    fresh += is_new[i];
  }
  since_counted_ += fresh;
  // Near the rate it is that of all lines.
  const bool counts = since_counted_ >= LinesBetweenChecks(stream_.capacity) ||
                      (since_counted_ > 0 && num_added() > stream_.capacity);
  return first.ok() && counts ? Count() : first;
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
