// RocksDB's own functions behind those that the interposer replaces.

#ifndef WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
#define WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

#include "third_party/rocksdb_abi/versions.h"

namespace winnow::preload {

// NewBloomFilterPolicy, NewRibbonFilterPolicy and FilterPolicy::CreateFromString, as the program
// would get them without this library. The program ends if RocksDB's library doesn't have them.
const ROCKSDB_NAMESPACE::FilterPolicy* StockNewBloomFilterPolicy(double bits_per_key,
                                                                 bool use_block_based_builder);
rocksdb_abi::RibbonPolicy* StockNewRibbonFilterPolicy(double bits_per_key, int bloom_before_level);
ROCKSDB_NAMESPACE::Status StockCreateFromString(
    const ROCKSDB_NAMESPACE::ConfigOptions& config, const std::string& value,
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* result);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
