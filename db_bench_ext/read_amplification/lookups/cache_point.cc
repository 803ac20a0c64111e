#include "db_bench_ext/read_amplification/lookups/cache_point.h"

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <rocksdb/db.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "db_bench_ext/read_amplification/lookups/lookup_counts.h"
#include "db_bench_ext/read_amplification/trees/tree.h"

namespace winnow::bench {
namespace {

// Number of fills after which a cache is assumed to be in a steady state.
constexpr uint64_t kTimesFilled = 4;

// Measurement of one point on an open tree.
class PointPass {
 public:
  PointPass(rocksdb::DB* db, const Lookups& lookups, uint64_t third, size_t threads,
            LookupProgress progress)
      : db_(db), lookups_(lookups), third_(third), threads_(threads), progress_(progress) {}

  absl::Status Fill(uint64_t cache_size) {
    const auto goes_on = [&] { return Loaded() < kTimesFilled * cache_size; };
    return InSlices(0, goes_on, [&](const Lookups& part, LookupProgress progress) {
      return TimeLookups(db_, part, Options(part), progress).status();
    });
  }

  absl::StatusOr<inspect::WorkloadCounts> Count() {
    const inspect::CacheLoads before = LoadsSoFar(*db_);
    const auto goes_on = [&] { return Loaded() - inspect::LoadedBytes(before) < kMaxBytesOfPoint; };
    inspect::WorkloadCounts sum;
    absl::Status status =
        InSlices(third_, goes_on, [&](const Lookups& part, LookupProgress progress) {
          absl::StatusOr<inspect::WorkloadCounts> counts =
              CountLookups(db_, part, Options(part), progress);
          if (counts.ok()) AddCounts(*counts, &sum);
          return counts.status();
        });
    if (!status.ok()) return status;
    sum.loads = LoadsBetween(before, LoadsSoFar(*db_));
    return sum;
  }

  // Returns the speed of n lookups.
  absl::StatusOr<double> OpsPerSecond(uint64_t n) {
    const Lookups part = PartOf(lookups_, 2 * third_, n);
    absl::StatusOr<inspect::WorkloadTimes> times = TimeLookups(
        db_, part, Options(part), [&](uint64_t done) { return progress_(2 * third_ + done); });
    if (!times.ok()) return times.status();
    return times->ops_per_second;
  }

 private:
  // Runs at most a third of the lookups, from the one at `first` on, in slices of growing length;
  // the next slice begins if goes_on() returns true.
  absl::Status InSlices(
      uint64_t first, absl::FunctionRef<bool()> goes_on,
      absl::FunctionRef<absl::Status(const Lookups& part, LookupProgress progress)> work) {
    constexpr uint64_t kFirstSlice = 64;
    for (uint64_t done = 0; done < third_ && (done == 0 || goes_on());) {
      const uint64_t begin = first + done;
      if (!progress_(begin)) return absl::CancelledError("interrupted");
      const uint64_t slice = std::min(third_ - done, std::max(kFirstSlice, done));
      absl::Status status = work(PartOf(lookups_, begin, slice),
                                 [&](uint64_t more) { return progress_(begin + more); });
      if (!status.ok()) return status;
      done += slice;
    }
    return absl::OkStatus();
  }

  uint64_t Loaded() const { return inspect::LoadedBytes(LoadsSoFar(*db_)); }

  PassOptions Options(const Lookups& part) const {
    PassOptions pass;
    pass.threads = threads_;
    pass.lookups = part.count;
    return pass;
  }

  rocksdb::DB* const db_;
  const Lookups& lookups_;
  const uint64_t third_;
  const size_t threads_;
  const LookupProgress progress_;
};

}  // namespace

absl::StatusOr<inspect::CachePoint> MeasureCachePoint(const TreeOptions& options,
                                                      const Policy& policy, const std::string& path,
                                                      const Lookups& lookups, uint64_t reads,
                                                      size_t threads, LookupProgress progress) {
  const std::shared_ptr<rocksdb::Statistics> tickers = NewTickers();
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenTree(options, policy, path, tickers);
  if (!db.ok()) return db.status();
  PointPass pass(db->get(), lookups, std::min(reads, lookups.count) / 3, threads, progress);
  if (absl::Status status = pass.Fill(options.cache_size); !status.ok()) return status;
  absl::StatusOr<inspect::WorkloadCounts> counts = pass.Count();
  if (!counts.ok()) return counts.status();

  inspect::CachePoint point;
  point.workload = lookups.name;
  point.cache_size = options.cache_size;
  point.counts = *std::move(counts);
  (*db)->GetIntProperty(rocksdb::DB::Properties::kBlockCacheUsage, &point.cache_used);
  (*db)->GetIntProperty(rocksdb::DB::Properties::kBlockCachePinnedUsage, &point.cache_pinned);

  tickers->set_stats_level(rocksdb::StatsLevel::kDisableAll);
  absl::StatusOr<double> speed = pass.OpsPerSecond(point.counts.lookups);
  if (!speed.ok()) return speed.status();
  point.ops_per_second = *speed;
  return point;
}

}  // namespace winnow::bench
