#include <gtest/gtest.h>

#include "src/cli/flags.h"
#include "src/text/numbers.h"

namespace winnow::tools {
namespace byte_count_test {

TEST(ByteCountTest, ReadsUnits) {
  const struct {
    const char* text;
    double bytes;
  } cases[] = {
      {"1", 1},        {"1000000", 1e6},        {"1e6", 1e6},          {"64KB", 64e3},
      {"64kb", 64e3},  {"64KiB", 65536},        {"256MiB", 268435456}, {"1.5 GiB", 1610612736},
      {" 2TB ", 2e12}, {"3TiB", 3298534883328}, {"12B", 12},           {"0x10", 16},
      {"0xAB", 171}};
  for (const auto& row : cases) {
    EXPECT_EQ(cli::ParseByteCount(row.text), row.bytes) << row.text;
  }
}

TEST(ByteCountTest, RefusesTheRest) {
  for (const char* text :
       {"", "0", "-1", "MiB", "1.2.3", "5 bits", "5M", "1e999", "nan", "12KiBs", "0.4", "1 PB",
        "0x1KB", "99999999999999999999999999999999999999999999.9.9"}) {
    EXPECT_FALSE(cli::ParseByteCount(text)) << text;
  }
}

TEST(ByteCountTest, WritesThreeDigits) {
  EXPECT_EQ(inspect::ByteSize(0), "0 bytes");
  EXPECT_EQ(inspect::ByteSize(412), "412 bytes");
  EXPECT_EQ(inspect::ByteSize(1536), "1.5 KiB");
  EXPECT_EQ(inspect::ByteSize(50.4 * 1024), "50.4 KiB");
  EXPECT_EQ(inspect::ByteSize(268435456), "256 MiB");
  EXPECT_EQ(inspect::ByteSize(5e12), "4.55 TiB");
  EXPECT_EQ(inspect::ByteSize(5.0 * (uint64_t{1} << 50)), "5 PiB");
}

}  // namespace byte_count_test
}  // namespace winnow::tools
