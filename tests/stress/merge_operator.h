// Appends the operand: what a merge leaves tells which merges came, and in which order.

#ifndef WINNOW_TESTS_STRESS_MERGE_OPERATOR_H_
#define WINNOW_TESTS_STRESS_MERGE_OPERATOR_H_

#include <rocksdb/merge_operator.h>

#include <memory>

namespace winnow::stress {

std::shared_ptr<ROCKSDB_NAMESPACE::MergeOperator> NewConcatenation();

// OPTIONS files that name it can be read as a whole from then on, in this process.
void RegisterConcatenation();

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_MERGE_OPERATOR_H_
