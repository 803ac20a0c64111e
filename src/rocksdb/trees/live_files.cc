#include "src/rocksdb/trees/live_files.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace winnow::plugin {
namespace {

// About half-way between two keys: their mean as numbers of the bytes behind those in common.
std::string Middle(const KeyRange& range) {
  constexpr size_t kBytes = 7;
  const size_t common = CommonBytes(range.first, range.last);
  const auto number = [&](const std::string& key) {
    uint64_t value = 0;
    for (size_t i = common; i < common + kBytes; ++i) {
      value = value << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0u);
    }
    return value;
  };
  const uint64_t mean = (number(range.first) + number(range.last)) / 2;
  std::string middle = range.first.substr(0, common);
  for (size_t i = kBytes; i-- > 0;) middle.push_back(static_cast<char>(mean >> (8 * i)));
  return middle;
}

}  // namespace

// ---- Keys

std::optional<KeyRange> LiveFiles::Shortened(const KeyRange& range) {
  if (runs_ != nullptr) {
    KeyRange shortened;
    for (const auto& [key, to] :
         {std::pair{&range.first, &shortened.first}, std::pair{&range.last, &shortened.last}}) {
      char bytes[SharedRuns::kMostKeyBytes];
      const size_t size = runs_->Shorten(*key, bytes);
      if (size == SharedRuns::kUnknown) return std::nullopt;
      to->assign(bytes, size);
    }
    return shortened;
  }
  if (!prefix_) prefix_ = range.first;
  const size_t common =
      std::min(CommonBytes(*prefix_, range.first), CommonBytes(*prefix_, range.last));
  if (common < prefix_->size()) ShortenPrefix(common);
  return KeyRange{range.first.substr(common, most_key_bytes_),
                  range.last.substr(common, most_key_bytes_)};
}

// The keys that are remembered get back what they no longer have in common with all.
void LiveFiles::ShortenPrefix(size_t size) {
  try {
    LengthenKeys(size);
  } catch (...) {
    Forget();
    throw;
  }
}

void LiveFiles::Forget() noexcept {
  files_.clear();
  parked_.clear();
  names_.clear();
  levels_.clear();
  memory_ = {};
  sums_ = {};
  sums_written_ = -1;
  long_bytes_ = 0;
  knows_all_ = false;
}

// What the two keys, and the cut that the grid has of them, take above what is usual.
size_t LiveFiles::LongBytesOf(const KeyRange& range) noexcept {
  const auto more = [](const std::string& key) {
    return key.size() - std::min(key.size(), kUsualKeyBytes);
  };
  return 2 * more(range.first) + more(range.last);
}

void LiveFiles::LengthenKeys(size_t size) {
  const std::string back = prefix_->substr(size);
  prefix_->resize(size);
  const auto lengthen = [&](std::string* key) {
    key->insert(0, back);
    if (key->size() > most_key_bytes_) key->resize(most_key_bytes_);
  };
  levels_.clear();
  long_bytes_ = 0;
  for (auto* files : {&files_, &parked_}) {
    for (auto& [id, file] : *files) {
      lengthen(&file.facts.range.first);
      lengthen(&file.facts.range.last);
      long_bytes_ += LongBytesOf(file.facts.range);
    }
  }
  for (auto& [id, file] : files_) levels_[LevelOf(file.facts)].Insert(file.facts.range.first, id);
  lengthen(&join_at_);
}

// ---- Levels

LiveFiles::Level::iterator LiveFiles::Level::lower_bound(std::string_view key) const noexcept {
  return std::partition_point(begin(), end(), [key](const Entry& one) { return one.first < key; });
}

LiveFiles::Level::iterator LiveFiles::Level::upper_bound(std::string_view key) const noexcept {
  return std::partition_point(begin(), end(), [key](const Entry& one) { return one.first <= key; });
}

void LiveFiles::Level::Insert(std::string_view first, Id id) {
  entries_.insert(upper_bound(first), {first, id});
}

