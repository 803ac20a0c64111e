// Tests of in-memory tables of keys.

#include "db_bench_ext/read_amplification/keys/key_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/db_bench_ext/keys/key_strings.h"

namespace winnow::bench {
namespace key_table_test {

using ::testing::ElementsAre;

TEST(KeyTableTest, KeysComeBackAsTheyWereAdded) {
  KeyTable keys;
  keys.Add("one");
  keys.Add("");
  keys.Add(std::string_view("t\0o", 3));
  EXPECT_THAT(Strings(keys), ElementsAre("one", "", std::string("t\0o", 3)));
  EXPECT_EQ(keys.total_bytes(), 6u);
}

TEST(KeyTableTest, DuplicatesAreDroppedAndTheOrderIsKept) {
  KeyTable keys;
  for (const char* key : {"b", "a", "b", "c", "a"}) keys.Add(key);
  EXPECT_THAT(Strings(DropDuplicates(keys)), ElementsAre("b", "a", "c"));
}

}  // namespace key_table_test
}  // namespace winnow::bench
