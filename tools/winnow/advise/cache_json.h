// JSON, text and chart of `winnow advise --cache`.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_CACHE_JSON_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_CACHE_JSON_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/cache_rows.h"

namespace winnow::inspect {

// Returns a document with these members:
//
//   schema       "winnow.advise_cache/1"
//   cache        {bytes, kind, num_shard_bits (-1: RocksDB's default), high_pri_pool_ratio,
//                strict_capacity_limit}
//   recorded     true if the lookups are recorded
//   lookups      number of simulated lookups; figures are of the second half
//   joined_lookups  number of lookups in a MultiGet, except for the first one of each
//   files, filter_bytes
//   rows         [{title, is_now, cache_bytes, memory_bytes, bytes_per_lookup,
//                filter_bytes_per_lookup, filter_blocks_per_lookup, and so for index and data,
//                lookups_that_read_a_filter (0 to 1), false_reads_per_lookup, placements (number of
//                simulated hashes of blocks to shards that these are the mean of),
//                bytes_per_lookup_range, filter_bytes_per_lookup_range,
//                lookups_that_read_a_filter_range ([least, most] of the placements),
//                pinned_bytes, beside_bytes (in memory outside of the cache), rewrites_files,
//                options (to paste; null: none)}]: the best first with the present memory, then
//                rows that need more
//   sweep        with --chart: [rows of this form], from small to large caches, choice by choice
//   recommendation, options (to paste, for GetColumnFamilyOptionsFromString; null: nothing to
//                change), assumptions, warnings,
//   errors [{path, error}]
std::string CacheAdviceJson(const CacheAdvice& advice, const std::vector<std::string>& warnings);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns the table, the recommendation and the assumptions.
std::string CacheAdviceText(const inspect::CacheAdvice& advice);

// Returns bytes per lookup by cache size as an SVG file, with a line per choice of a sweep; empty
// if there is no line.
std::string CacheChart(const inspect::CacheAdvice& advice);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_JSON_H_
