#include "src/policy_trial/trial_filter.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <exception>
#include <memory>

#include "src/policy_trial/learned_trial.h"
#include "src/sst/quiet_logger.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

void SetPlace(const TreeShape& shape, const TreePlace& place,
              ROCKSDB_NAMESPACE::FilterBuildingContext* context) {
  const plugin::BuildFacts facts = FactsOfPlace(shape, place);
  context->compaction_style = facts.compaction_style;
  context->num_levels = facts.levels;
  context->level_at_creation = facts.level;
  context->is_bottommost = facts.is_bottommost;
  context->reason = facts.reason;
}

Status MakePolicyStrictly(const std::string& text, std::shared_ptr<const FilterPolicy>* policy) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  try {
    return FilterPolicy::CreateFromString(config, text, policy);
  } catch (const std::exception& exception) {
    return Status::Aborted(absl::StrCat("exception \"", exception.what(), "\""));
  }
}

std::shared_ptr<const FilterPolicy> PolicyOfText(const std::string& text, std::string* problem) {
  std::shared_ptr<const FilterPolicy> policy;
  const Status status = MakePolicyStrictly(text, &policy);
  *problem = status.ok() && policy != nullptr ? std::string()
             : status.ok()                    ? absl::StrCat("'", text, "' is no filter policy")
                                              : absl::StrCat("'", text, "': ", status.ToString());
  return problem->empty() ? policy : nullptr;
}

namespace {

// A builder of a file's filters, with all objects that it refers to.
struct TrialBuilder {
  TrialBuilder(const std::string& text, const TreeShape& shape, const TreePlace& place)
      : table(shape.TableOptions()) {
    std::string problem;
    policy = PolicyOfText(text, &problem);
    if (policy == nullptr || (place.bottommost && !shape.last_level_has_filters)) return;
    ROCKSDB_NAMESPACE::FilterBuildingContext context(table);
    SetPlace(shape, place, &context);
    context.info_log = &logger;
    context.column_family_name = "default";
    bits.reset(policy->GetBuilderWithContext(context));
  }

  std::shared_ptr<const FilterPolicy> policy;
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  QuietLogger logger;
  std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> bits;  // null for no filter
};

}  // namespace

std::vector<std::string> TrialBlocks(const std::string& policy, const TreeShape& shape,
                                     const TreePlace& place,
                                     const std::vector<std::vector<std::string>>& keys) {
  std::vector<std::string> blocks;
  const TrialBuilder builder(policy, shape, place);
  if (builder.bits == nullptr) return blocks;
  for (const std::vector<std::string>& of_block : keys) {
    for (const std::string& key : of_block) builder.bits->AddKey(key);
    std::unique_ptr<const char[]> buffer;
    blocks.push_back(builder.bits->Finish(&buffer).ToString());
  }
  return blocks;
}

std::string TrialBlock(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                       uint64_t keys) {
  std::vector<std::string> numbers;
  for (uint64_t i = 0; i < keys; ++i) {
    numbers.emplace_back(reinterpret_cast<const char*>(&i), sizeof(i));
  }
  const std::vector<std::string> blocks = TrialBlocks(policy, shape, place, {numbers});
  return blocks.empty() ? std::string() : blocks.front();
}

}  // namespace winnow::inspect
