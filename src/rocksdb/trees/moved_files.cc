#include "src/rocksdb/trees/moved_files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "src/core/moved_filters.h"
#include "src/core/output_levels.h"
#include "src/core/sizing.h"

namespace winnow::plugin {
namespace {

// Maximum ratio between the rate estimated from a filter's size and its true rate.
constexpr double kAsGood = 1.25;

void SetBelow(std::vector<WatchedFile>* files) {
  std::vector<core::FileSpan> spans;
  for (const WatchedFile& file : *files) spans.push_back({file.level, file.first, file.last, -1});
  core::SetBelow([](std::string_view a, std::string_view b) { return a.compare(b); }, &spans);
  for (size_t i = 0; i < spans.size(); ++i) (*files)[i].below = spans[i].below;
}

// Key of files whose filters have practically equal rates: one place, and similar numbers of keys
// and bits.
using RateKey = std::tuple<int, int, long, long>;

RateKey RateKeyOf(const FileInTree& file) {
  const double keys = static_cast<double>(std::max<uint64_t>(file.keys, 1));
  const double bits = 8 * static_cast<double>(file.filter_bytes) / keys;
  return {file.level, file.below, std::lround(8 * std::log2(keys)), std::lround(32 * bits)};
}

// Returns whether the rate is that of bits_per_key, as for filters of SstFileWriter, which knows no
// tree. `winnow inspect` compares such filters with the plan; the LOG does not, as their writer
// could not build others.
bool IsUniform(double rate, const PolicyOptions& policy) {
  const double uniform = core::RateForBits(policy.bits_per_key);
  return rate <= kAsGood * uniform && uniform <= kAsGood * rate;
}

// Returns whether a file's filter was made for another place. Rates by files or by lookups do not
// depend on levels.
bool IsMoved(const WatchedFile& file) {
  if (!file.is_ours) return false;
  if (file.filter_bytes == 0) return file.below >= 0;
  return file.is_from_elsewhere;
}

}  // namespace

core::PlacedFilter PlaceFilter(const PolicyOptions& policy, const KnownTree& tree, int levels,
                               const FileInTree& file) {
  core::PlacedFilter filter;
  filter.level = file.level;
  filter.keys = static_cast<double>(file.keys);
  filter.bytes = static_cast<double>(file.filter_bytes);
  filter.policy = PlannedWhereItLies(policy, tree, levels, file.level, file.below);
  filter.gets_none = file.level > 0 && file.below < 0 && !tree.last_level_has_filters;
  return filter;
}

std::string MovedFilesLine(const PolicyOptions& policy, const KnownTree& by_options,
                           const std::string& family, std::vector<WatchedFile> files) {
  if (policy.build != Build::kWinnow || policy.level_plan == LevelPlan::kUniform ||
      policy.filter_memory > 0) {
    return {};
  }
  SetBelow(&files);
  KnownTree tree = by_options;
  for (const WatchedFile& file : files) tree = WithLevel(tree, file.level);
  std::vector<core::PlacedFilter> placed;
  std::map<RateKey, double> rates;  // cache, as each takes 0.1 ms
  for (const WatchedFile& file : files) {
    core::PlacedFilter filter = PlaceFilter(policy, tree, -1, file);
    filter.is_moved = IsMoved(file);
    if (filter.is_moved) {
      const auto [rate, is_new] = rates.try_emplace(RateKeyOf(file), 1);
      if (is_new) rate->second = core::RateOfSize(filter.keys, filter.bytes, filter.policy);
      filter.rate = rate->second;
      filter.is_moved = !IsUniform(filter.rate, policy);
    }
    placed.push_back(filter);
  }
  std::string line;
  for (const std::string& sentence :
       core::ToSentences(core::FindMovedFilters(placed), policy.level_plan,
                         " of column family '" + family + "'")) {
    line += (line.empty() ? "" : "; ") + sentence;
  }
  return line;
}

}  // namespace winnow::plugin
