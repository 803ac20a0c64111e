#include "streams/dedup/line_command.h"

#include <absl/strings/str_cat.h>
#include <string.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "streams/amq/double_hashing.h"
#include "streams/amq/mix.h"
#include "streams/dedup/stream_plan.h"

namespace winnow::dedup {
namespace {

constexpr uint64_t kKeyBits = 3;  // index in HashBits(); positions use 0 and 1, servers 2

char* Put(std::string_view text, char* to) {
  memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

LineCommand::LineCommand(const RedisShape& shape)
    : shape_(shape),
      begin_(absl::StrCat("*", 2 + 4 * shape.probes + 3, "\r\n$8\r\nBITFIELD\r\n")),
      end_("$3\r\nGET\r\n$2\r\nu1\r\n") {
  redis::AppendWord(Sentinel(shape), &end_);
}

uint64_t LineCommand::KeyOf(KeyHash hash) const {
  return amq::Reduce(amq::HashBits(hash.value, kKeyBits), shape_.num_keys);
}

void LineCommand::Append(KeyHash hash, std::string_view key, std::string* bytes) const {
  bytes->append(begin_);
  redis::AppendWord(key, bytes);
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
  bytes->append(end_);
}

std::vector<std::string> LineCommand::Positions(KeyHash hash, unsigned most) const {
  std::vector<std::string> words;
  amq::DoubleHashing positions(hash.value);
  for (unsigned i = 0; i < std::min(most, shape_.probes); ++i) {
    words.push_back(std::to_string(positions.Next(shape_.bits_per_key)));
  }
  return words;
}

absl::Status LineCommand::Understand(const redisReply& reply, bool may_be_second,
                                     const StreamPlan& plan, ErrorOf error_of, Fate* fate) const {
  if (reply.type == REDIS_REPLY_ERROR) {
    *fate = may_be_second ? Fate::kUncertain : Fate::kLeftOut;
    return error_of(reply);
  }
  *fate = Fate::kUncertain;
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != shape_.probes + 1) {
    return absl::FailedPreconditionError("it answered BITFIELD with something else");
  }
  bool all_set = true;
  for (unsigned i = 0; i < shape_.probes; ++i) all_set &= reply.element[i]->integer != 0;
  const bool key_is_whole = reply.element[shape_.probes]->integer == 1;
  // If the key vanished, the lines that it had seen are unknown.
  if (all_set && !may_be_second) *fate = Fate::kSeen;
  if (!all_set && key_is_whole) *fate = Fate::kNew;
  return key_is_whole ? absl::OkStatus() : VanishedError(plan, "a key");
}

uint64_t TellPrinted(const std::vector<Fate>& fates, bool* is_printed, uint64_t* uncertain) {
  uint64_t printed = 0;
  for (size_t i = 0; i < fates.size(); ++i) {
    is_printed[i] = IsPrinted(fates[i]);
    printed += is_printed[i];
    *uncertain += fates[i] == Fate::kUncertain;
  }
  return printed;
}

}  // namespace winnow::dedup
