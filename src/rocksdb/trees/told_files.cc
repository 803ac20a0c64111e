// Events of a listener, and its lists of a tree's files.

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "src/core/output_levels.h"
#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {
namespace {

bool ComesFirst(const TreeFiles::File& a, const TreeFiles::File& b) noexcept {
  return std::tie(a.facts.level, a.facts.range.first, a.name) <
         std::tie(b.facts.level, b.facts.range.first, b.name);
}

// Sets is_bottom of files that have nothing below them and, on level 0, no other one beside them.
// If keys are not in bytewise order, files of a level may overlap here, which costs accuracy.
void SetBottoms(std::vector<TreeFiles::File>* files) {
  std::vector<core::FileSpan> spans;
  spans.reserve(files->size());
  for (const TreeFiles::File& file : *files) {
    spans.push_back({file.facts.level, file.facts.range.first, file.facts.range.last, -1});
  }
  core::SetBelow([](std::string_view a, std::string_view b) { return a.compare(b); }, &spans);
  for (size_t i = 0; i < spans.size(); ++i) (*files)[i].facts.is_bottom = spans[i].below < 0;
}

// Sets `waits` of files of level 0 that overlap others there. `files` must be sorted by level and
// first key.
void SetWaiting(std::vector<TreeFiles::File>* files) {
  TreeFiles::File* widest = nullptr;  // the file so far with the greatest last key
  for (TreeFiles::File& file : *files) {
    if (file.facts.level > 0) return;
    if (widest != nullptr && file.facts.range.first <= widest->facts.range.last) {
      file.facts.waits = widest->facts.waits = true;
    }
    if (widest == nullptr || widest->facts.range.last < file.facts.range.last) widest = &file;
  }
}

}  // namespace

void TreeFiles::SetName(Id id, FileName name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File* const file = Find(id);
  if (file == nullptr || !file->counts || file->name.is_known()) return;
  if (ids_.emplace(name.Key(), id).second) file->name = name;
}

void TreeFiles::NotWritten(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Find(id) != nullptr) Erase(id);
}

void TreeFiles::Ending(FileName name, int job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File* const file = Named(name);
  if (file == nullptr || !file->counts) return;
  file->is_ending = true;
  file->ending_job = job;
}

void TreeFiles::Installed(FileName name, int level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File* const file = Named(name);
  if (file == nullptr) return;
  if (is_listing_) changed_[name] = false;
  file->is_listed = true;
  file->is_ending = false;
  if (file->counts && file->facts.level == level) return;
  const Id id = ids_.at(name.Key());
  if (file->counts) Hide(id, file);  // it must not lie below itself
  NewFile facts = file->facts;
  facts.level = level;
  facts.waits = false;
  facts.is_bottom = !HasOneBelow(level, facts.range);
  Change(id, file, std::move(facts), true);
}

void TreeFiles::Ended(FileName name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Named(name) != nullptr) End(ids_.at(name.Key()));
  if (is_listing_) changed_[name] = true;
}

void TreeFiles::StopBeingTold() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_told_ = false;
  is_complete_ = false;
}

void TreeFiles::BeginList() {
  const std::lock_guard<std::mutex> lock(mutex_);
  list_begin_ = last_id_;
  changed_.clear();
  is_listing_ = true;
}

// Returns the record of a listed file. Its age is unknown, so it counts as new: otherwise, all
// files of its level would seem to live long.
TreeFiles::File TreeFiles::FileOf(const ListedFile& listed, KeyRange range) const {
  File file;
  file.facts.level = listed.level;
  file.facts.range = std::move(range);
  file.facts.keys = listed.keys;
  file.memory = listed.memory;
  file.more_bytes = listed.filter_bytes - listed.memory.bytes;
  file.written = written_;
  return file;
}

// Returns the listed files by level and first key, without those that ended since the list was
// begun.
std::vector<TreeFiles::File> TreeFiles::InTheFormOfTheRecord(const std::vector<ListedFile>& list) {
  // Computes the common prefix of all files first: ranges that were shortened before it is known
  // would differ.
  for (const ListedFile& listed : list) Shortened(listed.range);
  std::vector<File> told;
  told.reserve(list.size());
  for (const ListedFile& listed : list) {
    std::optional<KeyRange> range = Shortened(listed.range);
    const auto changed = changed_.find(listed.name);
    if (!range || (changed != changed_.end() && changed->second)) continue;
    if (range->last < range->first) std::swap(range->first, range->last);
    File& file = told.emplace_back(FileOf(listed, *std::move(range)));
    file.name = listed.name;
    file.is_listed = true;
    file.is_measured = listed.is_measured;
    file.is_ending = listed.is_ending;
  }
  std::sort(told.begin(), told.end(), ComesFirst);
  SetBottoms(&told);
  SetWaiting(&told);
  return told;
}

