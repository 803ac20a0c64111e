#include "db_bench_ext/read_amplification/lookups.h"

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "db_bench_ext/read_amplification/status.h"
#include "src/inspect/latency_percentiles.h"

namespace winnow::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kProgressEvery = 4096;

// Keeps RocksDB counting on this thread, from zero, while it lives.
class CountingScope {
 public:
  CountingScope() {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    context()->Reset();
    context()->ClearPerLevelPerfContext();
    context()->EnablePerLevelPerfContext();
  }
  ~CountingScope() {
    context()->DisablePerLevelPerfContext();
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  }
  CountingScope(const CountingScope&) = delete;
  CountingScope& operator=(const CountingScope&) = delete;

  static rocksdb::PerfContext* context() { return rocksdb::get_perf_context(); }
};

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

inspect::WorkloadCounts CountsOf(const rocksdb::PerfContext& context) {
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

absl::Status Unexpected(const Lookups& lookups, std::string_view key,
                        const rocksdb::Status& status) {
  return absl::InternalError(absl::StrCat(
      "the key '", absl::CHexEscape({key.data(), key.size()}), "' should be ",
      lookups.present ? "present" : "absent", " in ", lookups.name,
      ", but looking it up gives: ", status.ToString(), "; the figures would be wrong"));
}

bool AsExpected(const Lookups& lookups, const rocksdb::Status& status) {
  return lookups.present ? status.ok() : status.IsNotFound();
}

}  // namespace

absl::StatusOr<inspect::WorkloadCounts> CountLookups(rocksdb::DB* db, const Lookups& lookups,
                                                     LookupProgress progress) {
  const rocksdb::ReadOptions read;
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  rocksdb::PinnableSlice value;
  uint64_t done = 0, value_bytes = 0;
  const CountingScope counting;
  for (const uint32_t i : lookups.order) {
    const std::string_view key = (*lookups.keys)[i];
    value.Reset();
    const rocksdb::Status status = db->Get(read, family, {key.data(), key.size()}, &value);
    if (!AsExpected(lookups, status)) return Unexpected(lookups, key, status);
    if (status.ok()) value_bytes += value.size();
    if (++done % kProgressEvery == 0 && !progress(done)) {
      return absl::CancelledError("interrupted");
    }
  }
  inspect::WorkloadCounts counts = CountsOf(*counting.context());
  counts.lookups = done;
  counts.found = lookups.present ? done : 0;
  counts.value_bytes = value_bytes;
  return counts;
}

absl::StatusOr<inspect::WorkloadTimes> TimeLookups(rocksdb::DB* db, const Lookups& lookups,
                                                   size_t n, LookupProgress progress) {
  n = std::min(n, lookups.order.size());
  const rocksdb::ReadOptions read;
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  rocksdb::PinnableSlice value;
  std::vector<uint32_t> times(n);
  Clock::duration total{};
  // The clock is read once for each lookup; what is done between two chunks is not counted.
  for (size_t chunk = 0; chunk < n; chunk += kProgressEvery) {
    const size_t end = std::min(n, chunk + kProgressEvery);
    const Clock::time_point begin = Clock::now();
    Clock::time_point before = begin;
    for (size_t i = chunk; i < end; ++i) {
      const std::string_view key = (*lookups.keys)[lookups.order[i]];
      value.Reset();
      const rocksdb::Status status = db->Get(read, family, {key.data(), key.size()}, &value);
      if (!AsExpected(lookups, status)) return Unexpected(lookups, key, status);
      const Clock::time_point now = Clock::now();
      times[i] = static_cast<uint32_t>(std::min<int64_t>(
          UINT32_MAX, std::chrono::duration_cast<std::chrono::nanoseconds>(now - before).count()));
      before = now;
    }
    total += before - begin;
    if (!progress(end)) return absl::CancelledError("interrupted");
  }

  inspect::WorkloadTimes result;
  result.lookups = n;
  if (n == 0) return result;
  result.ops_per_second = static_cast<double>(n) / std::chrono::duration<double>(total).count();
  result.ops_per_second_by_round = {result.ops_per_second};
  const auto quantile = [&](size_t percent) {
    const auto at = times.begin() + static_cast<std::ptrdiff_t>((n - 1) * percent / 100);
    std::nth_element(times.begin(), at, times.end());
    return static_cast<uint64_t>(*at);
  };
  result.p50_ns = quantile(50);
  result.p99_ns = quantile(99);
  result.percentiles = inspect::LatencyPercentiles(&times);
  return result;
}

inspect::WorkloadTimes MedianRound(const std::vector<inspect::WorkloadTimes>& rounds) {
  std::vector<size_t> by_speed(rounds.size());
  std::iota(by_speed.begin(), by_speed.end(), size_t{0});
  std::sort(by_speed.begin(), by_speed.end(), [&](size_t a, size_t b) {
    return rounds[a].ops_per_second < rounds[b].ops_per_second;
  });
  inspect::WorkloadTimes median = rounds[by_speed[(rounds.size() - 1) / 2]];
  median.ops_per_second_by_round.clear();
  for (const inspect::WorkloadTimes& round : rounds) {
    median.ops_per_second_by_round.push_back(round.ops_per_second);
  }
  return median;
}

}  // namespace winnow::bench
