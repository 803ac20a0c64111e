#include "src/rocksdb/builders/file_filter_options.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "src/core/level_plan.h"
#include "src/core/ranges/range_note.h"
#include "src/core/sizing.h"
#include "src/rocksdb/builders/last_built_filter.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/trees/plan_budget.h"
#include "winnow/filter.h"

namespace winnow::plugin {
namespace {

constexpr double kSameBits = 1.0 / 64;

}  // namespace

WritingJob FileFilterOptions::JobOf(const BuildFacts& facts, const KnownTree& known,
                                    const TreeFiles& files) {
  WritingJob job;
  job.base = known.base;
  job.is_leveled = facts.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  if (facts.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction) {
    job.last = files.last_id();
  }
  return job;
}

void FileFilterOptions::NoteKey(const ROCKSDB_NAMESPACE::Slice& key) {
  const std::string_view seen(key.data(), key.size());
  if (seen_ == 1) {
    range_ = {std::string(seen), std::string(seen)};
  } else if (seen < range_.first) {
    range_.first = seen;
  } else if (seen > range_.last) {
    range_.last = seen;
  }
}

std::string FileFilterOptions::Note(size_t filter_bytes) const {
  if (!has_notes_ || id_ == 0 || known_.id == 0) return {};
  core::TreeNote note = note_;
  note.tree = known_.id;
  note.first = range_.first;
  note.last = range_.last;
  return core::EncodeTreeNote(note, filter_bytes);
}

void FileFilterOptions::NoteReason(const TreeRates::Rated& rated, bool learns) {
  const double unbounded = rated.log2_reach - rated.log2_lambda;
  note_.log2_reach = rated.log2_reach;
  note_.log2_lambda = rated.log2_lambda;
  note_.reason = rated.bits > unbounded + kSameBits   ? core::RateReason::kLeastBits
                 : rated.bits < unbounded - kSameBits ? core::RateReason::kMostBits
                 : learns                             ? core::RateReason::kLookups
                                                      : core::RateReason::kKeysInRange;
}

// Returns the options that filter_memory allows, given the memory that all filters of the policy
// take now.
FilterOptions FileFilterOptions::Sized(const KnownTotals& totals, size_t range_bytes,
                                       TreeFiles::NewFile* file) {
  FileToSize to_size;
  to_size.keys = static_cast<double>(file->keys);
  to_size.replaced = record_->files.ReplacedBy(*file, job_);
  to_size.SetReplacedThere(job_.is_leveled, file->is_bottom ? LookupSamples::kLevels - 1 : level_);
  to_size.lies_over_others = !file->is_bottom;
  to_size.waits = file->waits;
  to_size.form = FactsToOptions(policy_, facts_);
  to_size.range_bytes = static_cast<double>(range_bytes);
  MemoryRates::Asked asked =
      AskedFor(policy_, facts_, known_, record_.get(), MeanKeys(totals.files));
  asked.file = file;
  asked.job = &job_;
  const TreeRates::Rated rated = record_->rates.SizedRateOf(
      &record_->files, *file, job_, asked.rule, trees_->Log2LambdaFor(asked));
  file->relative_miss_heat = rated.relative_miss_heat;
  NoteReason(rated, rated.relative_miss_heat > 0);
  to_size.bits = rated.bits;
  const std::optional<PolicyOptions> sized = WithBitsThatFit(policy_, totals, to_size);
  const double fitting = sized ? -std::log2(core::RateForBits(sized->bits_per_key)) : 0;
  if (std::abs(fitting - rated.bits) > kSameBits) note_.reason = core::RateReason::kMemory;
  if (!sized && facts_.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush &&
      file->is_bottom) {
    record_->has_needless_flush = true;
  }
  policy_.bits_per_key = sized ? sized->bits_per_key : kBitsPerKeyOption.least;
  policy_.range_bits = sized ? sized->range_bits : 0;
  FilterOptions options = FactsToOptions(policy_, facts_);
  options.level_plan = policy_.level_plan;
  return options;
}

FilterOptions FileFilterOptions::Settle(uint64_t keys, size_t range_bytes) {
  uniform_bytes_ = 0;
  if (seen_ == 0) {
    return id_ == 0 ? PlannedOptions(policy_, facts_, known_, -1) : settled_;
  }
  // The keys of the next partition begin a new range.
  seen_ = 0;
  if (id_ == 0) {
    SettleFile(keys, range_bytes);
  } else {
    record_->files.Extend(id_, range_, keys, &job_);
  }
  uniform_bytes_ = core::EstimateBytes(keys, core::ForBuilding(FactsToOptions(policy_, facts_)));
  return settled_;
}

void FileFilterOptions::SettleFile(uint64_t keys, size_t range_bytes) {
  const TreeFiles::Place place = record_->files.PlaceOf(facts_.level, range_, known_.base);
  // If the last level has no filters, its files are unknown to Winnow. They lie below all other
  // files.
  const bool sees_last = RuleOf(policy_, facts_, known_).last_level_has_filters();
  TreeFiles::NewFile file;
  file.level = facts_.level;
  file.is_bottom = facts_.is_bottommost || (sees_last && place.below < 0);
  file.waits = place.waits;
  file.range = range_;
  file.keys = keys;
  if (job_.last > 0) record_->files.Continue(file, &job_);
  level_ = TreeFiles::LevelIndex(file);
  std::optional<KnownTotals> totals;
  if (policy_.filter_memory > 0 && trees_ != nullptr) totals = trees_->Totals();
  settled_ = totals && totals->knows_all_files ? Sized(*totals, range_bytes, &file)
                                               : Planned(place, sees_last, &file);
  id_ = record_->files.Add(file, &job_);
}

FilterOptions FileFilterOptions::ByPlan(const TreeFiles::Place& place, bool sees_last) const {
  if (policy_.level_plan == LevelPlan::kUniform) return FactsToOptions(policy_, facts_);
  int next = place.below == TreeFiles::kBottom ? known_.depth : place.below;
  if (!sees_last && next < 0) next = known_.depth;
  return PlannedOptions(policy_, facts_, known_, next);
}

FilterOptions FileFilterOptions::Planned(const TreeFiles::Place& place, bool sees_last,
                                         TreeFiles::NewFile* file) {
  const FilterOptions by_plan = ByPlan(place, sees_last);
  if (policy_.level_plan == LevelPlan::kUniform) return by_plan;
  LiveMemory alive = record_->files.Memory();
  if (!job_.is_leveled) {  // runs of level 0 do not wait for a merge
    alive.resting += alive.waiting;
    alive.waiting = {};
  }
  const FilterOptions planned = ByTheRule(by_plan, place, file);
  const FilterOptions affordable = Affordable(planned, policy_.bits_per_key, file->keys,
                                              job_.is_leveled && place.waits, !sees_last, alive);
  const double lost = core::BitsForRate(core::PlannedRate(planned)) -
                      core::BitsForRate(core::PlannedRate(affordable));
  if (note_.reason >= core::RateReason::kKeysInRange && std::abs(lost) > kSameBits) {
    note_.reason = core::RateReason::kMemory;
  }
  return affordable;
}

// Applies the learned rates, if enough lookups were sampled; until then, lookups are assumed to be
// uniform over the tree's keys. In leveled compaction, the planned rate stays if the keys below the
// file are not known.
FilterOptions FileFilterOptions::ByTheRule(const FilterOptions& planned,
                                           const TreeFiles::Place& place,
                                           TreeFiles::NewFile* file) {
  note_.reason =
      planned.levels_below >= 0 ? core::RateReason::kLevel : core::RateReason::kBitsPerKey;
  TreeRates::Rule rule = RuleOf(policy_, facts_, known_);
  const bool lies_over_unknown = facts_.level > 0 && !facts_.is_bottommost && place.below < 0;
  const bool has_place =
      !rule.is_leveled || (planned.levels_below >= 0 && rule.is_bytewise && !lies_over_unknown);
  rule.learns = rule.is_leveled && planned.levels_below >= 0 &&
                policy_.level_plan == LevelPlan::kLearned &&
                (!has_place || record_->rates.HasSamples(&record_->files));
  if (!rule.learns && !has_place) return planned;
  const double uniform_rate = core::RateForBits(policy_.bits_per_key);
  std::optional<TreeRates::Rated> rated =
      record_->rates.RateOf(&record_->files, *file, job_, uniform_rate, rule);
  if (!rated) return planned;
  // Otherwise, when files with few bits are merged into a last level that has no filters, the other
  // files would exceed their memory.
  if (rule.is_leveled && !rule.last_level_has_filters() && !rule.learns) {
    rated->bits = std::max(rated->bits, -std::log2(uniform_rate));
  }
  file->relative_miss_heat = rated->relative_miss_heat;
  NoteReason(*rated, rule.learns);
  FilterOptions options = planned;
  options.levels_below = -1;
  options.bits_per_key = core::BitsForRate(rated->rate());
  return options;
}

void FileFilterOptions::Built(std::string_view block) {
  if (id_ == 0 || uniform_bytes_ == 0) return;
  // A plan can't share out the bytes of a range filter.
  const core::TableRanges ranges(block);
  const auto range_bytes = static_cast<double>(ranges.size_bytes());
  // If the range filter answers lookups of keys, the filter beside it counts as planned: otherwise
  // the plan would give its memory to other files, and then to this file again.
  const double bytes = core::AnswersKeys(block, ranges)
                           ? static_cast<double>(core::EstimateBytes(
                                 FilterView(block).info().num_hashes, core::ForBuilding(settled_)))
                           : static_cast<double>(block.size()) - range_bytes;
  const FilterMemory memory{bytes, static_cast<double>(uniform_bytes_)};
  record_->files.AddMemory(id_, memory, range_bytes);
  if (policy_.level_plan != LevelPlan::kUniform) {
    record_->rates.Built(core::PlannedRate(settled_), core::RateForBits(policy_.bits_per_key),
                         memory);
  }
  const std::shared_ptr<TreeFiles> files(record_, &record_->files);
  NoteBuilt(files, id_);
  if (filter_files_ != nullptr) filter_files_->Add(block, files, {id_, level_, has_one_reader_});
}

}  // namespace winnow::plugin
