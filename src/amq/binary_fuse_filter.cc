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

using internal::kMostSegmentBits;
using internal::ThreeSlots;

// As far as there are bits for it, each has some of its own.
inline std::array<uint64_t, 4> FourSlots(uint64_t seeded, uint64_t starts,
                                         uint64_t segment) noexcept {
  const unsigned segment_bits = static_cast<unsigned>(__builtin_ctzll(segment));
  std::array<uint64_t, 4> slots{};
  slots[0] = Reduce(seeded, starts);
  for (unsigned i = 1; i < 4; ++i) {
    const uint64_t place = seeded >> (kCountBits + (i - 1) * segment_bits) & (segment - 1);
    slots[i] = (slots[0] + i * segment) ^ place;
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
  shape.segment_bits =
      static_cast<unsigned>(std::clamp(std::floor(bits), 1.0, 1.0 * kMostSegmentBits));
  const double segments =
      std::ceil(std::ldexp(n * slots_a_key, -static_cast<int>(shape.segment_bits)));
  shape.segments = std::max<uint64_t>(static_cast<uint64_t>(segments), arity);
  return shape;
}

BinaryFuseFilter::BinaryFuseFilter(const KeyHash* hashes, size_t n, double rate, FuseArity arity)
    : arity_(arity == FuseArity::kFour ? arity : FuseArity::kThree), bits_(FingerprintBits(rate)) {
  const auto fill = [this](const KeyHash* keys, size_t count, uint64_t seed) {
    const unsigned slots_a_key = static_cast<unsigned>(arity_);
    const FuseShape shape = ShapeOfFuse(count, slots_a_key);
    segment_ = uint64_t{1} << shape.segment_bits;
    starts_ = (shape.segments - (slots_a_key - 1)) * segment_;
    const uint64_t slots = shape.segments * segment_;
    bytes_.clear();
    bytes_.reserve(PackedBytes(slots, bits_));
    AskForHugePages(bytes_.data(), bytes_.capacity());
    bytes_.resize(PackedBytes(slots, bits_));
    // Copies: what is written to slots can't change them.
    const auto in_slots = [&](auto slots_of) {
      return FillSlots(keys, count, seed, slots, bits_, slots_of, bytes_.data());
    };
    return arity_ == FuseArity::kThree
               ? in_slots([starts = starts_, segment = segment_](uint64_t seeded) {
                   return ThreeSlots(seeded, starts, segment);
                 })
               : in_slots([starts = starts_, segment = segment_](uint64_t seeded) {
                   return FourSlots(seeded, starts, segment);
                 });
  };
  keys_ = FillDistinct("BinaryFuseFilter", hashes, n, kMostTries, &tries_, &seed_, fill);
  three_bytes_ = arity_ == FuseArity::kThree && bits_ == 8 && keys_ != 0;
}

bool BinaryFuseFilter::MayContainOther(KeyHash hash) const noexcept {
  if (keys_ == 0) return false;  // slots of zeroes would contain what has the fingerprint 0
  const uint64_t seeded = SeededHash(hash.value, seed_);
  const uint64_t fingerprint = FingerprintOf(seeded, bits_);
  if (arity_ == FuseArity::kThree) {
    return SlotsHold(bytes_.data(), bits_, ThreeSlots(seeded, starts_, segment_), fingerprint);
  }
  return SlotsHold(bytes_.data(), bits_, FourSlots(seeded, starts_, segment_), fingerprint);
}

void BinaryFuseFilter::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  if (keys_ == 0) {
    std::fill_n(results, n, false);
    return;
  }
  if (bytes_.size() <= kBytesInCaches) {
    for (size_t i = 0; i < n; ++i) results[i] = MayContain(hashes[i]);
    return;
  }
  const auto ask = [&, starts = starts_, segment = segment_, bits = bits_, bytes = bytes_.data(),
                    seed = seed_](auto slots_of) {
    // Keys whose slots are on their way.
    constexpr size_t kAhead = 16;
    struct Asked {
      decltype(slots_of(seed, starts, segment)) slots;
      uint64_t fingerprint;
    };
    Asked asked[kAhead];
    const auto bring = [&](size_t i) {
      const uint64_t seeded = SeededHash(hashes[i].value, seed);
      asked[i % kAhead] = {slots_of(seeded, starts, segment), FingerprintOf(seeded, bits)};
      for (const uint64_t slot : asked[i % kAhead].slots) {
        __builtin_prefetch(bytes + slot * bits / 8);
      }
    };
    for (size_t i = 0; i < std::min(n, kAhead); ++i) bring(i);
    for (size_t i = 0; i < n; ++i) {
      const Asked& next = asked[i % kAhead];
      results[i] = SlotsHold(bytes, bits, next.slots, next.fingerprint);
      if (i + kAhead < n) bring(i + kAhead);
    }
  };
  if (arity_ == FuseArity::kThree) {
    ask([](auto... of_key) { return ThreeSlots(of_key...); });
  } else {
    ask([](auto... of_key) { return FourSlots(of_key...); });
  }
}

double BinaryFuseFilter::expected_fpr() const noexcept {
  return keys_ == 0 ? 0 : planned_fpr() + EqualHashRate(keys_);
}

double BinaryFuseFilter::planned_fpr() const noexcept {
  return std::ldexp(1, -static_cast<int>(bits_));
}

}  // namespace winnow::amq
