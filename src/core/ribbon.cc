#include "src/core/ribbon.h"

#include <cstddef>

#include "src/formulas/bytes.h"

namespace winnow::core {

double BumpedShare(const unsigned char* thresholds, uint64_t starts) noexcept {
  const uint64_t buckets = starts / simd::kRibbonBucketSlots;
  double slots = 0;
  for (uint64_t bucket = 0; bucket < buckets; ++bucket) {
    slots += simd::kRibbonBumpedBelow[formulas::ThresholdOf(thresholds, bucket)];
  }
  return slots / (static_cast<double>(buckets) * simd::kRibbonBucketSlots);
}

bool ProbeSmall(const unsigned char* words, uint32_t blocks, unsigned columns,
                uint64_t hash) noexcept {
  const uint32_t start = StartPosition(hash, SmallStarts(blocks));
  const formulas::RibbonMasks masks = formulas::MasksAt(Coefficient(hash), start);
  const unsigned char* low = words + size_t{8} * columns * (start >> 6);
  // A row that ends in its first block may be in the last one.
  const unsigned char* high = masks.high != 0 ? low + size_t{8} * columns : low;
  const uint64_t fingerprint = Fingerprint(hash, columns);
  for (unsigned column = 0; column < columns; ++column) {
    const uint64_t bits = (formulas::LoadLittle64(low + 8 * column) & masks.low) ^
                          (formulas::LoadLittle64(high + 8 * column) & masks.high);
    if ((static_cast<uint64_t>(__builtin_parityll(bits)) ^ (fingerprint >> column)) & 1) {
      return false;
    }
  }
  return true;
}

bool ProbeList(const unsigned char* fingerprints, uint32_t count, unsigned bits,
               uint64_t hash) noexcept {
  const uint64_t wanted = Fingerprint(hash, bits);
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bit = i * bits;
    if (((formulas::LoadLittle64(fingerprints + bit / 8) >> (bit % 8)) & mask) == wanted)
      return true;
  }
  return false;
}

}  // namespace winnow::core
