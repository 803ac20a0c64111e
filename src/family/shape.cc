#include "src/family/shape.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace winnow::family {
namespace {

// Samples that stand for what is known before any: so many of a place and of a level.
constexpr double kPseudo = 2;
constexpr double kPseudoOfLevel = 8;

// Part of n that follows the keys alone, so that no place becomes cold for ever.
constexpr double kLeastHeat = 0.01;

// A range of which files cover less is like a usual place.
constexpr double kLeastCover = 0.01;
constexpr double kEnoughCover = 0.5;

// A flush of a smaller part of the tree's keys does not change n of other files.
constexpr double kFewKeys = 1.0 / 256;

// Files of level 0 that overlap more others than this share a run.
constexpr size_t kMostRuns = 256;

}  // namespace

void Sums::Add(const LiveFile& file, const Reach& reach, double part) noexcept {
  const double file_keys = part * file.keys;
  const double n = file_keys * std::exp2(reach.log2());
  keys += file_keys;
  bits += file_keys * file.bits;
  log2_reach += file_keys * reach.log2();
  reached += n;
  false_reads += n * std::exp2(-file.bits);
  bytes += part * file.bytes;
}

void Sums::Scale(double by) noexcept {
  for (double* const sum : {&keys, &bits, &log2_reach, &reached, &false_reads, &bytes}) {
    *sum *= by;
  }
}

Sums Sums::Without(const Sums& other) const noexcept {
  return {std::max(keys - other.keys, 0.0),
          std::max(bits - other.bits, 0.0),
          log2_reach - other.log2_reach,
          std::max(reached - other.reached, 0.0),
          std::max(false_reads - other.false_reads, 0.0),
          std::max(bytes - other.bytes, 0.0)};
}

Shape::Shape(std::vector<Placed> files, bool is_ordered)
    : is_ordered_(is_ordered), files_(std::move(files)) {
  for (Placed& placed : files_) placed.asked = static_cast<float>(placed.file->asked());
  std::sort(files_.begin(), files_.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.level, a.file->range.first) < std::tie(b.level, b.file->range.first);
  });
  MakeRuns();
  for (const Placed& placed : files_) {
    keys_ += placed.file->keys;
    levels_[placed.level].keys += placed.file->keys;
  }
  for (Placed& placed : files_) {
    const LiveFile& file = *placed.file;
    double reached = 0;
    if (HasPlace(file.range)) {
      reached = std::max(KeysIn(file.range.first, file.range.last), file.keys);
    } else {
      const double run = placed.level == 0 ? file.keys : levels_.at(placed.level).keys;
      reached = file.keys * keys_ / run;
    }
    placed.reach.log2_by_keys = std::log2(reached / file.keys);
    levels_[placed.level].log2_by_keys += file.keys * placed.reach.log2_by_keys;
  }
  SetHeat();
  for (const Placed& placed : files_) {
    const LiveFile& file = *placed.file;
    if (file.bits > 0) sums_.Add(file, placed.reach);
  }
}

void Shape::MakeRuns() {
  size_t begin = 0;  // first run of the level
  for (const Placed& placed : files_) {
    const std::string& start = placed.file->range.first;
    if (!runs_.empty() && runs_.back().level != placed.level) begin = runs_.size();
    const auto fits = [&](const Run& run) {
      return placed.level > 0 || run.files.back()->file->range.last < start;
    };
    const auto first = runs_.begin() + static_cast<ptrdiff_t>(begin);
    auto run = std::find_if(first, runs_.end(), fits);
    if (run == runs_.end() && runs_.size() - begin < kMostRuns) {
      run = runs_.insert(run, Run{placed.level, {}, {0}});
    } else if (run == runs_.end()) {
      --run;
    }
    run->files.push_back(&placed);
    run->before.push_back(run->before.back() + placed.file->keys);
  }
}

