// Heuristic for the input files that a flush or a compaction deletes, used if no listener reports
// them.

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {
namespace {

// Returns a key about half-way between two keys: their common prefix, then the mean of the next
// bytes as numbers.
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

// Returns whether the compaction may have read the file. If a listener reports files, an unnamed
// file is being written by another job.
bool TreeFiles::MayEnd(Id id, const File& file, const WritingJob& job) const noexcept {
  const bool came_later = file.facts.level == 0 && job.last > 0 && id > job.last && !file.is_found;
  return file.is_joined || (is_told_ ? file.is_ending : !came_later);
}

// Finds files that the compaction which writes `added` may have read.
template <typename Ends>
void TreeFiles::FindIn(int level, const NewFile& added, const WritingJob& job, Ends ends,
                       std::vector<Id>* found) const {
  const KeyRange& range = added.range;
  const Level& files = On(level);
  for (auto at = FirstThatMayReach(level, range); at != files.end() && at->first <= range.last;
       ++at) {
    const File& file = files_.at(at->id);
    if (MayEnd(at->id, file, job) && file.facts.range.Crosses(range) && ends(file.facts)) {
      found->push_back(at->id);
    }
  }
}

// Finds files of level 0 that were merged into one of level 0. RocksDB merges neighbors by age,
// mostly from the newest on, and they have at least as many keys together: chooses the run with the
// fewest extra keys.
std::vector<TreeFiles::Id> TreeFiles::FindMerged(const NewFile& file, const WritingJob& job) const {
  constexpr double kClearlyFewer = 1.0 / 16;  // part of the keys
  std::vector<Id> found;
  const auto keys = static_cast<double>(file.keys);
  const double left = keys - job.keys;
  if (job.last == 0 || !(left > 0)) return found;
  FindIn(
      0, file, job, [](const NewFile&) { return true; }, &found);
  std::sort(found.begin(), found.end(), [this](Id a, Id b) {
    const double of_a = files_.at(a).written;
    const double of_b = files_.at(b).written;
    return of_a != of_b ? of_a > of_b : a > b;
  });
  const auto keys_of = [&](size_t i) {
    return static_cast<double>(files_.at(found[i]).facts.keys);
  };
  size_t begin = 0;
  size_t end = found.size();  // all if they have too few keys
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

std::vector<TreeFiles::Id> TreeFiles::FindReplaced(const NewFile& file,
                                                   const WritingJob& job) const {
  if (file.level == 0) return FindMerged(file, job);
  std::vector<Id> found;
  const KeyRange& range = file.range;
  const auto all = [](const NewFile&) { return true; };
  if (job.base < 0 || file.level <= job.base) FindIn(0, file, job, all, &found);
  // A leveled compaction took files from the nearest level above. A file of a higher level, which
  // has a wider range, was only deleted if it was moved down unnoticed.
  bool is_nearest = true;
  for (int level = file.level - 1; level > 0; --level) {
    if (On(level).empty()) continue;
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
  FindIn(kBottom, file, job, is_of_level, &found);
  return found;
}

// Ends the files that `file` replaces. Returns whether any of them stands for several joined files,
// which end at once as their end is not reported.
bool TreeFiles::EndReplaced(const NewFile& file, WritingJob* job) {
  bool any_joined = false;
  for (const Id id : FindReplaced(file, *job)) {
    File& replaced = files_.at(id);
    if (file.level == 0) job->keys += static_cast<double>(replaced.facts.keys);
    any_joined = any_joined || replaced.is_joined;
    if (is_told_ && !replaced.is_joined) {
      SetAside(id, &replaced);
    } else {
      End(id);
    }
  }
  return any_joined;
}

TreeFiles::Sums TreeFiles::ReplacedBy(const NewFile& added, const WritingJob& job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sums sums;
  const std::optional<NewFile> file = Shortened(added);
  if (!file) return sums;
  for (const Id id : FindReplaced(*file, job)) CountIn(files_.at(id), 1, &sums);
  return sums;
}

// Records the last output file of this thread, so that the compaction continues. Each subcompaction
// has a thread of its own, so few are remembered. Keys are truncated to the maximum length in
// files; a truncated key is still before the next file's first key.
void TreeFiles::Continue(const NewFile& file, WritingJob* job) {
  constexpr size_t kMostThreads = 16;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_told_) return;
  const std::thread::id thread = std::this_thread::get_id();
  const auto found = std::find_if(outputs_.begin(), outputs_.end(),
                                  [&](const Output& output) { return output.thread == thread; });
  const bool goes_on = found != outputs_.end() && found->level == file.level && file.level > 0 &&
                       found->last_key < file.range.first;
  if (goes_on) job->last = found->last;
  Output output{thread, file.level, file.range.last.substr(0, kMaxKeyBytes), job->last};
  if (found != outputs_.end()) outputs_.erase(found);
  if (outputs_.size() == kMostThreads) outputs_.erase(outputs_.begin());
  outputs_.push_back(std::move(output));
}

// Marks the files of level 0 that will be merged with this one.
void TreeFiles::MarkWaiting(const KeyRange& range) noexcept {
  for (const ByFirst& at : On(0)) {
    File& file = files_.find(at.id)->second;
    if (file.facts.waits || !file.facts.range.Overlaps(range)) continue;
    Count(file, -1);
    file.facts.waits = true;
    file.facts.is_bottom = false;
    Count(file, 1);
  }
}

// Assumes that a file which was flushed long ago and overlapped nothing on level 0 was moved down
// since.
void TreeFiles::SettleOldFlushes(int base) {
  if (is_told_) return;
  std::vector<Id> alone;
  for (const ByFirst& at : On(0)) {
    if (!files_.at(at.id).facts.waits) alone.push_back(at.id);
  }
  if (alone.size() <= kRecentFlushes) return;
  const Id oldest = *std::min_element(alone.begin(), alone.end());
  NewFile facts = files_.at(oldest).facts;
  facts.level = std::max(base, 1);
  Change(oldest, &files_.at(oldest), std::move(facts), true);
}

void TreeFiles::DropTheOld() {
  const double oldest = written_ - kMaxAge * std::max(sums_.keys, 1.0);
  std::vector<Id> old;
  for (const auto& [id, file] : files_) {
    if (file.written < oldest && !(is_told_ && file.is_listed)) old.push_back(id);
  }
  for (const Id id : old) Erase(id);
}

}  // namespace winnow::plugin
