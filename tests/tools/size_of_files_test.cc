// `winnow size` without the filters of winnow::amq.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tools/winnow/size/size_report.h"

namespace winnow::inspect {
namespace size_of_files_test {

using ::testing::HasSubstr;

SizeWish Wish() {
  SizeWish wish;
  wish.keys = 1'000'000;
  wish.rate = 0.01;
  return wish;
}

TEST(SizeOfFiles, HasTheTwoKindsOfFiles) {
  const SizeReport report = ReportSizes(Wish(), nullptr);
  EXPECT_EQ(report.impossible, "");
  ASSERT_EQ(report.kinds.size(), 2u);
  EXPECT_EQ(report.kinds[0].kind, "Winnow Ribbon");
  EXPECT_EQ(report.kinds[1].kind, "Winnow Bloom");
  EXPECT_THAT(report.advice, HasSubstr("Take Winnow Ribbon"));
  EXPECT_EQ(report.filter_policy, "{id=winnow;bits_per_key=9.91;level_plan=uniform}");
  EXPECT_EQ(report.pages, 0u);
  EXPECT_EQ(report.shards, 0u);
}

TEST(SizeOfFiles, InMemoryHasTheLowestRates) {
  SizeWish wish;
  wish.keys = 1'000'000;
  wish.bytes = 1'250'000;
  const SizeReport report = ReportSizes(wish, nullptr);
  ASSERT_EQ(report.kinds.size(), 2u);
  for (const SizedKind& kind : report.kinds) EXPECT_LE(kind.bytes, 1'250'000u) << kind.kind;
}

TEST(SizeOfFiles, RefusesAWishForFiltersThatChange) {
  for (bool SizeWish::*const change : {&SizeWish::grows, &SizeWish::deletes, &SizeWish::threads}) {
    SizeWish wish = Wish();
    wish.*change = true;
    EXPECT_THAT(WhatIsWrong(wish, nullptr), HasSubstr("built without"));
    EXPECT_THAT(ReportSizes(wish, nullptr).kinds, ::testing::IsEmpty());
  }
  SizeWish page;
  page.page_bytes = 1024;
  page.rate = 0.01;
  EXPECT_THAT(ReportSizes(page, nullptr).impossible, HasSubstr("built without"));
}

}  // namespace size_of_files_test
}  // namespace winnow::inspect
