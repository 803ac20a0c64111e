#include "src/core/build_phases.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/random_hashes.h"
#include "winnow/builder.h"

namespace winnow::core {
namespace {

void BuildRibbon() {
  testing::RandomHashes random(1);
  FilterOptions options;
  options.kind = FilterKind::kRibbon;
  FilterBuilder builder(options);
  const std::vector<KeyHash> hashes = random.Take(50'000);
  builder.Add(hashes.data(), hashes.size());
  builder.Finish();
}

TEST(BuildPhasesTest, EveryPhaseOfAFilterIsTaken) {
  const BuildPhaseTimes times;
  BuildRibbon();
  for (const BuildPhase phase :
       {BuildPhase::kRest, BuildPhase::kSorting, BuildPhase::kElimination, BuildPhase::kSolving}) {
    EXPECT_GT(times.nanoseconds(phase), 0u) << static_cast<unsigned>(phase);
  }
}

TEST(BuildPhasesTest, NothingIsTakenBetweenFilters) {
  const BuildPhaseTimes times;
  { const BuildPhaseScope whole(BuildPhase::kRest); }
  const uint64_t taken = times.nanoseconds(BuildPhase::kRest);
  testing::RandomHashes random(1);
  random.Take(100'000);
  EXPECT_EQ(times.nanoseconds(BuildPhase::kRest), taken);
  // The time between two filters would count with the phase before, if it did.
  { const BuildPhaseScope whole(BuildPhase::kSolving); }
  EXPECT_EQ(times.nanoseconds(BuildPhase::kRest), taken);
}

TEST(BuildPhasesTest, AFilterCanBeBuiltWithout) {
  { const BuildPhaseTimes times; }
  BuildRibbon();
}

}  // namespace
}  // namespace winnow::core
