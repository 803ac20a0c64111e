#include "src/policy_trial/trial_filter.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <utility>

#include "src/policy_trial/learned_trial.h"
#include "src/sst/quiet_logger.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

}  // namespace

std::shared_ptr<const FilterPolicy> PolicyOfText(const std::string& text, std::string* problem) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> policy;
  const ROCKSDB_NAMESPACE::Status status = FilterPolicy::CreateFromString(config, text, &policy);
  *problem = status.ok() && policy != nullptr ? std::string()
             : status.ok()                    ? absl::StrCat("'", text, "' is no filter policy")
                                              : absl::StrCat("'", text, "': ", status.ToString());
  return problem->empty() ? policy : nullptr;
}

struct TrialFilter::Builder {
  std::shared_ptr<const FilterPolicy> policy;
  BlockBasedTableOptions table;  // the builder may refer to it
  QuietLogger logger;
  std::unique_ptr<FilterBitsBuilder> bits;
};

TrialFilter::TrialFilter(const std::string& policy, const TreeShape& shape,
                         const TreePlace& place) {
  std::string problem;
  std::shared_ptr<const FilterPolicy> made = PolicyOfText(policy, &problem);
  const bool skipped = place.bottommost && !shape.last_level_has_filters;
  if (made == nullptr || skipped) return;
  builder_.reset(new Builder{std::move(made), shape.TableOptions(), {}, nullptr});
  FilterBuildingContext context(builder_->table);
  context.compaction_style = shape.style;
  context.num_levels = shape.levels;
  context.info_log = &builder_->logger;
  context.column_family_name = "default";
  context.level_at_creation = place.level;
  context.is_bottommost = place.bottommost;
  context.reason = FactsOfPlace(shape, place).reason;
  builder_->bits.reset(builder_->policy->GetBuilderWithContext(context));
}

TrialFilter::~TrialFilter() = default;
TrialFilter::TrialFilter(TrialFilter&&) noexcept = default;

bool TrialFilter::IsNone() const { return builder_ == nullptr || builder_->bits == nullptr; }

uint64_t TrialFilter::KeysWithin(uint64_t bytes) const {
  return IsNone() ? 0 : builder_->bits->ApproximateNumEntries(bytes);
}

void TrialFilter::Add(const Slice* keys, size_t n) {
  if (IsNone()) {
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    builder_->bits->AddKey(keys[i]);
  }
}

void TrialFilter::Finish() {
  if (IsNone()) {
    return;
  }
  std::unique_ptr<const char[]> buffer;
  const Slice block = builder_->bits->Finish(&buffer);
  blocks_.emplace_back(block.data(), block.size());
}

std::string TrialBlock(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                       uint64_t keys) {
  TrialFilter trial(policy, shape, place);
  std::vector<uint64_t> numbers(keys);
  std::vector<Slice> slices;
  slices.reserve(keys);
  for (uint64_t i = 0; i < keys; ++i) {
    numbers[i] = i;
    slices.emplace_back(reinterpret_cast<const char*>(&numbers[i]), sizeof(numbers[i]));
  }
  trial.Add(slices.data(), slices.size());
  trial.Finish();
  return trial.blocks().empty() ? std::string() : trial.blocks().front();
}

}  // namespace winnow::inspect
