// What a listener tells of a tree's files (live_files.h).

#include <algorithm>
#include <tuple>
#include <utility>

#include "src/rocksdb/trees/live_files.h"
#include "winnow/hash.h"

namespace winnow::plugin {

// A file of the list, in the form of the record.
struct LiveFiles::Told {
  const Listed* listed;
  NewFile facts;  // range without the common prefix
  bool is_recorded = false;
};

LiveFiles::Name LiveFiles::NameOf(const std::string& database, uint64_t number) noexcept {
  return {HashKey(database).value, number};
}

void LiveFiles::BeginList() {
  const std::lock_guard<std::mutex> lock(mutex_);
  list_begin_ = last_;
  ++lists_;
  ended_.clear();
  is_listing_ = true;
}

void LiveFiles::SetName(Id id, Name name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = files_.find(id);
  if (found == files_.end() || found->second.name.is_known() || names_.count(name.Key()) > 0)
    return;
  names_.emplace(name.Key(), id);
  found->second.name = name;
}

void LiveFiles::NotWritten(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (files_.count(id) + parked_.count(id) > 0) Drop(id);
}

void LiveFiles::Ending(Name name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = names_.find(name.Key());
  const auto at = found == names_.end() ? files_.end() : files_.find(found->second);
  if (at != files_.end()) at->second.is_ending = true;
}

void LiveFiles::Installed(Name name, int level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = names_.find(name.Key());
  if (found == names_.end()) return;
  const Id id = found->second;
  File& there = Recorded(id);
  there.is_listed = true;
  there.installed = lists_;
  there.is_ending = false;
  if (parked_.count(id) == 0 && there.facts.level == level) return;
  File file = Remove(id);
  file.facts.level = level;
  file.facts.waits = false;
  file.facts.is_bottom = true;
  for (auto below = levels_.upper_bound(level); below != levels_.end(); ++below) {
    if (HasOneIn(below->first, file.facts.range, level)) file.facts.is_bottom = false;
  }
  TellReaders(file);
  Insert(id, std::move(file));
}

void LiveFiles::Ended(Name name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = names_.find(name.Key());
  if (found != names_.end()) End(found->second);
  if (is_listing_) ended_.insert(name);
}

void LiveFiles::StopBeingTold() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_told_ = false;
  knows_all_ = false;
}

bool LiveFiles::KnowsAllFiles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return knows_all_;
}

std::shared_ptr<const std::atomic<int>> LiveFiles::LevelOfReaders(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = files_.find(id);
  if (found == files_.end()) return nullptr;
  File& file = found->second;
  if (file.level_of_readers == nullptr) {
    file.level_of_readers =
        std::make_shared<std::atomic<int>>(static_cast<int>(IndexOf(file.facts)));
  }
  return file.level_of_readers;
}

LiveFiles::ByFirst::const_iterator LiveFiles::FromKey(const ByFirst& told, const std::string& key) {
  return std::partition_point(told.begin(), told.end(),
                              [&key](const Told* file) { return file->facts.range.first < key; });
}

void LiveFiles::TellReaders(const File& file) noexcept {
  if (file.level_of_readers == nullptr) return;
  file.level_of_readers->store(static_cast<int>(IndexOf(file.facts)), std::memory_order_relaxed);
}

