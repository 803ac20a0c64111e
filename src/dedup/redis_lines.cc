#include "src/dedup/redis_lines.h"

#include <absl/strings/str_cat.h>
#include <string.h>
#include <time.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "src/amq/double_hashing.h"
#include "src/amq/mix.h"
#include "src/dedup/redis_client.h"

namespace winnow::dedup {
namespace {

constexpr std::chrono::seconds kLongestOutage(60);
constexpr timespec kBetweenConnects = {0, 100'000'000};
constexpr size_t kMostToSend = size_t{64} << 10;
constexpr char kPasswordFrom[] = "--password_file, or WINNOW_REDIS_PASSWORD in the environment";
constexpr uint64_t kSampledBytes = uint64_t{1} << 20;

// Of HashBits; the positions take 0 and 1.
constexpr uint64_t kServerBits = 2;
constexpr uint64_t kKeyBits = 3;

enum class Told : unsigned char { kNothing, kNew, kSeen, kRefused };

// A line of a round.
struct Sent {
  size_t line;
  bool again;  // it was sent before
};

char* Put(std::string_view text, char* to) {
  memcpy(to, text.data(), text.size());
  return to + text.size();
}

// A plan that can't be kept is no fault of the server's.
absl::Status Named(const RedisClient& server, const absl::Status& status) {
  return status.ok() || absl::IsInvalidArgument(status)
             ? status
             : absl::Status(status.code(),
                            absl::StrCat("the server ", server.address(), ": ", status.message()));
}

class RedisLines : public SeenLines {
 public:
  explicit RedisLines(const RedisPlan& plan) : plan_(plan), shape_(ShapeForRedis(plan)) {
    for (const std::string& address : plan.servers) {
      servers_.emplace_back(RedisAccess{address, plan.password, kPasswordFrom});
    }
    begin_command_ = absl::StrCat("*", 2 + 4 * shape_.probes + 3, "\r\n$8\r\nBITFIELD\r\n");
    end_command_ = "$3\r\nGET\r\n$2\r\nu1\r\n";
    AppendWord(Sentinel(), &end_command_);
  }

  absl::Status Open() {
    for (RedisClient& server : servers_) {
      absl::Status status = server.Connect();
      if (status.ok()) status = Join(&server);
      if (!status.ok()) return Named(server, status);
    }
    return Count();
  }

  size_t most_at_once() const override { return plan_.inflight; }
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override;
  uint64_t num_added() const override { return counted_ + since_counted_; }
  uint64_t num_uncertain() const override { return uncertain_; }
  size_t size_bytes() const override {
    return servers_.size() * shape_.keys_per_server * shape_.bits_per_key / 8;
  }
  // As of the last count.
  double RateNow() const override { return std::pow(fill_, shape_.probes); }
  absl::Status Finish() override { return Count(); }

 private:
  // Redis numbers bits by itself; the one behind a line's bits says that the key is whole.
  std::string KeyName(uint64_t number) const { return absl::StrCat(plan_.name, ":", number); }
  std::string Sentinel() const { return std::to_string(shape_.bits_per_key); }
  std::string PlanText(std::string_view phase) const;

  absl::Status Join(RedisClient* server);
  absl::Status Rejoin(RedisClient* server);
  absl::Status CheckKeys(RedisClient* server);
  absl::Status Reconnect(RedisClient* server);
  absl::Status Vanished(const std::string& what) const {
    return absl::FailedPreconditionError(absl::StrCat(
        what, " of the stream ", plan_.name,
        " vanished, by eviction or by hand: what was seen is no longer known. Begin a stream of "
        "another --name, on a server that evicts nothing"));
  }

  void AppendCommand(KeyHash hash, std::string* bytes) const;
  absl::Status SendAll(RedisClient* server, const KeyHash* hashes, const std::vector<Sent>& lines);
  absl::Status ReceiveAll(RedisClient* server, const std::vector<Sent>& lines, size_t* received);
  absl::Status Understand(const RedisClient& server, const redisReply& reply, Told* told) const;
  absl::Status Count();

