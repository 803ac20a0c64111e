// The policy's options as text: parsing, checking and writing them.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
#define WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_

#include <rocksdb/status.h>
#include <rocksdb/utilities/options_type.h>

#include <string>
#include <string_view>
#include <unordered_map>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// InvalidArgument with a sentence that names option, value and range, unless all are in their
// range.
ROCKSDB_NAMESPACE::Status CheckPolicyOptions(const PolicyOptions& options);

// Reads what names a policy: "winnow", "winnow.Filter", or one of them with ":" and the bits a key.
// InvalidArgument, and *options unchanged, if what follows the ":" is not a number in its range,
// and for any other name.
ROCKSDB_NAMESPACE::Status ParsePolicyId(std::string_view id, PolicyOptions* options);

// Sets one option from text. NotFound if there is no option of this name; InvalidArgument, and
// *options unchanged, if the text is not a value in its range. Whole numbers may have RocksDB's
// suffixes: 50k is 51200.
ROCKSDB_NAMESPACE::Status ParsePolicyOption(std::string_view name, std::string_view text,
                                            PolicyOptions* options);

// "bits_per_key=10;ribbon_min_keys=3000;bloom_before_level=0": what an options string takes.
std::string ToString(const PolicyOptions& options);

// The options for RocksDB's configuration, for an object of type PolicyOptions. Lives as long as
// the library.
const std::unordered_map<std::string, ROCKSDB_NAMESPACE::OptionTypeInfo>& PolicyOptionTypes();

// "bits_per_key, ribbon_min_keys and bloom_before_level".
const std::string& PolicyOptionNames();

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
