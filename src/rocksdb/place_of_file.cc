#include "src/rocksdb/place_of_file.h"

#include <string>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
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
    files_->Extend(id_, range_, keys);
    return settled_;
  }
  const LiveFiles::Place place = files_->PlaceOf(facts_.level, range_, known_.base);
  int next = place.below == LiveFiles::kBottom ? known_.depth : place.below;
  // A last level without filters is not seen, and lies below everything but itself.
  const bool sees_last = policy_.absent_share > 0 && known_.last_level_has_filters;
  if (!sees_last && next < 0) next = known_.depth;
  settled_ = Affordable(PlannedOptions(policy_, facts_, known_, next), keys, place.waits,
                        !sees_last, files_->Memory());
  LiveFiles::NewFile file;
  file.level = facts_.level;
  file.is_bottom = facts_.is_bottommost || (sees_last && place.below < 0);
  file.waits = place.waits;
  file.range = range_;
  file.keys = keys;
  id_ = files_->Add(file, known_.base);
  return settled_;
}

void PlaceOfFile::Built(std::string_view block) {
  if (id_ == 0 || uniform_bytes_ == 0) return;
  files_->AddMemory(id_, {static_cast<double>(block.size()), static_cast<double>(uniform_bytes_)});
  if (owners_ != nullptr) owners_->Add(block, files_, {id_, facts_.level, has_one_reader_});
}

}  // namespace winnow::plugin
