#include "tests/stress/keys.h"

#include <algorithm>
#include <cstdio>

#include "tests/support/random_hashes.h"
#include "winnow/hash.h"

namespace winnow::stress {
namespace {

constexpr uint64_t kMinKeysInGroup = 20;
constexpr uint64_t kMaxGroups = 9'990;  // four digits; one more group may end a range

constexpr size_t kOnePadding = 8;

size_t RandomPadding(testing::RandomHashes* random) {
  const uint64_t kind = random->Below(100);
  if (kind < 40) return random->Below(4);
  if (kind < 70) return 4 + random->Below(17);
  if (kind < 90) return 21 + random->Below(37);  // up to 64 bytes, which count as short
  if (kind < 98) return 58 + random->Below(140);
  return 1000 + random->Below(100);
}

std::string Tag(std::string_view key) {
  char tag[12];
  std::snprintf(tag, sizeof tag, "%08x:", static_cast<unsigned>(HashKey(key).value));
  return tag;
}

}  // namespace

KeySpace::KeySpace(unsigned owner, uint64_t keys)
    : owner_(owner),
      keys_(keys),
      keys_in_group_(std::max(kMinKeysInGroup, keys / kMaxGroups + 1)) {}

std::string KeySpace::Key(uint64_t number) const {
  char text[32];
  std::snprintf(text, sizeof text, "%c%04u%02u", letter(), static_cast<unsigned>(GroupOf(number)),
                static_cast<unsigned>(number % keys_in_group_));
  std::string key = text;
  testing::RandomHashes random(number * 26 + owner_);
  for (size_t n = owner_ % 2 == 1 ? kOnePadding : RandomPadding(&random); n > 0; --n) {
    key.push_back(static_cast<char>(random.Next()));
  }
  return key;
}

std::string KeySpace::GroupStart(uint64_t group) const {
  char text[32];
  std::snprintf(text, sizeof text, "%c%04u", letter(), static_cast<unsigned>(group));
  return text;
}

std::string MakeValue(std::string_view key, uint64_t serial) {
  std::string value = Tag(key) + std::to_string(serial) + ":";
  testing::RandomHashes random(serial);
  const uint64_t length = random.Below(50) == 0 ? random.Below(600) : random.Below(60);
  for (uint64_t i = 0; i < length; ++i) value.push_back(static_cast<char>('a' + random.Below(26)));
  return value;
}

bool IsValueOf(std::string_view key, std::string_view value) {
  const std::string tag = Tag(key);
  return value.substr(0, tag.size()) == tag;
}

}  // namespace winnow::stress
