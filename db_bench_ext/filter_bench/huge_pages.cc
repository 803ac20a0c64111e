#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_huge_pages.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::MemoryAllocator;
using ROCKSDB_NAMESPACE::Slice;

// Number of bytes that RocksDB appends to a block in memory.
constexpr size_t kTrailer = 5;

// Many copies of filters with a given total size, each allocated separately.
class ManyFilters {
 public:
  // `allocator` may be null for malloc.
  ManyFilters(const Subject& subject, size_t bytes, MemoryAllocator* allocator,
              const RowOptions& options)
      : policy_(NewPolicy(subject, 10)) {
    // Sizes from 128 KiB to 2 MiB, log-uniformly distributed.
    constexpr int kSizes = 32;
    constexpr double kMinKeys = 105'000;
    for (size_t made = 0; made < bytes;) {
      const uint64_t number = ReduceTo(Scatter(filters_.size()), kSizes);
      const double keys = kMinKeys * std::exp2(4 * (static_cast<double>(number) + 0.5) / kSizes) *
                          (subject.is_ribbon ? 1.46 : 1);
      const FilterShape shape{options.KeysFor(static_cast<uint64_t>(keys))};
      const std::string_view block = KeptFilter(subject, number, shape, 0).bytes();
      void* const copy = allocator == nullptr ? std::malloc(block.size() + kTrailer)
                                              : allocator->Allocate(block.size() + kTrailer);
      std::memcpy(copy, block.data(), block.size());
      filters_.push_back({std::unique_ptr<FilterBitsReader>(policy_->GetFilterBitsReader(
                              Slice(static_cast<const char*>(copy), block.size()))),
                          number, shape.num_keys});
      made += block.size();
    }
  }

  struct Filter {
    std::unique_ptr<FilterBitsReader> reader;
    uint64_t number;
    uint64_t num_keys;
  };
  const std::vector<Filter>& filters() const { return filters_; }

 private:
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy_;
  std::vector<Filter> filters_;  // the filters keep their bytes until the program ends
};

struct Where {
  Subject subject;
  bool in_huge_pages;
  RowOptions options;
};

const ManyFilters& Kept(const Where& where) {
  static std::map<std::pair<std::string, bool>, const ManyFilters> kept;
  static const auto& allocator = *new std::shared_ptr<MemoryAllocator>(NewHugePageAllocator());
  // The name includes the reason.
  if (kept.empty()) std::fprintf(stderr, "huge_pages: %s\n", allocator->Name());
  const std::pair<std::string, bool> identity(where.subject.name, where.in_huge_pages);
  const auto found = kept.find(identity);
  if (found != kept.end()) return found->second;
  size_t bytes = where.options.huge ? 3'000'000'000 : 1'000'000'000;
  if (where.options.rehearse) bytes /= 1000;
  return kept
      .try_emplace(identity, where.subject, bytes, where.in_huge_pages ? allocator.get() : nullptr,
                   where.options)
      .first->second;
}

// Measures lookups. one_by_one: each lookup waits for the preceding answer, as in a thread with
// other work in between.
void Query(benchmark::State& state, const Where& where, bool one_by_one) {
  const std::vector<ManyFilters::Filter>& filters = Kept(where).filters();
  LookupIndices choices(filters.size(), Presence::kHalf);
  KeyGroup keys;
  std::array<FilterBitsReader*, KeyGroup::kKeys> readers;
  uint64_t absent = 0;
  size_t found = 0;
  for (auto iteration : state) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      const ManyFilters::Filter& filter = filters[choices.NextBelow(filters.size())];
      readers[i] = filter.reader.get();
      keys.Set(i, NumberOf(filter.number, filter.num_keys + (++absent & UINT32_MAX >> 1)));
    }
    size_t answer = 0;
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      if (one_by_one) {
        benchmark::DoNotOptimize(answer);
        answer &= 2;  // always 0, unknown to the compiler
      } else {
        answer = 0;
      }
      const Slice key(keys.Get(i + answer), keys.length());
      answer = readers[i + answer]->MayMatch(key);
      found += answer;
    }
  }
  ReportLookups(state, KeyGroup::kKeys, found);
}

}  // namespace

void RegisterHugePageRows(const RowOptions& options) {
  if (NewHugePageAllocator() == nullptr) return;
  for (const bool one_by_one : {false, true}) {
    for (const Subject& subject : Subjects()) {
      if (!subject.is_ours) continue;
      for (const bool in_huge_pages : {true, false}) {
        AddRow(std::string("query/beyond_tlb") + (one_by_one ? "_one_by_one" : "") + "/absent/" +
                   subject.name + (in_huge_pages ? "/huge_pages" : "/malloc"),
               Query, Where{subject, in_huge_pages, options}, one_by_one);
      }
    }
  }
}

}  // namespace winnow::bench
