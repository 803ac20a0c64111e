#include "src/sst/builtin_filters.h"

#include <algorithm>
#include <cmath>

namespace winnow::inspect {
namespace {

constexpr size_t kMetadataBytes = 5;
constexpr uint64_t kRibbonBlockSlots = 128;
constexpr uint64_t kRibbonSegmentBytes = kRibbonBlockSlots / 8;
constexpr uint64_t kRibbonMostColumns = 32;

uint64_t ByteAt(std::string_view block, size_t offset) noexcept {
  return static_cast<unsigned char>(block[offset]);
}

void ParseBloom(std::string_view block, BuiltinFilter* filter) noexcept {
  filter->kind = BuiltinFilter::Kind::kAlwaysTrue;
  const size_t metadata = block.size() - kMetadataBytes;
  const uint64_t implementation = ByteAt(block, metadata + 1);
  const uint64_t block_and_probes = ByteAt(block, metadata + 2);
  const uint64_t rest = ByteAt(block, metadata + 3) | ByteAt(block, metadata + 4) << 8;
  const int probes = static_cast<int>(block_and_probes & 31);
  const bool block_of_512_bits = block_and_probes >> 5 == 0;
  filter->blocks = filter->payload_bytes / 64;
  if (implementation != 0 || !block_of_512_bits || probes < 1 || probes > 30 || rest != 0 ||
      filter->blocks == 0) {
    return;
  }
  filter->kind = BuiltinFilter::Kind::kBloom;
  filter->probes = probes;
  filter->block_bits = 512;
}

void ParseRibbon(std::string_view block, BuiltinFilter* filter) noexcept {
  filter->kind = BuiltinFilter::Kind::kAlwaysTrue;
  const size_t metadata = block.size() - kMetadataBytes;
  const uint64_t blocks = ByteAt(block, metadata + 2) | ByteAt(block, metadata + 3) << 8 |
                          ByteAt(block, metadata + 4) << 16;
  const uint64_t segments = filter->payload_bytes / kRibbonSegmentBytes;
  if (blocks < 2 || segments == 0) {
    return;
  }
  filter->kind = BuiltinFilter::Kind::kRibbon;
  filter->blocks = blocks;
  uint64_t columns = (segments + blocks - 1) / blocks;
  uint64_t lower_blocks = columns * blocks - segments;
  if (columns > kRibbonMostColumns) {
    columns = kRibbonMostColumns;
    lower_blocks = 0;
  }
  const double starts = static_cast<double>(blocks * kRibbonBlockSlots - kRibbonBlockSlots + 1);
  const double lower_starts = static_cast<double>(lower_blocks * kRibbonBlockSlots);
  filter->columns = static_cast<int>(columns);
  filter->upper_share = 1 - std::min(1.0, lower_starts / starts);
}

void ParseLegacyBloom(std::string_view block, BuiltinFilter* filter) noexcept {
  filter->kind = BuiltinFilter::Kind::kAlwaysTrue;
  const size_t metadata = block.size() - kMetadataBytes;
  const uint64_t lines = ByteAt(block, metadata + 1) | ByteAt(block, metadata + 2) << 8 |
                         ByteAt(block, metadata + 3) << 16 | ByteAt(block, metadata + 4) << 24;
  if (lines == 0 || filter->payload_bytes % lines != 0) {
    return;
  }
  const uint64_t line_bytes = filter->payload_bytes / lines;
  if ((line_bytes & (line_bytes - 1)) != 0) {
    return;
  }
  filter->kind = BuiltinFilter::Kind::kLegacyBloom;
  filter->probes = filter->marker;
  filter->blocks = lines;
  filter->block_bits = static_cast<int>(std::min<uint64_t>(line_bytes * 8, 1 << 30));
}

// Returns the mean false-positive rate of a blocked Bloom filter.
double BlockedBloomRate(double keys, double blocks, int block_bits, int probes) noexcept {
  const double load = keys / blocks;
  const double keep_log = std::log1p(-1.0 / block_bits) * probes;
  // Blocks differ little at a high load. The limit also bounds the loop for corrupt filters.
  if (load > 10000) {
    return std::pow(-std::expm1(load * keep_log), probes);
  }
  const double deviation = std::sqrt(load);
  const double first = std::max(0.0, std::floor(load - 10 * deviation - 10));
  const double last = std::ceil(load + 10 * deviation + 10);
  double rate = 0;
  for (double j = first; j <= last; ++j) {
    const double weight =
        load == 0 ? (j == 0 ? 1 : 0) : std::exp(j * std::log(load) - load - std::lgamma(j + 1));
    rate += weight * std::pow(-std::expm1(j * keep_log), probes);
  }
  return std::min(rate, 1.0);
}

double LegacyBloomRate(const BuiltinFilter& filter, double keys) noexcept {
  const double bits_per_key = 8.0 * static_cast<double>(filter.payload_bytes) / keys;
  // Contribution of equidistant probes, by RocksDB's estimate for cache lines of 512 bits. With
  // lines of 1024 bits, as on ARM, half of it was measured.
  const double equal_distances = 0.1 / (bits_per_key * 0.75 + 22) * 512 / filter.block_bits;
  const double probing =
      BlockedBloomRate(keys, static_cast<double>(filter.blocks), filter.block_bits, filter.probes) +
      equal_distances;
  const double same_hash = -std::expm1(-keys / 4294967296.0);
  return std::min(1.0, probing + same_hash - probing * same_hash);
}

}  // namespace

BuiltinFilter ParseBuiltinFilter(std::string_view block) noexcept {
  BuiltinFilter filter;
  if (block.size() <= kMetadataBytes) {
    filter.kind = BuiltinFilter::Kind::kEmpty;
    return filter;
  }
  filter.payload_bytes = block.size() - kMetadataBytes;
  const int marker = static_cast<unsigned char>(block[block.size() - kMetadataBytes]);
  filter.marker = marker < 128 ? marker : marker - 256;
  if (filter.marker == -1) {
    ParseBloom(block, &filter);
  } else if (filter.marker == -2) {
    ParseRibbon(block, &filter);
  } else if (filter.marker > 0) {
    ParseLegacyBloom(block, &filter);
  } else if (filter.marker == 0) {
    filter.kind = BuiltinFilter::Kind::kAlwaysTrue;
  }
  return filter;
}

double ExpectedRate(const BuiltinFilter& filter, uint64_t keys) noexcept {
  switch (filter.kind) {
    case BuiltinFilter::Kind::kEmpty:
      return 0;
    case BuiltinFilter::Kind::kAlwaysTrue:
    case BuiltinFilter::Kind::kReserved:
      return 1;
    case BuiltinFilter::Kind::kRibbon:
      return filter.upper_share * std::exp2(-filter.columns) +
             (1 - filter.upper_share) * std::exp2(1 - filter.columns);
    case BuiltinFilter::Kind::kBloom:
      return BlockedBloomRate(static_cast<double>(keys), static_cast<double>(filter.blocks),
                              filter.block_bits, filter.probes);
    case BuiltinFilter::Kind::kLegacyBloom:
      return keys == 0 ? 0 : LegacyBloomRate(filter, static_cast<double>(keys));
  }
  return 1;
}

}  // namespace winnow::inspect
