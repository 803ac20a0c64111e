#include "db_bench_ext/read_amplification/lookups/lookups.h"

#include <absl/status/status.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include "db_bench_ext/read_amplification/lookups/lookup_counts.h"
#include "db_bench_ext/read_amplification/lookups/readers.h"
#include "db_bench_ext/read_amplification/results/latency_percentiles.h"

namespace winnow::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Number of keys that are generated ahead, and the interval of progress reports.
constexpr uint64_t kKeysOfChunk = 4096;

// Maximum number of call times per thread; with more calls, only every second, every fourth, … time
// is kept.
constexpr size_t kMaxTimes = size_t{1} << 22;

// Returns the number of calls, each for a batch. Thread t of T makes the calls t, t + T, ….
uint64_t CallsOf(const Lookups& lookups, uint64_t n) {
  const uint64_t step = KeysOfCall(lookups);
  return (n + step - 1) / step;
}

size_t CallsOfChunk(const Lookups& lookups) {
  return static_cast<size_t>(std::max<uint64_t>(1, kKeysOfChunk / KeysOfCall(lookups)));
}

// Runs `work` on `threads` threads, the first of which is this one, and returns the first error. If
// a pass was stopped because of an error, returns that error.
absl::Status OnThreads(size_t threads, const std::function<absl::Status(size_t thread)>& work) {
  std::mutex mutex;
  absl::Status first_error;
  const auto run = [&](size_t thread) {
    absl::Status status = work(thread);
    const std::lock_guard<std::mutex> lock(mutex);
    if (absl::IsCancelled(first_error) && !status.ok()) first_error = absl::OkStatus();
    first_error.Update(std::move(status));
  };
  std::vector<std::thread> others;
  for (size_t t = 1; t < threads; ++t) others.emplace_back(run, t);
  run(0);
  for (std::thread& thread : others) thread.join();
  return first_error;
}

// State of a pass that stops all threads when one of them fails or the caller cancels. The first
// thread reports the progress of all.
class Pass {
 public:
  Pass(size_t threads, LookupProgress progress) : threads_(threads), progress_(progress) {}

  bool stopped() const { return stopped_; }
  void Stop() { stopped_ = true; }

  // Called after `lookups` lookups of this thread; returns an error if the pass has to end.
  absl::Status After(size_t thread, uint64_t lookups) {
    if (thread == 0 && !progress_(lookups * threads_)) Stop();
    return stopped_ ? absl::CancelledError("interrupted") : absl::OkStatus();
  }

 private:
  const size_t threads_;
  LookupProgress progress_;
  std::atomic<bool> stopped_{false};
};

// Counter of seeks. The maybes of a seek are known to be false positives if it found nothing.
class SeekTally {
 public:
  explicit SeekTally(const CountingScope* counting) : counting_(counting) {}

  void After(const Reader& reader) {
    const CountingScope::SeekAnswers now = counting_->OfFilters();
    if (reader.last_was_empty()) {
      ++lookups_;
      checks_ += now.checks - before_.checks;
      false_maybes_ += now.maybes - before_.maybes;
    }
    before_ = now;
  }

  inspect::WorkloadCounts Counts() const {
    inspect::WorkloadCounts counts = counting_->OfSeeks();
    counts.decided_lookups = lookups_;
    counts.decided_checks = checks_;
    counts.false_positive_block_reads = false_maybes_;
    return counts;
  }

 private:
  const CountingScope* const counting_;
  CountingScope::SeekAnswers before_;
  uint64_t lookups_ = 0, checks_ = 0, false_maybes_ = 0;
};

absl::StatusOr<inspect::WorkloadCounts> CountOnThread(rocksdb::DB* db, const Lookups& lookups,
                                                      uint64_t n, size_t thread, size_t threads,
                                                      Pass* pass) {
  const std::unique_ptr<Reader> reader = MakeReader(db, lookups);
  const size_t chunk = CallsOfChunk(lookups);
  PreparedCalls prepared(lookups, chunk);
  const bool seeks = lookups.kind == LookupKind::kSeek || lookups.kind == LookupKind::kScan;
  const uint64_t calls = CallsOf(lookups, n);
  uint64_t done = 0, filter_reading = 0;
  const CountingScope counting;
  SeekTally tally(&counting);
  for (uint64_t call = thread; call < calls;) {
    prepared.Clear();
    for (; call < calls && prepared.size() < chunk; call += threads) prepared.Add(call, n);
    for (size_t i = 0; i < prepared.size(); ++i) {
      const PreparedCalls::Call keys = prepared[i];
      const uint64_t filters_before = FilterBlocksRead();
      if (absl::Status status = reader->Read(keys.asked, keys.size); !status.ok()) return status;
      done += keys.size;
      if (FilterBlocksRead() != filters_before) filter_reading += keys.size;
      if (seeks) tally.After(*reader);
    }
    if (call >= calls) break;
    if (absl::Status status = pass->After(thread, done); !status.ok()) return status;
  }
  inspect::WorkloadCounts counts = seeks ? tally.Counts() : counting.OfGets();
  counts.lookups = done;
  counts.found = reader->found();
  counts.value_bytes = reader->value_bytes();
  counts.filter_reading_lookups = filter_reading;
  return counts;
}

