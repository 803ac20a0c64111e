#include "src/family/family.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace winnow::family {
namespace {

// A file of more keys that are one place, since they differ behind what is kept of them, is like
// all others. Fewer keys may have one noted key alone.
constexpr double kKeysOfAPlace = 64;

// Share of the keys after which a shape is made anew.
constexpr double kLookAgain = 1.0 / 64;

// Weight of recent means, and share of the tree's keys that they are a mean over.
constexpr double kUsual = 0.8;
constexpr double kRecentKeys = 0.5;

// Bits of all filters, relative to those of uniform ones, above which new filters get fewer.
constexpr double kMostMemory = 1.05;

// Samples a file, and least number of files for it, after which all counters are halved.
constexpr double kSamplesAFile = 128;
constexpr double kLeastFiles = 32;

// More files than this are not written at the same time: the oldest ones failed unseen.
constexpr size_t kMostWritten = 4096;

constexpr size_t kBytesOfAFile = 480;
constexpr size_t kKeysOfAFile = kPieces + 1;

void Shorten(std::string* key) {
  if (key->size() > kMostKeyBytes) key->resize(kMostKeyBytes);
}

KeyRange Shortened(KeyRange range) {
  Shorten(&range.first);
  Shorten(&range.last);
  for (std::string& cut : range.cuts) Shorten(&cut);
  if (range.last < range.first) std::swap(range.first, range.last);
  return range;
}

size_t KeyBytes(const KeyRange& range) {
  const auto beyond = [](const std::string& key) { return key.size() > 15 ? key.size() + 16 : 0; };
  size_t bytes = beyond(range.first) + beyond(range.last);
  for (const std::string& cut : range.cuts) bytes += beyond(cut);
  return bytes;
}

FilePtr FileOf(const ListedFile& listed) {
  auto file = std::make_shared<LiveFile>();
  file->range = Shortened(listed.range);
  file->keys = std::max(listed.keys, 1.0);
  file->bits = std::clamp(listed.bits, 0.0, kMostBits);
  file->bytes = listed.bytes;
  file->is_measured = listed.is_measured;
  file->name = listed.name;
  file->level = std::max(listed.level, 0);
  return file;
}

bool BeginsWith(std::string_view key, std::string_view prefix) {
  return key.substr(0, prefix.size()) == prefix;
}

// Returns whether a file with this whole range may be the one whose ends are prefixes of it.
bool MayBe(const KeyRange& whole, const KeyRange& found) {
  return BeginsWith(whole.first, found.first) && whole.last >= found.last;
}

}  // namespace

double Log2LambdaFor(const std::vector<Weighed>& files, double bits, double most) noexcept {
  double low = -60;
  double high = 60;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    double taken = 0;
    for (const Weighed& file : files) {
      taken += file.keys * std::clamp(file.log2_reach - middle, 0.0, most);
    }
    (taken > bits ? low : high) = middle;
  }
  return high;
}

double BitsByRule(double uniform, const Reach& reach, double mean) noexcept {
  return std::clamp(uniform + reach.log2() - mean, std::min(kLeastBits, uniform), kMostBits);
}

double MostSamples(size_t files) noexcept {
  return kSamplesAFile * std::max(kLeastFiles, static_cast<double>(files));
}

void Family::SetOrdered(bool is_ordered) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_ordered != is_ordered_) edited_ += keys_;
  is_ordered_ = is_ordered;
}

void Family::SetReadersTell(bool readers_tell) {
  const std::lock_guard<std::mutex> lock(mutex_);
  readers_tell_ = readers_tell;
}

// ---- Live files. The lock is held

void Family::AddLive(const FilePtr& file) {
  if (file->is_live) return;
  file->place = static_cast<uint32_t>(live_.size());
  live_.push_back(file);
  if (file->name.is_known()) named_.emplace(file->name, file);
  file->is_live = true;
  keys_ += file->keys;
  bytes_ += file->bytes;
  key_bytes_ += KeyBytes(file->range);
  level_keys_[file->level] += file->keys;
  edited_ += file->keys;
  if (!file->is_measured) ++unmeasured_;
}

void Family::RemoveLive(const FilePtr& file) {
  if (!file->is_live) return;
  file->is_live = false;
  keys_ -= file->keys;
  bytes_ -= file->bytes;
  key_bytes_ -= KeyBytes(file->range);
  const auto level = level_keys_.find(file->level);
  level->second -= file->keys;
  if (level->second < 0.5) level_keys_.erase(level);
  edited_ += file->keys;
  if (!file->is_measured) --unmeasured_;
  live_.back()->place = file->place;
  std::swap(live_[file->place], live_.back());
  live_.pop_back();
}

