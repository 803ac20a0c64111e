// Costs of filters of random hashes by size, accuracy and kind, and their tables in
// small-filters.md.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_FILTER_COSTS_H_
#define WINNOW_DB_BENCH_EXT_TUNING_FILTER_COSTS_H_

#include <cstdint>
#include <string>

#include "winnow/options.h"

namespace winnow::bench {

// Means over several filters.
struct FilterCost {
  double bytes = 0;
  double bits_per_key = 0;  // including all overhead
  double rate = 0;          // false-positive rate reported by the filters, 0 to 1
};

// Returns the mean cost of filters of n keys, n >= 1: of about 200,000 keys in total, but of at
// most 2,000 filters and at least one. Results are identical on all machines.
FilterCost MeanFilterCost(FilterKind kind, double bits_per_key, uint64_t n);

// Returns by how many percent a Ribbon of 200,000 keys exceeds linear interpolation between two
// whole numbers of bits_per_key: `fraction`, 0 to 1, is the position between `whole` and the next
// number.
double PercentOverLineByBits(unsigned whole, double fraction);
// Returns the excess between two whole numbers of columns, which are log2(1/rate); blocks of both
// numbers are mixed in between.
double PercentOverLineByColumns(unsigned whole, double fraction);
// Returns by how many percent a mixture exceeds the interpolation in any construction: a share x of
// the slots has one more column, where 1 - x / 2 = 2^-fraction, and x exceeds the fraction.
double PercentOfMixing(unsigned whole, double fraction);

// Return the Markdown tables with their titles.
std::string FewKeysTable(double bits_per_key);
std::string CrossoverTable();
std::string LeastKeysTable();  // minimum keys for Ribbon, by bits_per_key
std::string FractionsByBitsTable();
std::string FractionsByColumnsTable();

// Returns a row of FewKeysTable() with its newline.
std::string FewKeysRow(double bits_per_key, uint64_t n);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_FILTER_COSTS_H_
