#include <benchmark/benchmark.h>
#include <malloc.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/read_amplification/system/own_process.h"
#include "winnow/rocksdb_huge_pages.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::MemoryAllocator;

constexpr size_t kTurns = 15;  // inserted blocks, in multiples of the cache's capacity

// A block cache in which filters of live files stay, since they are accessed constantly, and those
// of files that were compacted away age. Data blocks come and go in addition.
class TurningCache {
 public:
  // `allocator` may be null for malloc.
  TurningCache(size_t capacity, MemoryAllocator* allocator)
      : capacity_(capacity), allocator_(allocator) {}

  // Inserts blocks from `num_threads` threads until `bytes` bytes were inserted.
  void Turn(size_t bytes, unsigned num_threads) {
    std::atomic<size_t> done{0};
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < num_threads; ++thread) {
      threads.emplace_back([this, bytes, thread, &done] {
        std::mt19937_64 random(thread);
        while (done < bytes) done += Compact(&random);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void Shrink(size_t capacity) {
    capacity_ = capacity;
    live_filters_.clear();
    is_live_.assign(is_live_.size(), false);
    std::mt19937_64 random(0);
    Insert(1, kData, &random);
  }

  size_t charge() const { return charge_; }

 private:
  static constexpr size_t kData = SIZE_MAX;
  struct Block {
    void* bytes;
    size_t charge;
    size_t filter;  // number of the filter, or kData
  };

  // Draws a filter size as in a level of full files, with a truncated file for every three full
  // ones, and some files of level 0.
  static size_t FilterSize(std::mt19937_64* random) {
    constexpr size_t kFull = 1 << 20;
    const size_t chance = (*random)() % 100;
    if (chance < 15) return kFull / 16 + (*random)() % (kFull / 8);
    if (chance < 35) return kFull / 64 + (*random)() % kFull;
    return kFull / 100 * 93 + (*random)() % (kFull / 7);
  }

  // Replaces some files by others with as many bytes of data as of filters. Returns the total
  // bytes.
  size_t Compact(std::mt19937_64* random) {
    std::vector<std::pair<size_t, size_t>> made;  // size, number
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const size_t most = capacity_ / 10 * 6;
      for (size_t i = 4 + (*random)() % 12; i > 0 && live_bytes_ > most; --i) {
        std::swap(live_filters_[(*random)() % live_filters_.size()], live_filters_.back());
        is_live_[live_filters_.back().second] = false;
        live_bytes_ -= live_filters_.back().first;
        live_filters_.pop_back();
      }
      while (live_bytes_ < most && made.size() < 16) {
        made.emplace_back(FilterSize(random), is_live_.size());
        is_live_.push_back(true);
        live_bytes_ += made.back().first;
        live_filters_.push_back(made.back());
      }
    }
    size_t bytes = 0;
    for (const auto& [size, filter] : made) {
      Insert(size, filter, random);
      size_t data = 0;
      while (data < size) {
        const size_t block = 4096 + (*random)() % ((*random)() % 5 == 0 ? 12'288 : 200);
        Insert(block, kData, random);
        data += block;
      }
      bytes += size + data;
    }
    return bytes;
  }

  void Insert(size_t size, size_t filter, std::mt19937_64* random) {
    constexpr size_t kTrailer = 5;  // RocksDB appends this to a block's bytes
    size += kTrailer;
    void* const bytes = allocator_ == nullptr ? std::malloc(size) : allocator_->Allocate(size);
    for (size_t i = 0; i < size; i += 4096) static_cast<volatile char*>(bytes)[i] = 1;
    const size_t charge =
        allocator_ == nullptr ? ::malloc_usable_size(bytes) : allocator_->UsableSize(bytes, size);
    std::vector<void*> dropped;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      blocks_.push_front({bytes, charge, filter});
      charge_ += charge;
      while (charge_ > capacity_) {
        const Block& oldest = blocks_.back();
        const bool is_asked_for =
            oldest.filter == kData ? (*random)() % 10 < 3 : is_live_[oldest.filter];
        if (is_asked_for) {
          blocks_.splice(blocks_.begin(), blocks_, std::prev(blocks_.end()));
          continue;
        }
        charge_ -= oldest.charge;
        dropped.push_back(oldest.bytes);
        blocks_.pop_back();
      }
    }
    for (void* const block : dropped) {
      if (allocator_ == nullptr) {
        std::free(block);
      } else {
        allocator_->Deallocate(block);
      }
    }
  }

  size_t capacity_;
  MemoryAllocator* const allocator_;
  std::mutex mutex_;
  std::list<Block> blocks_;  // newest first
  size_t charge_ = 0;
  size_t live_bytes_ = 0;
  std::vector<std::pair<size_t, size_t>> live_filters_;  // size, number
  std::vector<bool> is_live_;
};

void Turnover(benchmark::State& state, const std::string& what) {
  uint64_t charged = 0;
  uint64_t resident = 0;
  uint64_t shrunk = 0;
  for (auto iteration : state) {
    const std::string output =
        OutputOfOwnProcess({"filter_bench", "--turnover=" + what}).value_or("");
    if (std::sscanf(output.c_str(), "%" SCNu64 " %" SCNu64 " %" SCNu64, &charged, &resident,
                    &shrunk) != 3) {
      state.SkipWithError(("a process of its own with --turnover=" + what + " failed").c_str());
      return;
    }
  }
  state.counters["charged_bytes"] = static_cast<double>(charged);
  state.counters["resident_bytes"] = static_cast<double>(resident);
  state.counters["shrunk_bytes"] = static_cast<double>(shrunk);
}

}  // namespace

int MeasureTurnover(const char* what) {
  char allocator[16];
  unsigned threads = 0;
  size_t mebibytes = 0;
  if (std::sscanf(what, "%15[a-z_]:%u:%zu", allocator, &threads, &mebibytes) != 3 || threads == 0 ||
      mebibytes == 0 ||
      (allocator != std::string_view("malloc") && allocator != std::string_view("huge_pages"))) {
    std::fprintf(stderr,
                 "filter_bench: --turnover is '%s', but must be ALLOCATOR:THREADS:MIB, the "
                 "allocator being malloc or huge_pages\n",
                 what);
    return 2;
  }
  std::shared_ptr<MemoryAllocator> huge_pages;
  if (allocator == std::string_view("huge_pages")) {
    huge_pages = NewHugePageAllocator();
    if (huge_pages == nullptr) {
      std::fputs("filter_bench: no allocator could be made\n", stderr);
      return 1;
    }
    std::fprintf(stderr, "huge_pages: %s\n", huge_pages->Name());
  }
  const size_t capacity = mebibytes << 20;
  const uint64_t before = StatusBytes("VmRSS:").value_or(0);
  TurningCache& cache = *new TurningCache(capacity, huge_pages.get());
  cache.Turn(kTurns * capacity, threads);
  const size_t charged = cache.charge();
  const uint64_t resident = StatusBytes("VmRSS:").value_or(0);
  cache.Shrink(capacity / 4);
  const uint64_t shrunk = StatusBytes("VmRSS:").value_or(0);
  if (before == 0 || shrunk < before) {
    std::fputs("filter_bench: no VmRSS in /proc/self/status\n", stderr);
    return 1;
  }
  std::printf("%zu %" PRIu64 " %" PRIu64 "\n", charged, resident - before, shrunk - before);
  return 0;
}

void RegisterTurnoverRows(const RowOptions& options) {
  for (const int threads : {1, 4, 8}) {
    for (const char* const allocator : {"huge_pages", "malloc"}) {
      const std::string by = std::to_string(threads);
      AddRow("turnover/" + by + "/" + allocator, Turnover,
             std::string(allocator) + ":" + by + (options.rehearse ? ":32" : ":1024"))
          ->Iterations(1)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace winnow::bench
