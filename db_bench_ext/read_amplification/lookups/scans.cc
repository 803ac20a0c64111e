#include "db_bench_ext/read_amplification/lookups/scans.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kScanSalt = 0x7363616e;
constexpr size_t kNumberBytes = 8;
constexpr int kTries = 1000;

// Returns the big-endian number in up to eight bytes of the key from `at` on; a shorter key is
// padded with zeros.
uint64_t NumberAt(std::string_view key, size_t at, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = at; i < at + bytes; ++i) {
    number = number << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
  }
  return number;
}

void AppendNumber(uint64_t number, size_t bytes, std::string* key) {
  for (size_t i = bytes; i-- > 0;) key->push_back(static_cast<char>(number >> (8 * i)));
}

// Returns the key this many positions behind `key`, or nullopt on overflow.
std::optional<std::string> Behind(std::string_view key, uint64_t positions) {
  const size_t bytes = std::min(key.size(), kNumberBytes);
  const size_t at = key.size() - bytes;
  const uint64_t most = bytes == 0 ? 0 : UINT64_MAX >> (8 * (kNumberBytes - bytes));
  const uint64_t number = NumberAt(key, at, bytes);
  if (positions > most - number) return std::nullopt;
  std::string behind(key.substr(0, at));
  AppendNumber(number + positions, bytes, &behind);
  return behind;
}

// Returns a key between two, or nullopt if there is hardly room for one. If both have the same
// length, so does the result.
std::optional<std::string> Between(std::string_view low, std::string_view high, Random* random) {
  const auto differ = std::mismatch(low.begin(), low.end(), high.begin(), high.end());
  const auto common = static_cast<size_t>(differ.first - low.begin());
  const size_t bytes = std::min(kNumberBytes, std::max(low.size(), high.size()) - common);
  const uint64_t first = NumberAt(low, common, bytes);
  const uint64_t last = NumberAt(high, common, bytes);
  if (last - first < 2) return std::nullopt;
  std::string key(low.substr(0, common));
  AppendNumber(first + 1 + RandomBelow(random, last - first - 1), bytes, &key);
  while (key.size() < low.size()) key.push_back(static_cast<char>((*random)()));
  return key;
}

std::optional<std::string> Begin(ScanBegin begin, const KeyTable& keys, Random* random) {
  const uint64_t i = RandomBelow(random, keys.size());
  switch (begin) {
    case ScanBegin::kBehindKey:
      return Behind(keys[i], 1);
    case ScanBegin::kBetweenKeys:
      return i + 1 < keys.size() ? Between(keys[i], keys[i + 1], random) : std::nullopt;
    case ScanBegin::kAtKey:
      break;
  }
  return std::string(keys[i]);
}

}  // namespace

KeyTable KeysInOrder(const KeysOfRun& keys) {
  KeyTable written;
  std::string room;
  for (uint64_t i = 0; i < keys.range->size(); ++i) {
    if (keys.written != nullptr && !keys.written->Has(i)) continue;
    written.Add(keys.range->Get(i, &room));
  }
  return Sorted(written);
}

LookupAt MakeScans(ScanBegin begin, uint64_t length, const KeysOfRun& keys, uint64_t seed) {
  return [=, keys = keys.in_order](uint64_t position, std::string* room) {
    Random random = RandomAt(seed ^ kScanSalt, position);
    Asked asked;
    for (int i = 0; i < kTries; ++i) {
      const std::optional<std::string> from = Begin(begin, *keys, &random);
      const std::optional<std::string> to = from ? Behind(*from, length) : std::nullopt;
      if (!to) continue;
      const uint64_t next = LowerBound(*keys, *from);
      const bool empty = next == keys->size() || (*keys)[next] >= *to;
      *room = *from + *to;
      asked.key = std::string_view(*room).substr(0, from->size());
      asked.bound = std::string_view(*room).substr(from->size());
      asked.expected = begin == ScanBegin::kAtKey ? Expected::kPresent
                       : empty                    ? Expected::kAbsent
                                                  : Expected::kEither;
      if (asked.expected != Expected::kEither) break;
    }
    return asked;
  };
}

}  // namespace winnow::bench
