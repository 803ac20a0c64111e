// The functions by which a program gets a built-in filter policy. The C API, options strings and
// OPTIONS files end in one of them.

#include <rocksdb/filter_policy.h>

#include <utility>

#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/preload/stock_functions.h"
#include "third_party/rocksdb_abi/versions.h"

namespace ROCKSDB_NAMESPACE {

WINNOW_EXPORT const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                                       bool use_block_based_builder) {
  return winnow::preload::Interpose(
      winnow::preload::StockNewBloomFilterPolicy(bits_per_key, use_block_based_builder));
}

WINNOW_EXPORT winnow::rocksdb_abi::RibbonPolicy* NewRibbonFilterPolicy(
    double bloom_equivalent_bits_per_key, int bloom_before_level) {
  winnow::rocksdb_abi::RibbonPolicy* const stock = winnow::preload::StockNewRibbonFilterPolicy(
      bloom_equivalent_bits_per_key, bloom_before_level);
  // Nothing that is interposed was made as a constant.
  return const_cast<winnow::rocksdb_abi::RibbonPolicy*>(winnow::preload::Interpose(stock));
}

WINNOW_EXPORT Status FilterPolicy::CreateFromString(const ConfigOptions& config_options,
                                                    const std::string& value,
                                                    std::shared_ptr<const FilterPolicy>* result) {
  winnow::preload::SayIfRefused(value);
  Status status = winnow::preload::StockCreateFromString(config_options, value, result);
  if (winnow::preload::IsInterposing() && status.ok()) {
    *result = winnow::preload::Interpose(std::move(*result));
  }
  return status;
}

}  // namespace ROCKSDB_NAMESPACE
