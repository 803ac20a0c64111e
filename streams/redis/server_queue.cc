#include "streams/redis/server_queue.h"

#include <iterator>

namespace winnow::redis {
namespace {

// Bytes per send: large enough for few system calls, and small enough that other servers do not
// wait long.
constexpr size_t kMaxToSend = size_t{64} << 10;
constexpr char kAsking[] = "*1\r\n$6\r\nASKING\r\n";

}  // namespace

absl::Status ServerQueue::Open(std::chrono::milliseconds patience) {
  return client_.Open(patience);
}

absl::Status ServerQueue::Send(Clock::time_point now,
                               absl::FunctionRef<void(size_t, std::string*)> append) {
  if (client_.num_unsent() == 0) {
    if (!is_under_way()) silent_since_ = now;
    bytes_.clear();
    for (; has_waiting() && bytes_.size() < kMaxToSend; ++num_sent_) {
      QueuedCommand& command = commands_[num_sent_];
      if (command.asking) bytes_.append(kAsking);
      append(command.number, &bytes_);
      command.end = num_bytes_ + bytes_.size();
    }
    num_bytes_ += bytes_.size();
    if (bytes_.empty()) return absl::OkStatus();
    if (absl::Status status = client_.Append(bytes_); !status.ok()) return status;
  }
  return client_.Write();
}

absl::Status ServerQueue::Receive(Clock::time_point now) {
  silent_since_ = now;
  return client_.Read();
}

absl::Status ServerQueue::Next(QueuedCommand* command, Reply* reply) {
  for (;;) {
    if (absl::Status status = client_.Next(reply); !status.ok() || *reply == nullptr) return status;
    if (!is_under_way()) {
      return absl::UnavailableError("it answers what nobody asked");
    }
    // The answer behind it shows whether ASKING was refused.
    if (!oldest().asking || asking_is_answered_) break;
    asking_is_answered_ = true;
  }
  asking_is_answered_ = false;
  *command = oldest();
  if (++num_answered_ == commands_.size()) {
    commands_.clear();
    num_answered_ = num_sent_ = 0;
  }
  return absl::OkStatus();
}

void ServerQueue::TakeWaiting(std::vector<QueuedCommand>* commands) {
  const auto first = commands_.begin() + static_cast<ptrdiff_t>(num_sent_);
  commands->insert(commands->end(), first, commands_.end());
  commands_.erase(first, commands_.end());
}

size_t ServerQueue::GiveUp(std::vector<QueuedCommand>* commands) {
  client_.Close();
  const uint64_t num_sent_bytes = num_bytes_ - client_.num_unsent();
  size_t num_lost = 0;
  for (size_t i = num_answered_; i < commands_.size(); ++i) {
    // A partially sent command was not executed.
    if (i < num_sent_ && commands_[i].end <= num_sent_bytes) {
      commands_[i].may_be_second = true;
      ++num_lost;
    }
    commands->push_back(commands_[i]);
  }
  commands_.clear();
  num_answered_ = num_sent_ = 0;
  asking_is_answered_ = false;
  return num_lost;
}

}  // namespace winnow::redis
