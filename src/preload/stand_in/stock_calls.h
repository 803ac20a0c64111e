// RocksDB's own functions, if Winnow's have their names.

#ifndef WINNOW_SRC_PRELOAD_STAND_IN_STOCK_CALLS_H_
#define WINNOW_SRC_PRELOAD_STAND_IN_STOCK_CALLS_H_

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <string>

#include "src/preload/new_policies.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::preload {

const ROCKSDB_NAMESPACE::FilterPolicy* StockBloom(double bits_per_key, bool is_block_based);
rocksdb_abi::RibbonPolicy* StockRibbon(double bits_per_key, int bloom_before_level);
ROCKSDB_NAMESPACE::Status StockFromString(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                          const std::string& value, PolicyPointer* result);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STAND_IN_STOCK_CALLS_H_
