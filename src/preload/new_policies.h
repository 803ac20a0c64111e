// Handlers of the functions by which a program gets a built-in filter policy. Called by the hooks
// of the preloaded library, or by functions with RocksDB's names.

#ifndef WINNOW_SRC_PRELOAD_NEW_POLICIES_H_
#define WINNOW_SRC_PRELOAD_NEW_POLICIES_H_

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

#include "src/preload/interposed_policy.h"

namespace winnow::preload {

// Handler of NewBloomFilterPolicy and NewRibbonFilterPolicy. `stock` is RocksDB's own function.
template <typename Policy, typename... Parameters>
Policy* OnNewPolicy(Policy* (*stock)(Parameters...), Parameters... parameters) {
  // Interposed policies were not made as const objects.
  return const_cast<Policy*>(Interpose(stock(parameters...)));
}

// Handler of FilterPolicy::CreateFromString. Reports on stderr, once, if the text asks for a policy
// that RocksDB does not know: RocksDB returns OK then.
using PolicyPointer = std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>;
using CreatePolicy = ROCKSDB_NAMESPACE::Status(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                               const std::string& value, PolicyPointer* result);
ROCKSDB_NAMESPACE::Status OnCreateFromString(CreatePolicy* stock,
                                             const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                             const std::string& value, PolicyPointer* result);

// Describes the filters that built-in policies build by WINNOW_POLICY, which must have no
// complaint.
std::string WhatBuiltinPoliciesBuild();

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_NEW_POLICIES_H_