void Family::RemoveWritten(const FilePtr& file) {
  written_.erase(std::remove(written_.begin(), written_.end(), file), written_.end());
}

void Family::MoveTo(const FilePtr& file, int level) {
  RemoveWritten(file);
  if (file->level != level) RemoveLive(file);
  file->level = level;
  AddLive(file);
}

void Family::Forget(const FilePtr& file) {
  RemoveWritten(file);
  if (Named(file->name) == file) named_.erase(file->name);
  RemoveLive(file);
}

// Ends what a closed database's listener told of, once readers tell.
void Family::EndFrozen() {
  if (!was_told_ || is_told() || !readers_tell_) return;
  was_told_ = false;
  std::vector<FilePtr> ended;
  for (const FilePtr& file : live_) {
    if (file->readers.load(std::memory_order_relaxed) == 0) ended.push_back(file);
  }
  for (const FilePtr& file : ended) Forget(file);
}

FilePtr Family::Named(FileName name) const {
  const auto found = named_.find(name);
  return found == named_.end() ? nullptr : found->second;
}

// Returns the present shape, after making it if it is due and no other thread does. The lock is
// held, but released meanwhile.
std::shared_ptr<const Shape> Family::LookLocked(std::unique_lock<std::mutex>* lock) {
  if (edited_ < kLookAgain * keys_ || is_looking_) return shape_;
  std::vector<Shape::Placed> files;
  files.reserve(live_.size());
  for (const FilePtr& file : live_) files.push_back({file, file->level});
  const double edited = std::exchange(edited_, 0);
  const bool is_ordered = is_ordered_;
  is_looking_ = true;
  lock->unlock();
  double asked = 0;
  for (const Shape::Placed& placed : files) asked += placed.file->asked();
  if (asked >= MostSamples(files.size())) {
    for (const Shape::Placed& placed : files) placed.file->HalveCounts();
  }
  std::shared_ptr<const Shape> made;
  try {
    made = std::make_shared<const Shape>(std::move(files), is_ordered);
  } catch (...) {
    lock->lock();
    is_looking_ = false;
    edited_ += edited;
    throw;
  }
  lock->lock();
  is_looking_ = false;
  shape_ = std::move(made);
  return shape_;
}

std::shared_ptr<const Shape> Family::Look() {
  std::unique_lock<std::mutex> lock(mutex_);
  return LookLocked(&lock);
}

// ---- Bits

// Returns whether BitsOf gives an answer. The lock is held.
bool Family::HasSource() const { return is_told() || readers_tell_ || offset_; }

// Returns the inputs of the file's compaction; null if they are not known. The lock is held.
const std::vector<FilePtr>* Family::InputFilesOf(const NewFile& file) const {
  const auto inputs = inputs_.find(file.job);
  return file.is_flush || inputs == inputs_.end() ? nullptr : &inputs->second;
}

// Returns what the file's job replaces. The lock is held.
Family::Job Family::JobOf(const NewFile& file, const Shape& shape) {
  Job job;
  if (file.is_flush) return job;
  const std::vector<FilePtr>* const inputs = InputFilesOf(file);
  if (file.job != 0 && is_told() && inputs != nullptr) {
    for (const FilePtr& input : *inputs) {
      job.replaced.keys += input->keys;
      if (input->level == file.level) job.replaced.keys_on_level += input->keys;
      const Shape::Placed* const placed = shape.Find(*input);
      if (placed == nullptr || input->bits == 0) continue;
      job.sums.Add(*input, placed->reach);
      const double beside =
          1 - (input->range.Before(file.range.last) - input->range.Before(file.range.first));
      job.heat += beside * input->keys * placed->reach.log2_heat;
    }
    return job;
  }
  if (IsOfWholeJob(file, shape)) {
    job.sums = shape.UpTo(file.level);
    job.replaced.keys = job.sums.keys;
    return job;
  }
  // The files above in its range, as many keys as it has.
  job.sums = shape.InRange(file.level, file.range.first, file.range.last);
  if (job.sums.keys > file.keys) job.sums.Scale(file.keys / job.sums.keys);
  job.replaced.keys = job.sums.keys;
  return job;
}

