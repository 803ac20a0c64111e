// Prints what filters of few keys cost, of both kinds, at the same accuracy: what the limits
// between kinds of filters and of last layers (ribbon_min_keys, kMinBumpedKeys, kMinSmallKeys) were
// chosen from. Means over filters of random hashes.
//
//   tune_sizes [BITS_PER_KEY]      10 unless given

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "db_bench_ext/split_mix.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace {

struct Cost {
  double bits_per_key = 0;
  double rate = 0;
};

Cost MeanCost(winnow::FilterKind kind, double bits_per_key, uint64_t n) {
  winnow::FilterOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  winnow::FilterBuilder builder(options);
  winnow::bench::SplitMix64 random(1);
  Cost cost;
  const uint64_t filters = std::max<uint64_t>(1, 200'000 / n);
  for (uint64_t filter = 0; filter < filters; ++filter) {
    for (uint64_t i = 0; i < n; ++i) builder.Add({random.Next()});
    const winnow::FilterBlock block = builder.Finish();
    const winnow::FilterInfo info = winnow::FilterView(block.bytes()).info();
    cost.bits_per_key += info.bits_per_key / static_cast<double>(filters);
    cost.rate += info.expected_fpr / static_cast<double>(filters);
  }
  return cost;
}

}  // namespace

int main(int argc, char** argv) {
  const double bits = argc > 1 ? std::atof(argv[1]) : 10;
  std::printf("%8s %16s %16s %10s %14s\n", "keys", "Bloom bits/key", "Ribbon bits/key",
              "Ribbon/Bloom", "bytes saved");
  for (const uint64_t n :
       {1,   2,   3,   5,    10,   20,   49,   50,   70,   100,   200,   299,   300,
        400, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10000, 20000, 50000, 100000}) {
    const Cost bloom = MeanCost(winnow::FilterKind::kBloom, bits, n);
    const Cost ribbon = MeanCost(winnow::FilterKind::kRibbon, bits, n);
    std::printf("%8llu %9.3f %5.3f%% %9.3f %5.3f%% %10.3f %14.0f\n",
                static_cast<unsigned long long>(n), bloom.bits_per_key, 100 * bloom.rate,
                ribbon.bits_per_key, 100 * ribbon.rate, ribbon.bits_per_key / bloom.bits_per_key,
                (bloom.bits_per_key - ribbon.bits_per_key) * static_cast<double>(n) / 8);
  }
  return 0;
}
