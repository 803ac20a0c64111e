// Tests of in-memory tables of keys.

#include "db_bench_ext/read_amplification/keys/key_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::bench {
namespace key_table_test {

using ::testing::ElementsAre;

std::vector<std::string> Strings(const KeyTable& keys) {
  std::vector<std::string> strings;
  for (size_t i = 0; i < keys.size(); ++i) strings.emplace_back(keys[i]);
  return strings;
}

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
