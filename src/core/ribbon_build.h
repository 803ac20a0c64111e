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

// Builds the layers of a Ribbon filter for these hashes, at least one, and writes them to the
// payload one after the other. Always ends, for any hashes, in a time proportional to their number;
// a layer that can't be solved becomes a Bloom layer. The layers depend only on the multiset of the
// hashes. Returns the entries of the directory. Throws std::bad_alloc.
std::vector<LayerEntry> BuildRibbon(HashBlocks hashes, Columns columns, double rate,
                                    Payload* payload);

// A retrieval: layers that give back each item's value for the high 48 bits of its hash
// (HashOfItem), and anything for others. So bumped layers and at most one small one, whose entries
// are added to *entries. Returns the items that no layer has, as the layer behind them would know
// them: fewer than kMinSmallItems, or more where items with equal hashes have several values.
// Throws std::bad_alloc.
std::vector<uint64_t> BuildRetrieval(HashBin items, Columns columns, HashChunkPool* pool,
                                     Payload* payload, std::vector<LayerEntry>* entries);

// An item takes 64 bits in a list, a small layer at least 64 slots.
inline constexpr uint64_t kMinSmallItems = 16;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_BUILD_H_
