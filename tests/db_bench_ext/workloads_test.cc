// Tests of the keys that workloads look up.

#include "db_bench_ext/read_amplification/lookups/workloads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/keys/key_table.h"

namespace winnow::bench {
namespace workloads_test {

constexpr uint64_t kKeys = 1000;
constexpr uint64_t kReads = 20'000;

class WorkloadsTest : public ::testing::Test {
 protected:
  WorkloadsTest() {
    keys_.range = std::make_shared<GeneratedKeys>(kKeys, 16);
    keys_.absent = std::make_shared<GeneratedKeys>(GeneratedKeys::Absent(kKeys, 16));
    keys_.longer = std::make_shared<LongerKeys>(keys_.range);
    auto list = std::make_shared<KeyTable>();
    for (const char* key : {"b", "a", "b"}) list->Add(key);
    keys_.recorded = list;
    choices_.reads = kReads;
    choices_.seed = 5;
    std::string room;
    for (uint64_t i = 0; i < kKeys; ++i) range_.insert(std::string(keys_.range->Get(i, &room)));
  }

  static const Benchmark& Row(const std::string& name) {
    const auto& all = Benchmarks();
    return *std::find_if(all.begin(), all.end(),
                         [&](const Benchmark& b) { return b.name == name; });
  }
  Lookups Make(const std::string& name) const { return MakeLookups(Row(name), keys_, choices_); }

  struct Seen {
    std::map<std::string, uint64_t> keys;
    uint64_t present = 0, absent = 0, either = 0;  // counts by expected result
    uint64_t in_range = 0;                         // lookups of keys in the range
  };
  Seen Look(const std::string& name) const { return Look(Row(name)); }
  Seen Look(const Benchmark& benchmark) const {
    const Lookups lookups = MakeLookups(benchmark, keys_, choices_);
    Seen seen;
    std::string room;
    for (uint64_t i = 0; i < lookups.count; ++i) {
      const Asked asked = lookups.at(i, &room);
      ++seen.keys[std::string(asked.key)];
      seen.present += asked.expected == Expected::kPresent;
      seen.absent += asked.expected == Expected::kAbsent;
      seen.either += asked.expected == Expected::kEither;
      seen.in_range += range_.count(std::string(asked.key));
    }
    return seen;
  }

  // Omits half of the keys, which are not drawn.
  void LeaveKeysOut() {
    keys_.written =
        std::make_shared<WrittenKeys>(WriteSequence(kKeys, 1, {{WriteKind::kDrawn, 700}}));
  }

