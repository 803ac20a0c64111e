#include "src/rocksdb/policy.h"

#include <rocksdb/table.h>

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

Policy::Policy(const PolicyOptions& options, std::shared_ptr<const FilterPolicy> builtin)
    : options_(options), builtin_(std::move(builtin)) {
  RegisterOptions("WinnowFilterOptions", &options_, &PolicyOptionTypes());
}

FilterBitsBuilder* Policy::GetBuilderWithContext(const FilterBuildingContext& context) const {
  log_line_.WriteOnce(context.info_log, Name(), options_);
  return NewBitsBuilder(ContextToOptions(options_, context),
                        context.table_options.detect_filter_construct_corruption);
}

FilterBitsReader* Policy::GetFilterBitsReader(const Slice& contents) const {
  return NewBitsReader(contents, *builtin_);
}

Status Policy::ConfigureOptions(const ConfigOptions& config_options,
                                const std::unordered_map<std::string, std::string>& opts_map,
                                std::unordered_map<std::string, std::string>* unused) {
  PolicyOptions parsed = options_;
  for (const auto& [name, text] : opts_map) {
    const Status status = ParsePolicyOption(GetOptionName(name), text, &parsed);
    if (status.IsNotFound()) {
      if (unused == nullptr && !config_options.ignore_unknown_options) {
        return Status::InvalidArgument(status.getState());
      }
    } else if (!status.ok()) {
      return status;
    }
  }
  return FilterPolicy::ConfigureOptions(config_options, opts_map, unused);
}

Status Policy::ValidateOptions(const DBOptions& db_opts, const ColumnFamilyOptions& cf_opts) const {
  const Status status = CheckPolicyOptions(options_);
  return status.ok() ? FilterPolicy::ValidateOptions(db_opts, cf_opts) : status;
}

Status MakePolicy(const PolicyOptions& options, std::unique_ptr<const FilterPolicy>* policy) {
  std::shared_ptr<const FilterPolicy> builtin;
  const Status status = NewBuiltinReader(&builtin);
  if (status.ok()) {
    *policy = std::make_unique<const Policy>(options, std::move(builtin));
  }
  return status;
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
