#include "src/rocksdb/trees/live_files.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace winnow::plugin {
namespace {

// About half-way between two keys: behind the bytes that they share, the mean of the next bytes as
// numbers.
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

// ---- What rates are learned from

LiveFiles::Written LiveFiles::written() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {recorded_.written, recorded_.sums.keys};
}

LiveFiles::TreeShape LiveFiles::ShapeOfTree() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ShapeBut({});
}

LiveFiles::TreeShape LiveFiles::ShapeWithout(const NewFile& added, int base,
                                             const WritingJob& job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::optional<NewFile> file = Shortened(added);
  if (!file) return ShapeBut({});
  std::vector<Id> left_out = FindReplaced(*file, base, job);
  if (!job.is_leveled && job.last > 0 && file->level > 0) {
    // The other files of the runs that are merged end with later outputs.
    for (const auto& [id, other] : recorded_.live) {
      if (RecordedFiles::LevelOf(other.facts) < file->level && MayEnd(id, other, job)) {
        left_out.push_back(id);
      }
    }
  }
  return ShapeBut(std::move(left_out));
}

// With the lock.
LiveFiles::TreeShape LiveFiles::ShapeBut(std::vector<Id> left_out) const {
  std::sort(left_out.begin(), left_out.end());
  const RecordedFiles::AllLives lives = recorded_.LivesSoFar();
  TreeShape tree;
  for (size_t level = 0; level < lives.size(); ++level) {
    tree.stays[level] = recorded_.ChanceToStay(lives[level], 0);
  }
  tree.files.reserve(recorded_.live.size());
  for (const auto& [id, file] : recorded_.live) {
    if (std::binary_search(left_out.begin(), left_out.end(), id)) continue;
    Shape shape;
    shape.level = static_cast<int>(RecordedFiles::IndexOf(file.facts));
    shape.from = file.from;
    shape.to = file.to;
    shape.is_point = recorded_.IsPoint(file.facts.range);
    shape.waits = file.facts.waits;
    shape.keys = static_cast<double>(std::max<uint64_t>(file.facts.keys, 1));
    if (file.memory.uniform_bytes > 0) {
      shape.to_uniform = file.memory.bytes / file.memory.uniform_bytes;
    }
    shape.stays = recorded_.ChanceToStay(lives[RecordedFiles::IndexOf(file.facts)],
                                         recorded_.written - file.written);
    shape.relative_miss_heat = file.facts.relative_miss_heat;
    tree.files.push_back(shape);
  }
  return tree;
}

std::shared_ptr<const KeyPositions> LiveFiles::grid() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.grid;
}

LiveFiles::Shape LiveFiles::ShapeOf(int level, const KeyRange& range) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Shape shape;
  shape.level = level;
  if (recorded_.grid == nullptr || !recorded_.HasPlaces(range)) return shape;
  shape.from = recorded_.grid->PlaceOf(range.first);
  shape.to = recorded_.grid->PlaceOf(range.last);
  const size_t bytes = (recorded_.prefix ? recorded_.prefix->size() : 0) + recorded_.most_key_bytes;
  shape.is_point = recorded_.runs == nullptr && range.first.size() >= bytes &&
                   range.first.compare(0, bytes, range.last, 0, bytes) == 0;
  shape.reaches_beyond =
      !recorded_.grid->Covers(range.first) || !recorded_.grid->Covers(range.last);
  return shape;
}

bool LiveFiles::MakeGrid() {
  std::shared_ptr<const KeyPositions> former;
  std::string prefix;
  std::vector<FileKeys> files;
  double written = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (recorded_.live.empty() ||
        (recorded_.grid != nullptr &&
         recorded_.written - grid_written_ < kGridAgain * recorded_.sums.keys)) {
      return false;
    }
    former = recorded_.grid;
    prefix = recorded_.prefix.value_or("");
    written = recorded_.written;
    files.reserve(recorded_.live.size());
    for (const auto& [id, file] : recorded_.live) {
      files.push_back(
          {file.facts.range.first, file.facts.range.last, static_cast<double>(file.facts.keys)});
    }
  }
  // Without the lock, as files may be opened meanwhile: what takes long, and all that may throw.
  auto grid = std::make_shared<const KeyPositions>(
      std::move(prefix), files,
      FormerPositions{former.get(), static_cast<double>(samples_.total())}, recorded_.runs);
  std::optional<MovedPlaces> places;
  if (former != nullptr) places.emplace(*former, *grid);
  const std::function<double(double)> moved = [&places](double place) {
    return places ? (*places)(place) : place;
  };

  const std::lock_guard<std::mutex> lock(mutex_);
  if (recorded_.grid != former) return false;  // another builder was first
  samples_.SetGrid(grid, moved);
  recorded_.grid = std::move(grid);
  grid_written_ = written;
  for (auto& [id, file] : recorded_.live) recorded_.SetPlaces(&file);
  return true;
}

