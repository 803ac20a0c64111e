#include "src/rocksdb/trees/tree_files.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace winnow::plugin {
namespace {

// Returns the additional memory in bytes of long keys: both ends, and the grid's copy of one.
size_t LongBytesOf(const KeyRange& range) noexcept {
  const auto more = [](const std::string& key) {
    return key.size() - std::min(key.size(), TreeFiles::kUsualKeyBytes);
  };
  return 2 * more(range.first) + more(range.last);
}

}  // namespace

// ---- Keys

// Returns nullopt if keys are short and an end of the range differs within a run (shared_runs.h).
std::optional<KeyRange> TreeFiles::Shortened(const KeyRange& range) {
  if (runs_ != nullptr) {
    KeyRange shortened;
    for (const auto& [key, to] :
         {std::pair{&range.first, &shortened.first}, std::pair{&range.last, &shortened.last}}) {
      char bytes[SharedRuns::kMaxKeyBytes];
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

std::optional<TreeFiles::NewFile> TreeFiles::Shortened(const NewFile& added) {
  std::optional<KeyRange> range = Shortened(added.range);
  if (!range) return std::nullopt;
  NewFile file = added;
  file.range = *std::move(range);
  return file;
}

// Shortens the prefix: recorded keys get its last bytes back.
void TreeFiles::ShortenPrefix(size_t size) {
  try {
    LengthenKeys(size);
  } catch (...) {
    Forget();
    throw;
  }
}

void TreeFiles::LengthenKeys(size_t size) {
  const std::string back = prefix_->substr(size);
  prefix_->resize(size);
  const auto lengthen = [&](std::string* key) {
    key->insert(0, back);
    if (key->size() > most_key_bytes_) key->resize(most_key_bytes_);
  };
  by_level_.clear();
  long_bytes_ = 0;
  for (auto& [id, file] : files_) {
    lengthen(&file.facts.range.first);
    lengthen(&file.facts.range.last);
    long_bytes_ += LongBytesOf(file.facts.range);
    if (file.counts) by_level_[LevelOf(file.facts)].push_back({file.facts.range.first, id});
  }
  for (auto& [number, level] : by_level_) std::sort(level.begin(), level.end());
  lengthen(&join_at_);
}

void TreeFiles::Forget() noexcept {
  files_.clear();
  ids_.clear();
  by_level_.clear();
  num_counted_ = 0;
  memory_ = {};
  sums_ = {};
  long_bytes_ = 0;
  is_complete_ = false;
}

// Returns whether the grid has places of both ends, which is not so if Shortened returns nullopt.
bool TreeFiles::HasPlaces(const KeyRange& range) const noexcept {
  char bytes[SharedRuns::kMaxKeyBytes];
  return runs_ == nullptr || (runs_->Shorten(range.first, bytes) != SharedRuns::kUnknown &&
                              runs_->Shorten(range.last, bytes) != SharedRuns::kUnknown);
}

bool TreeFiles::IsPoint(const KeyRange& range) const noexcept {
  return range.first.size() == most_key_bytes_ && range.first == range.last;
}

void TreeFiles::SetPlaces(File* file) const noexcept {
  if (grid_ == nullptr) return;
  const size_t left_out = prefix_ ? prefix_->size() : 0;
  file->from = grid_->PlaceOf(file->facts.range.first, left_out);
  file->to = grid_->PlaceOf(file->facts.range.last, left_out);
}

// ---- Files by level

int TreeFiles::LevelIndex(int level, bool is_bottom) noexcept {
  constexpr int kLast = LookupSamples::kLevels - 1;
  if (level == 0) return 0;
  return is_bottom ? kLast : std::min(level, kLast - 1);
}

int TreeFiles::LevelOf(const NewFile& file) noexcept {
  return file.is_bottom && file.level > 0 ? kBottom : file.level;
}

const TreeFiles::Level& TreeFiles::On(int level) const noexcept {
  static const Level kNone;
  const auto found = by_level_.find(level);
  return found == by_level_.end() ? kNone : found->second;
}

// Returns the first file that may reach into the range. Below level 0, files hardly overlap, so
// only the last file that begins before the range may.
TreeFiles::Level::const_iterator TreeFiles::FirstThatMayReach(
    int level, const KeyRange& range) const noexcept {
  const Level& files = On(level);
  if (level == 0) return files.begin();
  const auto at = std::lower_bound(files.begin(), files.end(), ByFirst{range.first, 0});
  return at == files.begin() ? at : std::prev(at);
}

// Returns whether a file of this level overlaps the range. On kBottom, only files below the level
// `above` count.
bool TreeFiles::HasOneIn(int level, const KeyRange& range, int above) const {
  const Level& files = On(level);
  for (auto at = FirstThatMayReach(level, range); at != files.end() && at->first <= range.last;
       ++at) {
    const NewFile& file = files_.at(at->id).facts;
    if (file.level > above && file.range.Overlaps(range)) return true;
  }
  return false;
}

// ---- Changes

bool TreeFiles::File::MayJoin(const File& other) const noexcept {
  return LevelOf(facts) == LevelOf(other.facts) && facts.is_bottom == other.facts.is_bottom;
}

void TreeFiles::File::Join(const File& other) {
  facts.range.last = std::max(facts.range.last, other.facts.range.last);
  to = std::max(to, other.to);
  facts.keys += other.facts.keys;
  facts.waits = facts.waits || other.facts.waits;
  memory += other.memory;
  more_bytes += other.more_bytes;
  name = name.database == other.name.database ? name.Database() : FileName();
  written = std::max(written, other.written);
  is_listed = is_listed && other.is_listed;
  is_found = is_found && other.is_found;
  is_measured = is_measured && other.is_measured;
  is_ending = is_ending && other.is_ending;
  is_joined = true;
  readers = 0;  // readers of several files are not counted
  level_of_readers.reset();
}

TreeFiles::File* TreeFiles::Find(Id id) noexcept {
  const auto found = files_.find(id);
  return found == files_.end() ? nullptr : &found->second;
}

TreeFiles::File* TreeFiles::Named(FileName name) noexcept {
  const auto found = ids_.find(name.Key());
  return found == ids_.end() ? nullptr : Find(found->second);
}

TreeFiles::Id TreeFiles::Insert(File added) {
  if (num_counted_ >= kMaxFiles) JoinTwo();
  const Id id = ++last_id_;
  File& file = files_.emplace(id, std::move(added)).first->second;
  file.counts = false;
  long_bytes_ += LongBytesOf(file.facts.range);
  Show(id, &file);
  return id;
}

// Makes a file count. If this throws bad_alloc, the file stays hidden.
void TreeFiles::Show(Id id, File* file) {
  SetPlaces(file);
  Level& level = by_level_[LevelOf(file->facts)];
  const ByFirst entry{file->facts.range.first, id};
  level.insert(std::upper_bound(level.begin(), level.end(), entry), entry);
  file->counts = true;
  ++num_counted_;
  Count(*file, 1);
}

void TreeFiles::Hide(Id id, File* file) noexcept {
  const auto found = by_level_.find(LevelOf(file->facts));
  Level& level = found->second;
  level.erase(std::lower_bound(level.begin(), level.end(), ByFirst{file->facts.range.first, id}));
  if (level.empty()) by_level_.erase(found);
  file->counts = false;
  --num_counted_;
  Count(*file, -1);
}

// Makes a file count for nothing; it may come back.
void TreeFiles::SetAside(Id id, File* file) noexcept {
  Hide(id, file);
  if (files_.size() - num_counted_ <= kMaxFiles) return;
  Erase(std::find_if(files_.begin(), files_.end(), [](const auto& one) {
          return !one.second.counts;
        })->first);
}

void TreeFiles::Change(Id id, File* file, NewFile facts, bool counts) {
  if (file->counts) Hide(id, file);
  long_bytes_ -= LongBytesOf(file->facts.range);
  file->facts = std::move(facts);
  long_bytes_ += LongBytesOf(file->facts.range);
  if (file->level_of_readers != nullptr) {
    file->level_of_readers->store(LevelIndex(file->facts), std::memory_order_relaxed);
  }
  if (counts) Show(id, file);
}

void TreeFiles::Erase(Id id) noexcept {
  const auto found = files_.find(id);
  File& file = found->second;
  if (file.counts) Hide(id, &file);
  if (!file.is_joined) ids_.erase(file.name.Key());
  long_bytes_ -= LongBytesOf(file.facts.range);
  files_.erase(found);
}

// Erases a file, and records its lifetime for its level.
void TreeFiles::End(Id id) noexcept {
  const File& file = files_.find(id)->second;
  Lives& of_level = lives_[IndexOf(file.facts)];
  if (of_level.ended > static_cast<double>(kMaxFiles)) {
    of_level = {of_level.ended / 2, of_level.keys / 2};
  }
  ++of_level.ended;
  of_level.keys += written_ - file.written;
  Erase(id);
}

// Joins two neighbors on the level with the most files.
void TreeFiles::JoinTwo() {
  const Level& level =
      std::max_element(by_level_.begin(), by_level_.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
      })->second;
  if (level.size() < 2) return;
  auto at = std::upper_bound(level.begin(), level.end(),
                             ByFirst{join_at_, std::numeric_limits<Id>::max()});
  if (at == level.end() || std::next(at) == level.end()) at = level.begin();
  const Id one = at->id;
  const Id other = std::next(at)->id;
  File joined = files_.at(one);
  joined.Join(files_.at(other));
  Erase(one);
  Erase(other);
  join_at_ = joined.facts.range.last;
  Insert(std::move(joined));
}

// ---- Events

TreeFiles::Id TreeFiles::Add(const NewFile& added, WritingJob* job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<NewFile> facts = Shortened(added);
  if (!facts) {
    written_ += static_cast<double>(added.keys);
    return ++last_id_;
  }
  is_reopening_ = false;
  const bool is_for_joined = EndReplaced(*facts, job);
  written_ += static_cast<double>(added.keys);
  if (added.waits) MarkWaiting(facts->range);
  File file;
  file.facts = *std::move(facts);
  file.written = written_;
  file.is_for_joined = is_for_joined;
  const Id id = Insert(std::move(file));
  if (added.level == 0 && job->is_leveled) SettleOldFlushes(job->base);
  if (id % 64 == 0) DropTheOld();
  return id;
}

TreeFiles::Id TreeFiles::AddFound(const ListedFile& found, bool is_leveled, bool may_be_bottom) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<KeyRange> range = had_list_ ? std::nullopt : Shortened(found.range);
  if (!range || range->last < range->first || IsReplaced(found.level, *range)) return 0;
  File file = FileOf(found, *std::move(range));
  file.facts.waits = found.level == 0 && HasOneIn(0, file.facts.range);
  file.facts.is_bottom =
      may_be_bottom && !file.facts.waits && !HasOneBelow(found.level, file.facts.range);
  file.is_found = true;
  file.is_measured = true;
  MarkAbove(file.facts);
  const Id id = Insert(std::move(file));
  if (found.level == 0 && is_leveled) SettleOldFlushes(-1);
  return id;
}

// Returns whether a found file was joined with others, or was read by a compaction that has written
// its outputs.
bool TreeFiles::IsReplaced(int level, const KeyRange& range) const {
  if (level == 0) return false;
  for (const int listed : {level, kBottom}) {
    const Level& files = On(listed);
    for (auto at = FirstThatMayReach(listed, range); at != files.end() && at->first <= range.last;
         ++at) {
      const File& file = files_.at(at->id);
      if (file.facts.level == level && (file.is_joined || !file.is_found) &&
          file.facts.range.Crosses(range)) {
        return true;
      }
    }
  }
  return false;
}

// Clears is_bottom of files above this one.
void TreeFiles::MarkAbove(const NewFile& file) {
  if (file.waits) MarkWaiting(file.range);
  std::vector<Id> above;
  for (const int level : {0, kBottom}) {
    const Level& files = On(level);
    for (auto at = FirstThatMayReach(level, file.range);
         at != files.end() && at->first <= file.range.last; ++at) {
      const NewFile& other = files_.at(at->id).facts;
      if (other.is_bottom && other.level < file.level && other.range.Overlaps(file.range)) {
        above.push_back(at->id);
      }
    }
  }
  for (const Id id : above) {
    File& other = files_.at(id);
    NewFile facts = other.facts;
    facts.is_bottom = false;
    Change(id, &other, std::move(facts), true);
  }
}

void TreeFiles::Extend(Id id, const KeyRange& full, uint64_t keys, WritingJob* job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::optional<KeyRange> range = Shortened(full);
  File* const file = Find(id);
  if (file == nullptr || !file->counts) return;
  NewFile facts = file->facts;
  if (range) {
    facts.range.first = std::min(facts.range.first, range->first);
    facts.range.last = std::max(facts.range.last, range->last);
  }
  facts.keys += keys;
  written_ += static_cast<double>(keys);
  Hide(id, file);  // it must not end itself
  EndReplaced(facts, job);
  // The file may have been evicted by files that were set aside.
  if (File* const left = Find(id)) Change(id, left, std::move(facts), true);
}

void TreeFiles::AddMemory(Id id, const FilterMemory& memory, double more_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File* const file = Find(id);
  if (file == nullptr || !file->counts) return;
  Count(*file, -1);
  file->is_measured = true;
  file->memory += memory;
  file->more_bytes += more_bytes;
  Count(*file, 1);
}

void TreeFiles::Opened(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File* const file = Find(id);
  if (file == nullptr) return;
  ++file->readers;
  if (file->counts || is_told_) return;
  // While a database is being reopened, all its filters lose their readers and get new ones, so
  // these do not count.
  if (!is_reopening_) ++revivals_;
  Show(id, file);
}

void TreeFiles::Closed(Id id) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  File* const file = Find(id);
  if (file == nullptr || --file->readers > 0) return;
  if (!file->counts || is_told_ || revivals_ > kMaxRevivals) return;
  SetAside(id, file);
  if (num_counted_ == 0) is_reopening_ = true;
}

