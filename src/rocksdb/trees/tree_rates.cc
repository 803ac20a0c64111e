#include "src/rocksdb/trees/tree_rates.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "src/base/c_locale.h"

namespace winnow::plugin {
namespace {

using std::chrono::steady_clock;

// Minimum width of a file, in places. A narrower file has no place: when the tree was last
// examined, no file was there.
constexpr double kMinWidth = 1e-9;

// Maximum share of a file's keys that may be in unknown places.
constexpr double kUnknownShare = 0.5;

// Maximum share of a tree's keys in files whose keys are equal after truncation. Lookups of such
// keys are attributed to a neighbor.
constexpr double kMaxPoints = 1.0 / 16;

// Share of new samples from which on they are examined again.
constexpr double kSampleAgain = 1.0 / 16;

// Maximum difference of log2(lambda) to that of a rebuilt tree, in bits per key.
constexpr double kMostFromNew = 0.5;

// Limit of logarithms of relative heat, so that no file outweighs many others.
constexpr double kMaxHeatLog = 4;

// Prior weight of the regression for `lasts`, as the square of a file's logarithm of relative heat.
constexpr double kGuess = 0.1;

// Change of bits_per_key, in log2(1/rate), that requires a new computation.
constexpr double kOtherBits = 1.0 / 8;

// Assumed uniform bits with filter_memory, where bits_per_key does not count.
constexpr double kUniformBitsOfSized = 8;

constexpr auto kBetweenSummaries = std::chrono::minutes(10);

// Number of bytes beyond which old filters count less.
constexpr double kMaxBuiltBytes = 1 << 20;

uint32_t BitOf(int level) noexcept { return uint32_t{1} << level; }

std::atomic<uint64_t> learned_filters{0};
std::atomic<uint64_t> learned_trees{0};
std::atomic<uint64_t> files_not_told_apart{0};

}  // namespace

TreeRates::~TreeRates() {
  if (has_given_rates_) learned_trees.fetch_sub(1, std::memory_order_relaxed);
}

double TreeRates::RelativeMissHeatOf(int level, double from, double to) const noexcept {
  const double even = (to - from) * heat_.ReachingAll(level);
  return to - from > kMinWidth && even > 0 ? heat_.Reaching(level, from, to) / even : 0;
}

// Computes lasts_: for each level, the slope of a regression of relative heat now on relative heat
// when the file was written, in logarithms, weighted by keys. The prior slope is 1 minus the
// probability that a new file of the level stays: files that are soon rewritten have no time to
// cool.
void TreeRates::SetWhatLasts(const TreeFiles::TreeShape& tree) noexcept {
  std::array<double, LookupSamples::kLevels> both{};
  std::array<double, LookupSamples::kLevels> then{};
  std::array<double, LookupSamples::kLevels> keys{};
  for (const RatedFile& file : tree.files) {
    const auto level = static_cast<size_t>(file.level);
    keys[level] += file.keys;
    const double now = RelativeMissHeatOf(file.level, file.from, file.to);
    if (!(file.relative_miss_heat > 0) || !(now > 0)) continue;
    const double was_bits =
        std::clamp(std::log2(file.relative_miss_heat), -kMaxHeatLog, kMaxHeatLog);
    const double is_bits = std::clamp(std::log2(now), -kMaxHeatLog, kMaxHeatLog);
    both[level] += file.keys * was_bits * is_bits;
    then[level] += file.keys * was_bits * was_bits;
  }
  for (size_t level = 0; level < lasts_.size(); ++level) {
    const double before = kGuess * std::max(keys[level], 1.0);
    lasts_[level] = std::clamp(
        (both[level] + before * (1 - tree.stays[level])) / (then[level] + before), 0.0, 1.0);
  }
}

void TreeRates::SetLevelHeat(const TreeFiles::TreeShape& tree) noexcept {
  std::array<double, LookupSamples::kLevels> reaching{};
  std::array<double, LookupSamples::kLevels> widths{};
  for (const RatedFile& file : tree.files) {
    const auto level = static_cast<size_t>(file.level);
    reaching[level] += heat_.Reaching(file.level, file.from, file.to);
    widths[level] += file.to - file.from;
  }
  for (size_t level = 0; level < widths.size(); ++level) {
    level_heat_[level] = widths[level] > kMinWidth ? reaching[level] / widths[level]
                                                   : heat_.ReachingAll(static_cast<int>(level));
  }
}

double TreeRates::Reaching(int level, double from, double to) const noexcept {
  const double lasts = lasts_[static_cast<size_t>(level)];
  return lasts * heat_.Reaching(level, from, to) +
         (1 - lasts) * (to - from) * heat_.ReachingAll(level);
}

double TreeRates::KeysBelow(int level) const noexcept {
  double below = 0;
  for (size_t i = static_cast<size_t>(level) + 1; i < level_keys_.size(); ++i) {
    below += level_keys_[i];
  }
  return below;
}

// Returns the share of the tree's keys in the file's range, at least its own. If its keys are equal
// after truncation, it counts as if its run had them anywhere.
double TreeRates::WidthOf(const RatedFile& file) const noexcept {
  if (file.is_point || !rule_.is_bytewise || HasTooManyPoints()) {
    const double run = level_keys_[static_cast<size_t>(file.level)];
    return file.level == 0 ? 1 : file.keys / std::max(run, file.keys);
  }
  return std::max(file.to - file.from, file.keys / std::max(keys_, file.keys));
}

// Returns the lookups that reach the file if lookups are uniform and as many as the tree's keys.
double TreeRates::EvenReach(const RatedFile& file) const noexcept {
  return WidthOf(file) * rule_.ReachWith(KeysBelow(file.level) / std::max(keys_, 1.0)) * keys_;
}

double TreeRates::ReachOf(const RatedFile& file) const noexcept {
  return rule_.learns ? Reaching(file.level, file.from, file.to) : EvenReach(file);
}

// Returns whether the file's filter shares the memory: not if it gets none, nor while it waits to
// be merged, except with filter_memory.
bool TreeRates::Shares(const RatedFile& file) const noexcept {
  if (rule_.is_leveled && file.waits && !rule_.is_sized()) return false;
  return rule_.last_level_has_filters() || file.level != LookupSamples::kLevels - 1;
}

// Makes the grid, without which nothing is sampled. A new grid changes all places. A grid from
// another process stays.
void TreeRates::MakeGrid(TreeFiles* files) {
  if (told_ || !files->MakeGrid()) return;
  SetHeat({});
  written_ = -1;
}

void TreeRates::SetKeys(const TreeFiles::TreeShape& shape) noexcept {
  keys_ = 0;
  point_keys_ = 0;
  level_keys_.fill(0);
  for (const RatedFile& file : shape.files) {
    keys_ += file.keys;
    if (file.is_point) point_keys_ += file.keys;
    level_keys_[static_cast<size_t>(file.level)] += file.keys;
  }
}

RateMemory TreeRates::MemoryOfTree() const noexcept {
  RateMemory memory;
  memory.uniform_bits = uniform_bits_;
  if (expected_ > 0) memory.built_to_expected = built_ / expected_;
  memory.target = kTarget;
  return memory;
}

// Computes the heat map, for `more_levels` and the levels that have files.
void TreeRates::LookAtSamples(TreeFiles* files, const KeyPositions& grid,
                              const TreeFiles::TreeShape& shape, uint32_t more_levels) {
  const LookupSamples& samples = files->samples();
  const uint64_t seen = samples.total();
  uint32_t levels = levels_ | more_levels | BitOf(LookupSamples::kLevels - 1);
  for (const RatedFile& file : shape.files) levels |= BitOf(file.level);
  std::vector<LookupSamples::Record> records;
  samples.Snapshot(&records);
  // Samples count for a place only since keys came there.
  const auto all = static_cast<double>(records.size());
  size_t part = 0;
  const auto exposure = [&](double place) {
    return (static_cast<double>(seen) - grid.SinceBehind(place, &part)) / std::max(all, 1.0);
  };
  SetHeat(HeatMap(records, shape.files.size(), levels, exposure));
  levels_ = levels;
  samples_seen_ = seen;
}

// Updates the state if necessary, for the tree as it will be with the new file.
void TreeRates::Refresh(TreeFiles* files, const TreeFiles::NewFile& file, const WritingJob& job,
                        double uniform_bits, const Rule& rule) {
  const int level = TreeFiles::LevelIndex(file);
  const bool learns = rule.learns;
  const LookupSamples& samples = files->samples();
  const uint64_t seen = samples.total();
  const auto known = static_cast<double>(heat_.samples());
  const bool has_more = learns && !told_ &&
                        static_cast<double>(seen - samples_seen_) >
                            kSampleAgain * std::max(known, double{kMinSamples});
  const TreeFiles::Written written = files->written();
  const bool has_grown = written_ < 0 || written.keys - written_ > kLookAgain * written.alive ||
                         written.alive > 2 * keys_;
  const bool lacks_level =
      learns && !told_ && (heat_.samples() == 0 || (levels_ & BitOf(level)) == 0);
  const bool is_other =
      (!told_ && std::abs(uniform_bits - uniform_bits_) > kOtherBits) || !(rule == rule_);
  const bool is_large = kFewFiles * static_cast<double>(file.keys) > keys_;
  if (!has_more && !has_grown && !lacks_level && !is_other && !is_large) return;

  // Without a grid, there are no files, or the samples are being dropped.
  const std::shared_ptr<const KeyPositions> grid = files->grid();
  if (grid == nullptr) {
    keys_ = 0;
    point_keys_ = 0;
    written_ = -1;
    return SetHeat({});
  }

  // Calls that may throw come first, so that the state stays consistent.
  TreeFiles::TreeShape tree = files->ShapeWith(file, job);
  if (has_more || lacks_level) LookAtSamples(files, *grid, tree, BitOf(level));
  written_ = written.keys;
  LookAt(std::move(tree), uniform_bits, rule);
}

void TreeRates::LookAt(TreeFiles::TreeShape tree, double uniform_bits, const Rule& rule) {
  rule_ = rule;
  if (rule.learns) {
    if (!told_) SetWhatLasts(tree);
    SetLevelHeat(tree);
  }
  SetKeys(tree);
  SetMoreRangeBits(tree);
  if (rule.is_sized()) SetEvenLessSampled(tree);
  if (told_) return;
  uniform_bits_ = uniform_bits;
  if (rule.is_sized()) return;
  bool any = false;
  for (RatedFile& one : tree.files) {
    one.SetReach(ReachOf(one));
    if (!Shares(one)) one.keys = 0;
    any = any || one.keys > 0;
  }
  const RateMemory memory = MemoryOfTree();
  log2_lambda_ = any ? Log2LambdaFor(tree.files, memory, log2_lambda_) : -uniform_bits_;
  if (!any) return;
  // Limits lambda to values near that of a rebuilt tree: otherwise, if most filters stay, a few
  // other files would get all the memory that is left, or lose all that is missing.
  for (RatedFile& one : tree.files) one.stays = 0;
  log2_lambda_of_new_ = Log2LambdaFor(tree.files, memory, log2_lambda_of_new_);
  log2_lambda_ = std::clamp(log2_lambda_, log2_lambda_of_new_ - kMostFromNew,
                            log2_lambda_of_new_ + kMostFromNew);
}

// Returns whether the file's keys are in unknown places. If a file reaches beyond the first or the
// last known key, the number of its keys there is unknown. Most of them may be there, if its level
// has fewer keys in the known part of the file's range.
bool TreeRates::IsUnknown(const RatedFile& file) const noexcept {
  const double known =
      (file.to - file.from) * std::max(level_keys_[static_cast<size_t>(file.level)], file.keys);
  return file.reaches_beyond && known < (1 - kUnknownShare) * file.keys;
}

bool TreeRates::HasTooManyPoints() const noexcept { return point_keys_ > kMaxPoints * keys_; }

double TreeRates::Rated::rate() const noexcept { return std::exp2(-bits); }

std::optional<TreeRates::Rated> TreeRates::RateOf(TreeFiles* files, const TreeFiles::NewFile& asked,
                                                  const WritingJob& job, double uniform_rate,
                                                  const Rule& rule) {
  const std::lock_guard<std::mutex> lock(mutex_);
  MakeGrid(files);
  if (asked.keys == 0) return std::nullopt;
  if (rule.learns && SamplesOf(files) < kMinSamples) return std::nullopt;
  if (told_ && (!told_->log2_lambda || told_->is_sized || told_->learns != rule.learns)) {
    return std::nullopt;
  }
  const double uniform_bits = -std::log2(uniform_rate);
  Refresh(files, asked, job, uniform_bits, rule);
  if (!(keys_ > 0) || (rule.learns && heat_.samples() < kMinSamples)) return std::nullopt;
  RatedFile file = files->ShapeOf(asked);
  const bool is_narrow = file.to - file.from < kMinWidth;
  const bool is_unknown = rule.learns && IsUnknown(file);
  if (rule.learns && (file.is_point || HasTooManyPoints())) {
    files_not_told_apart.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  const bool is_tree_known = keys_ >= 2 * file.keys && !HasTooManyPoints();
  if (rule.learns ? is_narrow : rule.is_leveled && (!is_tree_known || is_narrow)) {
    return std::nullopt;
  }
  file.SetReach(rule.learns ? SampledReach(file) : EvenReach(file));
  Rated rated;
  rated.log2_reach = file.log2_reach;
  // Until lambda is computed again, all bits follow bits_per_key.
  rated.log2_lambda = log2_lambda_ + uniform_bits_ - uniform_bits;
  rated.bits = std::clamp<double>(
      RateBitsOf(file, log2_lambda_, MemoryOfTree()) + uniform_bits - uniform_bits_,
      std::min<double>(kMinRateBits, uniform_bits), kMaxRateBits);
  if (rule.learns && !is_unknown) {
    NoteLearned();
    rated.relative_miss_heat = RelativeMissHeatOf(file.level, file.from, file.to);
  }
  return rated;
}

// Returns whether samples tell how hot the file is.
bool TreeRates::IsSampled(const RatedFile& file) const noexcept {
  return rule_.learns && heat_.samples() >= kMinSamples && (levels_ & BitOf(file.level)) != 0 &&
         !file.is_point && !HasTooManyPoints() && file.to - file.from >= kMinWidth;
}

// Returns the lookups that reach the file, by samples. An unknown file is assumed to be as hot as
// its level's files: in a time series, the newest files are neighbors.
double TreeRates::SampledReach(const RatedFile& file) const noexcept {
  return IsUnknown(file) ? WidthOf(file) * level_heat_[static_cast<size_t>(file.level)]
                         : Reaching(file.level, file.from, file.to);
}

void TreeRates::SetEvenLessSampled(const TreeFiles::TreeShape& shape) noexcept {
  double keys = 0;
  double sum = 0;
  for (const RatedFile& file : shape.files) {
    if (!Shares(file) || !IsSampled(file)) continue;
    const double even = EvenReach(file);
    const double sampled = SampledReach(file);
    if (!(even > 0) || !(sampled > 0)) continue;
    keys += file.keys;
    sum += file.keys * std::log2(even / sampled);
  }
  even_less_sampled_ = keys > 0 ? sum / keys : 0;
}

// Computes more_range_bits_. Files that wait on level 0 count, too, as scans read them. A file
// without a width is left out: only one of its few keys was recorded.
void TreeRates::SetMoreRangeBits(const TreeFiles::TreeShape& shape) noexcept {
  more_range_bits_.fill(0);
  std::array<double, LookupSamples::kLevels> keys{};
  double mean = 0;
  double all_keys = 0;
  for (const RatedFile& file : shape.files) {
    if (file.to - file.from < kMinWidth && !file.is_point) continue;
    const auto level = static_cast<size_t>(file.level);
    const double bits = file.keys * std::log2(WidthOf(file) * keys_ / file.keys);
    more_range_bits_[level] += bits;
    keys[level] += file.keys;
    mean += bits;
    all_keys += file.keys;
  }
  if (!(all_keys > 0)) return;
  mean /= all_keys;
  double below = 0;
  for (size_t level = keys.size(); level-- > 0;) {
    if (keys[level] > 0) below = more_range_bits_[level] / keys[level] - mean;
    more_range_bits_[level] = below;
  }
}

double TreeRates::MoreRangeBits(int level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return more_range_bits_[static_cast<size_t>(level)];
}

void TreeRates::AppendFiles(TreeFiles* files, const TreeFiles::NewFile* file, const WritingJob* job,
                            const Rule& rule, std::vector<RatedFile>* all) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // A new grid would drop the heat of trees that are not asked for.
  if (!rule.is_alike && (file != nullptr || files->grid() == nullptr)) MakeGrid(files);
  if (!rule.is_alike && file != nullptr) Refresh(files, *file, *job, kUniformBitsOfSized, rule);
  TreeFiles::TreeShape shape =
      file != nullptr ? files->ShapeWith(*file, *job) : files->ShapeAfterCompactions();
  const bool learns = rule_.learns;
  rule_ = rule;
  rule_.learns = learns;
  SetKeys(shape);
  std::array<double, LookupSamples::kLevels> reaches{};
  for (RatedFile& one : shape.files) {
    if (!Shares(one)) continue;
    one.SetReach(rule.is_alike ? one.keys : EvenReach(one));
    one.stays = 0;  // lambda is for trees that are rebuilt now
    reaches[static_cast<size_t>(one.level)] += one.keys * one.log2_reach;
    all->push_back(one);
  }
  for (size_t i = 0; i < reaches.size(); ++i) {
    usual_log2_reach_[i] = level_keys_[i] > 0 ? reaches[i] / level_keys_[i] : 0;
  }
}

// Samples move bits between files and keep the tree's mean, so that the memory does not depend on
// chance.
TreeRates::Rated TreeRates::SizedRateOf(TreeFiles* files, const TreeFiles::NewFile& asked,
                                        const WritingJob& job, const Rule& rule,
                                        double log2_lambda) {
  if (rule.is_alike) return {-log2_lambda, 0, 0, log2_lambda};
  const std::lock_guard<std::mutex> lock(mutex_);
  MakeGrid(files);
  Refresh(files, asked, job, kUniformBitsOfSized, rule);
  RatedFile file = files->ShapeOf(asked);
  const bool is_sampled = IsSampled(file);
  file.SetReach(is_sampled ? SampledReach(file) : EvenReach(file));
  Rated rated;
  rated.log2_reach = file.log2_reach + (is_sampled ? even_less_sampled_ : 0);
  rated.log2_lambda = log2_lambda;
  rated.bits = rated.log2_reach - log2_lambda;
  if (rule.learns) log2_lambda_ = log2_lambda - even_less_sampled_;  // TakeSummary uses it
  if (rule.learns && (file.is_point || HasTooManyPoints())) {
    files_not_told_apart.fetch_add(1, std::memory_order_relaxed);
  }
  if (is_sampled && !IsUnknown(file)) {
    NoteLearned();
    rated.relative_miss_heat = RelativeMissHeatOf(file.level, file.from, file.to);
  }
  return rated;
}

void TreeRates::NoteLearned() noexcept {
  learned_filters.fetch_add(1, std::memory_order_relaxed);
  if (!std::exchange(has_given_rates_, true)) {
    learned_trees.fetch_add(1, std::memory_order_relaxed);
  }
}

double TreeRates::UsualLog2Reach(int level, double keys) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (rule_.is_alike) return 0;
  const bool are_all_on_0 = keys_ > 0 && level_keys_[0] == keys_;
  const auto index = static_cast<size_t>(are_all_on_0 ? 0 : level);
  if (level_keys_[index] > 0) return usual_log2_reach_[index];
  return std::log2(std::max(keys_, keys) / keys);
}