void LiveFiles::Level::Erase(std::string_view first, Id id) noexcept {
  entries_.erase(
      std::find_if(lower_bound(first), end(), [id](const Entry& one) { return one.id == id; }));
}

// ---- What rates are learned from

int LiveFiles::LevelIndex(int level, bool is_bottom) noexcept {
  constexpr int kLast = LookupSamples::kLevels - 1;
  if (level == 0) return 0;
  return is_bottom ? kLast : std::min(level, kLast - 1);
}

size_t LiveFiles::IndexOf(const NewFile& file) noexcept {
  return static_cast<size_t>(LevelIndex(file.level, file.is_bottom));
}

LiveFiles::Written LiveFiles::written() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {written_, sums_.keys};
}

bool LiveFiles::IsPoint(const KeyRange& range) const noexcept {
  return range.first.size() == most_key_bytes_ && range.first == range.last;
}

void LiveFiles::SetPlaces(File* file) const noexcept {
  if (grid_ == nullptr) return;
  const size_t left_out = prefix_ ? prefix_->size() : 0;
  file->from = grid_->PlaceOf(file->facts.range.first, left_out);
  file->to = grid_->PlaceOf(file->facts.range.last, left_out);
}

void LiveFiles::CountEnd(const File& file) {
  Lives& lives = lives_[IndexOf(file.facts)];
  if (lives.ended > static_cast<double>(kMostFiles)) lives = {lives.ended / 2, lives.keys / 2};
  ++lives.ended;
  lives.keys += written_ - file.written;
}

LiveFiles::AllLives LiveFiles::LivesSoFar() const {
  AllLives lives = lives_;
  for (const auto& [id, file] : files_) lives[IndexOf(file.facts)].keys += written_ - file.written;
  return lives;
}

// A file ends in its next moment with the chance that others of its level had; one that outlived
// them, with less: as if its own life so far was all that is known besides.
double LiveFiles::ChanceToStay(const Lives& others, double age) const noexcept {
  const double usual = (others.keys + kUsualLife * sums_.keys) / (others.ended + 1);
  return std::exp(-kHorizon * sums_.keys / std::max(usual + age, 1.0));
}

LiveFiles::Sums& LiveFiles::Sums::operator+=(const Sums& other) noexcept {
  files += other.files;
  keys += other.keys;
  keys_without_filters += other.keys_without_filters;
  filter_bytes += other.filter_bytes;
  for (size_t i = 0; i < levels.size(); ++i) {
    levels[i].keys += other.levels[i].keys;
    levels[i].filter_bytes += other.levels[i].filter_bytes;
  }
  keys_that_stay += other.keys_that_stay;
  bytes_that_stay += other.bytes_that_stay;
  return *this;
}

LiveFiles::Sums LiveFiles::sums() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (sums_written_ >= 0 && written_ - sums_written_ < kSumsAgain * sums_.keys) return sums_;
  const AllLives lives = LivesSoFar();
  sums_.keys_that_stay = 0;
  sums_.bytes_that_stay = 0;
  for (const auto& [id, file] : files_) {
    const double stays = ChanceToStay(lives[IndexOf(file.facts)], written_ - file.written);
    sums_.keys_that_stay += stays * static_cast<double>(file.facts.keys);
    sums_.bytes_that_stay += stays * (file.memory.bytes + file.more_bytes);
  }
  sums_written_ = written_;
  return sums_;
}

