#include "winnow/amq/sizes.h"

#include <algorithm>
#include <cmath>

#include "streams/amq/block_sizing.h"
#include "streams/amq/packed_slots.h"
#include "streams/amq/paged_sizing.h"
#include "streams/amq/plan.h"
#include "streams/amq/shapes.h"
#include "streams/amq/xored_slots.h"
#include "winnow/amq/concurrent_bloom.h"
#include "winnow/amq/scalable_bloom.h"

namespace winnow::amq {
namespace {

KindSize Growing(const char* kind, unsigned bits, unsigned most_lines) noexcept {
  KindSize size;
  size.kind = kind;
  size.grows = true;
  size.bits = bits;
  size.most_lines = most_lines;
  return size;
}

KindSize Static(const char* kind, const Plan& plan, unsigned most_lines, uint64_t slots) noexcept {
  const unsigned bits = FingerprintBits(plan.rate);
  KindSize size;
  size.kind = kind;
  size.bits = bits;
  size.is_fingerprint = true;
  size.most_lines = most_lines;
  size.bytes = PackedBytes(slots, bits);
  size.rate = std::ldexp(1, -static_cast<int>(bits)) + EqualHashRate(plan.capacity);
  return size;
}

double RateOfBits(const Plan& plan, double bits, unsigned probes) noexcept {
  return std::min(1.0, BloomRate(plan.capacity, bits, probes) + EqualHashRate(plan.capacity));
}

KindSize Standard(const Plan& plan) noexcept {
  const BloomShape shape = ShapeOfBloom(plan);
  KindSize size = Growing("standard", shape.probes, shape.probes);
  size.bytes = (shape.bits + 63) / 64 * 8;
  size.rate = RateOfBits(plan, 8 * static_cast<double>(size.bytes), shape.probes);
  return size;
}

KindSize Partitioned(const Plan& plan) noexcept {
  const unsigned parts = ShapeOfBloom(plan).probes;
  const uint64_t words = WordsOfPart(plan, parts);
  KindSize size = Growing("partitioned", parts, parts);
  size.bytes = words * parts * 8;
  size.rate = PartitionedRate(plan.capacity, words, parts) + EqualHashRate(plan.capacity);
  return size;
}

KindSize Counting(const Plan& plan) noexcept {
  const BloomShape shape = ShapeOfBloom(plan);
  KindSize size = Growing("counting", shape.probes, shape.probes);
  size.deletes = true;
  size.bytes = (shape.bits + 1) / 2;
  size.rate = RateOfBits(plan, 2 * static_cast<double>(size.bytes), shape.probes);
  return size;
}

KindSize OfBlocks(const char* kind, const BlockedShape& shape, uint64_t keys) noexcept {
  KindSize size = Growing(kind, shape.blocks_per_key * shape.bits_per_block, shape.blocks_per_key);
  size.bytes = shape.num_blocks * 64;
  size.rate = std::min(1.0, BlockedRate(keys, shape) + EqualHashRate(keys));
  return size;
}

KindSize Cuckoo(const Plan& plan) noexcept {
  const CuckooShape shape = ShapeOfCuckoo(plan);
  // A lookup reads two buckets, each possibly in two cache lines.
  KindSize size = Growing("cuckoo", shape.bits, 4);
  size.deletes = true;
  size.is_fingerprint = true;
  size.bytes = PackedBytes(shape.buckets * 4, shape.bits);
  const double load = static_cast<double>(plan.capacity) / (4 * static_cast<double>(shape.buckets));
  size.rate = std::min(1.0, CuckooRate(load, shape.bits) + EqualHashRate(plan.capacity));
  return size;
}

KindSize Paged(const Plan& plan) noexcept {
  PagedPlan paged;
  paged.capacity = plan.capacity;
  paged.rate = plan.rate;
  const PagedShape shape = PagedBloom::ShapeFor(paged);
  KindSize size = Growing("paged", shape.probes, shape.probes);
  size.bytes = shape.pages * shape.page_bytes;
  size.rate = plan.rate;
  return size;
}

// Size of a ScalableBloom after its filters were begun one after the other, each when the one
// before had its share of keys.
KindSize Scalable(const Plan& plan) noexcept {
  ScalableOptions options;
  options.rate = plan.rate;
  KindSize size = Growing("scalable", 0, 0);
  size.unlimited = true;
  double keys = 0;
  double capacity = static_cast<double>(options.first_capacity);
  double rate = plan.rate * (1 - options.tightening);
  do {
    const double equal_hashes = EqualHashRate(static_cast<uint64_t>(capacity));
    const double own = std::max(rate - equal_hashes, rate / 2);
    const BlockedShape filter = ShapeByFill(static_cast<uint64_t>(capacity), own);
    size.bytes += filter.num_blocks * 64;
    size.bits = filter.blocks_per_key * filter.bits_per_block;  // bits of the newest filter
    size.most_lines += filter.blocks_per_key;
    size.rate += std::max(0.0, own + equal_hashes - rate);
    keys += capacity;
    capacity *= options.growth;
    rate *= options.tightening;
  } while (keys < static_cast<double>(plan.capacity));
  size.rate += plan.rate;
  return size;
}

using SizeOfKind = KindSize (*)(const Plan& valid);

constexpr SizeOfKind kKinds[] = {
    Standard,
    Partitioned,
    [](const Plan& plan) {
      return OfBlocks("blocked", BlockedBloom::ShapeFor(plan), plan.capacity);
    },
    [](const Plan& plan) {
      const ConcurrentShape shape = ShapeOfConcurrent(plan);
      KindSize size = Growing("concurrent", shape.pattern.words * shape.pattern.bits_a_word, 1);
      size.bytes = shape.lines * 64;
      size.rate =
          std::min(1.0, ConcurrentRate(plan.capacity, shape) + EqualHashRate(plan.capacity));
      size.threads = true;
      return size;
    },
    Paged,
    Scalable,
    Counting,
    Cuckoo,
    [](const Plan& plan) { return Static("xor", plan, 3, 3 * SlotsOfThird(plan.capacity)); },
    [](const Plan& plan) {
      const FuseShape shape = ShapeOfFuse(plan.capacity, 3);
      return Static("fuse, 3-wise", plan, 3, shape.segments << shape.segment_bits);
    },
    [](const Plan& plan) {
      const FuseShape shape = ShapeOfFuse(plan.capacity, 4);
      return Static("fuse, 4-wise", plan, 4, shape.segments << shape.segment_bits);
    },
};

}  // namespace

std::vector<KindSize> SizesFor(const Plan& plan) {
  const Plan valid = NearestValid(plan);
  std::vector<KindSize> sizes;
  for (const SizeOfKind size_of : kKinds) sizes.push_back(size_of(valid));
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const KindSize& a, const KindSize& b) { return a.bytes < b.bytes; });
  return sizes;
}

