// Parser of RocksDB's own filters, as far as their last five bytes describe them.
//
// The layout is that of RocksDB's table/block_based/filter_policy.cc, functions
// GetBuiltinFilterBitsReader, GetBloomBitsReader and GetRibbonBitsReader; it has not changed since
// the formats were introduced.

#ifndef WINNOW_SRC_SST_BUILTIN_FILTERS_H_
#define WINNOW_SRC_SST_BUILTIN_FILTERS_H_

#include <cstdint>
#include <string_view>

namespace winnow::inspect {

struct BuiltinFilter {
  enum class Kind {
    kEmpty,        // no keys: never matches
    kAlwaysTrue,   // no filter could be built, or RocksDB can't use the parameters
    kLegacyBloom,  // table format versions below 5
    kBloom,        // FastLocalBloom: blocks of 512 bits
    kRibbon,       // Standard128Ribbon
    kReserved,     // unknown marker, which RocksDB treats as always true
  };
  Kind kind = Kind::kReserved;
  uint64_t payload_bytes = 0;  // without the five bytes of metadata
  int probes = 0;              // both Bloom filters: bits per key
  uint64_t blocks = 0;         // Bloom filters: cache lines; Ribbon: blocks of 128 slots
  int block_bits = 0;          // Bloom filters: bits per cache line
  int columns = 0;             // Ribbon: the higher number of columns
  double upper_share = 0;      // Ribbon: share of start positions with `columns`, 0 to 1
  int marker = 0;              // byte that encodes the kind, -128 to 127
};

// Parses the bytes as RocksDB's reader does. Accepts any bytes.
BuiltinFilter ParseBuiltinFilter(std::string_view block) noexcept;

// Returns the expected false-positive rate of a filter with `keys` keys, 0 to 1. Only the rate of
// Bloom filters depends on `keys`.
//
// Bloom: the mean over blocks, whose loads are Poisson-distributed, of (1 - (1 - 1/bits)^(keys *
// probes))^probes (Putze, Sanders, Singler: "Cache-, Hash- and Space-Efficient Bloom Filters",
// 2007); for the legacy Bloom with the corrections of RocksDB's own estimate for its weak probes
// and its 32-bit hash (util/bloom_impl.h, LegacyLocalityBloomImpl::EstimatedFpRate). Ribbon:
// 2^-columns, averaged over its two parts (util/ribbon_impl.h, ExpectedFpRate).
double ExpectedRate(const BuiltinFilter& filter, uint64_t keys) noexcept;

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_BUILTIN_FILTERS_H_
