#include "src/core/build_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"

namespace winnow::core {
namespace build_phases_test {

void BuildRibbon() {
  const std::vector<KeyHash> hashes = testing::RandomHashes(1).Take(50'000);
  testing::Build(testing::OptionsOf(FilterKind::kRibbon, 10), hashes);
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
  // The time between two filters must not count with the preceding phase.
  { const BuildPhaseScope whole(BuildPhase::kSolving); }
  EXPECT_EQ(times.nanoseconds(BuildPhase::kRest), taken);
}

TEST(BuildPhasesTest, NothingIsTakenByTimesThatLiveNoMore) {
  struct alignas(BuildPhaseTimes) Memory {
    unsigned char bytes[sizeof(BuildPhaseTimes)];
  } memory;
  (new (memory.bytes) BuildPhaseTimes)->~BuildPhaseTimes();
  std::fill(std::begin(memory.bytes), std::end(memory.bytes), '\x5a');
  BuildRibbon();
  EXPECT_THAT(memory.bytes, ::testing::Each(0x5a));
}

}  // namespace build_phases_test
}  // namespace winnow::core
