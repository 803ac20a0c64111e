#include "src/policy_trial/learned_trial.h"

#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/builders/file_filter_options.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/known_trees.h"
#include "src/rocksdb/trees/tree_files.h"
#include "src/rocksdb/trees/tree_rates.h"
#include "winnow/hash.h"

namespace winnow::inspect {

using plugin::BuildFacts;
using plugin::FileFilterOptions;
using plugin::KnownTree;
using plugin::LookupSamples;
using plugin::TreeFiles;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
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
  PolicyOptions options = plugin::TextDefaults();
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

const size_t LearnedTrial::kMaxLookups = LookupSamples::kMaxRecords;
const size_t LearnedTrial::kMinLookups = plugin::TreeRates::kMinSamples;

LearnedTrial::LearnedTrial(const TreeShape& shape, const std::vector<LearnedFile>& files)
    : files_(files),
      shape_(shape),
      known_(TreeByOptions(shape)),
      record_(std::make_shared<plugin::TreeRecord>()),
      bits_(files.size()),
      ids_(files.size()) {
  std::map<int, std::vector<size_t>> by_level;
  for (size_t i = 0; i < files.size(); ++i) {
    by_level[files[i].place.level].push_back(i);
    known_.depth = files[i].place.depth;
    known_.base = files[i].place.base;
  }
  for (auto& [number, of_level] : by_level) levels_.push_back(std::move(of_level));
  if (!IsLeveled()) return;  // lookups are not used there
  PolicyOptions policy;
  policy.level_plan = LevelPlan::kLearned;
  WriteAll(policy);
}

void LearnedTrial::LookUp(std::string_view key, const std::vector<Answer>& answers) {
  LookupSamples& samples = record_->files.samples();
  samples.Reserve();
  plugin::LookupsUnderWay lookups{};
  const uint64_t hash = HashKey(key).value;
  for (const Answer& answer : answers) {
    const TreePlace& place = files_[answer.file].place;
    const int level = TreeFiles::LevelIndex(place.level, place.bottommost);
    samples.Note(&lookups, key, hash, {answer.file + 1, level, 0.0}, answer.has_key);
  }
}

std::vector<double> LearnedTrial::BitsOnceWritten(const PolicyOptions& policy) {
  if (IsLeveled()) {
    WriteAbove(levels_.size(), policy);
  } else {
    record_ = std::make_shared<plugin::TreeRecord>();
    WriteAll(policy);
  }
  return bits_;
}

// Writes all files, from the last level up, so that no file ends one that was written before, and
// on each level the oldest file first.
void LearnedTrial::WriteAll(const PolicyOptions& policy) {
  for (size_t level = levels_.size(); level-- > 0;) {
    for (size_t i = levels_[level].size(); i-- > 0;) Write(levels_[level][i], policy);
  }
}

// Writes the upper `levels` levels, each as often as the next one needs: a compaction merges all of
// a level's keys into a part of the next level, later ones into the next parts.
void LearnedTrial::WriteAbove(size_t levels, const PolicyOptions& policy) {
  if (levels == 0) return;
  const std::vector<size_t>& files = levels_[levels - 1];
  constexpr double kMaxParts = 16;
  const double ratio = levels > 1 ? KeysOf(levels - 1) / KeysOf(levels - 2) : 1;
  const auto parts = static_cast<size_t>(std::clamp(std::round(ratio), 1.0, kMaxParts));
  for (size_t part = 0; part < parts; ++part) {
    WriteAbove(levels - 1, policy);
    WriteSome(levels - 1, files.size() * part / parts, files.size() * (part + 1) / parts, policy);
  }
}

double LearnedTrial::KeysOf(size_t level) const {
  double keys = 0;
  for (const size_t file : levels_[level]) keys += static_cast<double>(files_[file].keys);
  return keys;
}

void LearnedTrial::WriteSome(size_t level, size_t begin, size_t end, const PolicyOptions& policy) {
  // Files of level 0 end when they are merged, not when other files with their keys are written.
  if (files_[levels_[level].front()].place.level == 0) {
    for (const size_t file : levels_[level]) record_->files.NotWritten(ids_[file]);
  }
  for (size_t i = begin; i < end; ++i) Write(levels_[level][i], policy);
}

// Writes a file as a builder does, with the file's first and last key standing for all of its keys.
void LearnedTrial::Write(size_t number, const PolicyOptions& policy) {
  constexpr int kKeysToBeSeen = 64;  // at least this many, so that one of them is looked at
  const LearnedFile& file = files_[number];
  const BuildFacts facts = FactsOfPlace(shape_, file.place);
  if (file.place.level < 0) {
    bits_[number] = policy.bits_per_key;
    return;
  }
  const FilterOptions planned =
      plugin::PlannedOptions(policy, facts, known_, plugin::NextLevel(facts, known_));
  if (!NeedsFilter(planned)) {
    bits_[number] = 0;
    return;
  }
  FileFilterOptions file_options(policy, facts, known_, record_, nullptr, false, false);
  for (int i = 0; i < kKeysToBeSeen; ++i) file_options.See(Slice(file.first));
  file_options.See(Slice(file.last));
  const FilterOptions building = core::ForBuilding(file_options.Settle(file.keys));
  bits_[number] = building.bits_per_key;
  ids_[number] = record_->files.last_id();
  block_.resize(std::max(block_.size(), core::EstimateBytes(file.keys, building)));
  file_options.Built(std::string_view(block_).substr(0, core::EstimateBytes(file.keys, building)));
}

}  // namespace winnow::inspect