  const RedisPlan plan_;
  const RedisShape shape_;
  std::string begin_command_;  // of a line
  std::string end_command_;
  std::vector<RedisClient> servers_;
  std::vector<Told> told_;
  double fill_ = 0;
  uint64_t counted_ = 0;  // lines of all clients, by the share of bits that are set
  uint64_t since_counted_ = 0;
  uint64_t uncertain_ = 0;
};

std::string RedisLines::PlanText(std::string_view phase) const {
  std::string text = absl::StrCat(
      "winnow dedup 1 capacity=", plan_.capacity, " rate=", plan_.rate, " k=", shape_.probes,
      " hash=XXH3-64 keys=", shape_.keys_per_server, " bits=", shape_.bits_per_key, " servers=");
  for (const std::string& address : plan_.servers) {
    absl::StrAppend(&text, &address == &plan_.servers.front() ? "" : ",", address);
  }
  return absl::StrCat(text, " ", std::string(phase));
}

// The plan is there before the keys, and says when they all are.
absl::Status RedisLines::Join(RedisClient* server) {
  const std::string plan_key = plan_.name + ":plan";
  Reply reply;
  absl::Status status = server->Ask({"GET", plan_key}, &reply);
  if (status.ok() && reply->type == REDIS_REPLY_NIL) {
    status = CheckNewPlan(plan_.capacity, plan_.rate);
    if (!status.ok()) return status;
    status = server->Ask({"EXISTS", KeyName(0)}, &reply);
    const bool has_keys = status.ok() && reply->integer != 0;
    if (status.ok()) status = server->Ask({"SET", plan_key, PlanText("begun"), "NX"}, &reply);
    if (status.ok() && reply->type != REDIS_REPLY_NIL && has_keys) {
      status = server->Ask({"DEL", plan_key}, &reply);
      return status.ok() ? Vanished("the plan") : status;
    }
    if (status.ok()) status = server->Ask({"GET", plan_key}, &reply);
  }
  if (!status.ok()) return status;
  const std::string found(reply->str == nullptr ? "" : reply->str, reply->len);
  if (found == PlanText("whole")) return CheckKeys(server);
  if (found != PlanText("begun")) {
    return absl::FailedPreconditionError(
        absl::StrCat("the stream ", plan_.name, " has another plan, '", found, "'; this one's is '",
                     PlanText("whole"), "': give the same values, or another --name"));
  }
  for (uint64_t i = 0; i < shape_.keys_per_server; ++i) {
    status = server->Ask({"SETBIT", KeyName(i), Sentinel(), "1"}, &reply);
    if (!status.ok()) return status;
  }
  return server->Ask({"SET", plan_key, PlanText("whole")}, &reply);
}

absl::Status RedisLines::CheckKeys(RedisClient* server) {
  for (uint64_t i = 0; i < shape_.keys_per_server; ++i) {
    Reply reply;
    absl::Status status = server->Ask({"GETBIT", KeyName(i), Sentinel()}, &reply);
    if (!status.ok()) return status;
    if (reply->integer != 1) return Vanished("the key " + KeyName(i));
  }
  return absl::OkStatus();
}

absl::Status RedisLines::Rejoin(RedisClient* server) {
  Reply reply;
  absl::Status status = server->Ask({"GET", plan_.name + ":plan"}, &reply);
  if (!status.ok()) return status;
  const std::string found(reply->str == nullptr ? "" : reply->str, reply->len);
  return found == PlanText("whole") ? CheckKeys(server) : Vanished("the plan");
}

absl::Status RedisLines::Reconnect(RedisClient* server) {
  const auto end = std::chrono::steady_clock::now() + kLongestOutage;
  for (;;) {
    absl::Status status = server->Connect();
    if (status.ok()) status = Rejoin(server);
    if (status.ok() || !IsLost(status)) return status;
    if (std::chrono::steady_clock::now() > end) {
      return absl::FailedPreconditionError(absl::StrCat(
          "it was not back after ", kLongestOutage.count(), " seconds: ", status.message()));
    }
    nanosleep(&kBetweenConnects, nullptr);
  }
}

void RedisLines::AppendCommand(KeyHash hash, std::string* bytes) const {
  const uint64_t key = amq::Reduce(amq::HashBits(hash.value, kKeyBits), shape_.keys_per_server);
  bytes->append(begin_command_);
  AppendWord(KeyName(key), bytes);
  amq::DoubleHashing positions(hash.value);
  for (unsigned i = 0; i < shape_.probes; ++i) {
    char digits[20];
    const char* const end =
        std::to_chars(digits, std::end(digits), positions.Next(shape_.bits_per_key)).ptr;
    const auto size = static_cast<size_t>(end - digits);
    char field[64];
    char* to = Put("$3\r\nSET\r\n$2\r\nu1\r\n$", field);
    to = std::to_chars(to, std::end(field), size).ptr;
    to = Put("\r\n", to);
    to = Put({digits, size}, to);
    to = Put("\r\n$1\r\n1\r\n", to);
    bytes->append(field, static_cast<size_t>(to - field));
  }
  bytes->append(end_command_);
}

absl::Status RedisLines::SendAll(RedisClient* server, const KeyHash* hashes,
                                 const std::vector<Sent>& lines) {
  std::string bytes;
  for (const Sent& sent : lines) {
    AppendCommand(hashes[sent.line], &bytes);
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
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != shape_.probes + 1) {
    return absl::FailedPreconditionError("it answered BITFIELD with something else");
  }
  bool all_set = true;
  for (unsigned i = 0; i < shape_.probes; ++i) all_set &= reply.element[i]->integer != 0;
  *told = all_set ? Told::kSeen : Told::kNew;
  return reply.element[shape_.probes]->integer == 1 ? absl::OkStatus() : Vanished("a key");
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
  const bool counts = since_counted_ >= LinesBetweenChecks(plan_.capacity) ||
                      (since_counted_ > 0 && num_added() > plan_.capacity);
  return first.ok() && counts ? Count() : first;
}

// How many lines there are, by all clients: -m / k ln(1 - fill), where the fill is that of a part.
absl::Status RedisLines::Count() {
  double fills = 0;
  for (RedisClient& server : servers_) {
    const uint64_t bytes = std::min(shape_.bits_per_key / 8, kSampledBytes);
    Reply reply;
    absl::Status status =
        server.Ask({"BITCOUNT", KeyName(0), "0", std::to_string(bytes - 1)}, &reply);
    if (IsLost(status)) {
      status = Reconnect(&server);
      if (status.ok()) {
        status = server.Ask({"BITCOUNT", KeyName(0), "0", std::to_string(bytes - 1)}, &reply);
      }
    }
    if (!status.ok()) return Named(server, status);
    fills += static_cast<double>(reply->integer) / static_cast<double>(8 * bytes);
  }
  fill_ = fills / static_cast<double>(servers_.size());
  const double bits = 8 * static_cast<double>(size_bytes());
  counted_ = static_cast<uint64_t>(-bits / shape_.probes * std::log1p(-std::min(fill_, 0.999)));
  since_counted_ = 0;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan& plan) {
  auto lines = std::make_unique<RedisLines>(plan);
  if (absl::Status status = lines->Open(); !status.ok()) return status;
  return lines;
}

}  // namespace winnow::dedup
