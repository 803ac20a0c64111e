// Replacements of RocksDB's policy functions in RocksDB's own tree, with WINNOW_STAND_IN=1, and the
// registration of the policy there, in place of src/rocksdb/in_tree.cc. RocksDB itself calls them
// by these names, as its C API does, and programs that are linked with its static library do, too.
//
// Calls of DB::Open and of functions that create column families are not replaced here: so no
// policy and no listener is added.

#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/object_registry.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

#include "src/base/switch.h"
#include "src/preload/new_policies.h"
#include "src/preload/request.h"
#include "src/preload/stand_in/stock_calls.h"
#include "src/preload/stock_policy.h"
#include "src/rocksdb/factory.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/version_guard.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::preload {

std::atomic<const char*> policy_if_unset{"read"};

std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewStockPolicy(double bits_per_key) {
  return std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>(StockBloom(bits_per_key, false));
}

namespace {

std::string InForce() {
  return std::string("in force in ") + ::program_invocation_short_name + " (" +
         std::to_string(::getpid()) + "): Winnow " + Version() + " in the tree of RocksDB " +
         plugin::CompiledVersion() + "; " + WhatBuiltinPoliciesBuild() +
         (WhyNoRangeBits().empty() ? "" : "; " + WhyNoRangeBits());
}

// Prints due messages on stderr at the first call. Must not call RocksDB, which may be about to
// register its own policies.
void SayOnce() noexcept {
  static std::atomic<bool> was_said{false};
  if (IsLeftAsItWas() && !IsLogging()) return;
  if (was_said.exchange(true)) return;
  try {
    const bool is_wrong = IsInterposing() && !RequestedPolicy().complaint.empty();
    if (is_wrong) {
      plugin::SayOnStderr(RequestedPolicy().complaint +
                          "; databases with built-in policies don't open, and those of the C API "
                          "build by the nearest policy");
    } else if (IsLogging()) {
      plugin::SayOnStderr(InForce());
    }
    if (base::IsOn(std::getenv("WINNOW_ADD"))) {
      plugin::SayOnStderr(
          "WINNOW_ADD has no effect where Winnow is in RocksDB's own tree: column families without "
          "a filter policy get none; let the program or its options name one");
    }
  } catch (...) {
    return;  // out of memory
  }
}

}  // namespace
}  // namespace winnow::preload

namespace ROCKSDB_NAMESPACE {

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool is_block_based) {
  winnow::preload::SayOnce();
  return winnow::preload::OnNewPolicy(&winnow::preload::StockBloom, bits_per_key, is_block_based);
}

winnow::rocksdb_abi::RibbonPolicy* NewRibbonFilterPolicy(double bits_per_key,
                                                         int bloom_before_level) {
  winnow::preload::SayOnce();
  return winnow::preload::OnNewPolicy(&winnow::preload::StockRibbon, bits_per_key,
                                      bloom_before_level);
}

Status FilterPolicy::CreateFromString(const ConfigOptions& config, const std::string& value,
                                      std::shared_ptr<const FilterPolicy>* result) {
  winnow::preload::SayOnce();
  return winnow::preload::OnCreateFromString(&winnow::preload::StockFromString, config, value,
                                             result);
}

}  // namespace ROCKSDB_NAMESPACE

extern "C" int winnow_register_in_tree(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                       const std::string& name);

// Registers the policy like src/rocksdb/in_tree.cc. Programs that never ask for a policy call only
// this function.
extern "C" int winnow_register_in_tree(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                       const std::string& /*name of the plugin*/) {
  winnow::preload::SayOnce();
  return winnow::plugin::AddFactoryInTree(library);
}