std::vector<KindSize> SizesWithin(uint64_t keys, uint64_t bytes) {
  std::vector<KindSize> sizes;
  for (const SizeOfKind size_of : kKinds) {
    const auto at = [&](double log_rate) {
      return size_of(NearestValid(Plan{keys, std::exp2(log_rate)}));
    };
    double high = std::log2(kHighestRate);  // rate that fits, the highest of the search interval
    if (at(high).bytes > bytes) continue;
    double low = std::log2(kLowestRate);
    for (int i = 0; i < 24; ++i) {
      const double middle = (low + high) / 2;
      (at(middle).bytes <= bytes ? high : low) = middle;
    }
    sizes.push_back(at(high));
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const KindSize& a, const KindSize& b) { return a.rate < b.rate; });
  return sizes;
}

double BloomFilterRate(double n, double m, unsigned k) noexcept {
  const double fill = -std::expm1(-n * k / std::max(m, 1.0));
  return std::min(1.0, std::pow(fill, k) + std::ldexp(n, -64));
}

uint64_t BloomFilterKeys(double m, unsigned k, double rate) noexcept {
  uint64_t low = 0;
  uint64_t high = kMostKeys;
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (BloomFilterRate(static_cast<double>(middle), m, k) <= rate) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace winnow::amq
