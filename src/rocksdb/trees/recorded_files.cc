#include "src/rocksdb/trees/recorded_files.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace winnow::plugin {

// ---- Keys

std::optional<KeyRange> RecordedFiles::Shortened(const KeyRange& range) {
  if (runs != nullptr) {
    KeyRange shortened;
    for (const auto& [key, to] :
         {std::pair{&range.first, &shortened.first}, std::pair{&range.last, &shortened.last}}) {
      char bytes[SharedRuns::kMaxKeyBytes];
      const size_t size = runs->Shorten(*key, bytes);
      if (size == SharedRuns::kUnknown) return std::nullopt;
      to->assign(bytes, size);
    }
    return shortened;
  }
  if (!prefix) prefix = range.first;
  const size_t common =
      std::min(CommonBytes(*prefix, range.first), CommonBytes(*prefix, range.last));
  if (common < prefix->size()) ShortenPrefix(common);
  return KeyRange{range.first.substr(common, most_key_bytes),
                  range.last.substr(common, most_key_bytes)};
}

bool RecordedFiles::HasPlaces(const KeyRange& range) const noexcept {
  char bytes[SharedRuns::kMaxKeyBytes];
  return runs == nullptr || (runs->Shorten(range.first, bytes) != SharedRuns::kUnknown &&
                             runs->Shorten(range.last, bytes) != SharedRuns::kUnknown);
}

// The prefix becomes shorter, so remembered keys get its last bytes back.
void RecordedFiles::ShortenPrefix(size_t size) {
  try {
    LengthenKeys(size);
  } catch (...) {
    Forget();
    throw;
  }
}

void RecordedFiles::Forget() noexcept {
  live.clear();
  parked.clear();
  ids_by_name.clear();
  by_level.clear();
  memory = {};
  sums = {};
  sums_written = -1;
  long_bytes = 0;
  is_complete = false;
}

void RecordedFiles::LengthenKeys(size_t size) {
  const std::string back = prefix->substr(size);
  prefix->resize(size);
  const auto lengthen = [&](std::string* key) {
    key->insert(0, back);
    if (key->size() > most_key_bytes) key->resize(most_key_bytes);
  };
  by_level.clear();
  long_bytes = 0;
  for (auto* files : {&live, &parked}) {
    for (auto& [id, file] : *files) {
      lengthen(&file.facts.range.first);
      lengthen(&file.facts.range.last);
      long_bytes += LongBytesOf(file.facts.range);
    }
  }
  for (auto& [id, file] : live) by_level[LevelOf(file.facts)].Insert(file.facts.range.first, id);
  lengthen(&join_at);
}

// The bytes that the two keys, and the grid's copy of one, take above the usual.
size_t RecordedFiles::LongBytesOf(const KeyRange& range) noexcept {
  const auto more = [](const std::string& key) {
    return key.size() - std::min(key.size(), kUsualKeyBytes);
  };
  return 2 * more(range.first) + more(range.last);
}

// ---- Levels

RecordedFiles::Level::iterator RecordedFiles::Level::lower_bound(
    std::string_view key) const noexcept {
  return std::partition_point(begin(), end(), [key](const Entry& one) { return one.first < key; });
}

RecordedFiles::Level::iterator RecordedFiles::Level::upper_bound(
    std::string_view key) const noexcept {
  return std::partition_point(begin(), end(), [key](const Entry& one) { return one.first <= key; });
}

void RecordedFiles::Level::Insert(std::string_view first, Id id) {
  entries_.insert(upper_bound(first), {first, id});
}

void RecordedFiles::Level::Erase(std::string_view first, Id id) noexcept {
  entries_.erase(
      std::find_if(lower_bound(first), end(), [id](const Entry& one) { return one.id == id; }));
}

