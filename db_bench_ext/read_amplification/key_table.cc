#include "db_bench_ext/read_amplification/key_table.h"

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace winnow::bench {
namespace {

using Index = absl::flat_hash_set<absl::string_view>;

absl::string_view AsAbsl(std::string_view key) { return {key.data(), key.size()}; }

void AddNumbered(uint64_t number, size_t key_size, KeyTable* keys) {
  std::string key(key_size, '0');
  for (size_t i = 0; i < kMinGeneratedKey; ++i) {
    key[i] = static_cast<char>(number >> (8 * (kMinGeneratedKey - 1 - i)));
  }
  keys->Add(key);
}

std::string_view RandomKey(const KeyTable& keys, Random* random) {
  return keys[RandomBelow(random, keys.size())];
}

// A byte that keys of this table have.
char RandomByte(const KeyTable& keys, Random* random) {
  for (;;) {
    const std::string_view key = RandomKey(keys, random);
    if (!key.empty()) return key[RandomBelow(random, key.size())];
  }
}

// One small change to a key. May give the key itself.
std::string Changed(const KeyTable& keys, Random* random) {
  std::string key(RandomKey(keys, random));
  switch (RandomBelow(random, 3)) {
    case 0:
      if (!key.empty()) key[RandomBelow(random, key.size())] = RandomByte(keys, random);
      break;
    case 1:
      key += RandomByte(keys, random);
      break;
    default:
      if (key.size() > 1) key.pop_back();
  }
  return key;
}

}  // namespace

uint64_t RandomBelow(Random* random, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>((*random)()) * n) >> 64);
}

KeyTable DropDuplicates(const KeyTable& all) {
  Index seen;
  seen.reserve(all.size());
  KeyTable distinct;
  for (size_t i = 0; i < all.size(); ++i) {
    if (seen.insert(AsAbsl(all[i])).second) distinct.Add(all[i]);
  }
  return distinct;
}

std::vector<uint32_t> ShuffledOrder(size_t n, uint64_t seed) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Random random(seed);
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[RandomBelow(&random, i)]);
  return order;
}

std::vector<uint32_t> RandomPicks(size_t n, size_t below, uint64_t seed) {
  std::vector<uint32_t> picks(n);
  Random random(seed);
  for (uint32_t& pick : picks) pick = static_cast<uint32_t>(RandomBelow(&random, below));
  return picks;
}

KeyTable GenerateKeys(size_t n, size_t key_size) {
  KeyTable keys;
  for (size_t i = 0; i < n; ++i) AddNumbered(2 * i, key_size, &keys);
  return keys;
}

KeyTable GenerateAbsentKeys(size_t count, size_t n, size_t key_size, uint64_t seed) {
  KeyTable keys;
  Random random(seed);
  for (size_t i = 0; i < count; ++i) {
    AddNumbered(2 * RandomBelow(&random, n - 1) + 1, key_size, &keys);
  }
  return keys;
}

absl::StatusOr<KeyTable> NearMisses(const KeyTable& present, size_t count, uint64_t seed) {
  // So many failures in a row mean that nearly every key nearby is taken or out of range.
  constexpr int kMaxAttempts = 10'000;

  Index index;
  index.reserve(present.size());
  std::string_view smallest, largest;
  for (size_t i = 0; i < present.size(); ++i) {
    const std::string_view key = present[i];
    index.insert(AsAbsl(key));
    if (i == 0 || key < smallest) smallest = key;
    if (i == 0 || key > largest) largest = key;
  }

  KeyTable absent;
  Random random(seed);
  for (int attempts = 0; absent.size() < count; ++attempts) {
    if (present.size() < 2 || attempts == kMaxAttempts) {
      return absl::InvalidArgumentError(absl::StrCat(
          "absent keys are made from real ones by small changes, between the smallest and the "
          "largest, but ",
          present.size(), " different keys leave too little room for that: give more keys"));
    }
    const std::string key = Changed(present, &random);
    if (smallest < key && key < largest && !index.contains(key)) {
      absent.Add(key);
      attempts = 0;
    }
  }
  return absent;
}

}  // namespace winnow::bench