// By levels and first keys.
std::vector<LiveFiles::Told> LiveFiles::Arrange(const List& list) {
  // The prefix that all have in common first: ranges that were cut before it would differ.
  for (const Listed& file : list.files) Shortened(file.range);
  std::vector<Told> told;
  told.reserve(list.files.size());
  for (const Listed& file : list.files) {
    if (ended_.count(file.name) > 0) continue;
    NewFile facts;
    facts.level = file.level;
    std::optional<KeyRange> range = Shortened(file.range);
    if (!range) continue;
    facts.range = *std::move(range);
    if (facts.range.last < facts.range.first) std::swap(facts.range.first, facts.range.last);
    facts.keys = file.keys;
    told.push_back({&file, std::move(facts)});
  }
  std::sort(told.begin(), told.end(), [](const Told& a, const Told& b) {
    return std::tie(a.facts.level, a.facts.range.first, a.listed->name) <
           std::tie(b.facts.level, b.facts.range.first, b.listed->name);
  });
  // What is below: the ranges of all levels behind, none of which overlap another.
  std::map<std::string, std::string> below;  // first to last
  const auto is_below = [&below](const KeyRange& range) {
    auto at = below.upper_bound(range.last);
    return at != below.begin() && std::prev(at)->second >= range.first;
  };
  const auto add_below = [&below](const KeyRange& range) {
    auto at = below.upper_bound(range.first);
    if (at != below.begin() && std::prev(at)->second >= range.first) --at;
    KeyRange merged = range;
    while (at != below.end() && at->first <= merged.last) {
      merged.first = std::min(merged.first, at->first);
      merged.last = std::max(merged.last, at->second);
      at = below.erase(at);
    }
    below.emplace(std::move(merged.first), std::move(merged.last));
  };
  for (size_t end = told.size(); end > 0;) {
    size_t begin = end;
    while (begin > 0 && told[begin - 1].facts.level == told[end - 1].facts.level) --begin;
    for (size_t i = begin; i < end; ++i) told[i].facts.is_bottom = !is_below(told[i].facts.range);
    for (size_t i = begin; i < end; ++i) add_below(told[i].facts.range);
    end = begin;
  }
  std::string reached;
  for (size_t i = 0; i < told.size() && told[i].facts.level == 0; ++i) {
    const KeyRange& range = told[i].facts.range;
    const bool meets_next = i + 1 < told.size() && told[i + 1].facts.level == 0 &&
                            told[i + 1].facts.range.first <= range.last;
    told[i].facts.waits = meets_next || (i > 0 && range.first <= reached);
    reached = std::max(reached, range.last);
  }
  return told;
}

// Of a file that was recorded and has no name: one that begins with the same key and has about as
// many. May be null.
LiveFiles::Told* LiveFiles::Match(const File& file, const ByFirst& told) {
  const KeyRange& range = file.facts.range;
  for (auto at = FromKey(told, range.first); at != told.end(); ++at) {
    Told* const other = *at;
    if (other->facts.range.first != range.first) break;
    if (!other->is_recorded && other->facts.level >= file.facts.level &&
        other->facts.range.last >= range.last &&
        (!other->listed->is_measured || other->facts.keys <= 2 * file.facts.keys)) {
      return other;
    }
  }
  return nullptr;
}

void LiveFiles::Update(Id id, Told* told) {
  told->is_recorded = true;
  const Listed& listed = *told->listed;
  const auto parked = parked_.find(id);
  const bool comes_again = parked != parked_.end() && !listed.is_ending;
  File& there = parked != parked_.end() ? parked->second : files_.at(id);
  const bool is_new_measure = listed.is_measured && !there.is_measured;
  there.is_listed = true;
  there.is_ending = listed.is_ending;
  // A file that has come to its level since the list began may be at another one in it.
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
  if (parked != parked_.end()) long_bytes_ -= LongBytesOf(there.facts.range);
  File file = parked != parked_.end() ? std::move(parked->second) : Take(id);
  // The rest was noted when it was built.
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
  TellReaders(file);
  if (parked != parked_.end() && !comes_again) {
    long_bytes_ += LongBytesOf(file.facts.range);
    parked->second = std::move(file);
    return;
  }
  if (comes_again) parked_.erase(parked);
  Insert(id, std::move(file));
}

// What is left of several files that are recorded as one.
void LiveFiles::ShareOut(Id id, const ByFirst& told) {
  const auto parked = parked_.find(id);
  const bool is_parked = parked != parked_.end();
  File file = is_parked ? parked->second : files_.at(id);
  const int level = LevelOf(file.facts);
  const KeyRange range = file.facts.range;
  file.facts.keys = 0;
  file.memory = {};
  file.more_bytes = 0;
  file.is_measured = true;
  file.is_ending = true;
  size_t left = 0;
  Told* last = nullptr;
  for (auto at = FromKey(told, range.first); at != told.end(); ++at) {
    Told& other = **at;
    if (other.facts.range.first > range.last) break;
    if (other.is_recorded || LevelOf(other.facts) != level || other.facts.range.last > range.last) {
      continue;
    }
    const Listed& listed = *other.listed;
    file.facts.keys += listed.keys;
    file.memory += listed.memory;
    file.more_bytes += listed.filter_bytes - listed.memory.bytes;
    file.is_measured = file.is_measured && listed.is_measured;
    file.is_ending = file.is_ending && listed.is_ending;
    other.is_recorded = true;
    last = &other;
    ++left;
  }
  if (left == 0) return End(id);
  file.is_listed = true;
  if (left == 1 && names_.emplace(last->listed->name.Key(), id).second) {
    file.is_joined = false;
    file.name = last->listed->name;
    file.facts.range = last->facts.range;
  }
  if (is_parked) long_bytes_ -= LongBytesOf(range);
  if (is_parked && file.is_ending) {
    long_bytes_ += LongBytesOf(file.facts.range);
    parked->second = std::move(file);
  } else if (is_parked) {
    parked_.erase(parked);
    Insert(id, std::move(file));
  } else {
    Take(id);
    Insert(id, std::move(file));
  }
}