// ---- Sums

LiveFiles::Sums LiveFiles::sums() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.SumsNow();
}

LiveMemory LiveFiles::Memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.memory;
}

size_t LiveFiles::files() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.live.size();
}

size_t LiveFiles::Weight() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.live.size() + recorded_.parked.size() +
         recorded_.long_bytes / RecordedFiles::kBytesOfAFile;
}

bool LiveFiles::IsReopened() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_reopening_ && !recorded_.live.empty();
}

bool LiveFiles::Knows(Id id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.live.count(id) > 0 || recorded_.parked.count(id) > 0;
}

// ---- Places

// The file with keys as the record has them; none if these are short and an end leaves a run
// half-way.
std::optional<LiveFiles::NewFile> LiveFiles::Shortened(const NewFile& added) {
  std::optional<KeyRange> range = recorded_.Shortened(added.range);
  if (!range) return std::nullopt;
  NewFile file = added;
  file.range = *std::move(range);
  return file;
}

LiveFiles::Place LiveFiles::PlaceOf(int level, const KeyRange& full, int base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Place place;
  const std::optional<KeyRange> shortened = recorded_.Shortened(full);
  if (!shortened) return place;
  const KeyRange& range = *shortened;
  for (auto below = recorded_.by_level.upper_bound(level);
       place.below < 0 && below != recorded_.by_level.end(); ++below) {
    if (recorded_.HasOneIn(below->first, range)) place.below = below->first;
  }
  if (level == 0 && base > 0 && recorded_.HasOneIn(0, range)) {
    place.waits = true;
    if (place.below < 0 || base < place.below) place.below = base;
  }
  return place;
}

// True for files that the compaction may have read. If a listener tells of files, one without a
// name is being written by another job.
bool LiveFiles::MayEnd(Id id, const File& file, const WritingJob& job) const noexcept {
  const bool came_later = file.facts.level == 0 && job.last > 0 && id > job.last;
  return file.is_joined || (told_.is_told() ? file.is_ending : !came_later);
}

// Files that may have been read by the compaction that writes `added`.
template <typename Ends>
void LiveFiles::FindIn(int level, const NewFile& added, const WritingJob& job, Ends ends,
                       std::vector<Id>* found) {
  const auto at_level = recorded_.by_level.find(level);
  if (at_level == recorded_.by_level.end()) return;
  const KeyRange& range = added.range;
  const RecordedFiles::Level& files = at_level->second;
  auto at = level == 0 ? files.begin() : RecordedFiles::FirstThatMayReach(files, range);
  for (; at != files.end() && at->first <= range.last; ++at) {
    const File& file = recorded_.live.at(at->id);
    if (MayEnd(at->id, file, job) && file.facts.range.Crosses(range) && ends(file.facts)) {
      found->push_back(at->id);
    }
  }
}

// Files of level 0 that were merged into one of level 0. RocksDB merges neighbours by age, mostly
// from the newest on, and they have at least as many keys: those that have the fewest more.
std::vector<LiveFiles::Id> LiveFiles::FindMerged(const NewFile& file, const WritingJob& job) {
  constexpr double kClearlyFewer = 1.0 / 16;  // of the keys
  std::vector<Id> found;
  const auto keys = static_cast<double>(file.keys);
  const double left = keys - job.keys;
  if (job.last == 0 || !(left > 0)) return found;
  FindIn(
      0, file, job, [](const NewFile&) { return true; }, &found);
  std::sort(found.begin(), found.end(), [this](Id a, Id b) {
    const double of_a = recorded_.live.at(a).written;
    const double of_b = recorded_.live.at(b).written;
    return of_a != of_b ? of_a > of_b : a > b;
  });
  const auto keys_of = [&](size_t i) {
    return static_cast<double>(recorded_.live.at(found[i]).facts.keys);
  };
  size_t begin = 0;
  size_t end = found.size();  // all, if they have too few
  std::optional<double> fewest_more;
  double sum = 0;
  for (size_t from = 0, to = 0; from < found.size(); sum -= keys_of(from++)) {
    while (to < found.size() && sum < left) sum += keys_of(to++);
    if (sum < left) break;
    if (fewest_more && sum - left > *fewest_more - kClearlyFewer * keys) continue;
    fewest_more = sum - left;
    begin = from;
    end = to;
  }
  return std::vector<Id>(found.begin() + static_cast<ptrdiff_t>(begin),
                         found.begin() + static_cast<ptrdiff_t>(end));
}

