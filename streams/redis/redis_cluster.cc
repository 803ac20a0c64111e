#include "streams/redis/redis_cluster.h"

#include <absl/functional/function_ref.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <poll.h>

#include <algorithm>
#include <utility>

namespace winnow::redis {
namespace {

using std::chrono::milliseconds;

constexpr uint16_t kNobody = ClusterMap::kNobody;
// Silence after which a server may have been replaced by a successor.
constexpr milliseconds kSilence(1000);
constexpr milliseconds kBetweenSuspicions(500);
constexpr milliseconds kBetweenMaps(100);
constexpr milliseconds kFailover = std::chrono::seconds(10);
constexpr char kMaxWaitForReplica[] = "5000";  // milliseconds
// Maximum number of redirects of a command. A migration needs fewer: more mean that servers
// disagree.
constexpr uint8_t kMaxHops = 16;

class OneCommand : public Pipeline {
 public:
  OneCommand(const RedisCluster* cluster, unsigned slot,
             const std::vector<std::string_view>& command)
      : cluster_(cluster), slot_(slot), bytes_(absl::StrCat("*", command.size(), "\r\n")) {
    for (const std::string_view word : command) AppendWord(word, &bytes_);
  }
  unsigned SlotOf(size_t) const override { return slot_; }
  void Append(size_t, std::string* bytes) const override { bytes->append(bytes_); }
  absl::Status Take(size_t, const redisReply& reply, bool) override {
    return reply.type == REDIS_REPLY_ERROR ? cluster_->ErrorOf(reply) : absl::OkStatus();
  }