// Sets the heat of levels and files by the counters of the files.
void Shape::SetHeat() {
  double reached = 0;
  for (const Placed& placed : files_) {
    asked_ += placed.asked;
    if (placed.file->bits == 0) continue;
    Level& level = levels_.at(placed.level);
    level.asked += placed.asked;
    level.reached += placed.reached();
    reached += placed.reached();
  }
  asked_a_place_ = reached > 0 ? asked_ * keys_ / reached : 0;
  if (!(asked_a_place_ > 0)) return;
  for (auto& [number, level] : levels_) {
    const double alike = asked_a_place_ * level.reached / keys_;
    level.heat = (level.asked + kPseudoOfLevel) / (alike + kPseudoOfLevel);
  }
  for (Placed& placed : files_) {
    if (placed.file->bits == 0 || (is_ordered_ && !HasPlace(placed.file->range))) continue;
    const double heat = HeatOf(placed.level, placed.reached(), placed.asked);
    placed.reach.log2_heat = std::log2(heat);
  }
}

std::vector<Shape::Placed>::const_iterator Shape::LowerBound(
    int level, std::string_view first) const noexcept {
  return std::lower_bound(files_.begin(), files_.end(), std::pair(level, first),
                          [](const Placed& placed, const auto& key) {
                            return std::pair(placed.level,
                                             std::string_view(placed.file->range.first)) < key;
                          });
}

const Shape::Placed* Shape::Find(const LiveFile& file) const noexcept {
  for (const auto& [level, sums] : levels_) {
    auto at = LowerBound(level, file.range.first);
    for (; at != files_.end() && at->file->range.first == file.range.first; ++at) {
      if (at->file.get() == &file) return &*at;
    }
  }
  return nullptr;
}

// Returns the first file that does not end before the key, and the number of keys before the key.
std::pair<size_t, double> Shape::Run::Find(std::string_view key) const noexcept {
  const auto found = std::partition_point(files.begin(), files.end(), [&](const Placed* placed) {
    return placed->file->range.last < key;
  });
  const auto i = static_cast<size_t>(found - files.begin());
  if (i == files.size()) return {i, before[i]};
  const LiveFile& file = *files[i]->file;
  return {i, before[i] + file.range.Before(key) * file.keys};
}

double Shape::KeysIn(std::string_view first, std::string_view last) const noexcept {
  double keys = 0;
  for (const Run& run : runs_) keys += run.Find(last).second - run.Find(first).second;
  return keys;
}

Sums Shape::InRange(int level, std::string_view first, std::string_view last) const {
  Sums sums;
  for (const Run& run : runs_) {
    if (run.level > level) break;
    for (size_t i = run.Find(first).first; i < run.files.size(); ++i) {
      const LiveFile& file = *run.files[i]->file;
      if (file.range.first > last) break;
      if (file.bits == 0) continue;
      sums.Add(file, run.files[i]->reach, file.range.Before(last) - file.range.Before(first));
    }
  }
  return sums;
}

bool Shape::IsFirst(int level, std::string_view key) const noexcept {
  return std::none_of(runs_.begin(), runs_.end(), [&](const Run& run) {
    return run.level <= level && run.files.front()->file->range.first < key;
  });
}

Sums Shape::UpTo(int level) const noexcept {
  Sums sums;
  for (const Placed& placed : files_) {
    if (placed.level <= level && placed.file->bits > 0) sums.Add(*placed.file, placed.reach);
  }
  return sums;
}

// Returns the samples of the level's files in a range, with those of the next levels if they cover
// little of it.
Shape::Asked Shape::AskedThere(int level, std::string_view first, std::string_view last) const {
  std::map<int, Asked> by_level;
  for (const Run& run : runs_) {
    Asked& sum = by_level[run.level];
    for (size_t i = run.Find(first).first; i < run.files.size(); ++i) {
      const LiveFile& file = *run.files[i]->file;
      if (file.range.first > last) break;
      if (file.bits == 0) continue;
      sum.asked += run.files[i]->AskedIn(file.range.Before(first), file.range.Before(last));
      sum.cover += first < last ? ShareBefore(first, last, file.range.last) -
                                      ShareBefore(first, last, file.range.first)
                                : 1;
    }
  }
  Asked sum;
  const auto add = [&sum](const Asked& more) {
    if (sum.cover < kEnoughCover) sum = {sum.asked + more.asked, sum.cover + more.cover};
  };
  const auto below = by_level.lower_bound(level);
  for (auto at = below; at != by_level.end(); ++at) add(at->second);
  for (auto at = below; at != by_level.begin();) add((--at)->second);
  return sum;
}

