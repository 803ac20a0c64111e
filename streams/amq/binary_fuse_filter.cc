#include "winnow/amq/binary_fuse_filter.h"

#include <algorithm>
#include <cmath>

#include "streams/amq/mix.h"
#include "streams/amq/packed_slots.h"
#include "streams/amq/plan.h"
#include "streams/amq/shapes.h"
#include "streams/amq/xored_slots.h"

namespace winnow::amq {
namespace {

using internal::kMostSegmentBits;
using internal::ThreeSlots;

// Each slot takes hash bits of its own, as far as there are enough.
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

// Parameters of filters with at most `keys` keys, and more than the previous row has. The number of
// segments is keys * slots_a_key / slots per segment + more_segments, rounded up.
struct Plateau {
  uint64_t keys;
  unsigned segment_bits;
  double slots_a_key;
  double more_segments;
};

// Parameters found by simulation (streams/tuning/tune_fuse.cc), so that at most one try in 20
// fails. Rows without additional segments have the paper's number of slots, which is slightly more
// than needed there.
constexpr Plateau kThreeWise[] = {
    {1, 1, 2, 2},
    {2, 2, 2, 2},
    {9, 3, 2.667, 1},
    {30, 4, 2.462, 0.39},
    {81, 5, 1.883, 0.24},
    {211, 6, 1.543, -0.08},
    {453, 7, 1.533, -0.42},
    {1'650, 8, 1.423, -0.16},
    {5'000, 8, 1.231, 0.97},
    {17'000, 9, 1.183, 1.27},
    {50'000, 10, 1.154, 1.52},
    {180'000, 11, 1.151, 1.23},
    {600'000, 12, 1.123, 1.9},
    {2'000'000, 13, 1.113, 1.95},
    {7'000'000, 14, 1.109, 1.9},
    {23'000'000, 15, 1.125, 0},
    {75'000'000, 16, 1.125, 0},
    {250'000'000, 17, 1.125, 0},
    {UINT64_MAX, kMostSegmentBits, 1.125, 0},
};
constexpr Plateau kFourWise[] = {
    {1, 1, 2, 3},
    {6, 2, 2, 2},
    {27, 3, 2, 0.25},
    {67, 4, 1.65, 0},
    {145, 5, 1.585, -0.18},
    {346, 6, 1.543, -0.33},
    {2'300, 6, 1.275, 1.28},
    {6'500, 7, 1.208, 1.51},
    {19'000, 8, 1.164, 1.5},
    {57'000, 9, 1.123, 1.83},
    {170'000, 10, 1.086, 2.63},
    {600'000, 11, 1.07, 2.8},
    {1'800'000, 12, 1.075, 0},
    {5'300'000, 13, 1.075, 0},
    {15'500'000, 14, 1.075, 0},
    {45'000'000, 15, 1.075, 0},
    {130'000'000, 16, 1.075, 0},
    {380'000'000, 17, 1.075, 0},
    {UINT64_MAX, kMostSegmentBits, 1.075, 0},
};

}  // namespace

FuseShape ShapeOfFuse(uint64_t keys, unsigned arity) noexcept {
  const uint64_t n = std::max<uint64_t>(keys, 1);
  const Plateau* plateau = arity == 3 ? kThreeWise : kFourWise;
  while (plateau->keys < n) ++plateau;
  const double slots = static_cast<double>(n) * plateau->slots_a_key;
  const double segments = std::ceil(std::ldexp(slots, -static_cast<int>(plateau->segment_bits)) +
                                    plateau->more_segments);
  FuseShape shape;
  shape.segment_bits = plateau->segment_bits;
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
    // The lambda captures copies: the compiler then knows that writes to slots cannot change them.
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
  // An empty filter has zeroed slots, which would contain keys with the fingerprint 0.
  if (keys_ == 0) return false;
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
    // Prefetch distance, in keys.
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
