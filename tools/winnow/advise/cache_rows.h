// Options and results of advice on a block cache: a row per choice, with figures as numbers and as
// text.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_CACHE_ROWS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_CACHE_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "src/cache_trial/cache_replay.h"
#include "tools/winnow/advise/advice_types.h"
#include "tools/winnow/advise/cache_choices.h"

namespace winnow::inspect {

struct CacheAdviceOptions {
  AdviceOptions advice;  // `recorded` lookups are in order of time
  CacheShape cache;
  std::string cache_says;  // sentence on the source of the cache's settings; may be empty
  bool is_shared = false;  // several families share the cache
  bool sweep = false;      // simulate the best choices with other cache sizes
};

// Minimum and maximum of a figure.
struct Spread {
  double least = 0;
  double most = 0;

  // Returns true if the minimum and the maximum should both be shown.
  bool IsWide() const { return most - least > 0.05 * most; }
};

struct CacheRow {
  CacheChoice choice;
  double capacity = 0;  // bytes of the cache
  ReplayFigures figures;
  // Parts of `figures`: one per simulated hash of blocks to shards.
  std::vector<ReplayFigures> placements;
  // Some filters have only prefixes, so that their answers are unknown.
  bool guesses_prefixes = false;

  double ALookup(uint64_t count) const {
    return figures.lookups == 0 ? 0
                                : static_cast<double>(count) / static_cast<double>(figures.lookups);
  }
  // Returns bytes of filter, index and data blocks read per lookup.
  double BytesALookup() const {
    return ALookup(figures.filter_bytes + figures.index_bytes + figures.data_bytes);
  }
  // Spreads over the placements.
  Spread BytesSpread() const;
  Spread FilterSpread() const;       // bytes per lookup
  Spread ReadFiltersSpread() const;  // share of lookups, 0 to 1
  // Returns the bytes of memory: max(capacity, pinned bytes) for the cache, and blocks outside of
  // it.
  double Memory() const {
    return std::max(capacity, static_cast<double>(figures.pinned_bytes)) +
           static_cast<double>(figures.beside_bytes);
  }
  bool TakesMoreThan(const CacheRow& other) const { return Memory() > 1.01 * other.Memory(); }
  // Returns true if the row makes over one more false read per ten lookups.
  bool ReadsMoreInVainThan(const CacheRow& other) const {
    return ALookup(figures.false_reads) > other.ALookup(other.figures.false_reads) + 0.1;
  }
};

// A choice with several sizes of the cache.
struct CacheLine {
  CacheChoice choice;
  std::vector<CacheRow>
      points;  // sorted by size, ascending; sizes that leave no cache are left out
};

struct CacheAdvice {
  CacheShape cache;
  bool recorded = false;
  uint64_t lookups = 0;  // number of simulated lookups; figures are of the second half
  uint64_t joined = 0;   // lookups in a MultiGet, except for the first one of each
  uint64_t files = 0;
  uint64_t filter_bytes = 0;  // size of the files' filters

  // Rows with the present memory, the best first, then rows that need more. The present row is
  // included.
  std::vector<CacheRow> rows;
  std::vector<CacheLine> lines;  // result of a sweep

  std::string recommendation;  // sentences
  std::string options;  // options of the best choice, to paste; empty if nothing should change
  std::vector<std::string> assumptions;  // sentences on assumptions and omissions
  std::vector<FileError> errors;

  const CacheRow& Now() const;
};

// Returns the figure, "12 KiB", or its range if placements differ, "0 to 62 %".
std::string RangeText(double figure, const Spread& spread, std::string (*format)(double));

// Texts of a row's figures per lookup.
std::string BytesText(const CacheRow& row);
std::string FilterBytesText(const CacheRow& row);
std::string ReadFiltersText(const CacheRow& row);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_ROWS_H_
