// Tests of parsing the sizes of --cache_sweep.

#include "db_bench_ext/read_amplification/program/cache_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace winnow::bench {
namespace cache_sizes_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<uint64_t> Bytes(std::string_view list, uint64_t data_bytes) {
  return CacheSizesInBytes(*ParseCacheSweep(list), data_bytes);
}

TEST(CacheSizesTest, SharesAreOfAllKeysAndValuesAndSizesAreBytes) {
  EXPECT_THAT(Bytes("1%,12.5%", 100'000'000), ElementsAre(1'000'000, 12'500'000));
  EXPECT_THAT(Bytes("200000,300KiB,64MiB,2GiB", 1),
              ElementsAre(200'000, 300 << 10, 64 << 20, uint64_t{2} << 30));
  EXPECT_THAT(Bytes("", 1000), ElementsAre());
}

TEST(CacheSizesTest, EachComesOnceAndAscending) {
  EXPECT_THAT(Bytes("50%,1MiB,25%,1MiB,1048576", 8 << 20), ElementsAre(1 << 20, 2 << 20, 4 << 20));
  EXPECT_THAT(Bytes("1%,2%", 1000), ElementsAre(64 << 10)) << "no share is below 64 KiB";
}

TEST(CacheSizesTest, WhatIsNoSizeIsNamed) {
  for (const char* wrong : {"1%,", "ten", "0%", "-1%", "1001%", "nan%", "0", "0MiB", "1.5MiB",
                            "64MB", "-5", "99999999999GiB", "1%;2%", "MiB", "%"}) {
    EXPECT_THAT(std::string(ParseCacheSweep(wrong).status().message()),
                HasSubstr("--cache_sweep has '"))
        << wrong;
  }
}

}  // namespace cache_sizes_test
}  // namespace winnow::bench
