#include "src/rocksdb/trees/told_files.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace winnow::plugin {

void ToldFiles::BeginList() {
  list_begin_ = recorded_->last_id;
  ++lists_;
  ended_.clear();
  is_listing_ = true;
}

void ToldFiles::SetName(Id id, FileName name) {
  const auto found = recorded_->live.find(id);
  if (found == recorded_->live.end() || found->second.name.is_known() ||
      recorded_->ids_by_name.count(name.Key()) > 0) {
    return;
  }
  recorded_->ids_by_name.emplace(name.Key(), id);
  found->second.name = name;
}

void ToldFiles::NotWritten(Id id) {
  if (recorded_->live.count(id) + recorded_->parked.count(id) > 0) recorded_->Drop(id);
}

void ToldFiles::Ending(FileName name) {
  const auto found = recorded_->ids_by_name.find(name.Key());
  const auto at = found == recorded_->ids_by_name.end() ? recorded_->live.end()
                                                        : recorded_->live.find(found->second);
  if (at != recorded_->live.end()) at->second.is_ending = true;
}

void ToldFiles::Installed(FileName name, int level) {
  const auto found = recorded_->ids_by_name.find(name.Key());
  if (found == recorded_->ids_by_name.end()) return;
  const Id id = found->second;
  File& there = recorded_->Recorded(id);
  there.is_listed = true;
  there.installed = lists_;
  there.is_ending = false;
  if (recorded_->parked.count(id) == 0 && there.facts.level == level) return;
  File file = recorded_->Remove(id);
  file.facts.level = level;
  file.facts.waits = false;
  file.facts.is_bottom = true;
  for (auto below = recorded_->by_level.upper_bound(level); below != recorded_->by_level.end();
       ++below) {
    if (recorded_->HasOneIn(below->first, file.facts.range, level)) file.facts.is_bottom = false;
  }
  RecordedFiles::ShowLevelToReaders(file);
  recorded_->Insert(id, std::move(file));
}

void ToldFiles::Ended(FileName name) {
  const auto found = recorded_->ids_by_name.find(name.Key());
  if (found != recorded_->ids_by_name.end()) recorded_->End(found->second);
  if (is_listing_) ended_.insert(name);
}

void ToldFiles::StopBeingTold() noexcept {
  is_told_ = false;
  recorded_->is_complete = false;
}

// The files of the list, except those that ended since it was begun.
std::vector<ToldFiles::Told> ToldFiles::InTheFormOfTheRecord(const FileList& list) {
  // First the prefix that all files share: ranges that were shortened before it is known would
  // differ.
  for (const ListedFile& file : list.files) recorded_->Shortened(file.range);
  std::vector<Told> told;
  told.reserve(list.files.size());
  for (const ListedFile& file : list.files) {
    if (ended_.count(file.name) > 0) continue;
    NewFile facts;
    facts.level = file.level;
    std::optional<KeyRange> range = recorded_->Shortened(file.range);
    if (!range) continue;
    facts.range = *std::move(range);
    if (facts.range.last < facts.range.first) std::swap(facts.range.first, facts.range.last);
    facts.keys = file.keys;
    told.push_back({&file, std::move(facts)});
  }
  return told;
}

void ToldFiles::Update(Id id, Told* told) {
  told->is_recorded = true;
  const ListedFile& listed = *told->listed;
  const auto parked = recorded_->parked.find(id);
  const bool comes_again = parked != recorded_->parked.end() && !listed.is_ending;
  File& there = parked != recorded_->parked.end() ? parked->second : recorded_->live.at(id);
  const bool is_new_measure = listed.is_measured && !there.is_measured;
  there.is_listed = true;
  there.is_ending = listed.is_ending;
  // If a file came to its level since the list was begun, the list may have it on another level.
  NewFile facts = told->facts;
  if (there.installed == lists_) {
    facts.level = there.facts.level;
    facts.is_bottom = there.facts.is_bottom;
    facts.waits = there.facts.waits;
  }
  const bool is_changed =
      there.facts.level != facts.level || there.facts.is_bottom != facts.is_bottom ||
      there.facts.waits != facts.waits || there.facts.range.first != facts.range.first ||
      there.facts.range.last != facts.range.last;
  if (!is_changed && !is_new_measure && !comes_again) return;
  if (parked != recorded_->parked.end()) {
    recorded_->long_bytes -= RecordedFiles::LongBytesOf(there.facts.range);
  }
  File file = parked != recorded_->parked.end() ? std::move(parked->second) : recorded_->Take(id);
  // All else was noted when the file was built.
  file.facts.level = facts.level;
  file.facts.is_bottom = facts.is_bottom;
  file.facts.waits = facts.waits;
  file.facts.range = facts.range;
  if (is_new_measure) {
    file.facts.keys = facts.keys;
    file.is_measured = true;
    file.memory = listed.memory;
    file.more_bytes = listed.filter_bytes - listed.memory.bytes;
  }
  RecordedFiles::ShowLevelToReaders(file);
  if (parked != recorded_->parked.end() && !comes_again) {
    recorded_->long_bytes += RecordedFiles::LongBytesOf(file.facts.range);
    parked->second = std::move(file);
    return;
  }
  if (comes_again) recorded_->parked.erase(parked);
  recorded_->Insert(id, std::move(file));
}