TreeFiles::Levels TreeFiles::TakeList(FileName database, bool is_first,
                                      const std::vector<ListedFile>& list) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_told_ = false;  // stays so if out of memory
  is_complete_ = false;
  std::vector<File> told = InTheFormOfTheRecord(list);
  std::unordered_map<uint64_t, const File*> by_name;  // listed files that are not recorded
  for (const File& file : told) by_name.emplace(file.name.Key(), &file);
  std::vector<std::pair<Id, const File*>> found;
  std::vector<Id> gone;
  std::vector<File> former;
  for (const auto& [id, file] : files_) {
    if (file.name.is_known() && file.name.database != database.database) continue;
    const auto same = by_name.find(file.name.Key());
    if (file.is_joined) {  // is made again from its remaining files
      former.push_back(file);
      gone.push_back(id);
    } else if (same != by_name.end()) {
      found.emplace_back(id, same->second);
      by_name.erase(same);
    } else if (changed_.count(file.name) == 0 &&
               (file.is_listed || file.is_found || (is_first && id <= list_begin_))) {
      gone.push_back(id);
    }
  }
  had_list_ = true;
  for (const Id id : gone) {
    // A found file has no age. Its readers don't know the level of the listed one.
    const File& file = files_.at(id);
    if (file.is_found && file.level_of_readers != nullptr) file.level_of_readers->store(-1);
    if (file.is_joined || file.is_found) {
      Erase(id);
    } else {
      End(id);
    }
  }
  for (const auto& [id, file] : found) Update(id, *file);
  told.erase(std::remove_if(told.begin(), told.end(),
                            [&](const File& file) { return by_name.count(file.name.Key()) == 0; }),
             told.end());
  AddTold(std::move(told), std::move(former));
  changed_.clear();
  is_listing_ = false;
  is_told_ = true;
  return SetComplete();
}

void TreeFiles::Update(Id id, const File& told) {
  File& file = files_.at(id);
  const bool is_new_measure = told.is_measured && !file.is_measured;
  file.is_listed = true;
  file.is_ending = told.is_ending;
  // All other members were set when the file was built.
  NewFile facts = told.facts;
  facts.relative_miss_heat = file.facts.relative_miss_heat;
  if (!is_new_measure) facts.keys = file.facts.keys;
  // A file that was moved since the list was begun may be listed on its old level.
  if (changed_.count(file.name) > 0) {
    facts.level = file.facts.level;
    facts.is_bottom = file.facts.is_bottom;
    facts.waits = file.facts.waits;
  }
  const bool counts = file.counts || !told.is_ending;
  const bool is_same = facts.level == file.facts.level && facts.is_bottom == file.facts.is_bottom &&
                       facts.waits == file.facts.waits && facts.range == file.facts.range;
  if (is_same && !is_new_measure && counts == file.counts) return;
  if (file.counts) Hide(id, &file);
  if (is_new_measure) {
    file.is_measured = true;
    file.memory = told.memory;
    file.more_bytes = told.more_bytes;
  }
  Change(id, &file, std::move(facts), counts);
}

// Adds listed files. Joins neighbors first if there are far too many files. `former` has the files
// that were joined before, whose ages are kept.
void TreeFiles::AddTold(std::vector<File> told, std::vector<File> former) {
  std::sort(former.begin(), former.end(), ComesFirst);
  const size_t room = kMaxFiles - std::min(num_counted_, kMaxFiles - kMaxFiles / 16);
  const size_t at_once = std::max<size_t>(told.size() / room, 1);
  for (size_t i = 0; i < told.size();) {
    File file = std::move(told[i++]);
    const auto behind = std::upper_bound(former.begin(), former.end(), file, ComesFirst);
    if (behind != former.begin()) {
      const File& before = *std::prev(behind);
      if (before.facts.level == file.facts.level &&
          file.facts.range.first <= before.facts.range.last) {
        file.written = before.written;
      }
    }
    for (size_t n = 1; n < at_once && i < told.size() && file.MayJoin(told[i]); ++n) {
      file.Join(told[i++]);
    }
    const FileName name = file.name;
    const bool is_joined = file.is_joined;
    if (!is_joined && ids_.count(name.Key()) > 0) continue;
    const Id id = Insert(std::move(file));
    if (!is_joined) ids_.emplace(name.Key(), id);
  }
}

TreeFiles::Levels TreeFiles::SetComplete() noexcept {
  is_complete_ = true;
  Levels levels;
  for (const auto& [id, file] : files_) {
    if (!file.counts) continue;
    is_complete_ = is_complete_ && (file.is_measured || !file.is_listed);
    const int level = file.facts.level;
    if (level <= 0) continue;
    if (levels.base < 0 || level < levels.base) levels.base = level;
    levels.depth = std::max(levels.depth, level);
  }
  return levels;
}

}  // namespace winnow::plugin
