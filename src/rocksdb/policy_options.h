// Parsing, checking and printing of the policy's options.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
#define WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_

#include <rocksdb/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Returns OK if all options are in their ranges and fit together, else InvalidArgument with a
// sentence that names option, value and range.
ROCKSDB_NAMESPACE::Status CheckPolicyOptions(const PolicyOptions& options);

// Checks only that options fit together, for options that were each set from text and so are each
// in their ranges.
ROCKSDB_NAMESPACE::Status CheckTogether(const PolicyOptions& options);

// Parses the name of a policy: "winnow", "winnow.Filter", or one of them with ":" and the bits per
// key. For any other name, and if no number in the option's range follows the ":", returns
// InvalidArgument and leaves *options unchanged.
ROCKSDB_NAMESPACE::Status ParsePolicyId(std::string_view id, PolicyOptions* options);

// Parses a value of range_bits, 0 or a number from 1 to 32. Returns InvalidArgument and leaves
// *bits unchanged for any other text.
ROCKSDB_NAMESPACE::Status ParseRangeBits(std::string_view text, double* bits);

// Sets one option from text. Returns NotFound if there is no option of this name; returns
// InvalidArgument and leaves *options unchanged if the text is not a value in its range. Whole
// numbers may have RocksDB's suffixes: 50k is 51200.
ROCKSDB_NAMESPACE::Status ParsePolicyOption(std::string_view name, std::string_view text,
                                            PolicyOptions* options);

// Sets the option to the nearest valid value for any text. A number out of range sets the nearest
// bound. Text that is not a number, and an unknown option, change nothing. An unknown value of
// `build` replaces winnow by bloomfilter, as every reader knows RocksDB's own filters.
void SetNearestPolicyId(std::string_view id, PolicyOptions* options);
void SetNearestPolicyOption(std::string_view name, std::string_view text, PolicyOptions* options);

// Returns an options string of the options that RocksDB saves:
// "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto".
std::string ToString(const PolicyOptions& options);

// Returns an options string of bits_per_key and the options that differ from the defaults:
// "bits_per_key=10", "bits_per_key=12;level_plan=uniform".
std::string ShortText(const PolicyOptions& options);

// Returns a sentence about options that are given, but mean another value or have no effect, as
// those of Winnow 1; empty if there are none.
std::string WithoutEffect(const PolicyOptions& options);

// Returns the names of all options, in the order of ToString. Lives as long as the library.
const std::vector<std::string>& PolicyOptionNameList();

// Returns the value of one option as text, or an empty string if there is no option of this name.
std::string PolicyOptionText(std::string_view name, const PolicyOptions& options);

// Returns the value as RocksDB saves it, above all in OPTIONS files; empty if the option is not
// saved. A Winnow that does not know an option refuses it. So bits_per_key, ribbon_min_keys,
// bloom_before_level and level_plan are always saved, and other options only if they differ from
// their defaults: an older Winnow then opens files that use no newer option. level_plan is always
// saved because versions differ in its default.
std::string SavedOptionText(std::string_view name, const PolicyOptions& options);

// Returns a list for messages: "bits_per_key, ribbon_min_keys, ... and absent_share".
const std::string& PolicyOptionNames();

// Returns RocksDB's name of the policy whose filters are built: "bloomfilter:10",
// "ribbonfilter:10:-1". `build` must not be winnow.
std::string BuiltinPolicyId(const PolicyOptions& options);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
