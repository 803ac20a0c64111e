#include "src/rocksdb/ranges/key_order.h"

#include <rocksdb/db.h>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::TableFileCreationReason;

RangeProof ProofOf(const FileOrigin& origin) noexcept {
  if (origin.of_job) {
    return *origin.of_job == KeyOrder::kBytewise ? RangeProof::kProven : RangeProof::kOtherOrder;
  }
  if (origin.reason != TableFileCreationReason::kFlush &&
      origin.reason != TableFileCreationReason::kCompaction) {
    return RangeProof::kOtherReason;
  }
  const KeyOrder told = origin.by_listener.value_or(KeyOrder::kUnknown);
  if (told == KeyOrder::kBytewise) return RangeProof::kProven;
  if (told == KeyOrder::kOther || origin.was_shown_other) return RangeProof::kOtherOrder;
  if (origin.was_validated_first && origin.family == ROCKSDB_NAMESPACE::kDefaultColumnFamilyName) {
    return RangeProof::kProven;
  }
  return origin.by_listener ? RangeProof::kFirstFile : RangeProof::kNoListener;
}

std::optional<KeyOrder> OrderOfJob::Of(
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const noexcept {
  const bool is_of_job = context.reason == TableFileCreationReason::kCompaction &&
                         context.column_family_name == family_;
  return is_of_job ? order_ : std::nullopt;
}

}  // namespace winnow::plugin