LiveFiles::TreeShape LiveFiles::ShapeOfTree() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const AllLives lives = LivesSoFar();
  TreeShape tree;
  for (size_t level = 0; level < lives.size(); ++level) {
    tree.stays[level] = ChanceToStay(lives[level], 0);
  }
  tree.files.reserve(files_.size());
  for (const auto& [id, file] : files_) {
    Shape shape;
    shape.level = static_cast<int>(IndexOf(file.facts));
    shape.from = file.from;
    shape.to = file.to;
    shape.is_point = IsPoint(file.facts.range);
    shape.keys = static_cast<double>(std::max<uint64_t>(file.facts.keys, 1));
    if (file.memory.uniform_bytes > 0) {
      shape.to_uniform = file.memory.bytes / file.memory.uniform_bytes;
    }
    shape.stays = ChanceToStay(lives[IndexOf(file.facts)], written_ - file.written);
    shape.warmth = file.facts.warmth;
    tree.files.push_back(shape);
  }
  return tree;
}

std::shared_ptr<const KeyGrid> LiveFiles::grid() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return grid_;
}

LiveFiles::Shape LiveFiles::ShapeOf(int level, const KeyRange& range) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Shape shape;
  shape.level = level;
  if (grid_ == nullptr) return shape;
  shape.from = grid_->PlaceOf(range.first);
  shape.to = grid_->PlaceOf(range.last);
  const size_t bytes = (prefix_ ? prefix_->size() : 0) + most_key_bytes_;
  shape.is_point = runs_ == nullptr && range.first.size() >= bytes &&
                   range.first.compare(0, bytes, range.last, 0, bytes) == 0;
  shape.reaches_beyond = !grid_->Covers(range.first) || !grid_->Covers(range.last);
  return shape;
}

bool LiveFiles::MakeGrid() {
  std::shared_ptr<const KeyGrid> former;
  std::string prefix;
  std::vector<GridFile> files;
  double written = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (files_.empty() ||
        (grid_ != nullptr && written_ - grid_written_ < kGridAgain * sums_.keys)) {
      return false;
    }
    former = grid_;
    prefix = prefix_.value_or("");
    written = written_;
    files.reserve(files_.size());
    for (const auto& [id, file] : files_) {
      files.push_back(
          {file.facts.range.first, file.facts.range.last, static_cast<double>(file.facts.keys)});
    }
  }
  // While files may be opened: what takes long, and all that may throw.
  auto grid = std::make_shared<const KeyGrid>(
      std::move(prefix), files, FormerGrid{former.get(), static_cast<double>(samples_.total())},
      runs_);
  std::optional<MovedPlaces> places;
  if (former != nullptr) places.emplace(*former, *grid);
  const std::function<double(double)> moved = [&places](double place) {
    return places ? (*places)(place) : place;
  };

  const std::lock_guard<std::mutex> lock(mutex_);
  if (grid_ != former) return false;  // another builder was first
  samples_.SetGrid(grid, moved);
  grid_ = std::move(grid);
  grid_written_ = written;
  for (auto& [id, file] : files_) SetPlaces(&file);
  return true;
}

void LiveFiles::DropSamples() noexcept {
  std::shared_ptr<const KeyGrid> grid;
  const std::lock_guard<std::mutex> lock(mutex_);
  grid_.swap(grid);
  samples_.Drop();
}

// ---- Sums

void LiveFiles::CountIn(const File& file, int sign, Sums* sums) noexcept {
  const double keys = sign * static_cast<double>(file.facts.keys);
  const double bytes = sign * (file.memory.bytes + file.more_bytes);
  sums->files += static_cast<size_t>(sign);
  sums->keys += keys;
  sums->filter_bytes += bytes;
  if (bytes == 0) sums->keys_without_filters += keys;
  // All that lies over nothing is on the last one.
  const size_t last = LookupSamples::kLevels - 1;
  Sums::Level& level = sums->levels[file.facts.is_bottom ? last : IndexOf(file.facts)];
  level.keys += keys;
  level.filter_bytes += bytes;
}

void LiveFiles::Count(const File& file, int sign) {
  FilterMemory& sum = file.facts.waits ? memory_.waiting : memory_.resting;
  sum.bytes += sign * file.memory.bytes;
  sum.uniform_bytes += sign * file.memory.uniform_bytes;
  CountIn(file, sign, &sums_);
}

