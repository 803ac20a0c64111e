// The policy's options as text: parsing, checking and writing them.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
#define WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_

#include <rocksdb/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// InvalidArgument with a sentence that names option, value and range, unless all are in their
// range.
ROCKSDB_NAMESPACE::Status CheckPolicyOptions(const PolicyOptions& options);

// The same of options that texts set one after the other, so that they are valid each for itself.
ROCKSDB_NAMESPACE::Status CheckTogether(const PolicyOptions& options);

// Reads what names a policy: "winnow", "winnow.Filter", or one of them with ":" and the bits a key.
// InvalidArgument, and *options unchanged, if what follows the ":" is not a number in its range,
// and for any other name.
ROCKSDB_NAMESPACE::Status ParsePolicyId(std::string_view id, PolicyOptions* options);

// Sets one option from text. NotFound if there is no option of this name; InvalidArgument, and
// *options unchanged, if the text is not a value in its range. Whole numbers may have RocksDB's
// suffixes: 50k is 51200.
ROCKSDB_NAMESPACE::Status ParsePolicyOption(std::string_view name, std::string_view text,
                                            PolicyOptions* options);

// The same for any text: a number out of its range sets the bound that is nearest, and what is no
// number changes nothing, as an unknown option does. What is no name of who builds sets bloomfilter
// in the place of winnow, as every reader knows RocksDB's own filters.
void SetNearestPolicyId(std::string_view id, PolicyOptions* options);
void SetNearestPolicyOption(std::string_view name, std::string_view text, PolicyOptions* options);

// "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1": what an options string takes. With
// ";build=bloomfilter" where RocksDB's filters are built, and
// ";level_plan=auto;level_size_ratio=auto;absent_share=1" where there is a plan.
std::string ToString(const PolicyOptions& options);

// The names of the options, in the order of ToString. Lives as long as the library.
const std::vector<std::string>& PolicyOptionNameList();

// One of them as text. Empty if there is no option of this name.
std::string PolicyOptionText(std::string_view name, const PolicyOptions& options);

// The same as RocksDB saves it, in OPTIONS files above all; empty where it is not saved. A Winnow
// that does not know an option refuses it, so the first three are saved always and others where
// they are not at their defaults: an older Winnow opens what uses no newer one. A level plan is
// saved also where it is the default, which an older Winnow may not have.
std::string SavedOptionText(std::string_view name, const PolicyOptions& options);

// "bits_per_key, ribbon_min_keys, ... and absent_share".
const std::string& PolicyOptionNames();

// What RocksDB calls the policy whose filters are built: "bloomfilter:10", "ribbonfilter:10:-1".
// The options' build must not be Winnow's.
std::string BuiltinPolicyId(const PolicyOptions& options);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_OPTIONS_H_
