#include "tools/winnow/findings/converted_share.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::inspect {
namespace converted_share_test {

SstReport File(std::string_view kind, uint64_t entries) {
  SstReport file;
  file.entries = entries;
  file.filter.emplace();
  file.filter->kind = std::string(kind);
  file.filter->keys = kind == kNoFilter ? 0 : entries;
  file.filter->bytes = kind == kNoFilter ? 0 : entries * 5 / 4;
  return file;
}

TEST(ConvertedShareTest, CountsEntriesOfFilesThatHaveWinnowsFilters) {
  std::vector<SstReport> files = {File(kWinnowBloom, 100),  File(kWinnowRibbon, 200),
                                  File(kBuiltinBloom, 300), File(kBuiltinRibbon, 40),
                                  File(kNoFilter, 160),     File(kUnknown, 400)};
  files.emplace_back().error = "could not be read";
  const ConvertedShare share = SumByFamily(files);
  const struct {
    FilterFamily family;
    const char* name;
    uint64_t files, entries, keys, bytes;
  } expected[] = {{FilterFamily::kWinnow, "winnow", 2, 300, 300, 375},
                  {FilterFamily::kBuiltin, "builtin", 2, 340, 340, 425},
                  {FilterFamily::kNone, "none", 1, 160, 0, 0},
                  {FilterFamily::kUnknownForm, "unknown", 1, 400, 400, 500}};
  for (const auto& sum : expected) {
    EXPECT_EQ(ToString(sum.family), sum.name);
    EXPECT_EQ(share[sum.family].files, sum.files) << sum.name;
    EXPECT_EQ(share[sum.family].entries, sum.entries) << sum.name;
    EXPECT_EQ(share[sum.family].keys, sum.keys) << sum.name;
    EXPECT_EQ(share[sum.family].filter_bytes, sum.bytes) << sum.name;
  }
  ASSERT_TRUE(share.OfEntries().has_value());
  EXPECT_DOUBLE_EQ(*share.OfEntries(), 0.25);
}

TEST(ConvertedShareTest, IsUnknownWithoutEntries) {
  EXPECT_EQ(SumByFamily({}).OfEntries(), std::nullopt);
  EXPECT_EQ(SumByFamily({File(kBuiltinBloom, 0)}).OfEntries(), std::nullopt);
  EXPECT_DOUBLE_EQ(*SumByFamily({File(kBuiltinBloom, 1)}).OfEntries(), 0.0);
  EXPECT_DOUBLE_EQ(*SumByFamily({File(kWinnowBloom, 1)}).OfEntries(), 1.0);
}

}  // namespace converted_share_test
}  // namespace winnow::inspect