// Returns the samples of a range with this n by keys: what no file covers is like the rest.
double Shape::AskedFor(int level, const KeyRange& range, double reached) const {
  const Asked there = AskedThere(level, range.first, range.last);
  return there.cover > kLeastCover ? there.asked / there.cover : asked_a_place_ * reached / keys_;
}

std::array<double, kPieces> Shape::AskedOf(const NewFile& file) const {
  const KeyRange& range = file.range;
  std::array<double, kPieces> asked{};
  if (!(asked_a_place_ > 0) || !is_ordered_) return asked;
  const double all =
      AskedFor(file.level, range, std::max(KeysIn(range.first, range.last), file.keys));
  const bool has_cuts = !range.cuts.front().empty();
  for (size_t piece = 0; piece < kPieces; ++piece) {
    asked[piece] = all / kPieces;
    if (!has_cuts) continue;
    const std::string& from = piece == 0 ? range.first : range.cuts[piece - 1];
    const std::string& to = piece + 1 == kPieces ? range.last : range.cuts[piece];
    const Asked there = AskedThere(file.level, from, to);
    if (there.cover >= kEnoughCover) asked[piece] = there.asked / there.cover;
  }
  return asked;
}

// Returns the heat of a file with this n by keys and these samples.
double Shape::HeatOf(int level, double reached, double asked) const noexcept {
  if (!(asked_a_place_ > 0)) return 1;
  const auto usual = levels_.find(level);
  const double of_level = usual == levels_.end() ? 1 : usual->second.heat;
  if (!is_ordered_) return kLeastHeat + (1 - kLeastHeat) * of_level;
  const double heat = (asked + kPseudo * of_level) / (asked_a_place_ * reached / keys_ + kPseudo);
  return kLeastHeat + (1 - kLeastHeat) * heat;
}

Reach Shape::ReachOf(const NewFile& file, const Replaced& replaced) const {
  // A compaction's keys are those of its inputs.
  const double own = file.is_flush ? file.keys : 0;
  Reach reach;
  if (!HasPlace(file.range)) {
    const auto level = levels_.find(file.level);
    double run = file.is_flush ? file.keys : std::max(replaced.keys, file.keys);
    if (file.level > 0 && level != levels_.end()) {
      run += level->second.keys - replaced.keys_on_level;
    }
    reach.log2_by_keys = std::max(std::log2((keys_ + own) / run), 0.0);
    if (!is_ordered_) reach.log2_heat = std::log2(HeatOf(file.level, 0, 0));
    return reach;
  }
  const std::string& first = file.range.first;
  const std::string& last = file.range.last;
  const double n = std::max(KeysIn(first, last) + own, file.keys);
  reach.log2_by_keys = std::log2(n / file.keys);
  if (!(asked_a_place_ > 0)) return reach;
  reach.log2_heat = std::log2(HeatOf(file.level, n, AskedFor(file.level, file.range, n)));
  return reach;
}

Sums Shape::SumsUnder(const NewFile& flush) const {
  if (flush.keys < kFewKeys * keys_) return sums_;
  Sums sums;
  for (const Placed& placed : files_) {
    const LiveFile& file = *placed.file;
    if (file.bits == 0) continue;
    Reach reach = placed.reach;
    const double part =
        is_ordered_ ? flush.range.Before(file.range.last) - flush.range.Before(file.range.first)
                    : file.keys / keys_ * std::exp2(reach.log2_by_keys);
    reach.log2_by_keys +=
        std::log2(1 + flush.keys * part / file.keys / std::exp2(reach.log2_by_keys));
    sums.Add(file, reach);
  }
  return sums;
}

double Shape::MeanOnLevel(int level) const noexcept {
  const auto found = levels_.lower_bound(level);
  return found == levels_.end() ? 0 : found->second.log2_by_keys / found->second.keys;
}

// Returns the mean over all keys of the tree.
double Shape::Mean() const noexcept {
  double all = 0;
  for (const auto& [number, level] : levels_) all += level.log2_by_keys;
  return keys_ > 0 ? all / keys_ : 0;
}

double Shape::MoreOnLevel(int level) const noexcept {
  return levels_.lower_bound(level) == levels_.end() ? 0 : MeanOnLevel(level) - Mean();
}

}  // namespace winnow::family