bool TreeRates::is_leveled() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rule_.is_leveled;
}

void TreeRates::SetHeat(HeatMap heat) noexcept {
  heat_ = std::move(heat);
  bytes_of_heat_.store(heat_.bytes(), std::memory_order_relaxed);
}

void TreeRates::DropHeat() noexcept {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && !told_) SetHeat({});
}

void TreeRates::Built(double rate, double uniform_rate, const FilterMemory& memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  expected_ += memory.uniform_bytes * std::log2(rate) / std::log2(uniform_rate);
  built_ += memory.bytes;
  if (built_ > kMaxBuiltBytes) {
    built_ /= 2;
    expected_ /= 2;
  }
}

TreeRates::Told TreeRates::Tell(TreeFiles* files, double uniform_rate, const Rule& rule, int base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Told told;
  if (told_) {
    told = *told_;
    told.heat = heat_;
    return told;
  }
  told.uniform_bits = -std::log2(uniform_rate);
  told.is_sized = rule.is_sized();
  told.learns = rule.learns;
  MakeGrid(files);
  const std::shared_ptr<const KeyPositions> grid = files->grid();
  if (grid == nullptr) return told;
  TreeFiles::TreeShape tree = files->ShapeAfterCompactions();
  const uint32_t base_levels = base > 0 ? BitOf(TreeFiles::LevelIndex(base, false)) |
                                              BitOf(TreeFiles::LevelIndex(base - 1, false))
                                        : 0;
  if (rule.learns) LookAtSamples(files, *grid, tree, base_levels);
  written_ = files->written().keys;
  LookAt(std::move(tree), told.uniform_bits, rule);
  if (!told.is_sized) told.log2_lambda = log2_lambda_;
  if (rule.learns) {
    told.heat = heat_;
    told.lasts = lasts_;
  }
  return told;
}

