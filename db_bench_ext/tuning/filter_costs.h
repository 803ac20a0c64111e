// Costs of filters of random hashes, by their size, accuracy and kind, and the tables of them that
// small-filters.md shows.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_FILTER_COSTS_H_
#define WINNOW_DB_BENCH_EXT_TUNING_FILTER_COSTS_H_

#include <cstdint>
#include <string>

#include "winnow/options.h"

namespace winnow::bench {

// Means over several filters.
struct FilterCost {
  double bytes = 0;
  double bits_per_key = 0;  // all bytes counted
  double rate = 0;          // share of absent keys that pass, as the filters state it, 0 to 1
};

// The cost of filters of n keys, n >= 1: of about 200,000 keys together, but of at most 2,000
// filters and at least one. The same numbers on every machine.
FilterCost MeanFilterCost(FilterKind kind, double bits_per_key, uint64_t n);

// How many per cent more than the straight line between them a Ribbon takes somewhere between two
// accuracies that are named by whole numbers: `fraction` of the way, 0 to 1, from `whole` to the
// next. Of 200,000 keys.
//   by bits_per_key: the whole numbers are those of the option
double PercentOverLineByBits(unsigned whole, double fraction);
//   by columns: they are log2(1/rate), and what lies between is a mixture of blocks
double PercentOverLineByColumns(unsigned whole, double fraction);
// Per cent that the mixture takes over the line in any construction: a part x of the slots has one
// column more, where 1 - x / 2 = 2^-fraction, and x is more than the fraction.
double PercentOfMixing(unsigned whole, double fraction);

// The tables, in Markdown, each with its titles.
std::string FewKeysTable(double bits_per_key);
std::string CrossoverTable();
std::string LeastKeysTable();  // from which on Ribbon is chosen, by bits_per_key
std::string FractionsByBitsTable();
std::string FractionsByColumnsTable();

// A row of FewKeysTable, with the end of its line.
std::string FewKeysRow(double bits_per_key, uint64_t n);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_FILTER_COSTS_H_
