// The built-in policy that a program asked for, and the options of the filters that replace its
// filters.

#ifndef WINNOW_SRC_PRELOAD_STOCK_POLICY_H_
#define WINNOW_SRC_PRELOAD_STOCK_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <optional>
#include <string_view>

#include "src/preload/request.h"

namespace winnow::preload {

// Parsed id of a built-in policy.
struct StockPolicy {
  double bits_per_key = 0;                // 0 for no filter
  std::optional<int> bloom_before_level;  // unset for a Bloom policy
};

// Parses an id as returned by GetId() of a built-in policy: "bloomfilter:9.9:false" or
// "ribbonfilter:10:-1". Returns nullopt for any other id.
std::optional<StockPolicy> ParseStockPolicyId(std::string_view id);

// Returns the options that replace the program's policy, for filters of Winnow or RocksDB, valid
// for NewFilterPolicy; nullopt for no filter. The bits per key are those of the request, or else
// the program's own, at most 32. A program that asked for no filter gets none. A Ribbon policy's
// bloom_before_level is kept.
std::optional<PolicyOptions> Replacement(const StockPolicy& stock, const PolicyRequest& request);

// Returns a built-in Bloom policy that is not interposed. Defined where RocksDB's own functions are
// known: in stock_functions.cc or stand_in/stand_in.cc.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewStockPolicy(double bits_per_key);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOCK_POLICY_H_