// Below level 0 files hardly overlap, so only the last file that begins before the range may reach
// into it.
RecordedFiles::Level::iterator RecordedFiles::FirstThatMayReach(const Level& level,
                                                                const KeyRange& range) {
  const auto at = level.lower_bound(range.first);
  return at == level.begin() ? at : std::prev(at);
}

bool RecordedFiles::HasOneIn(int level, const KeyRange& range, int above) {
  const auto found = by_level.find(level);
  if (found == by_level.end()) return false;
  const Level& files = found->second;
  auto at = level == 0 ? files.begin() : FirstThatMayReach(files, range);
  for (; at != files.end() && at->first <= range.last; ++at) {
    const NewFile& file = live.at(at->id).facts;
    if (file.level > above && file.range.Overlaps(range)) return true;
  }
  return false;
}

// ---- Files

// If memory is short, nothing is inserted.
void RecordedFiles::Insert(Id id, File added) {
  SetPlaces(&added);
  const auto at = live.emplace(id, std::move(added)).first;
  const File& file = at->second;
  try {
    by_level[LevelOf(file.facts)].Insert(file.facts.range.first, id);
  } catch (...) {
    live.erase(at);
    throw;
  }
  long_bytes += LongBytesOf(file.facts.range);
  Count(file, 1);
}

RecordedFiles::File RecordedFiles::Take(Id id) {
  const auto found = live.find(id);
  const NewFile& facts = found->second.facts;
  const auto level = by_level.find(LevelOf(facts));
  level->second.Erase(facts.range.first, id);
  if (level->second.empty()) by_level.erase(level);
  File file = std::move(found->second);
  live.erase(found);
  long_bytes -= LongBytesOf(file.facts.range);
  Count(file, -1);
  return file;
}

// A parked file counts for nothing now, and may come back.
void RecordedFiles::Park(Id id) noexcept {
  File file = Take(id);
  const FileName name = file.name;
  try {
    const auto at = parked.emplace(id, std::move(file)).first;
    long_bytes += LongBytesOf(at->second.facts.range);
  } catch (...) {
    ids_by_name.erase(name.Key());  // it is forgotten
  }
  if (parked.size() > kMaxFiles) Drop(parked.begin()->first);
}

RecordedFiles::File& RecordedFiles::Recorded(Id id) {
  const auto at = parked.find(id);
  return at != parked.end() ? at->second : live.at(id);
}

RecordedFiles::File RecordedFiles::Remove(Id id) {
  const auto at = parked.find(id);
  if (at == parked.end()) return Take(id);
  File file = std::move(at->second);
  parked.erase(at);
  long_bytes -= LongBytesOf(file.facts.range);
  return file;
}

void RecordedFiles::Drop(Id id) {
  const File file = Remove(id);
  if (!file.is_joined) ids_by_name.erase(file.name.Key());
}

void RecordedFiles::End(Id id) {
  CountEnd(Recorded(id));
  Drop(id);
}