std::vector<LiveFiles::Id> LiveFiles::FindReplaced(const NewFile& file, int base,
                                                   const WritingJob& job) {
  if (file.level == 0) return FindMerged(file, job);
  std::vector<Id> found;
  const KeyRange& range = file.range;
  const auto all = [](const NewFile&) { return true; };
  if (base < 0 || file.level <= base) FindIn(0, file, job, all, &found);
  // A leveled compaction took files from the nearest level above. Of higher levels, whose files
  // have wider ranges, only a file ended that was moved down unseen.
  bool is_nearest = true;
  for (int level = file.level - 1; level > 0; --level) {
    if (recorded_.by_level.count(level) == 0) continue;
    const auto is_taken = [&](const NewFile& above) {
      return (is_nearest && range.Contains(Middle(above.range))) ||
             (range.Contains(above.range.first) && range.Contains(above.range.last));
    };
    FindIn(level, file, job, is_taken, &found);
    is_nearest = !job.is_leveled;
  }
  FindIn(file.level, file, job, all, &found);
  const auto is_of_level = [&](const NewFile& other) {
    return file.is_bottom || other.level == file.level;
  };
  FindIn(RecordedFiles::kBottom, file, job, is_of_level, &found);
  return found;
}

void LiveFiles::EndReplaced(const NewFile& file, int base, WritingJob* job) {
  for (const Id id : FindReplaced(file, base, *job)) {
    const File& replaced = recorded_.live.at(id);
    if (file.level == 0) job->keys += static_cast<double>(replaced.facts.keys);
    if (told_.is_told() && !replaced.is_joined) {
      recorded_.Park(id);
    } else {
      recorded_.End(id);
    }
  }
}

LiveFiles::Sums LiveFiles::ReplacedBy(const NewFile& added, int base, const WritingJob& job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sums sums;
  const std::optional<NewFile> file = Shortened(added);
  if (!file) return sums;
  for (const Id id : FindReplaced(*file, base, job)) {
    RecordedFiles::CountIn(recorded_.live.at(id), 1, &sums);
  }
  return sums;
}

LiveFiles::Sums LiveFiles::EndingSums() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sums sums;
  for (const auto& [id, file] : recorded_.live) {
    if (file.is_ending) RecordedFiles::CountIn(file, 1, &sums);
  }
  return sums;
}

LiveFiles::Id LiveFiles::last_id() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.last_id;
}

// Each subcompaction has a thread of its own, so few are remembered, and no more of a key than of a
// file's: with that cut off, it is still before the next file's first key.
void LiveFiles::Continue(const NewFile& file, WritingJob* job) {
  constexpr size_t kMostThreads = 16;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (told_.is_told()) return;
  const std::thread::id thread = std::this_thread::get_id();
  const auto found = std::find_if(outputs_.begin(), outputs_.end(),
                                  [&](const Output& output) { return output.thread == thread; });
  const bool goes_on = found != outputs_.end() && found->level == file.level && file.level > 0 &&
                       found->last_key < file.range.first;
  if (goes_on) job->last = found->last;
  Output output{thread, file.level, file.range.last.substr(0, RecordedFiles::kMaxKeyBytes),
                job->last};
  if (found != outputs_.end()) outputs_.erase(found);
  if (outputs_.size() == kMostThreads) outputs_.erase(outputs_.begin());
  outputs_.push_back(std::move(output));
}