std::shared_ptr<const std::atomic<int>> TreeFiles::LevelOfReaders(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File* const file = Find(id);
  if (file == nullptr || !file->counts) return nullptr;
  if (file->level_of_readers == nullptr) {
    file->level_of_readers = std::make_shared<std::atomic<int>>(LevelIndex(file->facts));
  }
  return file->level_of_readers;
}

// ---- Queries

bool TreeFiles::HasOneBelow(int level, const KeyRange& range) const {
  for (auto below = by_level_.upper_bound(level); below != by_level_.end(); ++below) {
    if (HasOneIn(below->first, range, level)) return true;
  }
  return false;
}

TreeFiles::Place TreeFiles::PlaceOf(int level, const KeyRange& full, int base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Place place;
  const std::optional<KeyRange> range = Shortened(full);
  if (!range) return place;
  for (auto below = by_level_.upper_bound(level); place.below < 0 && below != by_level_.end();
       ++below) {
    if (HasOneIn(below->first, *range)) place.below = below->first;
  }
  if (level == 0 && base > 0 && HasOneIn(0, *range)) {
    place.waits = true;
    if (place.below < 0 || base < place.below) place.below = base;
  }
  return place;
}

TreeFiles::Id TreeFiles::last_id() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return last_id_;
}

size_t TreeFiles::files() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return num_counted_;
}

