// The built-in policy that a program asked for, and what is built in its place: Winnow's filters or
// RocksDB's.

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
  double bits_per_key = 0;                // 0: no filter
  std::optional<int> bloom_before_level;  // of a Ribbon policy; unset for a Bloom policy
};

// Reads an id as GetId() of a built-in policy gives it: "bloomfilter:9.9:false" or
// "ribbonfilter:10:-1". Unset for any other.
std::optional<StockPolicy> ParseStockPolicyId(std::string_view id);

// Returns what to build in the place of the program's policy, by Winnow or by RocksDB, valid as
// NewFilterPolicy demands; unset: no filter. The accuracy is that of the request, or else the
// program's own, at most 32 bits a key. A program that asked for no filter gets none. A Ribbon
// policy's bloom_before_level is kept.
std::optional<PolicyOptions> Replacement(const StockPolicy& stock, const PolicyRequest& request);

// A built-in Bloom policy that is not interposed. It is made by whoever has RocksDB's own
// functions: stock_functions.cc, or stand_in/stand_in.cc.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewStockPolicy(double bits_per_key);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOCK_POLICY_H_