LiveFiles::Id LiveFiles::Add(const NewFile& added, int base, WritingJob* job) {
  WritingJob unknown;
  if (job == nullptr) job = &unknown;
  const std::lock_guard<std::mutex> lock(mutex_);
  File file;
  std::optional<NewFile> facts = Shortened(added);
  if (!facts) {
    recorded_.written += static_cast<double>(added.keys);
    return ++recorded_.last_id;
  }
  file.facts = *std::move(facts);
  is_reopening_ = false;
  EndReplaced(file.facts, base, job);
  recorded_.written += static_cast<double>(added.keys);
  file.written = recorded_.written;
  // Before the new file is added: what is told of that later is for it alone.
  if (recorded_.live.size() >= RecordedFiles::kMaxFiles) recorded_.JoinTwo();
  const Id id = ++recorded_.last_id;
  if (added.waits) MarkWaiting(file.facts.range);
  recorded_.Insert(id, std::move(file));
  if (added.level == 0 && job->is_leveled) SettleOldFlushes(base);
  if (id % 64 == 0) DropTheOld();
  return id;
}

// Marks the files of level 0 that will be merged with this one.
void LiveFiles::MarkWaiting(const KeyRange& range) {
  const auto flushes = recorded_.by_level.find(0);
  if (flushes == recorded_.by_level.end()) return;
  for (const auto& [first, id] : flushes->second) {
    File& file = recorded_.live.at(id);
    if (file.facts.waits || !file.facts.range.Overlaps(range)) continue;
    recorded_.Count(file, -1);
    file.facts.waits = true;
    recorded_.Count(file, 1);
  }
}

// A file that was flushed long ago and overlapped nothing on level 0 was moved down since.
void LiveFiles::SettleOldFlushes(int base) {
  const auto flushes = recorded_.by_level.find(0);
  if (told_.is_told() || flushes == recorded_.by_level.end()) return;
  std::vector<Id> alone;
  for (const auto& [first, id] : flushes->second) {
    if (!recorded_.live.at(id).facts.waits) alone.push_back(id);
  }
  if (alone.size() <= kRecentFlushes) return;
  const Id oldest = *std::min_element(alone.begin(), alone.end());
  File file = recorded_.Take(oldest);
  file.facts.level = std::max(base, 1);
  recorded_.Insert(oldest, std::move(file));
}

void LiveFiles::DropTheOld() {
  const double oldest = recorded_.written - kMaxAge * std::max(recorded_.sums.keys, 1.0);
  std::vector<Id> old;
  for (const auto* files : {&recorded_.live, &recorded_.parked}) {
    for (const auto& [id, file] : *files) {
      if (file.written < oldest && !(told_.is_told() && file.is_listed)) old.push_back(id);
    }
  }
  for (const Id id : old) recorded_.Drop(id);
}

// ---- What is told later

void LiveFiles::Extend(Id id, const KeyRange& full, uint64_t keys, WritingJob* job) {
  WritingJob unknown;
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::optional<KeyRange> range = recorded_.Shortened(full);
  if (recorded_.live.count(id) == 0) return;
  File file = recorded_.Take(id);
  if (range) {
    file.facts.range.first = std::min(file.facts.range.first, range->first);
    file.facts.range.last = std::max(file.facts.range.last, range->last);
  }
  file.facts.keys += keys;
  recorded_.written += static_cast<double>(keys);
  EndReplaced(file.facts, -1, job != nullptr ? job : &unknown);
  recorded_.Insert(id, std::move(file));
}

void LiveFiles::AddMemory(Id id, const FilterMemory& memory, double more_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = recorded_.live.find(id);
  if (found == recorded_.live.end()) return;
  File& file = found->second;
  recorded_.Count(file, -1);
  file.is_measured = true;
  file.memory += memory;
  file.more_bytes += more_bytes;
  recorded_.Count(file, 1);
}

void LiveFiles::Opened(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = recorded_.live.find(id); found != recorded_.live.end()) {
    ++found->second.readers;
    return;
  }
  const auto parked = recorded_.parked.find(id);
  if (parked == recorded_.parked.end()) return;
  if (told_.is_told()) {
    ++parked->second.readers;
    return;
  }
  // While a database is being reopened, all its filters lose their readers and get new ones, so
  // these do not count.
  if (!is_reopening_) ++revivals_;
  File file = recorded_.Remove(id);
  file.readers = 1;
  recorded_.Insert(id, std::move(file));
}

void LiveFiles::Closed(Id id) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (told_.is_told()) {
    if (const auto parked = recorded_.parked.find(id); parked != recorded_.parked.end()) {
      --parked->second.readers;
    }
  }
  const auto found = recorded_.live.find(id);
  if (found == recorded_.live.end() || --found->second.readers > 0) return;
  if (told_.is_told() || revivals_ > kMaxRevivals) return;
  recorded_.Park(id);
  if (recorded_.live.empty()) is_reopening_ = true;
}

