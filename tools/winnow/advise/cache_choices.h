// Possible changes if filters don't fit the block cache, and the blocks that files then have.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_CACHE_CHOICES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_CACHE_CHOICES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/cache_trial/cache_replay.h"
#include "tools/winnow/advise/advice_files.h"

namespace winnow::inspect {

struct CacheChoice {
  enum class Where { kAsNow, kInCache, kBeside };
  enum class Pins { kAsNow, kLevel0, kAll };

  bool is_now = false;
  // metadata_block_size; 0: not partitioned; unset: as in the files.
  std::optional<uint64_t> partition_bytes;
  std::string policy;            // an options string; empty: as in the files
  bool skip_last_level = false;  // optimize_filters_for_hits
  Where where = Where::kAsNow;
  Pins pins = Pins::kAsNow;
  double cache_factor = 1;
  std::optional<CacheShape> fewer_shards;  // the current cache with fewer shards
  bool needs_cache = false;                // the current options have no_block_cache

  // Returns a title for people: "partitions of 4 KiB, winnow:10". Empty for the current state.
  std::string Title() const;
  // Returns the options of the choice for GetColumnFamilyOptionsFromString. In an OPTIONS file,
  // those within the braces belong under [TableOptions/BlockBasedTable "FAMILY"], one per line.
  // Empty if only the cache changes.
  std::string Options() const;

  // Returns true if the choice affects only files that are written after the change.
  bool Rewrites() const { return partition_bytes.has_value() || !policy.empty(); }
};

// Current state of a family's filters, as far as it affects the choices.
struct FiltersOfNow {
  bool partitioned = false;  // some filter is partitioned
  bool whole = false;
  bool in_cache = false;
  uint64_t partition_bytes = 4096;
  double bits_per_key = 10;
  bool has_plans = false;  // a plan by level would have different rates
  bool skips_last_level = false;
  std::string policy;  // an options string; empty if there is none or it is unknown
  // Policy of new files if `policy` is empty.
  std::string substitute;
  bool no_block_cache = false;
  // The cache with larger shards, if its shards are too small for the filters.
  std::optional<CacheShape> fewer_shards;
  double absent_share = 1;           // share of the lookups whose key is absent, for plans
  std::vector<std::string> further;  // further policies to try
};

// Returns all choices, the current state first.
std::vector<CacheChoice> CacheChoices(const FiltersOfNow& now);

// Returns the blocks of a file under a choice. `at` is its index in AdvisedFamily::files.
FileForm FormOf(const CacheChoice& choice, const AdvisedFamily& family, size_t at,
                const AdvisedFile& file, const VisitedFile& visited);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_CHOICES_H_