// All or nothing, where memory is short.
void LiveFiles::Insert(Id id, File added) {
  SetPlaces(&added);
  const auto at = files_.emplace(id, std::move(added)).first;
  const File& file = at->second;
  try {
    levels_[LevelOf(file.facts)].Insert(file.facts.range.first, id);
  } catch (...) {
    files_.erase(at);
    throw;
  }
  long_bytes_ += LongBytesOf(file.facts.range);
  Count(file, 1);
}

LiveFiles::File LiveFiles::Take(Id id) {
  const auto found = files_.find(id);
  const NewFile& facts = found->second.facts;
  const auto level = levels_.find(LevelOf(facts));
  level->second.Erase(facts.range.first, id);
  if (level->second.empty()) levels_.erase(level);
  File file = std::move(found->second);
  files_.erase(found);
  long_bytes_ -= LongBytesOf(file.facts.range);
  Count(file, -1);
  return file;
}

// It counts for nothing, and may come again.
void LiveFiles::Park(Id id) noexcept {
  File file = Take(id);
  const Name name = file.name;
  try {
    const auto parked = parked_.emplace(id, std::move(file)).first;
    long_bytes_ += LongBytesOf(parked->second.facts.range);
  } catch (...) {
    names_.erase(name.Key());  // it is forgotten
  }
  if (parked_.size() > kMostFiles) Drop(parked_.begin()->first);
}

LiveFiles::File& LiveFiles::Recorded(Id id) {
  const auto parked = parked_.find(id);
  return parked != parked_.end() ? parked->second : files_.at(id);
}

LiveFiles::File LiveFiles::Remove(Id id) {
  const auto parked = parked_.find(id);
  if (parked == parked_.end()) return Take(id);
  File file = std::move(parked->second);
  parked_.erase(parked);
  long_bytes_ -= LongBytesOf(file.facts.range);
  return file;
}

void LiveFiles::Drop(Id id) {
  const File file = Remove(id);
  if (!file.is_joined) names_.erase(file.name.Key());
}

void LiveFiles::End(Id id) {
  CountEnd(Recorded(id));
  Drop(id);
}

LiveMemory LiveFiles::Memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return memory_;
}

size_t LiveFiles::files() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.size();
}

size_t LiveFiles::Weight() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.size() + parked_.size() + long_bytes_ / kBytesOfAFile;
}

bool LiveFiles::IsReopened() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_reopening_ && !files_.empty();
}

bool LiveFiles::Knows(Id id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.count(id) > 0 || parked_.count(id) > 0;
}

// ---- Places

// On a level below 0 files hardly overlap: the one that begins before the range may reach into it.
LiveFiles::Level::iterator LiveFiles::FirstThatMayReach(const Level& level, const KeyRange& range) {
  const auto at = level.lower_bound(range.first);
  return at == level.begin() ? at : std::prev(at);
}

bool LiveFiles::HasOneIn(int level, const KeyRange& range, int above) {
  const auto found = levels_.find(level);
  if (found == levels_.end()) return false;
  const Level& files = found->second;
  auto at = level == 0 ? files.begin() : FirstThatMayReach(files, range);
  for (; at != files.end() && at->first <= range.last; ++at) {
    const NewFile& file = files_.at(at->id).facts;
    if (file.level > above && file.range.Overlaps(range)) return true;
  }
  return false;
}

LiveFiles::Place LiveFiles::PlaceOf(int level, const KeyRange& full, int base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Place place;
  const std::optional<KeyRange> shortened = Shortened(full);
  if (!shortened) return place;
  const KeyRange& range = *shortened;
  for (auto below = levels_.upper_bound(level); place.below < 0 && below != levels_.end();
       ++below) {
    if (HasOneIn(below->first, range)) place.below = below->first;
  }
  if (level == 0 && base > 0 && HasOneIn(0, range)) {
    place.waits = true;
    if (place.below < 0 || base < place.below) place.below = base;
  }
  return place;
}

