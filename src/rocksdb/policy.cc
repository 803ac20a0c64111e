#include "src/rocksdb/policy.h"

#include <rocksdb/table.h>

#include <string>
#include <utility>

#include "src/rocksdb/bits_builder.h"
#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/context.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/version_guard.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

Policy::Policy(const PolicyOptions& options, std::shared_ptr<const FilterPolicy> builtin,
               Origin origin)
    : options_(options), is_unconfigured_(origin == Origin::kText), builtin_(std::move(builtin)) {
  RegisterOptions("WinnowFilterOptions", &options_, &PolicyOptionTypes());
}

void Policy::Refuse(std::string reason) { refusal_ = std::move(reason); }

FilterBitsBuilder* Policy::GetBuilderWithContext(const FilterBuildingContext& context) const {
  if (!refusal_.empty()) {
    return nullptr;
  }
  log_line_.WriteOnce(context.info_log, Name(), options_);
  return NewBitsBuilder(ContextToOptions(options_, context),
                        context.table_options.detect_filter_construct_corruption);
}

FilterBitsReader* Policy::GetFilterBitsReader(const Slice& contents) const {
  return NewBitsReader(contents, *builtin_);
}

Status Policy::CheckNewValues(const ConfigOptions& config_options,
                              const std::unordered_map<std::string, std::string>& values,
                              bool unknown_are_returned) const {
  PolicyOptions parsed = options_;
  for (const auto& [name, text] : values) {
    const Status status = ParsePolicyOption(GetOptionName(name), text, &parsed);
    if (status.IsNotFound()) {
      if (!unknown_are_returned && !config_options.ignore_unknown_options) {
        return Status::InvalidArgument(status.getState());
      }
    } else if (!status.ok()) {
      return status;
    }
  }
  return Status::OK();
}

Status Policy::ConfigureOptions(const ConfigOptions& config_options,
                                const std::unordered_map<std::string, std::string>& opts_map,
                                std::unordered_map<std::string, std::string>* unused) {
  if (!refusal_.empty()) {
    return Status::InvalidArgument(refusal_);
  }
  // An open database asks for this. The policy is in use: not even a failed attempt may write to
  // it.
  if (config_options.mutable_options_only && !opts_map.empty()) {
    return Status::InvalidArgument(
        "the options of a filter policy can't change while it is in use: open the database again");
  }
  const bool is_first = std::exchange(is_unconfigured_, false);
  const Status status = CheckNewValues(config_options, opts_map, unused != nullptr);
  if (!status.ok()) {
    if (is_first) {
      Refuse(status.getState());
    }
    return status;
  }
  return FilterPolicy::ConfigureOptions(config_options, opts_map, unused);
}

Status Policy::ValidateOptions(const DBOptions& db_opts, const ColumnFamilyOptions& cf_opts) const {
  if (!refusal_.empty()) {
    return Status::InvalidArgument(refusal_);
  }
  const Status status = CheckPolicyOptions(options_);
  return status.ok() ? FilterPolicy::ValidateOptions(db_opts, cf_opts) : status;
}

Status MakePolicy(const PolicyOptions& options, std::unique_ptr<const FilterPolicy>* policy) {
  std::shared_ptr<const FilterPolicy> builtin;
  const Status status = NewBuiltinReader(&builtin);
  if (status.ok()) {
    *policy = std::make_unique<const Policy>(options, std::move(builtin), Policy::Origin::kCode);
  }
  return status;
}

Status MakePolicyFromId(const std::string& id, std::unique_ptr<const FilterPolicy>* policy) {
  std::shared_ptr<const FilterPolicy> builtin;
  if (const Status status = NewBuiltinReader(&builtin); !status.ok()) {
    return status;
  }
  PolicyOptions options;
  const Status parsed = ParsePolicyId(id, &options);
  auto made = std::make_unique<Policy>(options, std::move(builtin), Policy::Origin::kText);
  if (!parsed.ok()) {
    made->Refuse("filter policy \"" + id + "\": " + parsed.getState());
  }
  *policy = std::move(made);
  return Status::OK();
}

}  // namespace plugin

ROCKSDB_NAMESPACE::Status NewFilterPolicy(
    const PolicyOptions& options, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy) {
  using ROCKSDB_NAMESPACE::Status;
  if (const std::string& problem = plugin::VersionProblem(); !problem.empty()) {
    return Status::NotSupported(problem);
  }
  Status status = plugin::CheckPolicyOptions(options);
  if (!status.ok()) {
    return status;
  }
  std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> made;
  status = plugin::MakePolicy(options, &made);
  if (status.ok()) {
    *policy = std::move(made);
  }
  return status;
}

}  // namespace winnow
