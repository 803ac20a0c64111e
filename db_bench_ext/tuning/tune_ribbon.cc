// Prints the simulations behind the constants of the bumped Ribbon: for each choice of slots per
// key, bucket, classes and width, the share of bumped keys, the bits above the bound (columns per
// key), and the row additions per key, which dominate the time. Then prints the same for sizes of
// sub-shards, with the size of the row tables of four sub-shards, which should fit into the
// second-level cache.
//
//   tune_ribbon [--keys=1000000]

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>

#include <cinttypes>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "db_bench_ext/tuning/ribbon_simulation.h"
#include "src/core/sizing.h"

ABSL_FLAG(uint64_t, keys, 1'000'000, "number of simulated keys for each line");

namespace {

// Minimum number of keys for significant results.
constexpr uint64_t kMinKeys = 10'000;

using winnow::bench::RibbonCost;
using winnow::bench::RibbonParameters;

void PrintLine(const RibbonParameters& parameters, uint64_t keys) {
  const RibbonCost cost = winnow::bench::SimulateRibbon(parameters, keys, 1);
  const RibbonParameters chosen;
  const bool is_chosen = parameters.width == chosen.width &&
                         parameters.bucket_slots == chosen.bucket_slots &&
                         parameters.class2_slots == chosen.class2_slots &&
                         parameters.class1_slots == chosen.class1_slots &&
                         parameters.slots_per_thousand == chosen.slots_per_thousand;
  std::printf("%6u %7u %5u %5u %6u   %6.2f %% %7.2f %% %7.2f %s\n", parameters.width,
              parameters.bucket_slots, parameters.class2_slots, parameters.class1_slots,
              parameters.slots_per_thousand, 100 * cost.bumped, 100 * cost.overhead, cost.steps,
              is_chosen ? "  <- chosen" : "");
}

void PrintShardLine(unsigned slots, uint64_t keys) {
  RibbonParameters parameters;
  parameters.shard_slots = slots;
  const RibbonCost cost = winnow::bench::SimulateRibbon(parameters, keys, 1);
  std::printf("%9u   %6.2f %% %9.2f %% %7.2f %8zu KiB %s\n", slots, 100 * cost.bumped,
              100 * cost.overhead, cost.steps, 4 * slots * sizeof(uint64_t) / 1024,
              slots == winnow::core::kMinShardSlots   ? "  <- at least"
              : slots == winnow::core::kMaxShardSlots ? "  <- at most"
                                                      : "");
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "simulates the bumped Ribbon and prints what its constants were chosen from.");
  const auto rest = absl::ParseCommandLine(argc, argv);
  const uint64_t keys = absl::GetFlag(FLAGS_keys);
  if (rest.size() > 1 || keys < kMinKeys) {
    std::fprintf(stderr,
                 "tune_ribbon: expected --keys=N of at least %" PRIu64 " and no more, found '%s'\n",
                 kMinKeys, rest.size() > 1 ? rest[1] : std::to_string(keys).c_str());
    return 2;
  }
  std::printf("%" PRIu64 " keys a line\n", keys);
  std::printf(" width  bucket    c2    c1  slots     bumped  over bound   steps\n");
  for (unsigned slots = 920; slots <= 1060; slots += 20) {
    RibbonParameters parameters;
    parameters.slots_per_thousand = slots;
    PrintLine(parameters, keys);
  }
  for (const unsigned width : {32u, 40u, 44u, 48u}) {
    RibbonParameters parameters;
    parameters.width = width;
    PrintLine(parameters, keys);
  }
  for (const unsigned bucket : {64u, 128u, 256u, 512u}) {
    for (const unsigned class2 : {8u, 12u, 16u, 20u, 24u, 32u}) {
      for (const unsigned class1 : {24u, 36u, 48u, 64u}) {
        if (class1 <= class2 || class1 >= bucket) continue;
        RibbonParameters parameters;
        parameters.bucket_slots = bucket;
        parameters.class2_slots = class2;
        parameters.class1_slots = class1;
        PrintLine(parameters, keys);
      }
    }
  }
  std::printf("\nsub-shard     bumped  over bound   steps   four tables\n");
  for (const unsigned slots : {1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u, 131072u}) {
    PrintShardLine(slots, keys);
  }
  return 0;
}
