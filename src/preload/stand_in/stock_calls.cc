// Calls of RocksDB's own functions, whose names here are replaced by stock_names.h.

#include "src/preload/stand_in/stock_calls.h"

#ifndef CreateFromString
#error "The build must have this file read src/preload/stand_in/stock_names.h before all else."
#endif

namespace winnow::preload {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

const FilterPolicy* StockBloom(double bits_per_key, bool is_block_based) {
  return ROCKSDB_NAMESPACE::NewBloomFilterPolicy(bits_per_key, is_block_based);
}

rocksdb_abi::RibbonPolicy* StockRibbon(double bits_per_key, int bloom_before_level) {
  return ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(bits_per_key, bloom_before_level);
}

Status StockFromString(const ConfigOptions& config, const std::string& value,
                       PolicyPointer* result) {
  return FilterPolicy::CreateFromString(config, value, result);
}

}  // namespace winnow::preload
