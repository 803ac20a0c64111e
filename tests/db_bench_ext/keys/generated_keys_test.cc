// Tests that computed keys ascend, and that absent keys are absent.

#include "db_bench_ext/read_amplification/keys/generated_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "tests/db_bench_ext/keys/key_strings.h"

namespace winnow::bench {
namespace generated_keys_test {

TEST(GeneratedKeysTest, TheyAscendAndHaveTheirSize) {
  const GeneratedKeys generated(1000, 20);
  const std::vector<std::string> keys = Strings(generated);
  ASSERT_EQ(keys.size(), 1000u);
  EXPECT_EQ(generated.total_bytes(), 20'000u);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 1000u);
  EXPECT_EQ(keys[256], std::string("\0\0\0\0\0\0\2\0000000000000000", 20));
}

TEST(GeneratedKeysTest, AKeyTellsItsNumber) {
  std::string room;
  for (const uint64_t number : {0u, 1u, 255u, 256u, 299u}) {
    EXPECT_EQ(GeneratedKeys::NumberOf(GeneratedKeys(300, 20).Get(number, &room)), number);
    if (number < 299) {
      EXPECT_EQ(GeneratedKeys::NumberOf(GeneratedKeys::Absent(300, 8).Get(number, &room)), number);
    }
  }
  EXPECT_EQ(GeneratedKeys::NumberOf(""), 0u);
}

TEST(GeneratedKeysTest, AbsentOnesLieBetweenThem) {
  const std::vector<std::string> present = Strings(GeneratedKeys(300, 16));
  const std::vector<std::string> absent = Strings(GeneratedKeys::Absent(300, 16));
  ASSERT_EQ(absent.size(), 299u);
  for (size_t i = 0; i < absent.size(); ++i) {
    EXPECT_EQ(absent[i].size(), 16u);
    EXPECT_LT(present[i], absent[i]);
    EXPECT_LT(absent[i], present[i + 1]);
  }
}

TEST(GeneratedKeysTest, ManyKeysNeedNoMemory) {
  const GeneratedKeys keys(uint64_t{1} << 62, 16);
  std::string room;
  EXPECT_EQ(keys.Get((uint64_t{1} << 62) - 1, &room), std::string("\x7f\xff\xff\xff\xff\xff\xff\xfe"
                                                                  "00000000",
                                                                  16));
}

TEST(LongerKeysTest, EachHasAByteMore) {
  auto table = std::make_shared<KeyTable>();
  for (const char* key : {"a", "", "bcd"}) table->Add(key);
  EXPECT_EQ(Strings(LongerKeys(table)), (std::vector<std::string>{"a0", "0", "bcd0"}));
  EXPECT_EQ(LongerKeys(table).total_bytes(), 7u);
  const auto generated = std::make_shared<GeneratedKeys>(3, 8);
  EXPECT_EQ(Strings(LongerKeys(generated))[1], Strings(*generated)[1] + "0");
}

}  // namespace generated_keys_test
}  // namespace winnow::bench
