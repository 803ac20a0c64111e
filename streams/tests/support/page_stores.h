// Expectations of every store of pages.

#ifndef WINNOW_STREAMS_TESTS_SUPPORT_PAGE_STORES_H_
#define WINNOW_STREAMS_TESTS_SUPPORT_PAGE_STORES_H_

#include <gtest/gtest.h>

#include <string>

#include "winnow/amq/page_store.h"

namespace winnow::testing {

// Expects that an empty store keeps bytes, and leaves 1-1 there.
inline void ExpectKeepsBytes(amq::PageStore* store) {
  using Found = amq::PageStore::Found;
  std::string bytes = "before";
  std::string reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kNo);
  EXPECT_TRUE(store->Remove("1-0", &reason)) << reason;

  const std::string any("\0\n\xff bytes", 9);
  ASSERT_TRUE(store->Store("1-0", any, &reason)) << reason;
  ASSERT_TRUE(store->Store("1-1", "", &reason)) << reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, any);
  EXPECT_EQ(store->Load("1-1", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, "");

  const std::string large(3'000'000, 'x');
  ASSERT_TRUE(store->Store("1-0", large, &reason)) << reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, large);
  ASSERT_TRUE(store->Store("1-0", "short", &reason)) << reason;
  EXPECT_TRUE(store->Flush(&reason)) << reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, "short");

  ASSERT_TRUE(store->Remove("1-0", &reason)) << reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kNo);
  EXPECT_EQ(store->Load("1-1", &bytes, &reason), Found::kYes);
}

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_SUPPORT_PAGE_STORES_H_