// Returns whether the file is of a job whose inputs are not known, but which merges its level and
// all above, as full and universal compactions do: its outputs begin with the first key there. The
// lock is held.
bool Family::IsOfWholeJob(const NewFile& file, const Shape& shape) {
  const std::thread::id thread = std::this_thread::get_id();
  const auto before = whole_jobs_.find(thread);
  const bool goes_on = before != whole_jobs_.end() && before->second < file.range.first;
  if (!goes_on && !shape.IsFirst(file.level, file.range.first)) {
    whole_jobs_.erase(thread);
    return false;
  }
  whole_jobs_[thread] = file.range.last;
  return true;
}

// Returns the tree after the file's job, all of whose outputs are like this one. The lock is held.
Family::Plan Family::PlanOf(const NewFile& file, const Shape& shape) {
  const Job job = JobOf(file, shape);
  Plan plan;
  plan.reach = shape.ReachOf(file, job.replaced);
  plan.rest = file.is_flush ? shape.SumsUnder(file) : shape.sums().Without(job.sums);
  plan.added = std::max(job.replaced.keys, file.keys);
  plan.typical =
      plan.reach.log2_by_keys + (file.keys * plan.reach.log2_heat + job.heat) / plan.added;
  return plan;
}

// Returns the mean, moved towards recent ones as far as the tree after the job has no more false
// reads than one with uniform bits: each of the job's outputs has keys * 2^(mean - uniform). The
// lock is held.
double Family::Smoothed(double mean, const Plan& plan, const NewFile& file, double uniform) {
  const double keys = plan.rest.keys + plan.added;
  if (!usual_mean_) usual_mean_ = offset_ ? uniform - *offset_ : mean;
  *usual_mean_ += std::min(1.0, file.keys / (kRecentKeys * keys)) * (mean - *usual_mean_);
  const double smoothed = mean + kUsual * (*usual_mean_ - mean);
  const double allowed = (plan.rest.reached + plan.added * std::exp2(plan.typical) -
                          plan.rest.false_reads * std::exp2(uniform)) /
                         plan.added;
  // Files that stay may have too few bits, of times with a higher mean. New ones make up for these,
  // by a bit at most: few keys can't make up for many.
  const double left = uniform * keys - plan.rest.bits;
  const double filled = std::max(uniform + plan.typical - left / plan.added, mean - 1);
  const double least = is_told() || offset_ ? std::min(mean, filled) : mean;
  return std::min(smoothed, allowed > 0 ? std::max(least, std::log2(allowed)) : least);
}

std::optional<Decided> Family::BitsOf(const NewFile& file, double uniform) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!HasSource()) return std::nullopt;
  EndFrozen();
  const std::shared_ptr<const Shape> shape = LookLocked(&lock);
  const Plan plan = PlanOf(file, *shape);
  Decided decided;
  decided.reach = plan.reach;
  if (shape->is_ordered() && file.range.first == file.range.last && file.keys > kKeysOfAPlace) {
    decided.reach = {};
    decided.bits = BitsByRule(uniform, {}, 0);
    return decided;
  }
  const double keys = plan.rest.keys + plan.added;
  const double mean = (plan.rest.log2_reach + plan.added * plan.typical) / keys;
  decided.mean = Smoothed(mean, plan, file, uniform);
  decided.bits = BitsByRule(uniform, plan.reach, decided.mean);
  const double taken = plan.rest.bits + plan.added * (uniform + plan.typical - decided.mean);
  if (const double over = taken - kMostMemory * uniform * keys; over > 0) {
    decided.bits = std::max(std::min(kLeastBits, uniform), decided.bits - over / keys);
    decided.is_over_memory = true;
  }
  return decided;
}

FilePtr Family::Built(const NewFile& file, double bits, double bytes) {
  auto made = std::make_shared<LiveFile>();
  made->range = Shortened(file.range);
  made->keys = std::max(file.keys, 1.0);
  made->bits = bits;
  made->bytes = bytes;
  made->level = std::max(file.level, 0);
  const std::lock_guard<std::mutex> lock(mutex_);
  was_emptied_ = false;
  made->SetAsked(shape_->AskedOf(file));
  if (!is_told() && !readers_tell_) return made;
  if (!is_told() && file.is_flush) {
    AddLive(made);
    return made;
  }
  if (written_.size() >= kMostWritten) written_.erase(written_.begin());
  written_.push_back(made);
  return made;
}

void Family::Extend(const FilePtr& file, const NewFile& whole, double bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file->is_live) return;
  file->range = Shortened(whole.range);
  file->keys = std::max(whole.keys, 1.0);
  file->bytes += bytes;
}

