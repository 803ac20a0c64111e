// Planted faults of watch.h in a builder and a reader of filters, which simulate bugs in Winnow.

#ifndef WINNOW_TESTS_STRESS_BLAME_PLANTED_FAULTS_H_
#define WINNOW_TESTS_STRESS_BLAME_PLANTED_FAULTS_H_

#include <memory>

#include "tests/stress/blame/watch.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::stress {

// Returns `builder`, wrapped if the fault is one of builders.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> PlantInBuilder(
    std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder, Fault fault);

// Returns `reader`, wrapped if the fault is one of readers.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> PlantInReader(
    std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader, Fault fault);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_PLANTED_FAULTS_H_