  KeysOfRun keys_;
  LookupChoices choices_;
  std::set<std::string> range_;
};

TEST_F(WorkloadsTest, TheRangeIsAskedAllAlikeWhetherWrittenOrNot) {
  LeaveKeysOut();
  const Seen seen = Look("readrandom");
  EXPECT_EQ(seen.in_range, kReads);
  EXPECT_EQ(seen.keys.size(), kKeys);
  EXPECT_NEAR(static_cast<double>(seen.present) / kReads,
              static_cast<double>(keys_.written->count()) / kKeys, 0.02);
  EXPECT_EQ(seen.present + seen.absent, kReads);
}

TEST_F(WorkloadsTest, PresentKeysAreThoseThatWereWritten) {
  LeaveKeysOut();
  const Seen seen = Look("readpresent");
  EXPECT_EQ(seen.present, kReads);
  EXPECT_EQ(seen.keys.size(), keys_.written->count());
}

TEST_F(WorkloadsTest, FewWrittenKeysOfManyAreFoundHoweverSkewed) {
  constexpr uint64_t kMany = 1'000'000;
  keys_.range = std::make_shared<GeneratedKeys>(kMany, 16);
  const auto written =
      std::make_shared<WrittenKeys>(WriteSequence(kMany, 1, {{WriteKind::kDrawn, 10}}));
  keys_.written = written;
  for (const double zipf : {0.0, 3.0}) {
    choices_.zipf = zipf;
    const Seen seen = Look("readpresent");
    EXPECT_EQ(seen.present, kReads);
    EXPECT_LE(seen.keys.size(), written->count());
    EXPECT_GE(seen.keys.size(), written->count() - 2);
  }
}

TEST_F(WorkloadsTest, AbsentAndLongerKeysAreNotThere) {
  for (const char* name : {"readabsent", "readmissing"}) {
    const Seen seen = Look(name);
    EXPECT_EQ(seen.in_range, 0u) << name;
    EXPECT_EQ(seen.absent, kReads) << name;
    EXPECT_GT(seen.keys.size(), kKeys - 10) << name;
  }
  EXPECT_EQ(Look("readmissing").keys.begin()->first.size(), 17u);
  keys_.longer_are_absent = false;
  EXPECT_EQ(Look("readmissing").either, kReads);
}

TEST_F(WorkloadsTest, SharesAreExact) {
  for (const double share : {0.0, 0.1, 0.5, 0.93, 1.0}) {
    choices_.absent_share = share;
    for (const char* name : {"readmixed", "multireadrandom", "seekrandom"}) {
      EXPECT_NEAR(static_cast<double>(Look(name).absent), share * kReads, 1) << name;
    }
    EXPECT_EQ(Look("readrandom").absent, 0u) << "it keeps db_bench's meaning";
  }
  choices_.absent_share.reset();
  EXPECT_EQ(Look("readmixed").absent, kReads / 2);
  EXPECT_EQ(Look("multireadrandom").absent, 0u);
}

// --absent_lookups only affects other rows.
TEST_F(WorkloadsTest, ARowMayFixItsShare) {
  Benchmark fixed = Row("readrandom");
  fixed.absent.share = 0.3;
  for (const std::optional<double> given : {std::optional<double>(), std::optional(0.9)}) {
    choices_.absent_share = given;
    EXPECT_NEAR(static_cast<double>(Look(fixed).absent), 0.3 * kReads, 1);
    EXPECT_TRUE(AsksForAbsentKeys(fixed, choices_));
    EXPECT_FALSE(TakesShare(fixed) || IsMixed(fixed) || MayBeMixed(fixed));
  }
}

TEST_F(WorkloadsTest, RangesAreAskedByTheirHeatAndTheShareOfAbsentKeysIsExact) {
  for (const bool some_left_out : {false, true}) {
    if (some_left_out) LeaveKeysOut();
    choices_.heat = FindHeatModel("mixgraph");
    for (const double share : {0.0, 0.1, 1.0}) {
      choices_.absent_share = share;
      const Seen seen = Look("readheat");
      EXPECT_NEAR(static_cast<double>(seen.absent), share * kReads, 1);
      EXPECT_EQ(seen.present + seen.absent, kReads);
      EXPECT_EQ(seen.in_range, seen.present);
      double hot = 0;
      for (const auto& [key, times] : seen.keys) {
        if (GeneratedKeys::NumberOf(key) >= kKeys / 30 * 29) hot += static_cast<double>(times);
      }
      EXPECT_NEAR(hot / kReads, 538 / 667.0, 0.02) << share;
    }
    choices_.absent_share.reset();
    EXPECT_EQ(Look("readheat").absent, kReads / 2);
  }
}

// A single key was written.
TEST_F(WorkloadsTest, RangesWithoutAKeyAreAskedForAbsentOnes) {
  const WriteSequence one(kKeys, 1, {{WriteKind::kDrawn, 1}});
  keys_.written = std::make_shared<WrittenKeys>(one);
  choices_.heat = FindHeatModel("mixgraph");
  choices_.absent_share = 0;
  const Seen seen = Look("readheat");
  const Heat heat = FindHeatModel("mixgraph")->at(1, kKeys);
  EXPECT_NEAR(static_cast<double>(seen.present) / kReads, heat.share(heat.RangeOf(one[0])), 0.01);
  EXPECT_EQ(seen.present + seen.absent, kReads);
}

TEST_F(WorkloadsTest, AListIsAskedInItsOrder) {
  const Lookups lookups = Make("readlist");
  ASSERT_EQ(lookups.count, 3u);
  std::string room;
  EXPECT_EQ(lookups.at(0, &room).key, "b");
  EXPECT_EQ(lookups.at(1, &room).key, "a");
  EXPECT_EQ(lookups.at(2, &room).key, "b");
  EXPECT_EQ(lookups.at(2, &room).expected, Expected::kEither);
}

TEST_F(WorkloadsTest, DrawsThatAreOneAlreadyComeInTurn) {
  keys_.absent_drawn = true;
  choices_.reads = keys_.absent->size();
  for (const auto& [key, times] : Look("readabsent").keys) EXPECT_EQ(times, 1u);
}

TEST_F(WorkloadsTest, SkewedLookupsAskFewKeysMostly) {
  choices_.zipf = 0.99;
  for (const char* name : {"readrandom", "readabsent"}) {
    std::vector<uint64_t> times;
    for (const auto& [key, n] : Look(name).keys) times.push_back(n);
    std::sort(times.rbegin(), times.rend());
    uint64_t hottest = 0;
    for (size_t i = 0; i < 10; ++i) hottest += times.at(i);
    // The first 10 of 1000 ranks have 38.6 % of the draws, by the sums of r^-0.99.
    EXPECT_NEAR(static_cast<double>(hottest) / kReads, 0.386, 0.02) << name;
  }
}

TEST_F(WorkloadsTest, LookupsKeepTheirKeys) {
  const Lookups absent = Make("readabsent"), longer = Make("readmissing");
  keys_ = KeysOfRun();
  std::string room;
  EXPECT_EQ(absent.at(0, &room).key.size(), 16u);
  EXPECT_EQ(longer.at(0, &room).key.size(), 17u);
}

TEST(InShareTest, TheFirstLookupsHaveTheShareToo) {
  for (const double share : {0.1, 0.25, 0.9}) {
    uint64_t in = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
      in += InShare(i, share);
      EXPECT_NEAR(static_cast<double>(in), share * static_cast<double>(i + 1), 1);
    }
  }
}

}  // namespace workloads_test
}  // namespace winnow::bench
