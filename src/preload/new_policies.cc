#include "src/preload/new_policies.h"

#include <strings.h>

#include <utility>

#include "src/preload/request.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Status;

// Returns whether the text asks for no policy: "nullptr", also as an id.
bool AsksForNone(const std::string& value) {
  return value.empty() || value.find("nullptr") != std::string::npos;
}

// Returns whether the text is a mere name, unlike Winnow's. RocksDB writes a name into OPTIONS
// files for a program's own policy, and for one of the C API, and reads it again to compare the
// file with the options in memory.
bool IsNameAlone(const std::string& value) {
  return value.find_first_of(":=") == std::string::npos &&
         ::strncasecmp(value.c_str(), "win", 3) != 0;
}

}  // namespace

Status OnCreateFromString(CreatePolicy* stock, const ConfigOptions& config,
                          const std::string& value, PolicyPointer* result) {
  Status status = stock(config, value, result);
  if (status.ok() && *result == nullptr && !AsksForNone(value) && !IsNameAlone(value) &&
      !IsLeftAsItWas()) {
    plugin::SayOnceOnStderr("RocksDB knows no filter policy " + plugin::Quoted(value) +
                            ": it returns OK, and a database with these options builds no filters; "
                            "Winnow's is \"winnow\", as in filter_policy=winnow:10");
  }
  if (IsInterposing() && status.ok()) {
    *result = Interpose(std::move(*result));
  }
  return status;
}

std::string WhatBuiltinPoliciesBuild() {
  if (!IsInterposing()) {
    return std::string(IsLeftAsItWas() ? "WINNOW_POLICY is stock" : "WINNOW_POLICY is not set") +
           ", so that the program's policies stay what they are; its options may name winnow";
  }
  const PolicyRequest& request = RequestedPolicy();
  if (request.only_reads) {
    return "built-in policies build what the program asks for, and read Winnow's filters too";
  }
  return (request.builds_ours()
              ? "built-in policies build Winnow's filters with "
              : "built-in policies build RocksDB's filters, and read Winnow's too, with ") +
         plugin::ToString(request.options) +
         (request.has_bits ? "" : ", but each with its own bits_per_key");
}

}  // namespace winnow::preload