template <typename Ends>
void LiveFiles::FindIn(int level, const KeyRange& range, Ends ends, std::vector<Id>* found) {
  const auto at_level = levels_.find(level);
  if (at_level == levels_.end()) return;
  const Level& files = at_level->second;
  auto at = level == 0 ? files.begin() : FirstThatMayReach(files, range);
  for (; at != files.end() && at->first <= range.last; ++at) {
    const File& file = files_.at(at->id);
    // Of files that are told of, one without a name is being written, by another job.
    const bool may_end = !is_told_ || file.is_joined || file.is_ending;
    if (may_end && file.facts.range.Crosses(range) && ends(file.facts)) {
      found->push_back(at->id);
    }
  }
}

std::vector<LiveFiles::Id> LiveFiles::FindReplaced(const NewFile& file, int base) {
  std::vector<Id> found;
  if (file.level == 0) return found;
  const KeyRange& range = file.range;
  const auto all = [](const NewFile&) { return true; };
  if (base < 0 || file.level <= base) FindIn(0, range, all, &found);
  // The nearest level above, from which the compaction took files; of others, which have wider
  // ranges, only what was moved down unseen.
  bool is_nearest = true;
  for (int level = file.level - 1; level > 0; --level) {
    if (levels_.count(level) == 0) continue;
    const auto is_taken = [&](const NewFile& above) {
      return (is_nearest && range.Contains(Middle(above.range))) ||
             (range.Contains(above.range.first) && range.Contains(above.range.last));
    };
    FindIn(level, range, is_taken, &found);
    is_nearest = false;
  }
  FindIn(file.level, range, all, &found);
  const auto is_of_level = [&](const NewFile& other) {
    return file.is_bottom || other.level == file.level;
  };
  FindIn(kBottom, range, is_of_level, &found);
  return found;
}

void LiveFiles::EndReplaced(const NewFile& file, int base) {
  for (const Id id : FindReplaced(file, base)) {
    if (is_told_ && !files_.at(id).is_joined) {
      Park(id);
    } else {
      End(id);
    }
  }
}

LiveFiles::Sums LiveFiles::ReplacedBy(const NewFile& added, int base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sums sums;
  std::optional<KeyRange> range = Shortened(added.range);
  if (!range) return sums;
  NewFile file = added;
  file.range = *std::move(range);
  for (const Id id : FindReplaced(file, base)) CountIn(files_.at(id), 1, &sums);
  return sums;
}

LiveFiles::Id LiveFiles::Add(const NewFile& added, int base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File file;
  std::optional<KeyRange> range = Shortened(added.range);
  if (!range) {
    written_ += static_cast<double>(added.keys);
    return ++last_;
  }
  file.facts = added;
  file.facts.range = *std::move(range);
  is_reopening_ = false;
  EndReplaced(file.facts, base);
  written_ += static_cast<double>(added.keys);
  file.written = written_;
  // Before it, as what is told of it later is for it alone.
  if (files_.size() >= kMostFiles) JoinTwo();
  const Id id = ++last_;
  if (added.waits) MarkWaiting(file.facts.range);
  Insert(id, std::move(file));
  if (added.level == 0) SettleOldFlushes(base);
  if (id % 64 == 0) DropTheOld();
  return id;
}

// Those of level 0 that will be merged with this one.
void LiveFiles::MarkWaiting(const KeyRange& range) {
  const auto flushes = levels_.find(0);
  if (flushes == levels_.end()) return;
  for (const auto& [first, id] : flushes->second) {
    File& file = files_.at(id);
    if (file.facts.waits || !file.facts.range.Overlaps(range)) continue;
    Count(file, -1);
    file.facts.waits = true;
    Count(file, 1);
  }
}

