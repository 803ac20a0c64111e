// The output of `winnow advise --cache`, for programs and for people.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_CACHE_JSON_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_CACHE_JSON_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/cache_rows.h"

namespace winnow::inspect {

// A document with all of it:
//
//   schema       "winnow.advise_cache/1"
//   cache        {bytes, kind, num_shard_bits (-1: as RocksDB parts it), high_pri_pool_ratio,
//                strict_capacity_limit}
//   recorded     whether the lookups are
//   lookups      followed; the second half of them is counted
//   joined_lookups  of them, those that a MultiGet has besides its first one
//   files, filter_bytes
//   rows         [{title, is_now, cache_bytes, memory_bytes, bytes_per_lookup,
//                filter_bytes_per_lookup, filter_blocks_per_lookup, and so of index and data,
//                lookups_that_read_a_filter (0 to 1), false_reads_per_lookup, placements (how
//                many ways of blocks to share the shards these are the average of),
//                bytes_per_lookup_range, filter_bytes_per_lookup_range,
//                lookups_that_read_a_filter_range ([least, most] of the placements),
//                pinned_bytes, beside_bytes (in memory beside the cache), rewrites_files, options
//                (to paste; null: none)}]: in the memory of now the best first, then those that
//                take more
//   sweep        of --chart: [rows as these], from small to large caches, choice by choice
//   recommendation, options (to paste, for GetColumnFamilyOptionsFromString; null: nothing to
//                change), assumptions, warnings,
//   errors [{path, error}]
std::string CacheAdviceJson(const CacheAdvice& advice, const std::vector<std::string>& warnings);

}  // namespace winnow::inspect

namespace winnow::tools {

// The table, what to do, and what was taken for granted.
std::string CacheAdviceText(const inspect::CacheAdvice& advice);

// Bytes a lookup over the size of the cache, a line for each choice of a sweep, as an SVG file;
// empty where there is no line to draw.
std::string CacheChart(const inspect::CacheAdvice& advice);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_JSON_H_
