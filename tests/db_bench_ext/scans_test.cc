// Tests of the ranges of scans.

#include "db_bench_ext/read_amplification/lookups/scans.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "db_bench_ext/read_amplification/keys/shaped_keys.h"

namespace winnow::bench {
namespace scans_test {

constexpr uint64_t kKeys = 2000;
constexpr uint64_t kScans = 2000;

class ScansTest : public ::testing::TestWithParam<KeyShape> {
 protected:
  ScansTest() {
    auto table = std::make_shared<KeyTable>(MakeShapedKeys(GetParam(), kKeys, 3));
    for (uint64_t i = 0; i < table->size(); ++i) keys_.emplace((*table)[i]);
    run_.range = table;
    run_.in_order = table;
  }

  bool HasKey(const Asked& asked) const {
    const auto next = keys_.lower_bound(std::string(asked.key));
    return next != keys_.end() && *next < asked.bound;
  }

  std::set<std::string> keys_;
  KeysOfRun run_;
};

TEST_P(ScansTest, EmptyOnesHaveNoKeyAndPresentOnesBeginAtOne) {
  for (const ScanBegin begin :
       {ScanBegin::kBehindKey, ScanBegin::kBetweenKeys, ScanBegin::kAtKey}) {
    for (const uint64_t length : {uint64_t{1}, uint64_t{16}, uint64_t{1024}, uint64_t{1} << 20}) {
      const LookupAt at = MakeScans(begin, length, run_, 5);
      uint64_t expected = 0;
      std::string room;
      for (uint64_t i = 0; i < kScans; ++i) {
        const Asked asked = at(i, &room);
        ASSERT_LT(asked.key, asked.bound);
        const bool at_key = begin == ScanBegin::kAtKey;
        ASSERT_EQ(keys_.count(std::string(asked.key)) == 1, at_key);
        if (asked.expected == Expected::kEither) continue;
        ++expected;
        ASSERT_EQ(asked.expected, at_key ? Expected::kPresent : Expected::kAbsent);
        ASSERT_EQ(HasKey(asked), at_key);
      }
      EXPECT_EQ(expected, kScans) << "there are such scans of " << length;
    }
  }
}

// The bound is `length` positions behind the begin.
TEST_P(ScansTest, TheBoundIsSoFarBehindTheBegin) {
  const LookupAt near = MakeScans(ScanBegin::kBehindKey, 1, run_, 5);
  const LookupAt far = MakeScans(ScanBegin::kBehindKey, 2, run_, 5);
  std::string near_room, far_room;
  for (uint64_t i = 0; i < kScans; ++i) {
    const Asked one = near(i, &near_room);
    const Asked two = far(i, &far_room);
    if (one.key != two.key) continue;  // the longer one would contain a key
    std::string next(one.bound);
    for (size_t at = next.size(); ++next[--at] == 0;) continue;
    ASSERT_EQ(next, two.bound);
  }
}

TEST_P(ScansTest, KeysThatWereNotWrittenAreNotThere) {
  run_.written = std::make_shared<WrittenKeys>(WriteSequence(kKeys, 1, {{WriteKind::kDrawn, 700}}));
  run_.in_order = std::make_shared<KeyTable>(KeysInOrder(run_));
  std::set<std::string> written;
  std::string room;
  for (uint64_t i = 0; i < kKeys; ++i) {
    if (run_.written->Has(i)) written.emplace(run_.range->Get(i, &room));
  }
  const LookupAt at = MakeScans(ScanBegin::kAtKey, 1, run_, 5);
  for (uint64_t i = 0; i < kScans; ++i) {
    ASSERT_EQ(written.count(std::string(at(i, &room).key)), 1u);
  }
}

// No empty scan of this length exists: either result is then expected.
TEST(DenseScansTest, WhereNoEmptyScanIsFoundNothingIsExpected) {
  auto table = std::make_shared<KeyTable>();
  for (const char* key : {"a", "b", "c"}) table->Add(key);
  KeysOfRun run;
  run.in_order = table;
  std::string room;
  const LookupAt between = MakeScans(ScanBegin::kBetweenKeys, 1, run, 5);
  EXPECT_EQ(between(0, &room).expected, Expected::kEither);
  const LookupAt at = MakeScans(ScanBegin::kBehindKey, 1, run, 5);
  EXPECT_EQ(at(0, &room).key, "d");
}

INSTANTIATE_TEST_SUITE_P(, ScansTest,
                         ::testing::Values(KeyShape::kIntegers, KeyShape::kEvents,
                                           KeyShape::kPaths));

}  // namespace scans_test
}  // namespace winnow::bench
