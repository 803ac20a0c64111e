#include "db_bench_ext/read_amplification/lookups/lookup_counts.h"

#include <rocksdb/perf_level.h>

#include <algorithm>

namespace winnow::bench {
namespace {

inspect::LevelCounts CountsOfLevel(int level, const rocksdb::PerfContextByLevel& context) {
  inspect::LevelCounts counts;
  counts.level = level;
  counts.useful = context.bloom_filter_useful;
  counts.filter_checks = context.bloom_filter_useful + context.bloom_filter_full_positive;
  counts.false_positive_block_reads =
      context.bloom_filter_full_positive - context.bloom_filter_full_true_positive;
  counts.blocks_accessed = context.block_cache_hit_count + context.block_cache_miss_count;
  counts.blocks_read = context.block_cache_miss_count;
  return counts;
}

void AddLevel(const inspect::LevelCounts& counts, inspect::LevelCounts* sum) {
  sum->filter_checks += counts.filter_checks;
  sum->useful += counts.useful;
  sum->false_positive_block_reads += counts.false_positive_block_reads;
  sum->blocks_accessed += counts.blocks_accessed;
  sum->blocks_read += counts.blocks_read;
}

}  // namespace

CountingScope::CountingScope() {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::PerfContext* const context = rocksdb::get_perf_context();
  context->Reset();
  context->ClearPerLevelPerfContext();
  context->EnablePerLevelPerfContext();
}

CountingScope::~CountingScope() {
  rocksdb::get_perf_context()->DisablePerLevelPerfContext();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
}

inspect::WorkloadCounts CountingScope::OfGets() const {
  const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
  inspect::WorkloadCounts counts;
  counts.data_blocks_read = context.block_read_count - context.index_block_read_count -
                            context.filter_block_read_count -
                            context.compression_dict_block_read_count;
  counts.data_blocks_accessed = counts.data_blocks_read + context.block_cache_hit_count -
                                context.block_cache_index_hit_count -
                                context.block_cache_filter_hit_count;
  counts.bytes_read = context.block_read_byte;
  for (const auto& [level, of_level] : *context.level_to_perf_context) {
    counts.levels.push_back(CountsOfLevel(static_cast<int>(level), of_level));
    counts.filter_checks += counts.levels.back().filter_checks;
    counts.useful += counts.levels.back().useful;
    counts.false_positive_block_reads += counts.levels.back().false_positive_block_reads;
  }
  return counts;
}

inspect::WorkloadCounts CountingScope::OfSeeks() const {
  const SeekAnswers answers = OfFilters();
  inspect::WorkloadCounts counts = OfGets();
  counts.filter_checks = answers.checks;
  counts.useful = answers.checks - answers.maybes;
  return counts;
}

CountingScope::SeekAnswers CountingScope::OfFilters() const {
  const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
  return {context.bloom_sst_hit_count + context.bloom_sst_miss_count, context.bloom_sst_hit_count};
}

std::shared_ptr<rocksdb::Statistics> NewTickers() {
  std::shared_ptr<rocksdb::Statistics> tickers = rocksdb::CreateDBStatistics();
  tickers->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
  return tickers;
}

inspect::CacheLoads LoadsSoFar(const rocksdb::DB& db) {
  const std::shared_ptr<rocksdb::Statistics> tickers = db.GetDBOptions().statistics;
  if (tickers == nullptr) return {};
  const auto loads = [&](rocksdb::Tickers misses, rocksdb::Tickers blocks, rocksdb::Tickers bytes) {
    return inspect::BlockLoads{tickers->getTickerCount(misses), tickers->getTickerCount(blocks),
                               tickers->getTickerCount(bytes)};
  };
  return {loads(rocksdb::BLOCK_CACHE_FILTER_MISS, rocksdb::BLOCK_CACHE_FILTER_ADD,
                rocksdb::BLOCK_CACHE_FILTER_BYTES_INSERT),
          loads(rocksdb::BLOCK_CACHE_INDEX_MISS, rocksdb::BLOCK_CACHE_INDEX_ADD,
                rocksdb::BLOCK_CACHE_INDEX_BYTES_INSERT),
          loads(rocksdb::BLOCK_CACHE_DATA_MISS, rocksdb::BLOCK_CACHE_DATA_ADD,
                rocksdb::BLOCK_CACHE_DATA_BYTES_INSERT)};
}

inspect::CacheLoads LoadsBetween(const inspect::CacheLoads& before,
                                 const inspect::CacheLoads& after) {
  const auto between = [](const inspect::BlockLoads& a, const inspect::BlockLoads& b) {
    return inspect::BlockLoads{b.misses - a.misses, b.blocks - a.blocks, b.bytes - a.bytes};
  };
  return {between(before.filter, after.filter), between(before.index, after.index),
          between(before.data, after.data)};
}

void AddCounts(const inspect::WorkloadCounts& counts, inspect::WorkloadCounts* sum) {
  sum->lookups += counts.lookups;
  sum->found += counts.found;
  sum->filter_checks += counts.filter_checks;
  sum->useful += counts.useful;
  sum->false_positive_block_reads += counts.false_positive_block_reads;
  sum->data_blocks_accessed += counts.data_blocks_accessed;
  sum->data_blocks_read += counts.data_blocks_read;
  sum->bytes_read += counts.bytes_read;
  sum->value_bytes += counts.value_bytes;
  sum->filter_reading_lookups += counts.filter_reading_lookups;
  if (counts.decided_lookups) {
    sum->decided_lookups = sum->decided_lookups.value_or(0) + *counts.decided_lookups;
    sum->decided_checks = sum->decided_checks.value_or(0) + *counts.decided_checks;
  }
  for (const inspect::LevelCounts& level : counts.levels) {
    const auto at = std::lower_bound(
        sum->levels.begin(), sum->levels.end(), level.level,
        [](const inspect::LevelCounts& l, int number) { return l.level < number; });
    if (at != sum->levels.end() && at->level == level.level) {
      AddLevel(level, &*at);
    } else {
      sum->levels.insert(at, level);
    }
  }
}

}  // namespace winnow::bench