void RecordedFiles::JoinTwo() {
  const auto most = std::max_element(
      by_level.begin(), by_level.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  const Level& level = most->second;
  if (level.size() < 2) return;
  auto at = level.upper_bound(join_at);
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
  ids_by_name.erase(joined.name.Key());
  ids_by_name.erase(other.name.Key());
  joined.name = joined.name.database == other.name.database ? joined.name.Database() : FileName();
  joined.level_of_readers.reset();
  joined.written = std::max(joined.written, other.written);
  join_at = joined.facts.range.last;
  Insert(++last_id, std::move(joined));  // whose readers nobody counts
}

// ---- Levels and places as samples count them

int RecordedFiles::LevelIndex(int level, bool is_bottom) noexcept {
  constexpr int kLast = LookupSamples::kLevels - 1;
  if (level == 0) return 0;
  return is_bottom ? kLast : std::min(level, kLast - 1);
}

size_t RecordedFiles::IndexOf(const NewFile& file) noexcept {
  return static_cast<size_t>(LevelIndex(file.level, file.is_bottom));
}

bool RecordedFiles::IsPoint(const KeyRange& range) const noexcept {
  return range.first.size() == most_key_bytes && range.first == range.last;
}

void RecordedFiles::SetPlaces(File* file) const noexcept {
  if (grid == nullptr) return;
  const size_t left_out = prefix ? prefix->size() : 0;
  file->from = grid->PlaceOf(file->facts.range.first, left_out);
  file->to = grid->PlaceOf(file->facts.range.last, left_out);
}

void RecordedFiles::ShowLevelToReaders(const File& file) noexcept {
  if (file.level_of_readers == nullptr) return;
  file.level_of_readers->store(static_cast<int>(IndexOf(file.facts)), std::memory_order_relaxed);
}

// ---- How long files live, and sums

void RecordedFiles::CountEnd(const File& file) {
  Lives& of_level = lives[IndexOf(file.facts)];
  if (of_level.ended > static_cast<double>(kMaxFiles)) {
    of_level = {of_level.ended / 2, of_level.keys / 2};
  }
  ++of_level.ended;
  of_level.keys += written - file.written;
}

RecordedFiles::AllLives RecordedFiles::LivesSoFar() const {
  AllLives so_far = lives;
  for (const auto& [id, file] : live) so_far[IndexOf(file.facts)].keys += written - file.written;
  return so_far;
}

// A file ends in the next moment with the same chance as other files of its level. If it has
// outlived them, its chance is smaller: its own life so far counts as one more life that is known.
double RecordedFiles::ChanceToStay(const Lives& others, double age) const noexcept {
  const double usual = (others.keys + kUsualLife * sums.keys) / (others.ended + 1);
  return std::exp(-kHorizon * sums.keys / std::max(usual + age, 1.0));
}

RecordedFiles::Sums& RecordedFiles::Sums::operator+=(const Sums& other) noexcept {
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

void RecordedFiles::Sums::Scale(double part) noexcept {
  for (double* const sum :
       {&keys, &keys_without_filters, &filter_bytes, &keys_that_stay, &bytes_that_stay}) {
    *sum *= part;
  }
  for (Level& level : levels) {
    level.keys *= part;
    level.filter_bytes *= part;
  }
}

void RecordedFiles::CountIn(const File& file, int sign, Sums* into) noexcept {
  const double keys = sign * static_cast<double>(file.facts.keys);
  const double bytes = sign * (file.memory.bytes + file.more_bytes);
  into->files += static_cast<size_t>(sign);
  into->keys += keys;
  into->filter_bytes += bytes;
  if (bytes == 0) into->keys_without_filters += keys;
  // A file that lies over nothing counts as on the last level.
  const size_t last = LookupSamples::kLevels - 1;
  Sums::Level& level = into->levels[file.facts.is_bottom ? last : IndexOf(file.facts)];
  level.keys += keys;
  level.filter_bytes += bytes;
}

void RecordedFiles::Count(const File& file, int sign) {
  FilterMemory& sum = file.facts.waits ? memory.waiting : memory.resting;
  sum.bytes += sign * file.memory.bytes;
  sum.uniform_bytes += sign * file.memory.uniform_bytes;
  CountIn(file, sign, &sums);
}

const RecordedFiles::Sums& RecordedFiles::SumsNow() {
  if (sums_written >= 0 && written - sums_written < kSumsAgain * sums.keys) return sums;
  const AllLives all_lives = LivesSoFar();
  sums.keys_that_stay = 0;
  sums.bytes_that_stay = 0;
  for (const auto& [id, file] : live) {
    const double stays = ChanceToStay(all_lives[IndexOf(file.facts)], written - file.written);
    sums.keys_that_stay += stays * static_cast<double>(file.facts.keys);
    sums.bytes_that_stay += stays * (file.memory.bytes + file.more_bytes);
  }
  sums_written = written;
  return sums;
}

}  // namespace winnow::plugin
