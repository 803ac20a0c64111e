#include "src/rocksdb/trees/carried_files.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace winnow::plugin {
namespace {

using CarriedFile = TreeFiles::File;

std::vector<FileKeys> FileKeysOf(const std::vector<CarriedFile>& files) {
  std::vector<FileKeys> all;
  all.reserve(files.size());
  for (const CarriedFile& file : files) {
    const KeyRange& range = file.facts.range;
    all.push_back({range.first, range.last, static_cast<double>(file.facts.keys)});
  }
  return all;
}

// Joins each second file of a level with the one before it.
void JoinPairs(std::vector<CarriedFile>* files) {
  std::vector<CarriedFile> joined;
  bool may_join = false;
  for (CarriedFile& file : *files) {
    if (may_join && joined.back().MayJoin(file)) {
      joined.back().Join(file);
      may_join = false;
    } else {
      joined.push_back(std::move(file));
      may_join = true;
    }
  }
  files->swap(joined);
}

// The different keys of the files, increasing.
std::vector<std::string_view> KeysOf(const std::vector<CarriedFile>& files) {
  std::vector<std::string_view> keys;
  keys.reserve(2 * files.size());
  for (const CarriedFile& file : files) {
    keys.push_back(file.facts.range.first);
    keys.push_back(file.facts.range.last);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// Shortens the keys of the files, by leaving out runs that they share.
void LeaveOutRuns(CarriedFiles* carried) {
  std::vector<std::string> shortened;
  const std::vector<std::string_view> keys = KeysOf(carried->files);
  carried->runs =
      std::make_shared<const SharedRuns>(SharedRuns::Of(carried->prefix, keys, &shortened));
  carried->prefix.clear();
  std::vector<CarriedFile> files = carried->files;  // whose keys `keys` are
  const auto short_of = [&](std::string_view key) {
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    return shortened[static_cast<size_t>(at - keys.begin())];
  };
  for (CarriedFile& file : files) {
    file.facts.range = {short_of(file.facts.range.first), short_of(file.facts.range.last)};
  }
  carried->files.swap(files);
}

// Maps places among the files' keys to places among the same keys when they are short.
std::vector<MovedPlaces::Cut> CutsOf(const std::vector<FileKeys>& files, const KeyPositions& grid,
                                     size_t left_out, const std::vector<FileKeys>& short_files,
                                     const KeyPositions& short_grid) {
  std::vector<MovedPlaces::Cut> cuts;
  for (size_t i = 0; i < files.size(); ++i) {
    cuts.push_back(
        {grid.PlaceOf(files[i].first, left_out), short_grid.PlaceOf(short_files[i].first, 0)});
    cuts.push_back(
        {grid.PlaceOf(files[i].last, left_out), short_grid.PlaceOf(short_files[i].last, 0)});
  }
  return cuts;
}

std::vector<MovedPlaces::Cut> Reversed(std::vector<MovedPlaces::Cut> cuts) {
  for (MovedPlaces::Cut& cut : cuts) std::swap(cut.from, cut.to);
  return cuts;
}

// The samples' places are of `grid`. Moves them to the grid that the other process makes of the
// files, and notes for each part of that grid since when it has keys.
void MoveSamples(const KeyPositions& grid, double seen, size_t left_out,
                 const std::vector<FileKeys>& files, const KeyPositions& same,
                 CarriedFiles* carried) {
  const std::vector<FileKeys> short_files = FileKeysOf(carried->files);
  const KeyPositions carried_grid({}, short_files, FormerPositions(), carried->runs);
  const std::vector<MovedPlaces::Cut> cuts =
      CutsOf(files, same, left_out, short_files, carried_grid);
  const MovedPlaces to_same(grid, same);
  const MovedPlaces to_short(cuts);
  const MovedPlaces from_short(Reversed(cuts));
  for (LookupSamples::Record& sample : carried->samples) {
    sample.place = static_cast<float>(to_short(to_same(sample.place)));
  }
  const auto all = static_cast<double>(carried->samples.size());
  const std::vector<double>& places = carried_grid.places();
  for (size_t part = 0; part < places.size(); ++part) {
    const double end = part + 1 < places.size() ? places[part + 1] : places[part];
    const double since = same.SinceAt(from_short((places[part] + end) / 2));
    carried->exposures.push_back(std::clamp((seen - since) / all, 0.0, 1.0));
  }
}

}  // namespace

void CarriedFiles::MakeSmall(size_t most_files, const KeyPositions* grid, double seen) {
  for (size_t before = 0; files.size() > most_files && files.size() != before;) {
    before = files.size();
    JoinPairs(&files);
  }
  if (files.empty()) samples.clear();
  const size_t left_out = prefix.size();
  const std::vector<FileKeys> long_files = FileKeysOf(files);
  std::optional<KeyPositions> same;
  if (!samples.empty()) same.emplace(prefix, long_files, FormerPositions{grid, seen}, runs);
  if (runs == nullptr) LeaveOutRuns(this);
  if (same) MoveSamples(*grid, seen, left_out, long_files, *same, this);
}

std::shared_ptr<const KeyPositions> CarriedFiles::MakeGrid() const {
  const auto all = static_cast<double>(samples.size());
  std::vector<double> since;
  for (const double exposure : exposures) since.push_back(all * (1 - exposure));
  return std::make_shared<const KeyPositions>(prefix, FileKeysOf(files), since, runs);
}

CarriedFiles TreeFiles::Carry(size_t most_files, bool with_samples) const {
  const Sums all = sums(true);
  CarriedFiles carried;
  std::shared_ptr<const KeyPositions> grid;
  double seen = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    carried.num_files = num_counted_;
    carried.lives = lives_;
    carried.written = written_;
    carried.keys_that_stay = all.keys_that_stay;
    carried.bytes_that_stay = all.bytes_that_stay;
    carried.is_told = is_told_;
    carried.knows_all = is_complete_;
    if (most_files == 0) return carried;
    carried.prefix = prefix_.value_or("");
    carried.runs = runs_;
    carried.files.reserve(num_counted_);
    for (const auto& [number, level] : by_level_) {
      for (const ByFirst& at : level) {
        File& file = carried.files.emplace_back(files_.at(at.id));
        file.written -= written_;
        file.name = {};
        file.readers = 0;
        file.level_of_readers.reset();
      }
    }
    if (with_samples && grid_ != nullptr) {
      grid = grid_;
      samples_.Snapshot(&carried.samples);
      seen = static_cast<double>(samples_.total());
    }
  }
  carried.MakeSmall(most_files, grid.get(), seen);
  return carried;
}

void TreeFiles::Restore(const CarriedFiles& carried) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!carried.files.empty()) {  // else the first keys say what they share, as in any new record
    prefix_ = carried.prefix;
    runs_ = carried.runs;
    most_key_bytes_ = SharedRuns::kMaxKeyBytes;
  }
  lives_ = carried.lives;
  written_ = carried.written;
  if (!carried.samples.empty()) {
    grid_ = carried.MakeGrid();
    grid_written_ = written_;
    samples_.SetGrid(grid_, [](double place) { return place; });
    samples_.Add(carried.samples);
  }
  for (const File& told : carried.files) {
    File file = told;
    file.written += written_;
    Insert(std::move(file));
  }
  grid_keys_ = sums_.keys;
  is_told_ = carried.is_told;
  is_complete_ = carried.knows_all;
}

}  // namespace winnow::plugin