void TreeRates::SetTold(Told told) {
  const std::lock_guard<std::mutex> lock(mutex_);
  SetHeat(std::exchange(told.heat, {}));
  for (int level = 0; level < LookupSamples::kLevels; ++level) {
    if (heat_.ReachingAll(level) > 0) levels_ |= BitOf(level);
  }
  lasts_ = told.lasts;
  uniform_bits_ = told.uniform_bits;
  log2_lambda_ = told.log2_lambda.value_or(-uniform_bits_);
  told_ = std::move(told);
}

std::optional<double> TreeRates::told_log2_lambda() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return told_ && told_->is_sized ? told_->log2_lambda : std::nullopt;
}

size_t TreeRates::SamplesOf(TreeFiles* files) const noexcept {
  return told_ ? heat_.samples() : files->samples().size();
}

bool TreeRates::HasSamples(TreeFiles* files) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SamplesOf(files) >= kMinSamples;
}

std::string TreeRates::WhyNotLearned() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!HasTooManyPoints()) return {};
  return "level_plan=learned needs keys that are told apart by at most " +
         std::to_string(TreeFiles::kMaxKeyBytes) +
         " bytes behind those that all keys of a column family begin with, and many files have "
         "keys that are not: filters of such a family are built by level_plan=auto";
}