struct ThreadTimes {
  std::vector<uint32_t> calls;  // nanoseconds of some of the calls, evenly spread
  uint64_t calls_done = 0;
  uint64_t done = 0;   // lookups
  double seconds = 0;  // excluding the time between two chunks
};

void KeepTime(uint64_t call, Clock::duration took, uint64_t* every, ThreadTimes* times) {
  if (call % *every != 0) return;
  if (times->calls.size() == kMaxTimes) {
    for (size_t i = 0; 2 * i < kMaxTimes; ++i) times->calls[i] = times->calls[2 * i];
    times->calls.resize(kMaxTimes / 2);
    *every *= 2;
    if (call % *every != 0) return;
  }
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
  times->calls.push_back(static_cast<uint32_t>(std::min<int64_t>(UINT32_MAX, nanoseconds)));
}

// Measures lookups on a thread. The clock is read once per call; keys are generated between
// measurements.
absl::StatusOr<ThreadTimes> TimeOnThread(rocksdb::DB* db, const Lookups& lookups,
                                         const PassOptions& options, uint64_t n, size_t thread,
                                         Pass* pass) {
  const std::unique_ptr<Reader> reader = MakeReader(db, lookups);
  const size_t chunk = CallsOfChunk(lookups);
  PreparedCalls prepared(lookups, chunk);
  const bool by_time = options.seconds > 0;
  const std::chrono::duration<double> limit(options.seconds);
  const uint64_t calls = CallsOf(lookups, n);
  ThreadTimes times;
  uint64_t every = 1;
  Clock::duration total{};
  uint64_t call = thread;
  const auto goes_on = [&] { return by_time ? total < limit : call < calls; };
  while (goes_on()) {
    prepared.Clear();
    for (; (by_time || call < calls) && prepared.size() < chunk; call += options.threads) {
      prepared.Add(call % calls, n);
    }
    const Clock::time_point begin = Clock::now();
    Clock::time_point before = begin;
    for (size_t i = 0; i < prepared.size(); ++i) {
      const PreparedCalls::Call keys = prepared[i];
      if (absl::Status status = reader->Read(keys.asked, keys.size); !status.ok()) return status;
      const Clock::time_point now = Clock::now();
      times.done += keys.size;
      KeepTime(times.calls_done++, now - before, &every, &times);
      before = now;
      if (by_time && total + (now - begin) >= limit) break;
    }
    total += before - begin;
    if (absl::Status status = pass->After(thread, times.done); !status.ok()) return status;
  }
  times.seconds = std::chrono::duration<double>(total).count();
  return times;
}

}  // namespace

absl::StatusOr<inspect::WorkloadCounts> CountLookups(rocksdb::DB* db, const Lookups& lookups,
                                                     const PassOptions& options,
                                                     LookupProgress progress) {
  const uint64_t n = std::min(options.lookups, lookups.count);
  const size_t threads = std::max<size_t>(1, options.threads);
  Pass pass(threads, progress);
  std::mutex mutex;
  inspect::WorkloadCounts sum;
  const inspect::CacheLoads before = LoadsSoFar(*db);
  const absl::Status status = OnThreads(threads, [&](size_t thread) {
    absl::StatusOr<inspect::WorkloadCounts> counts =
        CountOnThread(db, lookups, n, thread, threads, &pass);
    if (!counts.ok()) {
      pass.Stop();
      return counts.status();
    }
    const std::lock_guard<std::mutex> lock(mutex);
    AddCounts(*counts, &sum);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  sum.loads = LoadsBetween(before, LoadsSoFar(*db));
  return sum;
}

absl::StatusOr<inspect::WorkloadTimes> TimeLookups(rocksdb::DB* db, const Lookups& lookups,
                                                   const PassOptions& options,
                                                   LookupProgress progress) {
  PassOptions pass_options = options;
  pass_options.threads = std::max<size_t>(1, options.threads);
  // The workload's lookups are repeated if a round has a time limit.
  const uint64_t n = options.seconds > 0 ? lookups.count : std::min(options.lookups, lookups.count);
  Pass pass(pass_options.threads, progress);
  std::mutex mutex;
  std::vector<uint32_t> times;
  inspect::WorkloadTimes result;
  const absl::Status status = OnThreads(pass_options.threads, [&](size_t thread) {
    absl::StatusOr<ThreadTimes> of_thread =
        TimeOnThread(db, lookups, pass_options, n, thread, &pass);
    if (!of_thread.ok()) {
      pass.Stop();
      return of_thread.status();
    }
    const std::lock_guard<std::mutex> lock(mutex);
    times.insert(times.end(), of_thread->calls.begin(), of_thread->calls.end());
    result.lookups += of_thread->done;
    if (of_thread->seconds > 0) {
      result.ops_per_second += static_cast<double>(of_thread->done) / of_thread->seconds;
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  if (result.lookups == 0) return result;
  result.ops_per_second_by_round = {result.ops_per_second};
  const size_t kept = times.size();
  const auto quantile = [&](size_t percent) {
    const auto at = times.begin() + static_cast<std::ptrdiff_t>((kept - 1) * percent / 100);
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
