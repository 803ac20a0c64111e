// The parameters of one filter block, as its bytes have them.

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

// Parameters that a kind of filter does not have are unset, or empty.
struct FilterParameters {
  std::string format;               // "winnow", "FastLocalBloom", "Standard128Ribbon", …
  std::optional<int> version;       // of Winnow's format
  std::string hash;                 // by which it knows keys: "XXH3, seed 0"
  std::optional<int> probes;        // Bloom: bits for each key
  std::optional<uint64_t> blocks;   // Bloom: of block_bits; Ribbon: of slots
  std::optional<int> block_bits;    // Bloom: of one block
  std::optional<uint64_t> slots;    // Ribbon: of all layers
  std::optional<double> columns;    // Ribbon: mean bits of fingerprint for each slot
  std::vector<std::string> layers;  // Winnow's Ribbon: "bumped", "small", "list", "bloom", "none"

  // Share of the first layer's start positions whose keys are in the next, 0 to 1.
  std::optional<double> bumped_share;

  // Bloom: share of its bits that are set. Ribbon: keys for each slot, if the keys are known.
  std::optional<double> fill_ratio;

  template <typename Code>
  void Fields(Code& code) {
    code(format, version, hash, probes, blocks, block_bits, slots, columns, layers, bumped_share,
         fill_ratio);
  }
};

// Returns the parameters of a block that FilterView has no fault with; of RocksDB's, whose keys the
// caller knows, or 0.
FilterParameters ParametersOfWinnow(std::string_view block);
FilterParameters ParametersOfBuiltin(std::string_view block, const BuiltinFilter& filter,
                                     uint64_t keys);

// For people: "6 probes, 1250 blocks, 0.47 full, FastLocalBloom". Without layers' names.
std::string ToText(const FilterParameters& parameters);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_PARAMETERS_H_
