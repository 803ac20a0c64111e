// Prints how often the keys of a binary fuse filter cannot be placed at the first try, as a
// Markdown table from which its sizes were chosen (streams/amq/binary_fuse_filter.cc). Examines
// sizes at which one more key would add a segment; each line has the worst size of one segment
// length, for the published shapes and for Winnow's.
//
//   tune_fuse [--most_keys=10000000] [--simulated_keys=40000000]

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "streams/tuning/fuse_simulation.h"

ABSL_FLAG(uint64_t, most_keys, 10'000'000, "sizes of filters of up to so many keys");
ABSL_FLAG(uint64_t, simulated_keys, 40'000'000,
          "keys of all tries of one size; there are 40 tries or more, and at most 2,000");

namespace {

using winnow::amq::FuseShape;
using winnow::amq::ShapeOfFuse;
using winnow::bench::FuseSizing;
using winnow::bench::MostKeysInTheSlotsOf;
using winnow::bench::PublishedShapeOfFuse;
using winnow::bench::SimulateFuse;

struct Plateau {
  unsigned segment_bits = 0;
  uint64_t first_keys = 0;
  uint64_t last_keys = 0;
  double failing = -1;  // worst share of failures
  uint64_t worst_keys = 0;
  double slots_a_key = 0;  // slots per key at the worst size
};

void PrintLine(const char* sizes, unsigned arity, const Plateau& plateau) {
  std::printf("| %s, %u-wise | %" PRIu64 " to %" PRIu64 " | %u | %" PRIu64 " | %.3f | %.1f %% |\n",
              sizes, arity, plateau.first_keys, plateau.last_keys, 1u << plateau.segment_bits,
              plateau.worst_keys, plateau.slots_a_key, 100 * plateau.failing);
  std::fflush(stdout);
}

void PrintPlateaus(const char* sizes, unsigned arity, FuseSizing sizing) {
  const uint64_t most_keys = absl::GetFlag(FLAGS_most_keys);
  Plateau plateau;
  uint64_t looked_at = 0;
  unsigned sizes_of_plateau = 0;
  for (uint64_t keys = 1; keys <= most_keys;) {
    const FuseShape shape = sizing(keys, arity);
    if (shape.segment_bits != plateau.segment_bits) {
      if (plateau.failing >= 0) PrintLine(sizes, arity, plateau);
      plateau = {shape.segment_bits, keys, 0, -1, 0, 0};
      sizes_of_plateau = 0;
    }
    plateau.last_keys = MostKeysInTheSlotsOf(keys, arity, sizing);
    // Examines all sizes if there are few, and those behind the doubling.
    if (++sizes_of_plateau <= 3 || plateau.last_keys * 10 >= looked_at * 13) {
      looked_at = plateau.last_keys;
      const auto tries = static_cast<unsigned>(
          std::clamp<uint64_t>(absl::GetFlag(FLAGS_simulated_keys) / looked_at, 40, 2000));
      const double failing = SimulateFuse(shape, arity, looked_at, tries, looked_at);
      if (failing > plateau.failing) {
        plateau.failing = failing;
        plateau.worst_keys = looked_at;
        plateau.slots_a_key = static_cast<double>(shape.segments << shape.segment_bits) /
                              static_cast<double>(looked_at);
      }
    }
    keys = plateau.last_keys + 1;
  }
  PrintLine(sizes, arity, plateau);
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "simulates binary fuse filters and prints how often keys can't be placed, by size.");
  const auto rest = absl::ParseCommandLine(argc, argv);
  const uint64_t most_keys = absl::GetFlag(FLAGS_most_keys);
  if (rest.size() > 1 || most_keys < 1 || most_keys > 1'000'000'000) {
    std::fprintf(stderr,
                 "tune_fuse: expected --most_keys=N from 1 to 10^9 and no more, found '%s'\n",
                 rest.size() > 1 ? rest[1] : std::to_string(most_keys).c_str());
    return 2;
  }
  std::printf(
      "| sizes | keys | slots of a segment | worst at keys | slots a key | tries that fail |\n");
  std::printf("|---|---|---:|---:|---:|---:|\n");
  for (const unsigned arity : {3u, 4u}) {
    PrintPlateaus("published", arity, PublishedShapeOfFuse);
    PrintPlateaus("ours", arity, ShapeOfFuse);
  }
  return 0;
}
