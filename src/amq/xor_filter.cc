#include "winnow/amq/xor_filter.h"

#include <cmath>

#include "src/amq/mix.h"
#include "src/amq/packed_slots.h"
#include "src/amq/plan.h"
#include "src/amq/shapes.h"
#include "src/amq/xored_slots.h"

namespace winnow::amq {
namespace {

inline uint64_t RotateLeft(uint64_t x, unsigned by) noexcept { return x << by | x >> (64 - by); }

inline std::array<uint64_t, 3> SlotsOf(uint64_t seeded, uint64_t third) noexcept {
  return {Reduce(seeded, third), third + Reduce(RotateLeft(seeded, 21), third),
          2 * third + Reduce(RotateLeft(seeded, 42), third)};
}

}  // namespace

uint64_t SlotsOfThird(uint64_t keys) noexcept {
  return static_cast<uint64_t>(std::ceil((1.23 * static_cast<double>(keys) + 32) / 3));
}

XorFilter::XorFilter(const KeyHash* hashes, size_t n, double rate) : bits_(FingerprintBits(rate)) {
  const std::vector<uint64_t> distinct = DistinctHashes(hashes, n);
  keys_ = distinct.size();
  third_ = SlotsOfThird(keys_);
  bytes_.resize(PackedBytes(3 * third_, bits_));
  const auto slots_of = [this](uint64_t seeded) { return SlotsOf(seeded, third_); };
  do {
    if (tries_ == kMostTries) ThrowUnbuildable("XorFilter", distinct.size(), tries_);
    seed_ = Mix(++tries_);
  } while (!FillSlots(distinct, seed_, 3 * third_, bits_, slots_of, bytes_.data()));
}

bool XorFilter::MayContain(KeyHash hash) const noexcept {
  if (keys_ == 0) return false;  // slots of zeroes would contain what has the fingerprint 0
  const uint64_t seeded = SeededHash(hash.value, seed_);
  return SlotsHold(bytes_.data(), bits_, SlotsOf(seeded, third_), FingerprintOf(seeded, bits_));
}

double XorFilter::expected_fpr() const noexcept {
  return keys_ == 0 ? 0 : planned_fpr() + EqualHashRate(keys_);
}

double XorFilter::planned_fpr() const noexcept { return std::ldexp(1, -static_cast<int>(bits_)); }

}  // namespace winnow::amq
