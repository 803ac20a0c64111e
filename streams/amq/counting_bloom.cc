#include "winnow/amq/counting_bloom.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "streams/amq/double_hashing.h"
#include "streams/amq/plan.h"
#include "streams/amq/serialized.h"

namespace winnow::amq {
namespace {

constexpr unsigned kStuck = 15;
constexpr unsigned kMaxProbes = 64;

inline unsigned Shift(uint64_t position) noexcept { return position % 2 * 4; }

inline unsigned Count(const uint8_t* pairs, uint64_t position) noexcept {
  return static_cast<unsigned>(pairs[position / 2]) >> Shift(position) & 15;
}

inline void SetCount(uint8_t* pairs, uint64_t position, unsigned count) noexcept {
  const unsigned other = pairs[position / 2] & 15u << (4 - Shift(position));
  pairs[position / 2] = static_cast<uint8_t>(other | count << Shift(position));
}

}  // namespace

CountingBloom::CountingBloom(const Plan& plan) {
  const Plan valid = NearestValid(plan);
  const BloomShape shape = ShapeOfBloom(valid);
  pairs_.resize((shape.bits + 1) / 2);
  probes_ = shape.probes;
  SetPlanned(valid.capacity);
}

void CountingBloom::SetPlanned(uint64_t capacity) noexcept {
  capacity_ = capacity;
  const double rate = BloomRate(capacity, static_cast<double>(num_counters()), probes_);
  planned_fpr_ = std::min(1.0, rate + EqualHashRate(capacity));
}

// A key with two equal positions counts that position twice, in Add() and in Remove().
bool CountingBloom::Add(KeyHash hash) noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  bool is_new = false;
  for (unsigned i = 0; i < probes_; ++i) {
    const uint64_t position = positions.Next(m);
    const unsigned count = Count(pairs_.data(), position);
    is_new |= count == 0;
    used_ += count == 0;
    if (count == kStuck) continue;
    saturated_ += count + 1 == kStuck;
    SetCount(pairs_.data(), position, count + 1);
  }
  ++keys_;
  return is_new;
}

bool CountingBloom::Remove(KeyHash hash) noexcept {
  if (!MayContain(hash)) return false;
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  for (unsigned i = 0; i < probes_; ++i) {
    const uint64_t position = positions.Next(m);
    const unsigned count = Count(pairs_.data(), position);
    // A count of 0 after the first of two equal positions means that the key was never added.
    if (count == kStuck || count == 0) continue;
    used_ -= count == 1;
    SetCount(pairs_.data(), position, count - 1);
  }
  keys_ -= keys_ > 0;
  return true;
}

bool CountingBloom::MayContain(KeyHash hash) const noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  for (unsigned i = 0; i < probes_; ++i) {
    if (Count(pairs_.data(), positions.Next(m)) == 0) return false;
  }
  return true;
}

unsigned CountingBloom::EstimateCount(KeyHash hash) const noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  unsigned least = kStuck;
  for (unsigned i = 0; i < probes_; ++i) {
    least = std::min(least, Count(pairs_.data(), positions.Next(m)));
  }
  return least;
}

double CountingBloom::fill_ratio() const noexcept {
  return static_cast<double>(used_) / static_cast<double>(num_counters());
}

double CountingBloom::saturated_share() const noexcept {
  return static_cast<double>(saturated_) / static_cast<double>(num_counters());
}

double CountingBloom::expected_fpr() const noexcept {
  return std::min(1.0, std::pow(fill_ratio(), probes_) + EqualHashRate(keys_));
}

size_t CountingBloom::serialized_size() const noexcept { return kHeaderBytes + pairs_.size(); }

std::string CountingBloom::Serialize() const {
  std::string bytes(serialized_size(), 0);
  Serialize(bytes.data());
  return bytes;
}

void CountingBloom::Serialize(char* bytes) const noexcept {
  auto* to = reinterpret_cast<unsigned char*>(bytes);
  std::copy(pairs_.begin(), pairs_.end(), to + kHeaderBytes);
  Header header;
  header.kind = Serialized::kCountingBloom;
  header.a = static_cast<uint8_t>(probes_);
  header.payload = pairs_.size();
  header.count = num_counters();
  header.keys = keys_;
  header.x = capacity_;
  WriteHeader(header, to);
}

std::optional<CountingBloom> CountingBloom::Deserialize(std::string_view bytes,
                                                        std::string* reason) {
  constexpr auto kKind = Serialized::kCountingBloom;
  Header header;
  *reason = ReadHeader(bytes, kKind, &header);
  if (!reason->empty()) return std::nullopt;
  if (header.a < 1 || header.a > kMaxProbes) {
    *reason = OutOfRange(kKind, "counters a key", uint64_t{header.a}, 1, kMaxProbes);
  } else if (header.count < 2) {
    *reason = OutOfRange(kKind, "counters", header.count, 2, UINT64_MAX);
  } else if (header.count != 2 * header.payload) {
    *reason = Contradiction(kKind, "the number of counters", header.count, 2 * header.payload);
  } else if (header.x > kMostKeys) {
    *reason = OutOfRange(kKind, "planned keys", header.x, 0, kMostKeys);
  } else if (header.b != 0 || header.y != 0) {
    *reason =
        Contradiction(kKind, "the numbers that this kind does not use", header.b | header.y, 0);
  }
  if (!reason->empty()) return std::nullopt;

  CountingBloom filter;
  filter.pairs_.assign(bytes.begin() + kHeaderBytes, bytes.end());
  filter.probes_ = header.a;
  filter.keys_ = header.keys;
  filter.SetPlanned(header.x);
  for (const uint8_t pair : filter.pairs_) {
    for (const unsigned count : {pair & 15u, pair >> 4 & 15u}) {
      filter.used_ += count != 0;
      filter.saturated_ += count == kStuck;
    }
  }
  return filter;
}

}  // namespace winnow::amq
