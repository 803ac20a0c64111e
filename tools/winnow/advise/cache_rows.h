// The options and answers of advice on a block cache: a row for each choice, with its
// figures as numbers and as text.

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
  AdviceOptions advice;  // its `recorded` lookups are in the order of time
  CacheShape cache;
  std::string cache_says;  // where its settings come from, as a sentence; may be empty
  bool is_shared = false;  // families share it
  bool sweep = false;      // follow the best choices through other sizes of the cache too
};

// The least and the most that a figure comes to.
struct Spread {
  double least = 0;
  double most = 0;

  // Too far apart for one figure to stand for both.
  bool IsWide() const { return most - least > 0.05 * most; }
};

struct CacheRow {
  CacheChoice choice;
  double capacity = 0;  // of the cache, in bytes
  ReplayFigures figures;
  // The parts of `figures`: one for each of some ways in which blocks may share the shards.
  std::vector<ReplayFigures> placements;
  // Some of its filters are of prefixes only, and what they would answer is not known.
  bool guesses_prefixes = false;

  double ALookup(uint64_t count) const {
    return figures.lookups == 0 ? 0
                                : static_cast<double>(count) / static_cast<double>(figures.lookups);
  }
  // Filter, index and data bytes a lookup.
  double BytesALookup() const {
    return ALookup(figures.filter_bytes + figures.index_bytes + figures.data_bytes);
  }
  // The spreads over the placements.
  Spread BytesSpread() const;
  Spread FilterSpread() const;       // bytes a lookup
  Spread ReadFiltersSpread() const;  // a lookup: 0 to 1
  // Bytes of memory: max(capacity, pinned bytes) for the cache, and what lies beside it.
  double Memory() const {
    return std::max(capacity, static_cast<double>(figures.pinned_bytes)) +
           static_cast<double>(figures.beside_bytes);
  }
  bool TakesMoreThan(const CacheRow& other) const { return Memory() > 1.01 * other.Memory(); }
  // Returns whether it makes more false reads, by more than one in ten lookups.
  bool ReadsMoreInVainThan(const CacheRow& other) const {
    return ALookup(figures.false_reads) > other.ALookup(other.figures.false_reads) + 0.1;
  }
};

// One choice over the size of the cache.
struct CacheLine {
  CacheChoice choice;
  std::vector<CacheRow>
      points;  // from small to large; sizes that its memory leaves none are missing
};

struct CacheAdvice {
  CacheShape cache;
  bool recorded = false;
  uint64_t lookups = 0;  // followed; the second half of them is counted
  uint64_t joined = 0;   // of them, those of a MultiGet besides its first
  uint64_t files = 0;
  uint64_t filter_bytes = 0;  // of the files

  // In the memory of now, best first, then those with more. The row of now is among them.
  std::vector<CacheRow> rows;
  std::vector<CacheLine> lines;  // of a sweep

  std::string recommendation;  // sentences
  std::string options;         // to paste, of the best choice; empty: there is nothing to change
  std::vector<std::string> assumptions;  // sentences: what was taken for granted and left out
  std::vector<FileError> errors;

  const CacheRow& Now() const;
};

// "12 KiB", or where placements differ "0 to 62 %": the least and the most.
std::string RangeText(double figure, const Spread& spread, std::string (*format)(double));

// So of a row, a lookup.
std::string BytesText(const CacheRow& row);
std::string FilterBytesText(const CacheRow& row);
std::string ReadFiltersText(const CacheRow& row);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_ROWS_H_