// Its age is unknown: it counts as if it began now. A long life that nobody saw would say that all
// files of its level have one.
void LiveFiles::AddTold(const Told& told) {
  const Listed& listed = *told.listed;
  File file;
  file.facts = told.facts;
  file.memory = listed.memory;
  file.more_bytes = listed.filter_bytes - listed.memory.bytes;
  file.written = written_;
  file.name = listed.name;
  file.is_listed = true;
  file.is_ending = listed.is_ending;
  file.is_measured = listed.is_measured;
  if (files_.size() >= kMostFiles) JoinTwo();
  const Id id = ++last_;
  if (names_.emplace(listed.name.Key(), id).second) Insert(id, std::move(file));
}

LiveFiles::Levels LiveFiles::Reconcile(const List& list) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_told_ = false;  // where memory is short
  knows_all_ = false;
  sums_written_ = -1;
  std::vector<Told> told = Arrange(list);
  ended_.clear();
  is_listing_ = false;
  std::unordered_map<Name, Told*, HashOfName> by_name;
  by_name.reserve(told.size());
  for (Told& file : told) by_name.emplace(file.listed->name, &file);

  ByFirst by_first;
  by_first.reserve(told.size());
  for (Told& file : told) by_first.push_back(&file);
  std::sort(by_first.begin(), by_first.end(), [](const Told* a, const Told* b) {
    return a->facts.range.first < b->facts.range.first;
  });

  std::vector<Id> gone;
  std::vector<Id> unnamed;
  std::vector<Id> joined;
  std::vector<std::pair<Id, Told*>> found;
  for (const auto* files : {&files_, &parked_}) {
    for (const auto& [id, file] : *files) {
      const bool is_of_another = file.name.is_known() && file.name.Database() != list.database;
      if (is_of_another) continue;
      if (file.is_joined) {
        joined.push_back(id);
      } else if (!file.name.is_known()) {
        unnamed.push_back(id);
      } else if (const auto at = by_name.find(file.name); at != by_name.end()) {
        found.emplace_back(id, at->second);
      } else if ((file.is_listed && file.installed < lists_) ||
                 (list.is_first && id <= list_begin_)) {
        gone.push_back(id);
      }
    }
  }
  for (const auto& [id, file] : found) Update(id, file);
  std::sort(joined.begin(), joined.end());
  for (const Id id : joined) ShareOut(id, by_first);
  for (const Id id : unnamed) {
    const auto at = files_.find(id);
    if (Told* const match = Match(Recorded(id), by_first)) {
      const Name name = match->listed->name;
      if (at == files_.end() || !names_.emplace(name.Key(), id).second) continue;
      at->second.name = name;
      Update(id, match);
    } else if (list.is_first && id <= list_begin_) {
      gone.push_back(id);
    }
  }
  for (const Id id : gone) End(id);
  for (const Told& file : told) {
    if (!file.is_recorded) AddTold(file);
  }

  is_told_ = true;
  knows_all_ = true;
  Levels levels;
  for (const auto& [id, file] : files_) {
    knows_all_ = knows_all_ && (file.is_measured || !file.is_listed);
    const int level = file.facts.level;
    if (level <= 0) continue;
    if (levels.base < 0 || level < levels.base) levels.base = level;
    levels.depth = std::max(levels.depth, level);
  }
  return levels;
}

}  // namespace winnow::plugin
