#include "winnow/amq/xor_filter.h"

#include <cmath>

#include "streams/amq/mix.h"
#include "streams/amq/packed_slots.h"
#include "streams/amq/plan.h"
#include "streams/amq/shapes.h"
#include "streams/amq/xored_slots.h"

namespace winnow::amq {
namespace {

// Odd random multipliers.
constexpr uint64_t kSecond = 0xd6e8feb86659fd93u;
constexpr uint64_t kThird = 0x9fb21c651e98df25u;

inline std::array<uint64_t, 3> SlotsOf(uint64_t seeded, uint64_t third) noexcept {
  return {Reduce(seeded, third), third + Reduce(seeded * kSecond, third),
          2 * third + Reduce(seeded * kThird, third)};
}

}  // namespace

uint64_t SlotsOfThird(uint64_t keys) noexcept {
  return static_cast<uint64_t>(std::ceil((1.23 * static_cast<double>(keys) + 32) / 3));
}

XorFilter::XorFilter(const KeyHash* hashes, size_t n, double rate) : bits_(FingerprintBits(rate)) {
  const auto slots_of = [this](uint64_t seeded) { return SlotsOf(seeded, third_); };
  keys_ = FillDistinct("XorFilter", hashes, n, kMostTries, &tries_, &seed_,
                       [&](const KeyHash* keys, size_t count, uint64_t seed) {
                         third_ = SlotsOfThird(count);
                         bytes_.assign(PackedBytes(3 * third_, bits_), 0);
                         return FillSlots(keys, count, seed, 3 * third_, bits_, slots_of,
                                          bytes_.data());
                       });
}

bool XorFilter::MayContain(KeyHash hash) const noexcept {
  // An empty filter has zeroed slots, which would contain keys with the fingerprint 0.
  if (keys_ == 0) return false;
  const uint64_t seeded = SeededHash(hash.value, seed_);
  return SlotsHold(bytes_.data(), bits_, SlotsOf(seeded, third_), FingerprintOf(seeded, bits_));
}

double XorFilter::expected_fpr() const noexcept {
  return keys_ == 0 ? 0 : planned_fpr() + EqualHashRate(keys_);
}

double XorFilter::planned_fpr() const noexcept { return std::ldexp(1, -static_cast<int>(bits_)); }

}  // namespace winnow::amq
