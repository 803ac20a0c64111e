#include "db_bench_ext/read_amplification/keys/near_misses.h"

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

// Number of consecutive failures after which nearly every similar key is assumed to be present or
// out of range.
constexpr uint16_t kMaxAttempts = 10'000;

// Attempts between checks of go_on, since keys may have megabytes.
constexpr uint64_t kAttemptsBetweenLooks = 64;

std::string_view RandomKey(const KeyTable& keys, Random* random) {
  return keys[RandomBelow(random, keys.size())];
}

// Returns a random byte of a random key; the table must have a nonempty key.
char RandomByte(const KeyTable& keys, Random* random) {
  for (;;) {
    const std::string_view key = RandomKey(keys, random);
    if (!key.empty()) return key[RandomBelow(random, key.size())];
  }
}

// Sets *key to a random key of the table with one small change, which may have no effect.
void Change(const KeyTable& keys, Random random, std::string* key) {
  key->assign(RandomKey(keys, &random));
  switch (RandomBelow(&random, 3)) {
    case 0:
      if (!key->empty()) (*key)[RandomBelow(&random, key->size())] = RandomByte(keys, &random);
      break;
    case 1:
      key->push_back(RandomByte(keys, &random));
      break;
    default:
      if (key->size() > 1) key->pop_back();
  }
}

Random RandomOf(uint64_t seed, uint64_t i, uint16_t attempt) { return RandomAt(seed + attempt, i); }

}  // namespace

absl::StatusOr<NearMisses> NearMisses::Of(std::shared_ptr<const KeyTable> present, uint64_t count,
                                          uint64_t seed, absl::FunctionRef<bool(uint64_t)> go_on) {
  absl::flat_hash_set<absl::string_view> index;
  index.reserve(present->size());
  std::string_view smallest, largest;
  for (uint64_t i = 0; i < present->size(); ++i) {
    const std::string_view key = (*present)[i];
    index.insert(absl::string_view(key.data(), key.size()));
    if (i == 0 || key < smallest) smallest = key;
    if (i == 0 || key > largest) largest = key;
  }

  NearMisses near(std::move(present), seed);
  near.attempts_.reserve(count);
  std::string key;
  uint64_t attempts = 0;
  bool stopped = false;
  const auto is_absent = [&](uint16_t attempt) {
    stopped = attempts++ % kAttemptsBetweenLooks == 0 && !go_on(near.attempts_.size());
    Change(*near.present_, RandomOf(seed, near.attempts_.size(), attempt), &key);
    return smallest < key && key < largest && !index.contains(key);
  };
  while (near.attempts_.size() < count) {
    uint16_t attempt = 0;
    // Two distinct keys guarantee that one is not empty.
    while (near.present_->size() >= 2 && attempt < kMaxAttempts && !is_absent(attempt) &&
           !stopped) {
      ++attempt;
    }
    if (stopped) return absl::CancelledError("interrupted");
    if (near.present_->size() < 2 || attempt == kMaxAttempts) {
      return absl::InvalidArgumentError(absl::StrCat(
          "absent keys are made from real ones by small changes, between the smallest and the "
          "largest, but ",
          near.present_->size(), " different keys leave too little room for that: give more keys"));
    }
    near.attempts_.push_back(attempt);
    near.total_bytes_ += key.size();
  }
  return near;
}

std::string_view NearMisses::Get(uint64_t i, std::string* room) const {
  Change(*present_, RandomOf(seed_, i, attempts_[i]), room);
  return *room;
}

}  // namespace winnow::bench
