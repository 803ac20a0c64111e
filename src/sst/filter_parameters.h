// Parameters of a filter block, from its bytes.

#ifndef WINNOW_SRC_SST_FILTER_PARAMETERS_H_
#define WINNOW_SRC_SST_FILTER_PARAMETERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/sst/builtin_filters.h"
#include "winnow/filter.h"

namespace winnow::inspect {

// Members that do not apply to the kind of filter are unset or empty.
struct FilterParameters {
  std::string format;               // "winnow", "FastLocalBloom", "Standard128Ribbon", …
  std::optional<int> version;       // version of Winnow's format
  std::string hash;                 // hash of keys: "XXH3, seed 0"
  std::optional<int> probes;        // Bloom: bits per key
  std::optional<uint64_t> blocks;   // Bloom: blocks of block_bits; Ribbon: blocks of slots
  std::optional<int> block_bits;    // Bloom: bits per block
  std::optional<uint64_t> slots;    // Ribbon: over all layers
  std::optional<double> columns;    // Ribbon: mean bits of fingerprint per slot
  std::vector<std::string> layers;  // Winnow's Ribbon: "bumped", "small", "list", "bloom", "none"

  // Share of the first layer's start positions whose keys are in the next layer, 0 to 1.
  std::optional<double> bumped_share;

  // Bloom: share of bits that are set. Ribbon: keys per slot, if the number of keys is known.
  std::optional<double> fill_ratio;

  template <typename Code>
  void Fields(Code& code) {
    code(format, version, hash, probes, blocks, block_bits, slots, columns, layers, bumped_share,
         fill_ratio);
  }
};

// Returns the parameters of a block without a fault. RocksDB's blocks don't record their number of
// keys: `keys` is 0 if it is unknown.
FilterParameters ParametersOfWinnow(std::string_view block);
FilterParameters ParametersOfBuiltin(std::string_view block, const BuiltinFilter& filter,
                                     uint64_t keys);

// Returns readable text: "6 probes, 1250 blocks, 0.47 full, FastLocalBloom". Layers are only
// counted.
std::string ToText(const FilterParameters& parameters);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_PARAMETERS_H_
