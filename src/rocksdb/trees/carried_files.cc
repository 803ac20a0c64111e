// A record of files as it goes to another process (live_files.h).

#include <algorithm>
#include <utility>

#include "src/rocksdb/trees/live_files.h"

namespace winnow::plugin {
namespace {

using CarriedFile = LiveFiles::Carried::File;

std::vector<GridFile> GridFilesOf(const std::vector<CarriedFile>& files) {
  std::vector<GridFile> all;
  all.reserve(files.size());
  for (const CarriedFile& file : files) {
    const KeyRange& range = file.facts.range;
    all.push_back({range.first, range.last, static_cast<double>(file.facts.keys)});
  }
  return all;
}

bool AreOfOneLevel(const LiveFiles::NewFile& one, const LiveFiles::NewFile& other) noexcept {
  const bool are_at_bottom = one.is_bottom && other.is_bottom && one.level > 0 && other.level > 0;
  return are_at_bottom || (one.level == other.level && one.is_bottom == other.is_bottom);
}

void Join(CarriedFile* file, const CarriedFile& other) {
  file->facts.range.last = std::max(file->facts.range.last, other.facts.range.last);
  file->facts.keys += other.facts.keys;
  file->facts.waits = file->facts.waits || other.facts.waits;
  file->memory += other.memory;
  file->more_bytes += other.more_bytes;
  file->age = std::min(file->age, other.age);
  file->is_listed = file->is_listed && other.is_listed;
  file->is_measured = file->is_measured && other.is_measured;
  file->is_ending = file->is_ending && other.is_ending;
  file->is_joined = true;
}

// Each second file of a level, with the one before.
void JoinPairs(std::vector<CarriedFile>* files) {
  std::vector<CarriedFile> joined;
  bool may_join = false;
  for (CarriedFile& file : *files) {
    if (may_join && AreOfOneLevel(joined.back().facts, file.facts)) {
      Join(&joined.back(), file);
      may_join = false;
    } else {
      joined.push_back(std::move(file));
      may_join = true;
    }
  }
  files->swap(joined);
}

}  // namespace

LiveFiles::Carried LiveFiles::Carry(size_t most_files, bool with_samples) const {
  Carried carried;
  std::shared_ptr<const KeyGrid> grid;
  double seen = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    carried.num_files = files_.size();
    carried.lives = lives_;
    carried.written = written_;
    if (sums_written_ >= 0) {
      carried.keys_that_stay = sums_.keys_that_stay;
      carried.bytes_that_stay = sums_.bytes_that_stay;
      carried.sums_age = written_ - sums_written_;
    }
    carried.is_told = is_told_;
    carried.knows_all = knows_all_;
    carried.prefix = prefix_.value_or("");
    if (most_files == 0 || carried.prefix.size() > kMostPrefix) {
      carried.prefix.clear();
      return carried;
    }
    carried.files.reserve(files_.size());
    for (const auto& [number, level] : levels_) {
      for (const auto& [first, id] : level) {
        const File& file = files_.at(id);
        carried.files.push_back({file.facts, file.memory, file.more_bytes, written_ - file.written,
                                 file.is_listed, file.is_measured, file.is_ending, file.is_joined});
      }
    }
    if (with_samples && grid_ != nullptr) {
      grid = grid_;
      samples_.Snapshot(&carried.samples);
      seen = static_cast<double>(samples_.total());
    }
  }
  for (size_t before = 0; carried.files.size() > most_files && carried.files.size() != before;) {
    before = carried.files.size();
    JoinPairs(&carried.files);
  }
  if (carried.samples.empty() || carried.files.empty()) {
    carried.samples.clear();
    return carried;
  }
  // The grid that the other process makes of these files, and since when it has keys where.
  const std::vector<GridFile> files = GridFilesOf(carried.files);
  const KeyGrid carried_grid(carried.prefix, files);
  const MovedPlaces moved(*grid, carried_grid);
  for (LookupSamples::Record& sample : carried.samples) {
    sample.place = static_cast<float>(moved(sample.place));
  }
  const KeyGrid with_times(carried.prefix, files, FormerGrid{grid.get(), seen});
  const auto all = static_cast<double>(carried.samples.size());
  for (const double since : with_times.since()) {
    carried.exposures.push_back(std::clamp((seen - since) / all, 0.0, 1.0));
  }
  return carried;
}

void LiveFiles::Restore(const Carried& carried) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!carried.files.empty()) prefix_ = carried.prefix;
  lives_ = carried.lives;
  written_ = carried.written;
  if (!carried.samples.empty()) {
    const auto all = static_cast<double>(carried.samples.size());
    std::vector<double> since;
    for (const double exposure : carried.exposures) since.push_back(all * (1 - exposure));
    grid_ = std::make_shared<const KeyGrid>(carried.prefix, GridFilesOf(carried.files), since);
    grid_written_ = written_;
    samples_.SetGrid(grid_, [](double place) { return place; });
    samples_.Add(carried.samples);
  }
  for (const CarriedFile& told : carried.files) {
    File file;
    file.facts = told.facts;
    file.memory = told.memory;
    file.more_bytes = told.more_bytes;
    file.written = written_ - told.age;
    file.is_listed = told.is_listed;
    file.is_measured = told.is_measured;
    file.is_ending = told.is_ending;
    file.is_joined = told.is_joined;
    Insert(++last_, std::move(file));
  }
  if (carried.sums_age >= 0) {
    sums_.keys_that_stay = carried.keys_that_stay;
    sums_.bytes_that_stay = carried.bytes_that_stay;
    sums_written_ = written_ - carried.sums_age;
  }
  is_told_ = carried.is_told;
  knows_all_ = carried.knows_all;
}

}  // namespace winnow::plugin
