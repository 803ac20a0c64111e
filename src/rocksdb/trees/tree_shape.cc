// Shape of a tree, from which rates are learned, and the grid of its keys' places.

#include <algorithm>
#include <functional>
#include <list>
#include <tuple>
#include <utility>

#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {

// Returns whether the file is or may be in the database, and will be there until a compaction has
// written its outputs.
bool TreeFiles::IsSettled(const File& file) const noexcept {
  if (!is_told_) return file.counts;
  return file.counts ? file.is_listed || file.is_for_joined : file.is_listed && file.is_ending;
}

TreeFiles::TreeShape TreeFiles::Shape(const std::vector<std::pair<Id, const File*>>& files) const {
  const AllLives lives = LivesSoFar();
  TreeShape tree;
  for (size_t level = 0; level < lives.size(); ++level) {
    tree.stays[level] = ChanceToStay(lives[level], 0);
  }
  tree.files.reserve(files.size());
  for (const auto& [id, file] : files) {
    RatedFile& shape = tree.files.emplace_back();
    shape.level = LevelIndex(file->facts);
    shape.from = file->from;
    shape.to = file->to;
    shape.is_point = IsPoint(file->facts.range);
    shape.waits = file->facts.waits;
    shape.keys = static_cast<double>(std::max<uint64_t>(file->facts.keys, 1));
    if (id == 0) continue;  // the file is not written yet
    if (file->memory.uniform_bytes > 0) {
      shape.to_uniform = file->memory.bytes / file->memory.uniform_bytes;
    }
    shape.stays = ChanceToStay(lives[IndexOf(file->facts)], written_ - file->written);
    shape.relative_miss_heat = file->facts.relative_miss_heat;
  }
  return tree;
}

// Returns the shape after compactions. `output` is an output of a compaction, which tells how many
// duplicate keys its inputs have; null for none.
TreeFiles::TreeShape TreeFiles::AfterCompactions(const RatedFile* output) const {
  std::vector<std::pair<Id, const File*>> files;
  std::vector<const File*> inputs;
  for (const auto& [id, file] : files_) {
    if (!IsSettled(file)) continue;
    if (file.is_ending) {
      inputs.push_back(&file);
    } else {
      files.emplace_back(id, &file);
    }
  }
  std::sort(inputs.begin(), inputs.end(), [](const File* one, const File* other) {
    return std::tie(one->ending_job, one->facts.range.first) <
           std::tie(other->ending_job, other->facts.range.first);
  });
  std::list<File> merged;
  for (const File* const input : inputs) {
    if (merged.empty() || merged.back().ending_job != input->ending_job ||
        merged.back().facts.range.last < input->facts.range.first) {
      merged.push_back(*input);
      merged.back().facts.waits = false;
      files.emplace_back(0, &merged.back());
      continue;
    }
    File& into = merged.back();
    into.facts.range.last = std::max(into.facts.range.last, input->facts.range.last);
    into.to = std::max(into.to, input->to);
    into.facts.keys += input->facts.keys;
    into.facts.level = std::max(into.facts.level, input->facts.level);
    into.facts.is_bottom = into.facts.is_bottom || input->facts.is_bottom;
  }
  for (File& into : merged) {
    if (output == nullptr || output->level != LevelIndex(into.facts)) continue;
    if (output->from < into.from || into.to < output->to) continue;
    const double width =
        into.to > into.from ? (output->to - output->from) / (into.to - into.from) : 1;
    const double keys = width * static_cast<double>(into.facts.keys);
    if (keys > output->keys) into.facts.keys = static_cast<uint64_t>(output->keys / width);
  }
  return Shape(files);
}

TreeFiles::TreeShape TreeFiles::ShapeOfTree() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::pair<Id, const File*>> files;
  for (const auto& [id, file] : files_) {
    if (file.counts) files.emplace_back(id, &file);
  }
  return Shape(files);
}

TreeFiles::TreeShape TreeFiles::ShapeAfterCompactions() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return AfterCompactions(nullptr);
}

TreeFiles::TreeShape TreeFiles::ShapeWith(const NewFile& added, const WritingJob& job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_told_) {
    const RatedFile file = ShapeOfNew(added);
    TreeShape tree = AfterCompactions(job.last > 0 ? &file : nullptr);
    const bool is_of_inputs = job.last > 0 && !tree.files.empty();
    if (!is_of_inputs) tree.files.push_back(file);
    return tree;
  }
  std::vector<Id> left_out;
  if (const std::optional<NewFile> file = Shortened(added)) {
    left_out = FindReplaced(*file, job);
    if (!job.is_leveled && job.last > 0 && file->level > 0) {
      // The other files of the merged runs end with later outputs.
      for (const auto& [id, other] : files_) {
        if (other.counts && LevelOf(other.facts) < file->level && MayEnd(id, other, job)) {
          left_out.push_back(id);
        }
      }
    }
  }
  std::sort(left_out.begin(), left_out.end());
  std::vector<std::pair<Id, const File*>> files;
  for (const auto& [id, file] : files_) {
    if (!file.counts || std::binary_search(left_out.begin(), left_out.end(), id)) continue;
    files.emplace_back(id, &file);
  }
  TreeShape tree = Shape(files);
  tree.files.push_back(ShapeOfNew(added));
  return tree;
}

RatedFile TreeFiles::ShapeOf(const NewFile& file) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ShapeOfNew(file);
}

RatedFile TreeFiles::ShapeOfNew(const NewFile& file) const {
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
    const auto add = [&files](const File& file) {
      const KeyRange& range = file.facts.range;
      files.push_back({range.first, range.last, static_cast<double>(file.facts.keys)});
    };
    for (const auto& [id, file] : files_) {
      if (IsSettled(file)) add(file);
    }
    for (auto file = files_.begin(); files.empty() && file != files_.end(); ++file) {
      if (file->second.counts) add(file->second);
    }
  }
  // Without the lock, as files may be opened meanwhile: slow steps, and all that may throw.
  auto grid = std::make_shared<const KeyPositions>(
      std::move(prefix), files,
      FormerPositions{former.get(), static_cast<double>(samples_.total())}, runs_);
  // If room for samples is made meanwhile, the first samples may have places of the former grid.
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