std::string TreeRates::TakeSummary(const TreeFiles& files) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const steady_clock::time_point now = steady_clock::now();
  if (told_ || HasTooManyPoints() || heat_.samples() < kMinSamples ||
      (summarized_ && now - *summarized_ < kBetweenSummaries))
    return {};
  TreeFiles::TreeShape tree = files.ShapeOfTree();
  if (tree.files.empty()) return {};
  double keys = 0;
  double reads = 0;       // expected false positives of the samples
  double even_reads = 0;  // if rates were for uniform lookups, in equal memory
  double all_bits = 0;
  double least = kMaxRateBits;
  double most = kMinRateBits;
  // If lookups were uniform, a file's rate would depend only on the density of keys in its range.
  double even_bits = 0;
  const auto even_less = [](const RatedFile& file) {
    return std::log2(std::max(file.to - file.from, kMinWidth) / file.keys);
  };
  const RateMemory memory = MemoryOfTree();
  for (RatedFile& file : tree.files) {
    file.SetReach(ReachOf(file));
    const double bits = RateBitsOf(file, log2_lambda_, memory);
    keys += file.keys;
    all_bits += file.keys * bits;
    even_bits += file.keys * even_less(file);
    least = std::min(least, bits);
    most = std::max(most, bits);
  }
  const double step = (all_bits - even_bits) / keys;
  for (const RatedFile& file : tree.files) {
    reads += file.reaching * std::exp2(-RateBitsOf(file, log2_lambda_, memory));
    even_reads += file.reaching * std::exp2(-std::clamp<double>(even_less(file) + step,
                                                                kMinRateBits, kMaxRateBits));
  }
  const auto samples = static_cast<double>(heat_.samples());
  const double found = 1 - std::min(1.0, heat_.ReachingAll(LookupSamples::kLevels - 1) / samples);
  summarized_ = now;
  return base::Text(
      "level_plan=learned: from %.0f samples of lookups: %.2g %% of the keys get 80 %% of what "
      "finds nothing; %.0f %% of the lookups find their key; filters built now have rates of "
      "2^-%.1f to 2^-%.1f, 2^-%.2f on average; false reads expected: %.2f of those of equal rates "
      "on each level",
      samples, 100 * heat_.KeysThatGet(0.8), 100 * found, least, most, all_bits / keys,
      even_reads > 0 ? reads / even_reads : 1);
}

uint64_t CurrentLearnedFilters() noexcept {
  return learned_filters.load(std::memory_order_relaxed);
}

uint64_t CurrentLearnedTrees() noexcept { return learned_trees.load(std::memory_order_relaxed); }

uint64_t CurrentFilesNotToldApart() noexcept {
  return files_not_told_apart.load(std::memory_order_relaxed);
}

}  // namespace winnow::plugin
