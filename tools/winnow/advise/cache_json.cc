#include "tools/winnow/advise/cache_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json WholeBytes(double bytes) { return static_cast<uint64_t>(std::llround(bytes)); }

Json SpreadJson(const Spread& spread) { return Json::array({spread.least, spread.most}); }

Json RowJson(const CacheRow& row) {
  const ReplayFigures& figures = row.figures;
  return {{"title", row.choice.Title()},
          {"is_now", row.choice.is_now && row.choice.cache_factor == 1},
          {"cache_bytes", WholeBytes(row.capacity)},
          {"memory_bytes", WholeBytes(row.Memory())},
          {"bytes_per_lookup", row.BytesALookup()},
          {"filter_bytes_per_lookup", row.ALookup(figures.filter_bytes)},
          {"filter_blocks_per_lookup", row.ALookup(figures.filter_blocks)},
          {"index_bytes_per_lookup", row.ALookup(figures.index_bytes)},
          {"index_blocks_per_lookup", row.ALookup(figures.index_blocks)},
          {"data_bytes_per_lookup", row.ALookup(figures.data_bytes)},
          {"data_blocks_per_lookup", row.ALookup(figures.data_blocks)},
          {"lookups_that_read_a_filter", row.ALookup(figures.read_filters)},
          {"false_reads_per_lookup", row.ALookup(figures.false_reads)},
          {"placements", row.placements.size()},
          {"bytes_per_lookup_range", SpreadJson(row.BytesSpread())},
          {"filter_bytes_per_lookup_range", SpreadJson(row.FilterSpread())},
          {"lookups_that_read_a_filter_range", SpreadJson(row.ReadFiltersSpread())},
          {"pinned_bytes", figures.pinned_bytes},
          {"beside_bytes", figures.beside_bytes},
          {"rewrites_files", row.choice.Rewrites()},
          {"options", SentenceOrNull(row.choice.Options())}};
}

}  // namespace

std::string CacheAdviceJson(const CacheAdvice& advice, const std::vector<std::string>& warnings) {
  Json json = {{"cache",
                {{"bytes", advice.cache.capacity},
                 {"kind", advice.cache.hyper_clock ? "HyperClockCache" : "LRUCache"},
                 {"num_shard_bits", advice.cache.shard_bits},
                 {"high_pri_pool_ratio", advice.cache.high_priority_share},
                 {"strict_capacity_limit", advice.cache.strict}}},
               {"recorded", advice.recorded},
               {"lookups", advice.lookups},
               {"joined_lookups", advice.joined},
               {"files", advice.files},
               {"filter_bytes", advice.filter_bytes},
               {"rows", Json::array()},
               {"sweep", Json::array()},
               {"recommendation", SentenceOrNull(advice.recommendation)},
               {"options", SentenceOrNull(advice.options)},
               {"assumptions", advice.assumptions},
               {"warnings", warnings},
               {"errors", Json::array()}};
  for (const CacheRow& row : advice.rows) {
    json["rows"].push_back(RowJson(row));
  }
  for (const CacheLine& line : advice.lines) {
    for (const CacheRow& point : line.points) {
      json["sweep"].push_back(RowJson(point));
    }
  }
  for (const FileError& error : advice.errors) {
    json["errors"].push_back({{"path", error.path}, {"error", SentenceOrNull(*error.error)}});
  }
  return Document("winnow.advise_cache/1", json);
}

}  // namespace winnow::inspect
