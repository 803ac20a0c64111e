// The faults of watch.h, in a builder and in a reader of filters: what a mistake of Winnow's would
// do.

#ifndef WINNOW_TESTS_STRESS_BLAME_PLANTED_FAULTS_H_
#define WINNOW_TESTS_STRESS_BLAME_PLANTED_FAULTS_H_

#include <memory>

#include "tests/stress/blame/watch.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::stress {

// The builder itself, or one that goes wrong if the fault is a builder's.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> PlantInBuilder(
    std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder, Fault fault);

// The same for a reader.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> PlantInReader(
    std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader, Fault fault);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_PLANTED_FAULTS_H_