size_t TreeFiles::Weight() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.size() + long_bytes_ / kBytesOfAFile;
}

bool TreeFiles::Knows(Id id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.count(id) > 0;
}

bool TreeFiles::KnowsAllFiles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_complete_;
}

bool TreeFiles::IsReopened() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_reopening_ && num_counted_ > 0;
}

TreeFiles::Written TreeFiles::written() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {written_, sums_.keys};
}

LiveMemory TreeFiles::Memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return memory_;
}

// ---- Sums and lifetimes

TreeFiles::Sums& TreeFiles::Sums::operator+=(const Sums& other) noexcept {
  files += other.files;
  keys += other.keys;
  filter_bytes += other.filter_bytes;
  for (size_t i = 0; i < levels.size(); ++i) {
    levels[i].keys += other.levels[i].keys;
    levels[i].filter_bytes += other.levels[i].filter_bytes;
  }
  keys_that_stay += other.keys_that_stay;
  bytes_that_stay += other.bytes_that_stay;
  return *this;
}

void TreeFiles::Sums::Scale(double part) noexcept {
  for (double* const sum : {&keys, &filter_bytes, &keys_that_stay, &bytes_that_stay}) *sum *= part;
  for (Level& level : levels) {
    level.keys *= part;
    level.filter_bytes *= part;
  }
}

