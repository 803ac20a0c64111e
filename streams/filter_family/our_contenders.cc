// Winnow's filters as contenders, called through the public interface.

#include <algorithm>

#include "streams/filter_family/comparison.h"
#include "winnow/amq/binary_fuse_filter.h"
#include "winnow/amq/concurrent_bloom.h"
#include "winnow/amq/cuckoo_filter.h"

namespace winnow::bench {
namespace {

using amq::BinaryFuseFilter;
using amq::ConcurrentBloom;
using amq::CuckooFilter;

template <typename Filter>
Filter* Of(void* filter) {
  return static_cast<Filter*>(filter);
}
template <typename Filter>
const Filter* Of(const void* filter) {
  return static_cast<const Filter*>(filter);
}

template <typename Filter>
void Destroy(void* filter) {
  delete Of<Filter>(filter);
}

template <typename Filter>
uint64_t Bytes(const void* filter) {
  return Of<Filter>(filter)->size_bytes();
}

template <typename Filter>
uint64_t Ask(const void* filter, const uint64_t* hashes, uint64_t n) {
  const auto* asked = Of<Filter>(filter);
  uint64_t found = 0;
  for (uint64_t i = 0; i < n; ++i) found += asked->MayContain(KeyHash{hashes[i]});
  return found;
}

// Batch size, as in a MultiGet.
constexpr uint64_t kBatch = 64;

const KeyHash* HashesAt(const uint64_t* hashes) { return reinterpret_cast<const KeyHash*>(hashes); }

template <typename Filter>
uint64_t AskBatches(const void* filter, const uint64_t* hashes, uint64_t n) {
  const auto* asked = Of<Filter>(filter);
  uint64_t found = 0;
  bool results[kBatch];
  for (uint64_t i = 0; i < n; i += kBatch) {
    const uint64_t size = std::min(kBatch, n - i);
    asked->MayContain(HashesAt(hashes + i), size, results);
    for (uint64_t j = 0; j < size; ++j) found += results[j];
  }
  return found;
}

uint64_t AddBatches(void* filter, const uint64_t* hashes, uint64_t n) {
  bool is_new[kBatch];
  for (uint64_t i = 0; i < n; i += kBatch) {
    Of<ConcurrentBloom>(filter)->Add(HashesAt(hashes + i), std::min(kBatch, n - i), is_new);
  }
  return 0;
}

// Returns the lowest rate that needs at most this many bits per key.
double RateInBits(double bits_per_key) {
  constexpr uint64_t kKeys = 100'000;
  double high = amq::kHighestRate;
  double low = amq::kLowestConcurrentRate;
  for (int i = 0; i < 40; ++i) {
    const double rate = (high + low) / 2;
    const ConcurrentBloom tried({kKeys, rate});
    (static_cast<double>(tried.size_bytes() * 8) <= bits_per_key * kKeys ? high : low) = rate;
  }
  return high;
}

void* CreateConcurrent(uint64_t keys, double bits_per_key) {
  static double bits = 0;
  static double rate = 0;
  if (bits != bits_per_key) {
    bits = bits_per_key;
    rate = RateInBits(bits_per_key);
  }
  return new ConcurrentBloom({keys, rate});
}

uint64_t AddAlone(void* filter, const uint64_t* hashes, uint64_t n) {
  auto* to = Of<ConcurrentBloom>(filter);
  for (uint64_t i = 0; i < n; ++i) to->AddAlone(KeyHash{hashes[i]});
  return 0;
}

uint64_t AddConcurrent(void* filter, const uint64_t* hashes, uint64_t n) {
  auto* to = Of<ConcurrentBloom>(filter);
  for (uint64_t i = 0; i < n; ++i) to->Add(KeyHash{hashes[i]});
  return 0;
}

struct Fuse {
  BinaryFuseFilter* filter = nullptr;
  ~Fuse() { delete filter; }
};

void* CreateFuse(uint64_t, double) { return new Fuse; }

uint64_t BytesOfFuse(const void* fuse) { return Of<Fuse>(fuse)->filter->size_bytes(); }

uint64_t BuildFuse(void* fuse, const uint64_t* hashes, uint64_t n) {
  Of<Fuse>(fuse)->filter = new BinaryFuseFilter(HashesAt(hashes), n, 1.0 / 256);
  return 0;
}

uint64_t AskFuse(const void* fuse, const uint64_t* hashes, uint64_t n) {
  return Ask<BinaryFuseFilter>(Of<Fuse>(fuse)->filter, hashes, n);
}

uint64_t AskFuseBatches(const void* fuse, const uint64_t* hashes, uint64_t n) {
  return AskBatches<BinaryFuseFilter>(Of<Fuse>(fuse)->filter, hashes, n);
}

// Creates a filter with 12-bit fingerprints.
void* CreateCuckoo(uint64_t keys, double) { return new CuckooFilter({keys, 0.0019}); }

uint64_t InsertCuckoo(void* filter, const uint64_t* hashes, uint64_t n) {
  auto* to = Of<CuckooFilter>(filter);
  uint64_t refused = 0;
  for (uint64_t i = 0; i < n; ++i) refused += !to->Insert(KeyHash{hashes[i]});
  return refused;
}

uint64_t RemoveCuckoo(void* filter, const uint64_t* hashes, uint64_t n) {
  auto* from = Of<CuckooFilter>(filter);
  uint64_t absent = 0;
  for (uint64_t i = 0; i < n; ++i) absent += !from->Remove(KeyHash{hashes[i]});
  return absent;
}

}  // namespace

const std::vector<winnow_contender>& OurFilters() {
  static const std::vector<winnow_contender> ours = {
      {WINNOW_CONTENDER_VERSION, "concurrent", "ConcurrentBloom", CreateConcurrent,
       Destroy<ConcurrentBloom>, Bytes<ConcurrentBloom>, AddAlone, AddConcurrent,
       Ask<ConcurrentBloom>, nullptr, AddBatches, AskBatches<ConcurrentBloom>},
      {WINNOW_CONTENDER_VERSION, "fuse", "BinaryFuseFilter", CreateFuse, Destroy<Fuse>, BytesOfFuse,
       BuildFuse, nullptr, AskFuse, nullptr, nullptr, AskFuseBatches},
      {WINNOW_CONTENDER_VERSION, "cuckoo", "CuckooFilter", CreateCuckoo, Destroy<CuckooFilter>,
       Bytes<CuckooFilter>, InsertCuckoo, nullptr, Ask<CuckooFilter>, RemoveCuckoo, nullptr,
       AskBatches<CuckooFilter>},
  };
  return ours;
}

}  // namespace winnow::bench
