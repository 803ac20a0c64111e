// Handlers of the functions by which a program gets a built-in filter policy, whoever hands the
// calls on: the hooks of the library that is preloaded, or functions of RocksDB's names.

#ifndef WINNOW_SRC_PRELOAD_NEW_POLICIES_H_
#define WINNOW_SRC_PRELOAD_NEW_POLICIES_H_

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

#include "src/preload/interposed_policy.h"

namespace winnow::preload {

// NewBloomFilterPolicy and NewRibbonFilterPolicy. `stock` is RocksDB's own.
template <typename Policy, typename... Parameters>
Policy* OnNewPolicy(Policy* (*stock)(Parameters...), Parameters... parameters) {
  // Nothing that is interposed was made as a constant.
  return const_cast<Policy*>(Interpose(stock(parameters...)));
}

// FilterPolicy::CreateFromString. Says on stderr, once, if the text asks for a policy that RocksDB
// does not know: it returns OK then.
using PolicyPointer = std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>;
using CreatePolicy = ROCKSDB_NAMESPACE::Status(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                               const std::string& value, PolicyPointer* result);
ROCKSDB_NAMESPACE::Status OnCreateFromString(CreatePolicy* stock,
                                             const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                             const std::string& value, PolicyPointer* result);

// Returns what built-in policies build by WINNOW_POLICY, which has no complaint, as a sentence for
// people.
std::string WhatBuiltinPoliciesBuild();

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_NEW_POLICIES_H_