// ---- Edits

void Family::SetName(const FilePtr& file, FileName name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file->name.is_known() || !named_.emplace(name, file).second) return;
  file->name = name;
}

void Family::NotWritten(const FilePtr& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Forget(file);
}

void Family::Begin(int job, const std::vector<FileName>& inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<FilePtr>& files = inputs_[job];
  files.clear();
  for (const FileName name : inputs) {
    if (const FilePtr file = Named(name)) files.push_back(file);
  }
}

void Family::End(int job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  inputs_.erase(job);
}

void Family::Installed(FileName name, int level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const FilePtr file = Named(name)) MoveTo(file, level);
  if (is_listing_) changed_[name] = level;
}

void Family::Ended(FileName name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const FilePtr file = Named(name)) Forget(file);
  if (is_listing_) changed_[name] = -1;
}

void Family::BeginList() {
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.clear();
  is_listing_ = true;
}

void Family::TakeList(uint64_t database, const std::vector<ListedFile>& list) {
  std::unordered_map<FileName, const ListedFile*, FileName::Hash> missing;
  for (const ListedFile& listed : list) missing.emplace(listed.name, &listed);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<FilePtr> gone;
  std::vector<FilePtr> unnamed;
  for (const FilePtr& file : live_) {
    if (!file->name.is_known()) {
      unnamed.push_back(file);
    } else if (file->name.database == database && missing.count(file->name) == 0 &&
               changed_.count(file->name) == 0) {
      gone.push_back(file);
    }
  }
  for (const auto& [name, level] : changed_) {
    if (level < 0 || Named(name) != nullptr) missing.erase(name);
  }
  for (const FilePtr& file : gone) Forget(file);
  // Files of an earlier process have no names; their filters' notes have the beginnings of their
  // keys.
  for (const std::weak_ptr<LiveFile>& weak : std::exchange(found_, {})) {
    if (FilePtr file = weak.lock(); file != nullptr && !file->is_live) unnamed.push_back(file);
  }
  std::vector<FilePtr> added;
  for (const auto& [name, listed] : missing) {
    const FilePtr known = Named(name);
    if (known != nullptr && (known->is_measured || !listed->is_measured)) {
      MoveTo(known, listed->level);
      continue;
    }
    const FilePtr file = FileOf(*listed);
    if (const auto moved = changed_.find(name); moved != changed_.end()) {
      file->level = moved->second;
    }
    if (known != nullptr) {
      file->former = known;  // keeps its counters
      Forget(known);
    }
    named_[name] = file;
    AddLive(file);
    if (known == nullptr) added.push_back(file);
  }
  const auto ends = [](const FilePtr& file) {
    return std::tie(file->range.first, file->range.last);
  };
  const auto is_before = [&](const FilePtr& a, const FilePtr& b) { return ends(a) < ends(b); };
  std::sort(added.begin(), added.end(), is_before);
  for (const FilePtr& file : unnamed) {
    auto at = std::lower_bound(added.begin(), added.end(), file, is_before);
    for (; at != added.end() && BeginsWith((*at)->range.first, file->range.first); ++at) {
      if ((*at)->former != nullptr || !MayBe((*at)->range, file->range)) continue;
      (*at)->former = file;
      break;
    }
    Forget(file);
  }
  changed_.clear();
  is_listing_ = false;
  was_told_ = false;
  is_told_.store(true, std::memory_order_relaxed);
}

void Family::StopBeingTold() {
  const std::lock_guard<std::mutex> lock(mutex_);
  was_told_ = was_told_ || is_told();
  is_told_.store(false, std::memory_order_relaxed);
  was_emptied_ = false;
  is_listing_ = false;
  inputs_.clear();
}

// ---- Readers

void Family::Opened(const FilePtr& file) {
  const bool is_first = file->readers.fetch_add(1, std::memory_order_relaxed) == 0;
  if (!is_first || is_told()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (was_told_) was_emptied_ = true;
  const bool is_written = std::find(written_.begin(), written_.end(), file) != written_.end();
  if (readers_tell_ && !is_written) AddLive(file);
}

void Family::Closed(const FilePtr& file) noexcept {
  const bool is_last = file->readers.fetch_sub(1, std::memory_order_relaxed) == 1;
  if (!is_last || is_told()) return;
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!readers_tell_ || was_told_) return;
    for (const FilePtr& made : std::exchange(written_, {})) {
      if (made != file) AddLive(made);
    }
    Forget(file);
    was_emptied_ = was_emptied_ || live_.empty();
  } catch (...) {
    // Out of memory: the record lacks files.
  }
}