 private:
  const RedisCluster* const cluster_;
  const unsigned slot_;
  std::string bytes_;
};

// Turns a lost connection into a final error, which is not retried.
absl::Status Final(const absl::Status& status) {
  return IsLost(status) ? absl::FailedPreconditionError(status.message()) : status;
}

// Retries the attempt until it is not lost, or the deadline has passed.
absl::Status Retry(const Waits& waits, absl::FunctionRef<absl::Status()> attempt) {
  Patience patience(waits);
  for (;;) {
    const absl::Status status = attempt();
    if (!IsLost(status)) return status;
    if (absl::Status over = patience.Wait(status); !over.ok()) return over;
  }
}

}  // namespace

absl::StatusOr<bool> RedisCluster::IsCluster(RedisClient* server) {
  Reply reply;
  // HELLO is allowed to every user.
  absl::Status status = server->Ask({"HELLO"}, &reply);
  if (status.ok()) {
    for (size_t i = 0; i + 1 < reply->elements; i += 2) {
      const redisReply& name = *reply->element[i];
      const redisReply& value = *reply->element[i + 1];
      if (name.str == nullptr || value.str == nullptr) continue;
      if (absl::string_view(name.str) == "mode") return absl::string_view(value.str) == "cluster";
    }
  }
  // Servers before Redis 6.0 have no HELLO.
  if (!IsLost(status)) status = server->Ask({"CLUSTER", "SLOTS"}, &reply);
  if (IsLost(status)) return status;
  return status.ok();
}

absl::Status RedisCluster::Connect() {
  return Retry(waits_, [this] {
    const absl::Status status = map_.Connect();
    return IsLoading(status) ? status : Final(status);
  });
}

absl::Status RedisCluster::AwaitWhole() {
  Waits waits = waits_;
  waits.longest = std::min(kFailover, waits.longest);
  return Retry(waits, [this] {
    const absl::Status status = map_.Refresh();
    return status.ok() ? map_.whole() : status;
  });
}

absl::Status RedisCluster::Refresh(milliseconds at_most) {
  // Detects connections that were closed meanwhile.
  Listen(milliseconds(0));
  if (Clock::now() - map_.asked_at() <= at_most) return absl::OkStatus();
  return Retry(waits_, [this] { return map_.Refresh(); });
}

std::vector<RedisCluster::Master> RedisCluster::masters() const {
  std::vector<Master> masters;
  std::vector<bool> is_known(map_.num_servers());
  for (unsigned slot = 0; slot < kNumSlots; ++slot) {
    const uint16_t server = map_.MasterOf(slot);
    if (server == kNobody || is_known[server]) continue;
    is_known[server] = true;
    masters.push_back({map_.address(server), slot, map_.NumSlotsOf(server)});
  }
  return masters;
}

absl::Status RedisCluster::ErrorOf(const redisReply& reply) const {
  const absl::string_view words(reply.str, reply.len);
  return AboutServer(map_.address(answering_),
                     absl::StartsWith(words, "CROSSSLOT")
                         ? absl::FailedPreconditionError(absl::StrCat(
                               "its keys are not all in one slot: give them one tag in braces (",
                               Shown(words), ")"))
                         : servers_[answering_].queue->client().ErrorOf(reply));
}

absl::Status RedisCluster::Ask(std::string_view key, const std::vector<std::string_view>& command,
                               Reply* reply) {
  OneCommand pipeline(this, SlotOf(key), command);
  kept_reply_ = reply;
  absl::Status status = AskAll(1, &pipeline);
  kept_reply_ = nullptr;
  return status;
}

absl::StatusOr<RedisCluster::Copied> RedisCluster::AwaitReplica(std::string_view key) {
  const uint16_t master = map_.MasterOf(SlotOf(key));
  Reply reply;
  // The map lacks replicas that were just started.
  const bool has_replica =
      (master != kNobody && map_.NumReplicasOf(master) > 0) ||
      (Ask(key, {"INFO", "replication"}, &reply).ok() && reply->str != nullptr &&
       !absl::StrContains(reply->str, "connected_slaves:0"));
  if (!has_replica) return Copied::kNoReplica;
  const absl::Status status = Ask(key, {"WAIT", "1", kMaxWaitForReplica}, &reply);
  if (!status.ok()) return status;
  return reply->integer > 0 ? Copied::kYes : Copied::kNo;
}

absl::Status RedisCluster::AskAll(size_t num_commands, Pipeline* pipeline) {
  pipeline_ = pipeline;
  num_left_ = num_commands;
  map_is_old_ = false;
  error_ = trouble_ = absl::OkStatus();
  // Detects closed connections first: commands sent on them would be in doubt.
  Listen(milliseconds(0));
  patience_.Done();
  routed_version_ = map_.version();
  for (size_t i = 0; i < num_commands; ++i) {
    QueuedCommand command;
    command.number = i;
    Route(command);
  }
  while (!IsDone()) Step();
  pipeline_ = nullptr;
  return Final(error_);
}

bool RedisCluster::IsDone() const {
  if (error_.ok()) return num_left_ == 0;
  return std::none_of(servers_.begin(), servers_.end(), [](const Server& server) {
    return server.queue != nullptr && server.queue->is_under_way();
  });
}

void RedisCluster::Step() {
  const absl::Status over =
      patience_.GoOn(trouble_.ok() ? absl::UnavailableError("no reply yet") : trouble_);
  if (!over.ok()) return GiveUp(over);
  // Redirected commands go to their target regardless of the map.
  SendAll();
  if (LookAtMap()) SendAll();
  Listen(
      std::chrono::ceil<milliseconds>(std::max(NextDeadline() - Clock::now(), Clock::duration(0))));
  for (uint16_t server = 0; server < servers_.size(); ++server) Suspect(server);
}

RedisCluster::Clock::time_point RedisCluster::NextDeadline() const {
  Clock::time_point next = now_ + patience_.UntilDue();
  if (!later_.empty()) next = std::min(next, retry_at_);
  if (map_is_old_) next = std::min(next, look_at_);
  for (const Server& server : servers_) {
    if (server.queue == nullptr || !server.queue->is_under_way()) continue;
    next = std::min(next, std::max(server.queue->silent_since() + kSilence,
                                   server.suspected_at + kBetweenSuspicions));
  }
  return next;
}

ServerQueue& RedisCluster::QueueOf(uint16_t server) {
  if (servers_.size() <= server) servers_.resize(server + size_t{1});
  std::unique_ptr<ServerQueue>& queue = servers_[server].queue;
  if (queue == nullptr) queue = std::make_unique<ServerQueue>(map_.access(server));
  return *queue;
}

void RedisCluster::Route(const QueuedCommand& command) {
  const unsigned slot = pipeline_->SlotOf(command.number);
  const uint16_t server = map_.MasterOf(slot);
  if (server == kNobody) {
    if (trouble_.ok())
      trouble_ = absl::UnavailableError(absl::StrCat("no server has the slot ", slot));
    map_is_old_ = true;
    if (patience_.pause() == milliseconds(0)) patience_.Lengthen();
    return Later(command);
  }
  QueueOf(server).Push(command);
}

// Reroutes commands that wait for a server that no longer has their slot.
void RedisCluster::RouteAnew() {
  for (uint16_t server = 0; server < servers_.size(); ++server) {
    if (servers_[server].queue == nullptr) continue;
    taken_.clear();
    servers_[server].queue->TakeWaiting(&taken_);
    for (const QueuedCommand& command : taken_) {
      if (command.asking) {
        servers_[server].queue->Push(command);
      } else {
        Route(command);
      }
    }
  }
}

// Refreshes the map if due. Returns whether commands may be routed differently now.
bool RedisCluster::LookAtMap() {
  if (!error_.ok()) return false;
  bool is_new = false;
  if (map_is_old_ && now_ >= look_at_) {
    const absl::Status status = map_.Refresh(refresh_first_, refresh_last_);
    now_ = Clock::now();
    look_at_ = now_ + kBetweenMaps;
    refresh_first_ = refresh_last_ = kNobody;
    map_is_old_ = !status.ok();
    if (!status.ok() && !IsLost(status)) Fail(status);
    if (!status.ok()) Trouble(kNobody, status);
  }
  if (map_.version() != routed_version_) {
    routed_version_ = map_.version();
    RouteAnew();
    is_new = true;
  }
  if (later_.empty() || now_ < retry_at_) return is_new;
  patience_.Lengthen();
  taken_.clear();
  taken_.swap(later_);
  for (const QueuedCommand& command : taken_) Route(command);
  return true;
}

void RedisCluster::SendAll() {
  for (uint16_t server = 0; server < servers_.size(); ++server) Send(server);
}

void RedisCluster::Send(uint16_t server) {
  if (servers_[server].queue == nullptr) return;
  ServerQueue& queue = *servers_[server].queue;
  absl::Status status;
  if (!queue.is_open()) {
    if (!queue.has_waiting()) return;
    status = queue.Open(ClusterMap::kPatience);
    now_ = Clock::now();
    if (!status.ok() && !IsLost(status)) return Fail(AboutServer(map_.address(server), status));
  }
  if (status.ok() && (queue.has_bytes() || queue.has_waiting())) {
    status = queue.Send(
        now_, [this](size_t number, std::string* bytes) { pipeline_->Append(number, bytes); });
  }
  if (!status.ok()) Lose(server, status);
}

// Reads answers until nothing arrives and nothing more can be sent.
void RedisCluster::Listen(milliseconds at_most) {
  polled_.clear();
  for (const Server& server : servers_) {
    const bool is_open = server.queue != nullptr && server.queue->is_open();
    const bool sends = is_open && (server.queue->has_bytes() || server.queue->has_waiting());
    const int socket = is_open ? server.queue->socket() : -1;  // poll() ignores -1
    polled_.push_back({socket, static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const int num_ready = poll(polled_.data(), polled_.size(), static_cast<int>(at_most.count()));
  now_ = Clock::now();
  for (uint16_t server = 0; num_ready > 0 && server < polled_.size(); ++server) {
    if ((polled_[server].revents & ~POLLOUT) != 0) Receive(server);
  }
}

void RedisCluster::Receive(uint16_t server) {
  ServerQueue& queue = *servers_[server].queue;
  absl::Status status = queue.Receive(now_);
  while (status.ok()) {
    QueuedCommand command;
    Reply reply;
    status = queue.Next(&command, &reply);
    if (!status.ok() || reply == nullptr) break;
    Handle(server, command, std::move(reply));
  }
  if (!status.ok()) Lose(server, status);
}

void RedisCluster::Handle(uint16_t server, const QueuedCommand& command, Reply reply) {
  const Redirect redirect = ParseRedirect(*reply, map_.access(server).host);
  if (redirect.refusal != Refusal::kNone) {
    if (error_.ok()) return Follow(server, command, redirect, *reply);
    taken_ = {command};
    return DropTaken();
  }
  --num_left_;
  patience_.Answered();
  answering_ = server;
  const absl::Status status = pipeline_->Take(command.number, *reply, command.may_be_second);
  if (kept_reply_ != nullptr) *kept_reply_ = std::move(reply);
  if (!status.ok()) Fail(status);
}

void RedisCluster::Follow(uint16_t server, QueuedCommand command, const Redirect& redirect,
                          const redisReply& reply) {
  const bool elsewhere = redirect.refusal == Refusal::kMoved || redirect.refusal == Refusal::kAsk;
  const bool moved = redirect.refusal == Refusal::kMoved;
  redirects_.moved += moved;
  redirects_.ask += redirect.refusal == Refusal::kAsk;
  redirects_.try_again += redirect.refusal == Refusal::kTryAgain;
  redirects_.cluster_down += !elsewhere && redirect.refusal != Refusal::kTryAgain;
  map_is_old_ |= redirect.refusal != Refusal::kAsk && redirect.refusal != Refusal::kTryAgain;
  // A redirect without a host means the known server with this port.
  const uint16_t target = !elsewhere                     ? kNobody
                          : redirect.target.host.empty() ? map_.WhoListensAt(redirect.target.port)
                                                         : map_.NumberOf(redirect.target);
  if (target != kNobody && ++command.hops <= kMaxHops) {
    if (moved) {
      map_.Learn(redirect.slot, target);
      refresh_first_ = target;
    } else {
      uint16_t& importer = importers_.emplace(redirect.slot, target).first->second;
      if (std::exchange(importer, target) != target) doubtful_.set(redirect.slot);
    }
    command.asking = !moved;
    return QueueOf(target).Push(command);
  }
  // The server may be partitioned off from servers with newer information.
  const bool is_down =
      redirect.refusal == Refusal::kClusterDown || redirect.refusal == Refusal::kNotYet;
  if (is_down) refresh_last_ = server;
  command.hops = 0;
  if (patience_.pause() == milliseconds(0)) patience_.Lengthen();
  Trouble(server, absl::UnavailableError(
                      absl::StrCat(redirect.reason, " (", Shown({reply.str, reply.len}), ")")));
  if (IsLoading(trouble_)) patience_.Promised();
  Later(command);
}

void RedisCluster::Later(QueuedCommand command) {
  if (later_.empty()) retry_at_ = now_ + patience_.pause();
  command.asking = false;
  later_.push_back(command);
}

void RedisCluster::Trouble(uint16_t server, const absl::Status& status) {
  trouble_ = server == kNobody ? status : AboutServer(map_.address(server), status);
}

void RedisCluster::Lose(uint16_t server, const absl::Status& why) {
  Trouble(server, why);
  map_.Doubt(server);
  for (const auto& [slot, importer] : importers_) {
    if (importer == server) doubtful_.set(slot);
  }
  map_is_old_ = true;
  refresh_last_ = server;
  look_at_ = std::min(look_at_, now_ + patience_.pause());
  taken_.clear();
  redirects_.lost += servers_[server].queue->GiveUp(&taken_);
  if (!error_.ok()) return DropTaken();
  for (const QueuedCommand& command : taken_) Later(command);
}

void RedisCluster::Suspect(uint16_t server) {
  if (servers_[server].queue == nullptr || !servers_[server].queue->is_under_way()) return;
  const ServerQueue& queue = *servers_[server].queue;
  if (now_ < std::max(queue.silent_since() + kSilence,
                      servers_[server].suspected_at + kBetweenSuspicions)) {
    return;
  }
  servers_[server].suspected_at = now_;
  const absl::Status silent = absl::UnavailableError("no reply");
  Trouble(server, silent);
  const QueuedCommand& oldest = queue.oldest();
  if (map_.Refresh(kNobody, server).ok() && !oldest.asking &&
      map_.MasterOf(pipeline_->SlotOf(oldest.number)) != server) {
    Lose(server, silent);
  }
}

// Fails all commands except those in flight.
void RedisCluster::Fail(const absl::Status& status) {
  if (error_.ok()) error_ = status;
  taken_.clear();
  taken_.swap(later_);
  for (const Server& server : servers_) {
    if (server.queue != nullptr) server.queue->TakeWaiting(&taken_);
  }
  DropTaken();
}

// Drops commands without an answer; none will arrive.
void RedisCluster::DropTaken() {
  for (const QueuedCommand& command : taken_) {
    if (command.may_be_second) pipeline_->TakeLost(command.number);
  }
  taken_.clear();
}

void RedisCluster::GiveUp(const absl::Status& why) {
  const absl::Status& whole = map_.whole();
  Fail(whole.ok()
           ? why
           : absl::FailedPreconditionError(absl::StrCat(why.message(), "; ", whole.message())));
  for (const Server& server : servers_) {
    if (server.queue != nullptr && server.queue->is_under_way()) server.queue->GiveUp(&taken_);
  }
  DropTaken();
}

}  // namespace winnow::redis
