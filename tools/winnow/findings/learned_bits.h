// Where the filters of a tree with level_plan=learned have their bits.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_LEARNED_BITS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_LEARNED_BITS_H_

#include <cstdint>
#include <vector>

#include "src/sst/sst_filters.h"
#include "tools/winnow/findings/filter_totals.h"

namespace winnow::inspect {

struct BitsOfLevel {
  int level = 0;
  uint64_t files = 0;  // with keys in their filters
  double least = 0;  // bits a key of such a file; those of few keys beside the others' are left out
  double mean = 0;   // of all, by keys
  double most = 0;
};

struct LearnedBits {
  FamilyName family;
  std::vector<BitsOfLevel> levels;  // from the first one down

  // Bits a key in each tenth of the keys of the last of these levels, in the order of its keys.
  // Empty where that is level 0, whose files overlap.
  std::vector<double> tenths;
};

// The bits of each column family that has filters of this plan, and a level on which some file has
// more than a fifth more bits a key than another. Pure.
std::vector<LearnedBits> LearnedBitsOf(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_LEARNED_BITS_H_
