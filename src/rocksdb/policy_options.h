// The policy's options as text: parsing, checking and writing them.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
#define WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_

#include <rocksdb/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// The options that a text changes: PolicyOptions with level_plan=auto. Programs that compile
// PolicyOptions have its uniform filters, as with version 1.0.
PolicyOptions TextDefaults();

// OK if all options are in their ranges, else InvalidArgument with a sentence that names option,
// value and range.
ROCKSDB_NAMESPACE::Status CheckPolicyOptions(const PolicyOptions& options);

// The same for options that texts have set one after the other, so that each is valid by itself.
ROCKSDB_NAMESPACE::Status CheckTogether(const PolicyOptions& options);

// Reads the name of a policy: "winnow", "winnow.Filter", or one of them with ":" and the bits a
// key. InvalidArgument, and *options unchanged, for any other name, and if no number in the
// option's range follows the ":".
ROCKSDB_NAMESPACE::Status ParsePolicyId(std::string_view id, PolicyOptions* options);

// Sets one option from text. NotFound if there is no option of this name; InvalidArgument, and
// *options unchanged, if the text is not a value in its range. Whole numbers may have RocksDB's
// suffixes: 50k is 51200.
ROCKSDB_NAMESPACE::Status ParsePolicyOption(std::string_view name, std::string_view text,
                                            PolicyOptions* options);

// The same for any text. A number out of its range sets the nearest bound. Text that is no number,
// and an unknown option, change nothing. An unknown value of `build` sets bloomfilter in place of
// winnow, as every reader knows RocksDB's own filters.
void SetNearestPolicyId(std::string_view id, PolicyOptions* options);
void SetNearestPolicyOption(std::string_view name, std::string_view text, PolicyOptions* options);

// Text for an options string, of the options that RocksDB saves:
// "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto".
std::string ToString(const PolicyOptions& options);

// The bits per key and the options that differ from TextDefaults: "bits_per_key=10",
// "bits_per_key=12;level_plan=uniform".
std::string ShortText(const PolicyOptions& options);

// The names of the options, in the order of ToString. Lives as long as the library.
const std::vector<std::string>& PolicyOptionNameList();

// The value of one option as text. Empty if there is no option of this name.
std::string PolicyOptionText(std::string_view name, const PolicyOptions& options);

// The same as RocksDB saves it, above all in OPTIONS files; empty if the option is not saved. A
// Winnow that does not know an option refuses it. So the options of version 1.0 are always saved,
// but for two of the plan, and others only if they differ from their defaults: then an older Winnow
// opens files that use no newer option. level_plan is saved because versions differ in its default.
std::string SavedOptionText(std::string_view name, const PolicyOptions& options);

// "bits_per_key, ribbon_min_keys, ... and absent_share".
const std::string& PolicyOptionNames();

// RocksDB's name of the policy whose filters are built: "bloomfilter:10", "ribbonfilter:10:-1".
// `build` must not be winnow.
std::string BuiltinPolicyId(const PolicyOptions& options);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
