// Prints costs of filters as Markdown tables, from which the limits between kinds of filters and of
// last layers were chosen (kWorthwhileSaving, kMinBumpedKeys, kMinSmallKeys). Values are means over
// filters of random hashes.
//
//   tune_sizes                     the page docs/results/small-filters.md
//   tune_sizes BITS_PER_KEY        one long table of sizes from 1 to 100,000 keys

#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/strings/numbers.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "db_bench_ext/tuning/filter_costs.h"

namespace {

using winnow::bench::FewKeysTable;
using winnow::bench::FilterCost;
using winnow::bench::MeanFilterCost;

constexpr double kMinBits = 1;
constexpr double kMaxBits = 32;

constexpr char kIntroduction[] =
    "# What filters cost\n\n"
    "Printed by `build/release/bin/tune_sizes > docs/results/small-filters.md`. Means over filters "
    "of random keys, all bytes\n"
    "counted; the rate is the share of absent keys that pass, as the filters state it.\n\n"
    "## Few keys\n\n"
    "A Bloom filter takes whole blocks of 64 bytes. A Ribbon filter of few keys is a list of "
    "fingerprints (below 50 keys)\n"
    "or a Ribbon without bumping (below 600). Both take 32 bytes for the tail and 5 for each "
    "layer.\n";

constexpr char kCrossover[] =
    "\n## Where a Ribbon pays\n\n"
    "At `bits_per_key` 10. A Ribbon takes longer to build and to ask than a Bloom filter at any "
    "size: it has to save\n"
    "something worth having, a tenth of the bytes. What it takes grows in steps of 64 slots, and a "
    "Bloom filter's bytes in\n"
    "steps of 64 bytes.\n\n";

constexpr char kMinKeys[] =
    "\nSo `ribbon_min_keys=auto`, the default, is the number of keys from which on a Ribbon saves "
    "a "
    "tenth on an average over\n"
    "sizes nearby; one size alone may save more or less, as both are rounded up:\n\n";

constexpr char kByBits[] =
    "\n## Fractions of `bits_per_key`\n\n"
    "A Ribbon of 200,000 keys: bits per key at a whole number, and how much more than the straight "
    "line to the next whole\n"
    "number the fractions between take. There are no fewer than 1 column and no more than 16.\n\n";

constexpr char kByColumns[] =
    "\n## Fractions of a column\n\n"
    "The same between whole columns, at rates of 2^-columns. Between them some blocks have a "
    "column more than others:\n"
    "rates average, bits don't, and what that alone takes over the line at ½ stands in the last "
    "column.\n\n";

void PrintPage() {
  std::printf("%s", kIntroduction);
  for (const double bits : {5.0, 8.0, 10.0, 12.5, 16.0, 20.0}) {
    std::printf("\nAt `bits_per_key` %g:\n\n%s", bits, FewKeysTable(bits).c_str());
  }
  std::printf("%s%s", kCrossover, winnow::bench::CrossoverTable().c_str());
  std::printf("%s%s", kMinKeys, winnow::bench::LeastKeysTable().c_str());
  std::printf("%s%s", kByBits, winnow::bench::FractionsByBitsTable().c_str());
  std::printf("%s%s", kByColumns, winnow::bench::FractionsByColumnsTable().c_str());
}

void PrintSizes(double bits) {
  std::printf("%8s %16s %16s %10s %14s\n", "keys", "Bloom bits/key", "Ribbon bits/key",
              "Ribbon/Bloom", "bytes saved");
  for (const uint64_t n : {1u,    2u,    3u,    5u,    10u,    20u,    49u,    50u,    70u,
                           100u,  200u,  299u,  300u,  400u,   500u,   700u,   1000u,  1500u,
                           2000u, 3000u, 5000u, 7000u, 10000u, 20000u, 50000u, 100000u}) {
    const FilterCost bloom = MeanFilterCost(winnow::FilterKind::kBloom, bits, n);
    const FilterCost ribbon = MeanFilterCost(winnow::FilterKind::kRibbon, bits, n);
    std::printf("%8" PRIu64 " %9.3f %5.3f%% %9.3f %5.3f%% %10.3f %14.0f\n", n, bloom.bits_per_key,
                100 * bloom.rate, ribbon.bits_per_key, 100 * ribbon.rate,
                ribbon.bytes / bloom.bytes, bloom.bytes - ribbon.bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "[BITS_PER_KEY]\nprints what filters cost, in Markdown: the page small-filters.md, or one "
      "long "
      "table.");
  const auto arguments = absl::ParseCommandLine(argc, argv);
  if (arguments.size() == 1) {
    PrintPage();
    return 0;
  }
  double bits = 0;
  if (arguments.size() > 2 || !absl::SimpleAtod(arguments[1], &bits) ||
      !(bits >= kMinBits && bits <= kMaxBits)) {
    std::fprintf(stderr, "tune_sizes: expected nothing or bits per key from 1 to 32, found '%s'\n",
                 arguments.back());
    return 2;
  }
  PrintSizes(bits);
  return 0;
}
