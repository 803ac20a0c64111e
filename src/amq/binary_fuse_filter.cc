#include "winnow/amq/binary_fuse_filter.h"

#include <algorithm>
#include <cmath>

#include "src/amq/mix.h"
#include "src/amq/packed_slots.h"
#include "src/amq/plan.h"
#include "src/amq/shapes.h"
#include "src/amq/xored_slots.h"

namespace winnow::amq {
namespace {

constexpr double kMostSegmentBits = 18;

// One slot in each of successive segments, of which the first is that of a random slot. Each has
// bits of its own.
template <unsigned kArity>
inline std::array<uint64_t, kArity> SlotsOf(uint64_t seeded, uint64_t starts,
                                            unsigned segment_bits) noexcept {
  std::array<uint64_t, kArity> slots{};
  slots[0] = Reduce(seeded, starts);
  for (unsigned i = 1; i < kArity; ++i) {
    const uint64_t place = seeded >> (i - 1) * segment_bits & LowBits(segment_bits);
    slots[i] = (slots[0] + (uint64_t{i} << segment_bits)) ^ place;
  }
  return slots;
}

}  // namespace

// The formulas of the header.
FuseShape ShapeOfFuse(uint64_t keys, unsigned arity) noexcept {
  const double n = static_cast<double>(std::max<uint64_t>(keys, 2));
  const bool three = arity == 3;
  const double bits =
      three ? std::log(n) / std::log(3.33) + 2.25 : std::log(n) / std::log(2.91) - 0.5;
  const double slots_a_key = three ? std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(n))
                                   : std::max(1.075, 0.77 + 0.305 * std::log(6e5) / std::log(n));
  FuseShape shape;
  shape.segment_bits = static_cast<unsigned>(std::clamp(std::floor(bits), 1.0, kMostSegmentBits));
  const double segments =
      std::ceil(std::ldexp(n * slots_a_key, -static_cast<int>(shape.segment_bits)));
  shape.segments = std::max<uint64_t>(static_cast<uint64_t>(segments), arity);
  return shape;
}

BinaryFuseFilter::BinaryFuseFilter(const KeyHash* hashes, size_t n, double rate, FuseArity arity)
    : arity_(arity == FuseArity::kFour ? arity : FuseArity::kThree), bits_(FingerprintBits(rate)) {
  const std::vector<uint64_t> distinct = DistinctHashes(hashes, n);
  keys_ = distinct.size();
  const unsigned slots_a_key = static_cast<unsigned>(arity_);
  const FuseShape shape = ShapeOfFuse(keys_, slots_a_key);
  segment_bits_ = shape.segment_bits;
  starts_ = (shape.segments - (slots_a_key - 1)) << segment_bits_;
  const uint64_t slots = shape.segments << segment_bits_;
  bytes_.resize(PackedBytes(slots, bits_));
  const auto fill = [&](auto slots_of) {
    return FillSlots(distinct, seed_, slots, bits_, slots_of, bytes_.data());
  };
  bool filled = false;
  while (!filled) {
    if (tries_ == kMostTries) ThrowUnbuildable("BinaryFuseFilter", distinct.size(), tries_);
    seed_ = Mix(++tries_);
    filled = arity_ == FuseArity::kThree
                 ? fill([this](uint64_t h) { return SlotsOf<3>(h, starts_, segment_bits_); })
                 : fill([this](uint64_t h) { return SlotsOf<4>(h, starts_, segment_bits_); });
  }
}

bool BinaryFuseFilter::MayContain(KeyHash hash) const noexcept {
  if (keys_ == 0) return false;  // slots of zeroes would contain what has the fingerprint 0
  const uint64_t seeded = SeededHash(hash.value, seed_);
  const uint64_t fingerprint = FingerprintOf(seeded, bits_);
  if (arity_ == FuseArity::kThree) {
    return SlotsHold(bytes_.data(), bits_, SlotsOf<3>(seeded, starts_, segment_bits_), fingerprint);
  }
  return SlotsHold(bytes_.data(), bits_, SlotsOf<4>(seeded, starts_, segment_bits_), fingerprint);
}

double BinaryFuseFilter::expected_fpr() const noexcept {
  return keys_ == 0 ? 0 : planned_fpr() + EqualHashRate(keys_);
}

double BinaryFuseFilter::planned_fpr() const noexcept {
  return std::ldexp(1, -static_cast<int>(bits_));
}

}  // namespace winnow::amq