// What was flushed long ago and overlapped nothing on level 0 was moved down since.
void LiveFiles::SettleOldFlushes(int base) {
  const auto flushes = levels_.find(0);
  if (is_told_ || flushes == levels_.end()) return;
  std::vector<Id> alone;
  for (const auto& [first, id] : flushes->second) {
    if (!files_.at(id).facts.waits) alone.push_back(id);
  }
  if (alone.size() <= kRecentFlushes) return;
  const Id oldest = *std::min_element(alone.begin(), alone.end());
  File file = Take(oldest);
  file.facts.level = std::max(base, 1);
  Insert(oldest, std::move(file));
}

void LiveFiles::DropTheOld() {
  const double oldest = written_ - kMostAge * std::max(sums_.keys, 1.0);
  std::vector<Id> old;
  for (const auto* files : {&files_, &parked_}) {
    for (const auto& [id, file] : *files) {
      if (file.written < oldest && !(is_told_ && file.is_listed)) old.push_back(id);
    }
  }
  for (const Id id : old) Drop(id);
}

void LiveFiles::JoinTwo() {
  const auto most = std::max_element(
      levels_.begin(), levels_.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  const Level& level = most->second;
  if (level.size() < 2) return;
  auto at = level.upper_bound(join_at_);
  if (at == level.end() || std::next(at) == level.end()) at = level.begin();
  const Id second = std::next(at)->id;
  File joined = Take(at->id);
  const File other = Take(second);
  joined.facts.range.last = std::max(joined.facts.range.last, other.facts.range.last);
  joined.facts.keys += other.facts.keys;
  joined.memory += other.memory;
  joined.more_bytes += other.more_bytes;
  joined.is_joined = true;
  joined.is_listed = joined.is_listed && other.is_listed;
  joined.is_ending = joined.is_ending && other.is_ending;
  joined.is_measured = joined.is_measured && other.is_measured;
  names_.erase(joined.name.Key());
  names_.erase(other.name.Key());
  joined.name = joined.name.database == other.name.database ? joined.name.Database() : Name();
  joined.level_of_readers.reset();
  joined.written = std::max(joined.written, other.written);
  join_at_ = joined.facts.range.last;
  Insert(++last_, std::move(joined));  // whose readers nobody counts
}

// ---- What is told later

void LiveFiles::Extend(Id id, const KeyRange& full, uint64_t keys) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::optional<KeyRange> range = Shortened(full);
  if (files_.count(id) == 0) return;
  File file = Take(id);
  if (range) {
    file.facts.range.first = std::min(file.facts.range.first, range->first);
    file.facts.range.last = std::max(file.facts.range.last, range->last);
  }
  file.facts.keys += keys;
  written_ += static_cast<double>(keys);
  EndReplaced(file.facts, -1);
  Insert(id, std::move(file));
}

void LiveFiles::AddMemory(Id id, const FilterMemory& memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = files_.find(id);
  if (found == files_.end()) return;
  File& file = found->second;
  Count(file, -1);
  file.is_measured = true;
  file.memory += memory;
  Count(file, 1);
}

void LiveFiles::Opened(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = files_.find(id); found != files_.end()) {
    ++found->second.readers;
    return;
  }
  const auto parked = parked_.find(id);
  if (parked == parked_.end()) return;
  if (is_told_) {
    ++parked->second.readers;
    return;
  }
  // A database that is opened again has had no file in between.
  if (!is_reopening_) ++revivals_;
  File file = Remove(id);
  file.readers = 1;
  Insert(id, std::move(file));
}

void LiveFiles::Closed(Id id) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_told_) {
    if (const auto parked = parked_.find(id); parked != parked_.end()) --parked->second.readers;
  }
  const auto found = files_.find(id);
  if (found == files_.end() || --found->second.readers > 0) return;
  if (is_told_ || revivals_ > kMostRevivals) return;
  Park(id);
  if (files_.empty()) is_reopening_ = true;
}

}  // namespace winnow::plugin