// Splits files that are recorded as one into those of them that are left.
void ToldFiles::ShareOut(Id id, const ArrangedFiles& told) {
  const auto parked = recorded_->parked.find(id);
  const bool is_parked = parked != recorded_->parked.end();
  File file = is_parked ? parked->second : recorded_->live.at(id);
  const int level = RecordedFiles::LevelOf(file.facts);
  const KeyRange range = file.facts.range;
  file.facts.keys = 0;
  file.memory = {};
  file.more_bytes = 0;
  file.is_measured = true;
  file.is_ending = true;
  size_t left = 0;
  Told* last = nullptr;
  for (auto at = told.FromKey(range.first); at != told.by_first().end(); ++at) {
    Told& other = **at;
    if (other.facts.range.first > range.last) break;
    if (other.is_recorded || RecordedFiles::LevelOf(other.facts) != level ||
        other.facts.range.last > range.last) {
      continue;
    }
    const ListedFile& listed = *other.listed;
    file.facts.keys += listed.keys;
    file.memory += listed.memory;
    file.more_bytes += listed.filter_bytes - listed.memory.bytes;
    file.is_measured = file.is_measured && listed.is_measured;
    file.is_ending = file.is_ending && listed.is_ending;
    other.is_recorded = true;
    last = &other;
    ++left;
  }
  if (left == 0) return recorded_->End(id);
  file.is_listed = true;
  if (left == 1 && recorded_->ids_by_name.emplace(last->listed->name.Key(), id).second) {
    file.is_joined = false;
    file.name = last->listed->name;
    file.facts.range = last->facts.range;
  }
  if (is_parked) recorded_->long_bytes -= RecordedFiles::LongBytesOf(range);
  if (is_parked && file.is_ending) {
    recorded_->long_bytes += RecordedFiles::LongBytesOf(file.facts.range);
    parked->second = std::move(file);
  } else if (is_parked) {
    recorded_->parked.erase(parked);
    recorded_->Insert(id, std::move(file));
  } else {
    recorded_->Take(id);
    recorded_->Insert(id, std::move(file));
  }
}

// The file's age is unknown, so it counts as new. If it counted as old, all files of its level
// would seem to live long.
void ToldFiles::AddTold(const Told& told) {
  const ListedFile& listed = *told.listed;
  File file;
  file.facts = told.facts;
  file.memory = listed.memory;
  file.more_bytes = listed.filter_bytes - listed.memory.bytes;
  file.written = recorded_->written;
  file.name = listed.name;
  file.is_listed = true;
  file.is_ending = listed.is_ending;
  file.is_measured = listed.is_measured;
  if (recorded_->live.size() >= RecordedFiles::kMaxFiles) recorded_->JoinTwo();
  const Id id = ++recorded_->last_id;
  if (recorded_->ids_by_name.emplace(listed.name.Key(), id).second) {
    recorded_->Insert(id, std::move(file));
  }
}

ToldFiles::Sorted ToldFiles::SortByList(const FileList& list, const ArrangedFiles& told) const {
  Sorted sorted;
  for (const auto* files : {&recorded_->live, &recorded_->parked}) {
    for (const auto& [id, file] : *files) {
      const bool is_of_another = file.name.is_known() && file.name.Database() != list.database;
      if (is_of_another) continue;
      if (file.is_joined) {
        sorted.joined.push_back(id);
      } else if (!file.name.is_known()) {
        sorted.unnamed.push_back(id);
      } else if (Told* const same = told.Named(file.name)) {
        sorted.found.emplace_back(id, same);
      } else if ((file.is_listed && file.installed < lists_) ||
                 (list.is_first && id <= list_begin_)) {
        sorted.gone.push_back(id);
      }
    }
  }
  std::sort(sorted.joined.begin(), sorted.joined.end());
  return sorted;
}

// A recorded file without a name is the one of the list that it looks like. If there is none, it
// may be gone.
void ToldFiles::NameByLooks(const FileList& list, const ArrangedFiles& told, Sorted* sorted) {
  for (const Id id : sorted->unnamed) {
    const auto at = recorded_->live.find(id);
    if (Told* const match = told.Match(recorded_->Recorded(id))) {
      const FileName name = match->listed->name;
      if (at == recorded_->live.end() || !recorded_->ids_by_name.emplace(name.Key(), id).second) {
        continue;
      }
      at->second.name = name;
      Update(id, match);
    } else if (list.is_first && id <= list_begin_) {
      sorted->gone.push_back(id);
    }
  }
}

ListedLevels ToldFiles::Reconcile(const FileList& list) {
  is_told_ = false;  // where memory is short
  recorded_->is_complete = false;
  recorded_->sums_written = -1;
  std::vector<Told> files = InTheFormOfTheRecord(list);
  ended_.clear();
  is_listing_ = false;
  const ArrangedFiles told(std::move(files));
  Sorted sorted = SortByList(list, told);
  for (const auto& [id, file] : sorted.found) Update(id, file);
  for (const Id id : sorted.joined) ShareOut(id, told);
  NameByLooks(list, told, &sorted);
  for (const Id id : sorted.gone) recorded_->End(id);
  for (const Told& file : told.files()) {
    if (!file.is_recorded) AddTold(file);
  }
  is_told_ = true;
  return SetComplete();
}

ListedLevels ToldFiles::SetComplete() {
  recorded_->is_complete = true;
  ListedLevels levels;
  for (const auto& [id, file] : recorded_->live) {
    recorded_->is_complete = recorded_->is_complete && (file.is_measured || !file.is_listed);
    const int level = file.facts.level;
    if (level <= 0) continue;
    if (levels.base < 0 || level < levels.base) levels.base = level;
    levels.depth = std::max(levels.depth, level);
  }
  return levels;
}

}  // namespace winnow::plugin
