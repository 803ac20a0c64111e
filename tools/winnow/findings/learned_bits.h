// Distribution of filter bits in a tree whose bits follow lookups.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_LEARNED_BITS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_LEARNED_BITS_H_

#include <cstdint>
#include <vector>

#include "src/sst/sst_filters.h"
#include "tools/winnow/findings/filter_totals.h"

namespace winnow::inspect {

struct BitsOfLevel {
  int level = 0;
  uint64_t files = 0;  // files with keys in their filters
  double least = 0;    // bits per key of a file; files with few keys are left out
  double mean = 0;     // mean over all files, weighted by keys
  double most = 0;
};

struct LearnedBits {
  FamilyName family;
  std::vector<BitsOfLevel> levels;  // first level first

  // Mean bits per key in each tenth of the last level's keys, in key order. Empty if that is level
  // 0, whose files overlap.
  std::vector<double> tenths;
};

// Returns the bits of each column family that has filters whose bits lookups changed, and a level
// on which some file has over 20% more bits per key than another.
std::vector<LearnedBits> LearnedBitsOf(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_LEARNED_BITS_H_
