// Construction of Ribbon filters.

#ifndef WINNOW_SRC_CORE_RIBBON_BUILD_H_
#define WINNOW_SRC_CORE_RIBBON_BUILD_H_

#include <cstdint>
#include <vector>

#include "src/core/format.h"
#include "src/core/hash_blocks.h"
#include "src/core/payload.h"

namespace winnow::core {

// Builds the layers of a Ribbon filter for these hashes, at least one, and writes them to the
// payload one after the other. Always ends, for any hashes, in a time proportional to their number;
// a layer that can't be solved becomes a Bloom layer. The layers depend only on the multiset of the
// hashes. Returns the entries of the directory. Throws std::bad_alloc.
std::vector<LayerEntry> BuildRibbon(HashBlocks hashes, Columns columns, double rate,
                                    Payload* payload);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_BUILD_H_