void TreeFiles::CountIn(const File& file, int sign, Sums* into) noexcept {
  const double keys = sign * static_cast<double>(file.facts.keys);
  const double bytes = sign * file.filter_bytes();
  into->files += static_cast<size_t>(sign);
  into->keys += keys;
  into->filter_bytes += bytes;
  // A file that lies over nothing counts as on the last level.
  Sums::Level& level =
      file.facts.is_bottom ? into->levels.back() : into->levels[IndexOf(file.facts)];
  level.keys += keys;
  level.filter_bytes += bytes;
}

void TreeFiles::Count(const File& file, int sign) noexcept {
  FilterMemory& sum = file.facts.waits ? memory_.waiting : memory_.resting;
  sum.bytes += sign * file.memory.bytes;
  sum.uniform_bytes += sign * file.memory.uniform_bytes;
  CountIn(file, sign, &sums_);
}

TreeFiles::AllLives TreeFiles::LivesSoFar() const noexcept {
  AllLives so_far = lives_;
  for (const auto& [id, file] : files_) {
    if (file.counts) so_far[IndexOf(file.facts)].keys += written_ - file.written;
  }
  return so_far;
}

// Returns the probability that a file of this age lives for kHorizon, given the lifetimes of other
// files of its level (exponential distribution). A file that has outlived them is more likely to
// stay: its age is added to their mean lifetime.
double TreeFiles::ChanceToStay(const Lives& others, double age) const noexcept {
  const double usual = (others.keys + kUsualLife * sums_.keys) / (others.ended + 1);
  return std::exp(-kHorizon * sums_.keys / std::max(usual + age, 1.0));
}

TreeFiles::Sums TreeFiles::sums(bool with_what_stays) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sums sums = sums_;
  if (!with_what_stays) return sums;
  const AllLives lives = LivesSoFar();
  for (const auto& [id, file] : files_) {
    if (!file.counts) continue;
    const double stays = ChanceToStay(lives[IndexOf(file.facts)], written_ - file.written);
    sums.keys_that_stay += stays * static_cast<double>(file.facts.keys);
    sums.bytes_that_stay += stays * file.filter_bytes();
  }
  return sums;
}

TreeFiles::Sums TreeFiles::EndingSums() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sums sums;
  for (const auto& [id, file] : files_) {
    if (file.counts && file.is_ending) CountIn(file, 1, &sums);
  }
  return sums;
}

}  // namespace winnow::plugin
