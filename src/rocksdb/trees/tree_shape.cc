// The files of a tree as rates are learned from them, and the places of their keys.

#include <algorithm>
#include <functional>
#include <utility>

#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {

TreeFiles::TreeShape TreeFiles::ShapeOfTree() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ShapeBut({});
}

TreeFiles::TreeShape TreeFiles::ShapeBut(std::vector<Id> left_out) const {
  std::sort(left_out.begin(), left_out.end());
  const AllLives lives = LivesSoFar();
  TreeShape tree;
  for (size_t level = 0; level < lives.size(); ++level) {
    tree.stays[level] = ChanceToStay(lives[level], 0);
  }
  tree.files.reserve(num_counted_);
  for (const auto& [id, file] : files_) {
    if (!file.counts || std::binary_search(left_out.begin(), left_out.end(), id)) continue;
    RatedFile& shape = tree.files.emplace_back();
    shape.level = LevelIndex(file.facts);
    shape.from = file.from;
    shape.to = file.to;
    shape.is_point = IsPoint(file.facts.range);
    shape.waits = file.facts.waits;
    shape.keys = static_cast<double>(std::max<uint64_t>(file.facts.keys, 1));
    if (file.memory.uniform_bytes > 0) {
      shape.to_uniform = file.memory.bytes / file.memory.uniform_bytes;
    }
    shape.stays = ChanceToStay(lives[IndexOf(file.facts)], written_ - file.written);
    shape.relative_miss_heat = file.facts.relative_miss_heat;
  }
  return tree;
}

RatedFile TreeFiles::ShapeOf(const NewFile& file) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const KeyRange& range = file.range;
  RatedFile shape;
  shape.level = LevelIndex(file);
  shape.keys = static_cast<double>(file.keys);
  shape.waits = file.waits;
  if (grid_ == nullptr || !HasPlaces(range)) return shape;
  shape.from = grid_->PlaceOf(range.first);
  shape.to = grid_->PlaceOf(range.last);
  const size_t bytes = (prefix_ ? prefix_->size() : 0) + most_key_bytes_;
  shape.is_point = runs_ == nullptr && range.first.size() >= bytes &&
                   range.first.compare(0, bytes, range.last, 0, bytes) == 0;
  shape.reaches_beyond = !grid_->Covers(range.first) || !grid_->Covers(range.last);
  return shape;
}

std::shared_ptr<const KeyPositions> TreeFiles::grid() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return grid_;
}

bool TreeFiles::MakeGrid() {
  std::shared_ptr<const KeyPositions> former;
  std::string prefix;
  std::vector<FileKeys> files;
  double written = 0;
  double keys = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_due = grid_ == nullptr || sums_.keys > 2 * grid_keys_ ||
                        written_ - grid_written_ >= kGridAgain * sums_.keys;
    if (num_counted_ == 0 || !is_due) return false;
    former = grid_;
    prefix = prefix_.value_or("");
    written = written_;
    keys = sums_.keys;
    files.reserve(num_counted_);
    for (const auto& [id, file] : files_) {
      if (!file.counts) continue;
      files.push_back(
          {file.facts.range.first, file.facts.range.last, static_cast<double>(file.facts.keys)});
    }
  }
  // Without the lock, as files may be opened meanwhile: what takes long, and all that may throw.
  auto grid = std::make_shared<const KeyPositions>(
      std::move(prefix), files,
      FormerPositions{former.get(), static_cast<double>(samples_.total())}, runs_);
  // If room for samples is made meanwhile, the first ones may have places of the former grid.
  std::optional<MovedPlaces> places;
  if (former != nullptr && samples_.has_room()) places.emplace(*former, *grid);
  const std::function<double(double)> moved = [&places](double place) {
    return places ? (*places)(place) : place;
  };

  const std::lock_guard<std::mutex> lock(mutex_);
  if (grid_ != former) return false;  // another builder was first
  samples_.SetGrid(grid, moved);
  grid_ = std::move(grid);
  grid_written_ = written;
  grid_keys_ = keys;
  for (auto& [id, file] : files_) SetPlaces(&file);
  return true;
}

}  // namespace winnow::plugin
