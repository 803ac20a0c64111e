// Construction of Ribbon filters.

#ifndef WINNOW_SRC_CORE_RIBBON_BUILD_H_
#define WINNOW_SRC_CORE_RIBBON_BUILD_H_

#include <cstdint>
#include <vector>

#include "src/core/format.h"
#include "src/core/hash_blocks.h"
#include "src/core/hash_chunks.h"
#include "src/core/payload.h"

namespace winnow::core {

// Builds the layers of a Ribbon filter for these hashes, at least one, and appends them to the
// payload. Always terminates, for any hashes, in time proportional to their number; a layer that
// can't be solved becomes a Bloom layer. The layers depend only on the multiset of hashes. Returns
// the directory entries. Throws std::bad_alloc.
std::vector<LayerEntry> BuildRibbon(HashBlocks hashes, Columns columns, double rate,
                                    Payload* payload);

// Builds a retrieval data structure: layers that return each item's value for the high 48 bits of
// its hash (HashOfItem), and arbitrary values for other hashes. Appends the entries of bumped
// layers, and of at most one small layer, to *entries. Returns the items that no layer stores, with
// their hashes for the next layer: fewer than kMinSmallItems, or more if items with equal hashes
// have different values. Throws std::bad_alloc.
std::vector<uint64_t> BuildRetrieval(HashBin items, Columns columns, HashChunkPool* pool,
                                     Payload* payload, std::vector<LayerEntry>* entries);

// Minimum number of items of a small layer: an item takes 64 bits in a list, and a small layer at
// least 64 slots.
inline constexpr uint64_t kMinSmallItems = 16;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_BUILD_H_
