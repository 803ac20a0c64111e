#include "src/policy_trial/learned_trial.h"

#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <rocksdb/convenience.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/trees/context.h"

namespace winnow::inspect {

using plugin::BuildFacts;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

std::optional<PolicyOptions> WinnowPolicyOf(const std::string& text) {
  std::string problem;
  const std::shared_ptr<const FilterPolicy> policy = PolicyOfText(text, &problem);
  if (policy == nullptr) return std::nullopt;
  PolicyOptions options;
  for (const std::string& name : plugin::PolicyOptionNameList()) {
    std::string value;
    if (!policy->GetOption(ROCKSDB_NAMESPACE::ConfigOptions(), name, &value).ok()) {
      return std::nullopt;
    }
    // An option at its default may be empty.
    if (!value.empty() && !plugin::ParsePolicyOption(name, value, &options).ok()) {
      return std::nullopt;
    }
  }
  return options.build == Build::kWinnow ? std::optional(options) : std::nullopt;
}

std::string OptionsWithoutEffect(const std::string& text) {
  const std::optional<PolicyOptions> options = WinnowPolicyOf(text);
  return options ? plugin::WithoutEffect(*options) : std::string();
}

PolicyOptions WithBits(const PolicyOptions& policy, double bits_per_key) {
  PolicyOptions plain = policy;
  plain.bits_per_key = kBitsPerKeyOption.Nearest(bits_per_key);
  plain.level_plan = LevelPlan::kUniform;
  plain.absent_share = PolicyOptions().absent_share;
  return plain;
}

std::string ShortText(const PolicyOptions& policy) {
  return "{id=winnow;" + plugin::ShortText(policy) + "}";
}

PolicyOptions OptionsOfShortText(const std::string& text) {
  PolicyOptions options = PolicyOptions();
  for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::pair<std::string, std::string> option =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    plugin::ParsePolicyOption(option.first, option.second, &options).PermitUncheckedError();
  }
  return options;
}

plugin::KnownTree TreeByOptions(const TreeShape& shape) {
  plugin::KnownTree tree;
  tree.size_ratio = shape.size_ratio;
  tree.has_dynamic_levels = shape.has_dynamic_levels;
  tree.last_level_has_filters = shape.last_level_has_filters;
  const std::string& comparator = shape.text.comparator;
  tree.is_bytewise =
      comparator.empty() || plugin::OrderOf(comparator) == plugin::KeyOrder::kBytewise;
  return tree;
}

BuildFacts FactsOfPlace(const TreeShape& shape, const TreePlace& place) {
  return {shape.style, place.level,
          place.level < 0    ? TableFileCreationReason::kMisc
          : place.level == 0 ? TableFileCreationReason::kFlush
                             : TableFileCreationReason::kCompaction,
          shape.levels, place.bottommost};
}

LearnedTrial::LearnedTrial(const TreeShape& shape, const std::vector<LearnedFile>& files)
    : files_(files), shape_(shape), known_(TreeByOptions(shape)), live_(files.size()) {
  family_.SetOrdered(known_.is_bytewise);
  std::vector<family::ListedFile> listed;
  for (size_t i = 0; i < files.size(); ++i) {
    const LearnedFile& file = files[i];
    known_.depth = file.place.depth;
    known_.base = file.place.base;
    if (file.place.level < 0) continue;
    family::ListedFile& one = listed.emplace_back();
    one.name = {1, i};
    one.level = file.place.level;
    one.range = {file.first, file.last, {}};
    one.keys = static_cast<double>(file.keys);
    one.bits = family::kMostBits;  // nearly all absent keys are denied
    one.is_measured = true;
  }
  family_.BeginList();
  family_.TakeList(1, listed);
  const std::shared_ptr<const family::Shape> shape_of_all = family_.Look();
  for (const family::Shape::Placed& placed : shape_of_all->files()) {
    live_[placed.file->name.number] = placed.file;
  }
}

void LearnedTrial::LookUp(std::string_view key, const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) {
    if (answer.has_key || live_[answer.file] == nullptr) continue;
    live_[answer.file]->CountDenied(key);
    ++counted_;
  }
  if (counted_ < family::MostSamples(files_.size())) return;
  counted_ /= 2;
  for (const family::FilePtr& file : live_) {
    if (file != nullptr) file->HalveCounts();
  }
}

std::vector<LearnedTrial::Written> LearnedTrial::OnceWritten(const PolicyOptions& policy) const {
  std::vector<Written> written;
  std::vector<family::Shape::Placed> filtered;
  for (size_t i = 0; i < files_.size(); ++i) {
    const BuildFacts facts = FactsOfPlace(shape_, files_[i].place);
    Written& file = written.emplace_back();
    file.has_filter = NeedsFilter(
        plugin::PlannedOptions(policy, facts, known_, plugin::NextLevel(facts, known_)));
    if (live_[i] != nullptr && file.has_filter) {
      filtered.push_back({live_[i], files_[i].place.level});
    }
  }
  const family::Shape shape(filtered, known_.is_bytewise);
  const double uniform = core::RateBits(policy.bits_per_key);
  double mean = shape.sums().log2_reach / std::max(shape.sums().keys, 1.0);
  if (policy.filter_memory > 0) mean = uniform + Log2LambdaOf(policy, shape);
  for (size_t i = 0; i < files_.size(); ++i) {
    const family::Shape::Placed* const placed =
        live_[i] == nullptr ? nullptr : shape.Find(*live_[i]);
    if (placed == nullptr) continue;
    family::Decided& decided = written[i].decided.emplace();
    decided.reach = placed->reach;
    decided.mean = mean;
    decided.bits = policy.filter_memory == 0 ? family::BitsByRule(uniform, placed->reach, mean)
                                             : std::clamp(uniform + placed->reach.log2() - mean,
                                                          family::kLeastBits, family::kMostBits);
    written[i].more_on_level = shape.MoreOnLevel(placed->level);
  }
  return written;
}

double LearnedTrial::Log2LambdaOf(const PolicyOptions& policy, const family::Shape& shape) const {
  family::Family::Totals totals;
  std::vector<family::Weighed> all;
  for (const family::Shape::Placed& placed : shape.files()) {
    ++totals.files;
    totals.keys += placed.file->keys;
    all.push_back({placed.reach.log2(), placed.file->keys});
  }
  TreePlace last;
  last.level = std::max(known_.depth, 0);
  const plugin::SharedMemory memory =
      plugin::MemoryOf(policy, FactsOfPlace(shape_, last), known_, totals);
  return family::Log2LambdaFor(all, memory.bits, memory.most_bits);
}

std::vector<double> LearnedTrial::BitsOnceWritten(const PolicyOptions& policy) const {
  PolicyOptions by_bits = policy;
  by_bits.filter_memory = 0;
  std::vector<double> bits;
  for (const Written& file : OnceWritten(by_bits)) {
    const bool is_uniform = policy.level_plan == LevelPlan::kUniform || !file.decided;
    bits.push_back(!file.has_filter ? 0
                   : is_uniform     ? policy.bits_per_key
                                    : core::BitsForRate(std::exp2(-file.decided->bits)));
  }
  return bits;
}

}  // namespace winnow::inspect
