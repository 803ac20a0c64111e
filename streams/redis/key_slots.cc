#include "streams/redis/key_slots.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace winnow::redis {
namespace {

// CRC16/XMODEM, polynomial 0x1021, which can be computed bytewise without a table.
unsigned Crc16(std::string_view text) {
  unsigned crc = 0;
  for (const char c : text) {
    unsigned x = (crc >> 8) ^ static_cast<unsigned char>(c);
    x ^= x >> 4;
    crc = ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xffff;
  }
  return crc;
}

// Returns the hash tag: the text between the first opening and the next closing brace, or the whole
// key if there is no such text or it is empty.
std::string_view HashedPart(std::string_view key) {
  const size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

std::vector<std::string> LeastTags() {
  std::vector<std::string> tags(kNumSlots);
  size_t left = kNumSlots;
  for (unsigned number = 0; left > 0; ++number) {
    std::string digits = std::to_string(number);
    std::string& tag = tags[SlotOf(digits)];
    if (!tag.empty()) continue;
    tag = std::move(digits);
    --left;
  }
  return tags;
}

}  // namespace

unsigned SlotOf(std::string_view key) { return Crc16(HashedPart(key)) % kNumSlots; }

const std::string& TagOfSlot(unsigned slot) {
  static const std::vector<std::string> tags = LeastTags();
  return tags[slot];
}

}  // namespace winnow::redis
