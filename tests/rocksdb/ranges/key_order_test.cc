// Rule that decides if a file gets a range filter.

#include "src/rocksdb/ranges/key_order.h"

#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <optional>

namespace winnow::plugin {
namespace key_order_test {

using Reason = ROCKSDB_NAMESPACE::TableFileCreationReason;

constexpr std::optional<KeyOrder> kNone;

TEST(ProofOfTest, EachCallerOfNewTableBuilderHasTheProofThatTheTableNames) {
  const struct {
    const char* what;
    FileOrigin origin;
    RangeProof proof;
  } rows[] = {
      {"flush, listener",
       {"ids", Reason::kFlush, kNone, KeyOrder::kBytewise, false, false},
       RangeProof::kProven},
      {"the same, and the policy was shown another family's order",
       {"ids", Reason::kFlush, kNone, KeyOrder::kBytewise, false, true},
       RangeProof::kProven},
      {"flush, listener, other order",
       {"default", Reason::kFlush, kNone, KeyOrder::kOther, true, false},
       RangeProof::kOtherOrder},
      {"first flush of a family",
       {"ids", Reason::kFlush, kNone, KeyOrder::kUnknown, true, false},
       RangeProof::kFirstFile},
      {"DB::CompactFiles, of which a listener is not told",
       {"default", Reason::kCompaction, kNone, KeyOrder::kUnknown, true, false},
       RangeProof::kProven},
      {"neither, default family",
       {"default", Reason::kFlush, kNone, kNone, true, false},
       RangeProof::kProven},
      {"compaction",
       {"default", Reason::kCompaction, kNone, kNone, true, false},
       RangeProof::kProven},
      {"another family",
       {"ids", Reason::kFlush, kNone, kNone, true, false},
       RangeProof::kNoListener},
      {"built before it was validated, or never validated",
       {"default", Reason::kFlush, kNone, kNone, false, false},
       RangeProof::kNoListener},
      {"shown another order",
       {"default", Reason::kFlush, kNone, kNone, true, true},
       RangeProof::kOtherOrder},
      {"recovery",
       {"default", Reason::kRecovery, kNone, KeyOrder::kBytewise, true, false},
       RangeProof::kOtherReason},
      {"repair",
       {"default", Reason::kRecovery, kNone, kNone, true, false},
       RangeProof::kOtherReason},
      {"SstFileWriter",
       {"default", Reason::kMisc, kNone, kNone, true, false},
       RangeProof::kOtherReason},
      {"a worker's job",
       {"ids", Reason::kCompaction, KeyOrder::kBytewise, KeyOrder::kUnknown, false, true},
       RangeProof::kProven},
      {"a worker's job, other order",
       {"default", Reason::kCompaction, KeyOrder::kOther, kNone, true, false},
       RangeProof::kOtherOrder},
      {"a worker whose comparator was not compared",
       {"default", Reason::kCompaction, KeyOrder::kUnknown, kNone, true, false},
       RangeProof::kOtherOrder},
  };
  for (const auto& row : rows) EXPECT_EQ(ProofOf(row.origin), row.proof) << row.what;
}

TEST(OrderShownTest, OnlyValidationBeforeTheFirstBuilderCounts) {
  OrderShown first;
  EXPECT_FALSE(first.was_validated_first());
  first.Validated();
  first.BuilderAsked();
  EXPECT_TRUE(first.was_validated_first());

  OrderShown late;
  late.BuilderAsked();
  late.Validated();
  EXPECT_FALSE(late.was_validated_first());
}

TEST(OrderOfJobTest, IsThatOfItsFamilysCompactionsAlone) {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  ROCKSDB_NAMESPACE::FilterBuildingContext context(table);
  context.column_family_name = "ids";
  context.reason = Reason::kCompaction;
  OrderOfJob job;
  EXPECT_EQ(job.Of(context), std::nullopt);
  job.Set("ids", KeyOrder::kBytewise);
  EXPECT_EQ(job.Of(context), KeyOrder::kBytewise);
  context.reason = Reason::kFlush;
  EXPECT_EQ(job.Of(context), std::nullopt);
  context.reason = Reason::kCompaction;
  context.column_family_name = "default";
  EXPECT_EQ(job.Of(context), std::nullopt);
}

}  // namespace key_order_test
}  // namespace winnow::plugin
