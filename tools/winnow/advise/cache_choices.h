// Choices where filters don't fit the block cache, and the blocks that files then have.

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
  std::optional<uint64_t> partition_bytes;  // metadata_block_size; 0: whole; unset: as files are
  std::string policy;                       // an options string; empty: as files are
  bool skip_last_level = false;             // optimize_filters_for_hits
  Where where = Where::kAsNow;
  Pins pins = Pins::kAsNow;
  double cache_factor = 1;
  std::optional<CacheShape> fewer_shards;  // the cache that there is, but in so many
  bool needs_cache = false;                // there is none: no_block_cache

  // For people: "partitions of 4 KiB, winnow:10". Empty for what there is.
  std::string Title() const;
  // The options that make it so, for GetColumnFamilyOptionsFromString. In an OPTIONS file those
  // within the braces belong under [TableOptions/BlockBasedTable "FAMILY"], one a line. Empty where
  // the cache alone is another one.
  std::string Options() const;

  // Returns whether it takes effect only on files that are written after the change.
  bool Rewrites() const { return partition_bytes.has_value() || !policy.empty(); }
};

// How the filters of a family are now, as far as choices go by it.
struct FiltersOfNow {
  bool partitioned = false;  // of some file
  bool whole = false;
  bool in_cache = false;
  uint64_t partition_bytes = 4096;
  double bits_per_key = 10;
  bool has_plans = false;  // a plan by level would change something
  bool skips_last_level = false;
  std::string policy;  // as an options string; empty: there is none, or it is not known
  // The policy of files that are written anew, where `policy` is empty.
  std::string substitute;
  bool no_block_cache = false;
  // The cache in as many shards as would be right for its filters, where these are large for them.
  std::optional<CacheShape> fewer_shards;
  double absent_share = 1;           // of the lookups, for plans
  std::vector<std::string> further;  // policies to try besides
};

// All choices, and first what there is.
std::vector<CacheChoice> CacheChoices(const FiltersOfNow& now);

// The form of a file under a choice. `at`: its place in AdvisedFamily::files.
FileForm FormOf(const CacheChoice& choice, const AdvisedFamily& family, size_t at,
                const AdvisedFile& file, const VisitedFile& visited);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_CHOICES_H_
