// Construction of Ribbon filters.

#ifndef WINNOW_SRC_CORE_RIBBON_BUILD_H_
#define WINNOW_SRC_CORE_RIBBON_BUILD_H_

#include <cstdint>
#include <vector>

#include "src/core/format.h"
#include "src/core/payload.h"

namespace winnow::core {

// Builds the layers of a Ribbon filter for these hashes, at least one, and writes them to the
// payload one after the other. Always ends, for any hashes, in a time proportional to their number;
// layers that can't be solved become a Bloom layer. Returns the entries of the directory. Throws
// std::bad_alloc.
std::vector<LayerEntry> BuildRibbon(std::vector<uint64_t> hashes, Columns columns, double rate,
                                    Payload* payload);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_BUILD_H_
