// Tests of the number of files whose key range contains the key of a lookup.

#include "db_bench_ext/read_amplification/lookups/files_considered.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_table.h"

namespace winnow::bench {
namespace files_considered_test {

TEST(FilesConsideredTest, FilesWhoseRangeHoldsTheKeyAreCounted) {
  const LevelFiles levels = {{{"a", "b", "k", 1}, {"b", "f", "z", 1}},
                             {{"c", "a", "c", 1}, {"d", "g", "h", 1}, {"e", "j", "m", 1}}};
  KeyTable keys;
  for (const char* key : {"a", "b", "g", "i", "zz"}) keys.Add(key);
  const auto of = [&](std::vector<uint64_t> numbers) {
    Lookups lookups;
    lookups.count = numbers.size();
    lookups.at = [&keys, numbers](uint64_t position, std::string*) {
      return Asked{keys[numbers[position]], Expected::kEither};
    };
    return lookups;
  };
  const auto considered = [&](uint64_t key) {
    return FilesConsideredPerLookup(levels, of({key}), 10);
  };
  EXPECT_EQ(considered(0), 1);
  EXPECT_EQ(considered(1), 2);
  EXPECT_EQ(considered(2), 3);
  EXPECT_EQ(considered(3), 2);
  EXPECT_EQ(considered(4), 0);
  EXPECT_EQ(FilesConsideredPerLookup(levels, of({0, 2, 4, 4}), 2), 2);
  EXPECT_EQ(FilesConsideredPerLookup(levels, of({}), 2), 0);
}

}  // namespace files_considered_test
}  // namespace winnow::bench
