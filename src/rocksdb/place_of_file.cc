#include "src/rocksdb/place_of_file.h"

#include <optional>
#include <string>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/built_here.h"
#include "src/rocksdb/plan_budget.h"

namespace winnow::plugin {

void PlaceOfFile::Note(const ROCKSDB_NAMESPACE::Slice& key) {
  const std::string_view seen(key.data(), key.size());
  if (seen_ == 1) {
    range_ = {std::string(seen), std::string(seen)};
  } else if (seen < range_.first) {
    range_.first = seen;
  } else if (seen > range_.last) {
    range_.last = seen;
  }
}

FilterOptions PlaceOfFile::Settle(uint64_t keys) {
  uniform_bytes_ = 0;
  if (seen_ == 0) {
    return id_ == 0 ? PlannedOptions(policy_, facts_, known_, -1) : settled_;
  }
  uniform_bytes_ = core::EstimateBytes(keys, core::ForBuilding(FactsToOptions(policy_, facts_)));
  // The next partition's keys begin a range of their own.
  seen_ = 0;
  if (id_ != 0) {
    record_->files.Extend(id_, range_, keys);
    return settled_;
  }
  const LiveFiles::Place place = record_->files.PlaceOf(facts_.level, range_, known_.base);
  int next = place.below == LiveFiles::kBottom ? known_.depth : place.below;
  // A last level without filters is not seen, and lies below everything but itself.
  const bool sees_last = policy_.absent_share > 0 && known_.last_level_has_filters;
  if (!sees_last && next < 0) next = known_.depth;
  LiveFiles::NewFile file;
  file.level = facts_.level;
  file.is_bottom = facts_.is_bottommost || (sees_last && place.below < 0);
  file.waits = place.waits;
  file.range = range_;
  file.keys = keys;
  level_ = LiveFiles::LevelIndex(file.level, file.is_bottom);
  const FilterOptions planned = PlannedOptions(policy_, facts_, known_, next);
  settled_ = Affordable(WithLearnedRate(planned, keys, &file.warmth), policy_.bits_per_key, keys,
                        place.waits, !sees_last, record_->files.Memory());
  id_ = record_->files.Add(file, known_.base);
  return settled_;
}

// Where too little is known, the plan's stays.
FilterOptions PlaceOfFile::WithLearnedRate(const FilterOptions& planned, uint64_t keys,
                                           double* warmth) {
  if (policy_.level_plan != LevelPlan::kLearned || planned.levels_below < 0) return planned;
  const std::optional<LearnedRates::Learned> learned = record_->rates.RateOf(
      &record_->files, level_, range_, keys, core::RateForBits(policy_.bits_per_key));
  if (!learned) return planned;
  *warmth = learned->warmth;
  FilterOptions options = planned;
  options.levels_below = -1;
  options.bits_per_key = core::BitsForRate(learned->rate);
  return options;
}

void PlaceOfFile::Built(std::string_view block) {
  if (id_ == 0 || uniform_bytes_ == 0) return;
  const FilterMemory memory{static_cast<double>(block.size()), static_cast<double>(uniform_bytes_)};
  record_->files.AddMemory(id_, memory);
  if (policy_.level_plan == LevelPlan::kLearned) {
    record_->rates.Built(core::PlannedRate(settled_), core::RateForBits(policy_.bits_per_key),
                         memory);
  }
  const std::shared_ptr<LiveFiles> files(record_, &record_->files);
  NoteBuilt(files, id_);
  if (owners_ != nullptr) owners_->Add(block, files, {id_, level_, has_one_reader_});
}

}  // namespace winnow::plugin
