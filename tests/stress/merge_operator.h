// Merge operator that appends operands, so that a result shows which merges were applied, and in
// which order.

#ifndef WINNOW_TESTS_STRESS_MERGE_OPERATOR_H_
#define WINNOW_TESTS_STRESS_MERGE_OPERATOR_H_

#include <rocksdb/merge_operator.h>

#include <memory>

namespace winnow::stress {

std::shared_ptr<ROCKSDB_NAMESPACE::MergeOperator> NewConcatenation();

// Registers the operator, so that this process can load OPTIONS files that name it.
void RegisterConcatenation();

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_MERGE_OPERATOR_H_
