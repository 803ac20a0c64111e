#include "src/policy_trial/trial_filter.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <utility>

#include "src/sst/quiet_logger.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

// Policies look at the first key and each 64th later one to learn the range of a file. Equal
// neighbours count once: so the files of this tree have two keys, a file that is tried is the most
// of it, and its rate is by levels.
constexpr int kKeysOfAFileSeen = 65;

TableFileCreationReason ReasonOf(int level) {
  return level < 0    ? TableFileCreationReason::kMisc
         : level == 0 ? TableFileCreationReason::kFlush
                      : TableFileCreationReason::kCompaction;
}

}  // namespace

// A policy in a database whose other files it has built already.
class PolicyInTree {
 public:
  PolicyInTree(std::shared_ptr<const FilterPolicy> policy, const TreeShape& shape)
      : policy_(std::move(policy)), shape_(shape), table_(shape.TableOptions()) {
    ROCKSDB_NAMESPACE::ColumnFamilyOptions family;
    family.compaction_style = shape.style;
    family.num_levels = shape.levels;
    family.max_bytes_for_level_multiplier = shape.size_ratio;
    family.level_compaction_dynamic_level_bytes = shape.has_dynamic_levels;
    family.optimize_filters_for_hits = !shape.last_level_has_filters;
    // As DB::Open does. A policy that refuses its options builds nothing that counts.
    policy_->ValidateOptions(ROCKSDB_NAMESPACE::DBOptions(), family).PermitUncheckedError();
  }

  std::unique_ptr<FilterBitsBuilder> NewBuilder(int level, bool bottommost) {
    FilterBuildingContext context(table_);
    context.compaction_style = shape_.style;
    context.num_levels = shape_.levels;
    context.info_log = logger_.get();
    context.column_family_name = "default";
    context.level_at_creation = level;
    context.is_bottommost = bottommost;
    context.reason = ReasonOf(level);
    return std::unique_ptr<FilterBitsBuilder>(policy_->GetBuilderWithContext(context));
  }

  // Builds a file of the whole range of keys on this level.
  void BuildFile(int level, bool bottommost) {
    const std::unique_ptr<FilterBitsBuilder> builder = NewBuilder(level, bottommost);
    if (builder == nullptr) {
      return;
    }
    const std::string last(64, '\xff');
    for (int i = 0; i < kKeysOfAFileSeen; ++i) {
      builder->AddKey(i == 0 ? Slice("\0", 1) : Slice(last));
    }
    std::unique_ptr<const char[]> buffer;
    builder->Finish(&buffer);
  }

  // Tells the policy of what lies around the place.
  void Learn(const TreePlace& place) {
    if (place.depth > 0) {
      NewBuilder(place.depth, true);
      NewBuilder(place.base, place.base == place.depth);
    }
    if (place.bottom_below) {
      BuildFile(place.depth, true);
    }
    for (int level = place.depth; level > place.level; --level) {
      if ((place.levels_below >> level & 1) != 0) {
        BuildFile(level, false);
      }
    }
    if (place.other_flush) {
      BuildFile(0, false);
    }
  }

 private:
  const std::shared_ptr<const FilterPolicy> policy_;
  const TreeShape shape_;
  const BlockBasedTableOptions table_;  // a builder may refer to it
  const std::unique_ptr<QuietLogger> logger_ = std::make_unique<QuietLogger>();
};

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
  PolicyInTree policy;
  std::unique_ptr<FilterBitsBuilder> bits;
};

TrialFilter::TrialFilter(const std::string& policy, const TreeShape& shape,
                         const TreePlace& place) {
  std::string problem;
  std::shared_ptr<const FilterPolicy> made = PolicyOfText(policy, &problem);
  const bool skipped = place.bottommost && !shape.last_level_has_filters;
  if (made == nullptr || skipped) {
    return;
  }
  builder_.reset(new Builder{PolicyInTree(std::move(made), shape), nullptr});
  builder_->policy.Learn(place);
  builder_->bits = builder_->policy.NewBuilder(place.level, place.bottommost);
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