FilePtr Family::Found(const ListedFile& found) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (is_told()) {
    const std::shared_ptr<const Shape> shape = LookLocked(&lock);
    return shape->FindBy([&](const LiveFile& file) { return MayBe(file.range, found.range); },
                         found.range.first);
  }
  if (found_.size() >= most_found_) {
    const auto has_ended = [](const std::weak_ptr<LiveFile>& file) { return file.expired(); };
    found_.erase(std::remove_if(found_.begin(), found_.end(), has_ended), found_.end());
    most_found_ = std::max<size_t>(64, 2 * found_.size());
  }
  const FilePtr file = FileOf(found);
  found_.push_back(file);
  return file;
}

// ---- Queries

Family::Inputs Family::InputsOf(const NewFile& file) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Inputs sums;
  if (file.is_flush) return sums;
  const std::vector<FilePtr>* const inputs = InputFilesOf(file);
  if (inputs == nullptr) {
    const Sums all = shape_->InRange(file.level, file.range.first, file.range.last);
    const Sums above = shape_->InRange(file.level - 1, file.range.first, file.range.last);
    return Inputs{all.keys, all.bytes, all.bytes - above.bytes}.ShareOf(file.keys);
  }
  for (const FilePtr& input : *inputs) {
    sums.keys += input->keys;
    sums.bytes += input->bytes;
    if (input->level == file.level) sums.bytes_on_level += input->bytes;
  }
  return sums;
}

Family::Inputs Family::Inputs::ShareOf(double of_keys) const noexcept {
  const double part = keys > of_keys ? of_keys / keys : 1;
  return {part * keys, part * bytes, part * bytes_on_level};
}

Family::Totals& Family::Totals::operator+=(const Totals& more) noexcept {
  files += more.files;
  keys += more.keys;
  bytes += more.bytes;
  keys_on_level_0 += more.keys_on_level_0;
  return *this;
}

Family::Totals Family::totals() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto level_0 = level_keys_.find(0);
  return {live_.size(), keys_, bytes_, level_0 == level_keys_.end() ? 0 : level_0->second};
}

Family::Levels Family::levels() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto base = level_keys_.upper_bound(0);
  if (base == level_keys_.end()) return {};
  return {base->first, level_keys_.rbegin()->first};
}

bool Family::has_source() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return HasSource();
}

bool Family::knows_all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return (is_told() || offset_) && unmeasured_ == 0;
}

bool Family::is_reopened() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return was_emptied_ && std::any_of(live_.begin(), live_.end(), [](const FilePtr& file) {
           return file->readers.load(std::memory_order_relaxed) > 0;
         });
}

size_t Family::memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return kBytesOfAFile * (live_.size() + written_.size()) + key_bytes_;
}

void Family::AppendAll(std::vector<Weighed>* all) {
  const std::shared_ptr<const Shape> shape = Look();
  for (const Shape::Placed& placed : shape->files()) {
    all->push_back({placed.reach.log2(), placed.file->keys});
  }
}

double Family::AppendWith(const NewFile& file, std::vector<Weighed>* all) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<const Shape> shape = LookLocked(&lock);
  const Plan plan = PlanOf(file, *shape);
  std::unordered_set<const LiveFile*> replaced;
  if (const std::vector<FilePtr>* const inputs = InputFilesOf(file)) {
    for (const FilePtr& input : *inputs) replaced.insert(input.get());
  }
  for (const Shape::Placed& placed : shape->files()) {
    if (replaced.count(placed.file.get()) > 0) continue;
    all->push_back({placed.reach.log2(), placed.file->keys});
  }
  all->push_back({plan.typical, plan.added});
  return plan.reach.log2();
}

// ---- Another process

double Family::OffsetFor(double uniform) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (offset_) return *offset_;
  if (usual_mean_) return uniform - *usual_mean_;
  const Sums& sums = shape_->sums();
  return uniform - (sums.keys > 0 ? sums.log2_reach / sums.keys : 0);
}

void Family::Restore(const std::vector<ListedFile>& files, std::optional<double> offset) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const ListedFile& told : files) {
    const FilePtr file = FileOf(told);
    std::array<double, kPieces> alike{};
    alike.fill(told.asked / kPieces);
    file->SetAsked(alike);
    AddLive(file);
  }
  offset_ = offset;
}

std::optional<double> Family::told_offset() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return offset_;
}

}  // namespace winnow::family