// ---- What a listener tells

std::shared_ptr<const std::atomic<int>> LiveFiles::LevelOfReaders(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = recorded_.live.find(id);
  if (found == recorded_.live.end()) return nullptr;
  File& file = found->second;
  if (file.level_of_readers == nullptr) {
    file.level_of_readers =
        std::make_shared<std::atomic<int>>(static_cast<int>(RecordedFiles::IndexOf(file.facts)));
  }
  return file.level_of_readers;
}

void LiveFiles::BeginList() {
  const std::lock_guard<std::mutex> lock(mutex_);
  told_.BeginList();
}

ListedLevels LiveFiles::Reconcile(const FileList& list) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return told_.Reconcile(list);
}

void LiveFiles::SetName(Id id, FileName name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  told_.SetName(id, name);
}

void LiveFiles::NotWritten(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  told_.NotWritten(id);
}

void LiveFiles::Ending(FileName name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  told_.Ending(name);
}

void LiveFiles::Installed(FileName name, int level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  told_.Installed(name, level);
}

void LiveFiles::Ended(FileName name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  told_.Ended(name);
}

void LiveFiles::StopBeingTold() {
  const std::lock_guard<std::mutex> lock(mutex_);
  told_.StopBeingTold();
}

bool LiveFiles::KnowsAllFiles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.is_complete;
}

// ---- As it goes to another process

CarriedFiles LiveFiles::Carry(size_t most_files, bool with_samples) const {
  CarriedFiles carried;
  std::shared_ptr<const KeyPositions> grid;
  double seen = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    carried.num_files = recorded_.live.size();
    carried.lives = recorded_.lives;
    carried.written = recorded_.written;
    if (recorded_.sums_written >= 0) {
      carried.keys_that_stay = recorded_.sums.keys_that_stay;
      carried.bytes_that_stay = recorded_.sums.bytes_that_stay;
      carried.sums_age = recorded_.written - recorded_.sums_written;
    }
    carried.is_told = told_.is_told();
    carried.knows_all = recorded_.is_complete;
    if (most_files == 0) return carried;
    carried.prefix = recorded_.prefix.value_or("");
    carried.runs = recorded_.runs;
    carried.files.reserve(recorded_.live.size());
    for (const auto& [number, level] : recorded_.by_level) {
      for (const auto& [first, id] : level) {
        const File& file = recorded_.live.at(id);
        carried.files.push_back({file.facts, file.memory, file.more_bytes,
                                 recorded_.written - file.written, file.is_listed, file.is_measured,
                                 file.is_ending, file.is_joined});
      }
    }
    if (with_samples && recorded_.grid != nullptr) {
      grid = recorded_.grid;
      samples_.Snapshot(&carried.samples);
      seen = static_cast<double>(samples_.total());
    }
  }
  carried.MakeSmall(most_files, grid.get(), seen);
  return carried;
}

void LiveFiles::Restore(const CarriedFiles& carried) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!carried.files.empty()) {  // else the first keys say what they share, as in any new record
    recorded_.prefix = carried.prefix;
    recorded_.runs = carried.runs;
    recorded_.most_key_bytes = SharedRuns::kMaxKeyBytes;
  }
  recorded_.lives = carried.lives;
  recorded_.written = carried.written;
  if (!carried.samples.empty()) {
    recorded_.grid = carried.MakeGrid();
    grid_written_ = recorded_.written;
    samples_.SetGrid(recorded_.grid, [](double place) { return place; });
    samples_.Add(carried.samples);
  }
  for (const CarriedFiles::File& told : carried.files) {
    File file;
    file.facts = told.facts;
    file.memory = told.memory;
    file.more_bytes = told.more_bytes;
    file.written = recorded_.written - told.age;
    file.is_listed = told.is_listed;
    file.is_measured = told.is_measured;
    file.is_ending = told.is_ending;
    file.is_joined = told.is_joined;
    recorded_.Insert(++recorded_.last_id, std::move(file));
  }
  if (carried.sums_age >= 0) {
    recorded_.sums.keys_that_stay = carried.keys_that_stay;
    recorded_.sums.bytes_that_stay = carried.bytes_that_stay;
    recorded_.sums_written = recorded_.written - carried.sums_age;
  }
  told_.Restore(carried.is_told);
  recorded_.is_complete = carried.knows_all;
}

}  // namespace winnow::plugin
