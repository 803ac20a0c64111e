#include "streams/dedup/key_holders.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace winnow::dedup {
namespace {

using redis::Reply;

// Keys allocated per command; the server blocks while it allocates them.
constexpr size_t kKeysAtOnce = 64;

// Pipeline that sends one command for each of several keys.
class KeyCommands : public redis::Pipeline {
 public:
  KeyCommands(const StreamPlan& plan, const redis::RedisCluster& cluster, const uint64_t* numbers,
              const KeysCommand& command, KeyHolder::TakeAnswer take)
      : plan_(plan), cluster_(cluster), numbers_(numbers), command_(command), take_(take) {}

  unsigned SlotOf(size_t i) const override { return plan_.SlotOfKey(numbers_[i]); }
  void Append(size_t i, std::string* bytes) const override {
    absl::StrAppend(bytes, "*", 2 + command_.arguments.size(), "\r\n");
    redis::AppendWord(command_.word, bytes);
    redis::AppendWord(plan_.Key(numbers_[i]), bytes);
    for (const std::string_view word : command_.arguments) redis::AppendWord(word, bytes);
  }
  absl::Status Take(size_t i, const redisReply& reply, bool) override {
    return reply.type == REDIS_REPLY_ERROR ? cluster_.ErrorOf(reply) : take_(numbers_[i], reply);
  }

 private:
  const StreamPlan& plan_;
  const redis::RedisCluster& cluster_;
  const uint64_t* const numbers_;
  const KeysCommand& command_;
  const KeyHolder::TakeAnswer take_;
};

void AppendGetBit(const StreamPlan& plan, const BitOfKey& bit, std::string* bytes) {
  bytes->append("*3\r\n$6\r\nGETBIT\r\n");
  redis::AppendWord(plan.Key(bit.key), bytes);
  redis::AppendWord(bit.position, bytes);
}

class BitsOfKeys : public redis::Pipeline {
 public:
  BitsOfKeys(const StreamPlan& plan, const redis::RedisCluster& cluster,
             const std::vector<BitOfKey>& bits, KeyHolder::TakeBit take)
      : plan_(plan), cluster_(cluster), bits_(bits), take_(take) {}

  unsigned SlotOf(size_t i) const override { return plan_.SlotOfKey(bits_[i].key); }
  void Append(size_t i, std::string* bytes) const override { AppendGetBit(plan_, bits_[i], bytes); }
  absl::Status Take(size_t i, const redisReply& reply, bool) override {
    if (reply.type == REDIS_REPLY_ERROR) return cluster_.ErrorOf(reply);
    take_(i, reply.integer == 1);
    return absl::OkStatus();
  }

 private:
  const StreamPlan& plan_;
  const redis::RedisCluster& cluster_;
  const std::vector<BitOfKey>& bits_;
  const KeyHolder::TakeBit take_;
};

}  // namespace

// InvalidArgument means that the plan cannot be kept, which is not the server's fault: its address
// is left out.
absl::Status KeysOfServer::About(const absl::Status& status) const {
  return absl::IsInvalidArgument(status) ? status : redis::AboutServer(server_->address(), status);
}

absl::Status KeysOfServer::Ask(std::string_view, const std::vector<std::string_view>& command,
                               Reply* reply) {
  return server_->Ask(command, reply);
}

absl::Status KeysOfServer::AskKeys(const std::vector<uint64_t>& numbers, const KeysCommand& command,
                                   TakeAnswer take) {
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

// Takes all answers even after an error, so that later answers belong to later commands.
absl::Status KeysOfServer::AskBits(const std::vector<BitOfKey>& bits, TakeBit take) {
  std::string bytes;
  for (const BitOfKey& bit : bits) AppendGetBit(plan_, bit, &bytes);
  absl::Status first = bits.empty() ? absl::OkStatus() : server_->Send(bytes);
  if (!first.ok()) return first;
  for (size_t i = 0; i < bits.size(); ++i) {
    Reply reply;
    if (absl::Status status = server_->Receive(&reply); !status.ok()) return status;
    if (reply->type != REDIS_REPLY_ERROR) {
      take(i, reply->integer == 1);
    } else if (first.ok()) {
      first = server_->ErrorOf(*reply);
    }
  }
  return first;
}

absl::Status KeysOfCluster::Ask(std::string_view key, const std::vector<std::string_view>& command,
                                Reply* reply) {
  return cluster_->Ask(key, command, reply);
}

absl::Status KeysOfCluster::AskKeys(const std::vector<uint64_t>& numbers,
                                    const KeysCommand& command, TakeAnswer take) {
  absl::Status status;
  for (size_t i = 0; i < numbers.size() && status.ok(); i += kKeysAtOnce) {
    KeyCommands commands(plan_, *cluster_, &numbers[i], command, take);
    status = cluster_->AskAll(std::min(kKeysAtOnce, numbers.size() - i), &commands);
  }
  return status;
}

absl::Status KeysOfCluster::AskBits(const std::vector<BitOfKey>& bits, TakeBit take) {
  BitsOfKeys commands(plan_, *cluster_, bits, take);
  return cluster_->AskAll(bits.size(), &commands);
}

bool KeysOfCluster::MayHaveLostWrites() { return cluster_->TakeDoubtful().any(); }

}  // namespace winnow::dedup
