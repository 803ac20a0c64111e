#include "src/rocksdb/trees/carried_files.h"

#include <algorithm>
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

// Joins neighboring files of a level in pairs.
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

// Returns the distinct keys of the files, sorted.
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

// Shortens the keys of the files by leaving out shared runs.
void LeaveOutRuns(CarriedFiles* carried) {
  std::vector<std::string> shortened;
  const std::vector<std::string_view> keys = KeysOf(carried->files);
  carried->runs =
      std::make_shared<const SharedRuns>(SharedRuns::Of(carried->prefix, keys, &shortened));
  carried->prefix.clear();
  std::vector<CarriedFile> files = carried->files;  // `keys` refers to the keys of carried->files
  const auto short_of = [&](std::string_view key) {
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    return shortened[static_cast<size_t>(at - keys.begin())];
  };
  for (CarriedFile& file : files) {
    file.facts.range = {short_of(file.facts.range.first), short_of(file.facts.range.last)};
  }
  carried->files.swap(files);
}

}  // namespace

void CarriedFiles::MakeSmall(size_t most_files) {
  for (size_t before = 0; files.size() > most_files && files.size() != before;) {
    before = files.size();
    JoinPairs(&files);
  }
  if (runs == nullptr) LeaveOutRuns(this);
}

std::shared_ptr<const KeyPositions> CarriedFiles::MakeGrid() const {
  if (has_places) {
    std::vector<KeyPositions::KeyAt> keys;
    for (const CarriedFile& file : files) {
      keys.push_back({file.facts.range.first, file.from});
      keys.push_back({file.facts.range.last, file.to});
    }
    return std::make_shared<const KeyPositions>(std::move(keys), runs);
  }
  const auto all = static_cast<double>(samples.size());
  std::vector<double> since;
  for (const double exposure : exposures) since.push_back(all * (1 - exposure));
  return std::make_shared<const KeyPositions>(prefix, FileKeysOf(files), since, runs);
}

CarriedFiles TreeFiles::Carry(size_t most_files) const {
  CarriedFiles carried;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    carried.num_files = num_counted_;
    carried.is_told = is_told_;
    carried.knows_all = is_complete_;
    if (most_files == 0 || grid_ == nullptr || num_counted_ == 0) return carried;
    carried.has_places = true;
    carried.prefix = prefix_.value_or("");
    carried.runs = runs_;
    carried.files.reserve(num_counted_);
    for (const auto& [number, level] : by_level_) {
      for (const ByFirst& at : level) {
        File& file = carried.files.emplace_back(files_.at(at.id));
        file.name = {};
        file.written = 0;
        file.readers = 0;
        file.level_of_readers.reset();
      }
    }
  }
  carried.MakeSmall(most_files);
  return carried;
}

void TreeFiles::Restore(const CarriedFiles& carried) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_told_ = carried.is_told;
  is_complete_ = carried.knows_all;
  if (carried.files.empty()) return;  // the first keys will set the prefix
  prefix_ = carried.prefix;
  runs_ = carried.runs;
  most_key_bytes_ = SharedRuns::kMaxKeyBytes;
  if (carried.has_places || !carried.samples.empty()) {
    grid_ = carried.MakeGrid();
    samples_.SetGrid(grid_, [](double place) { return place; });
    samples_.Add(carried.samples);
  }
  for (const File& file : carried.files) Insert(file);
  grid_keys_ = sums_.keys;
}

}  // namespace winnow::plugin
