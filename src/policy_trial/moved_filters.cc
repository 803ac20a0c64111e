#include "src/policy_trial/moved_filters.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "src/base/c_locale.h"
#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow::inspect {
namespace {

using base::Text;

struct Planned {
  double bytes;
  double rate;
};

Planned PlannedFor(const PlacedFilter& file) {
  if (file.gets_none || !NeedsFilter(file.policy)) return {0, 1};
  return {static_cast<double>(core::EstimateBytes(static_cast<uint64_t>(file.keys),
                                                  core::ForBuilding(file.policy))),
          core::PlannedRate(file.policy)};
}

void Add(const PlacedFilter& file, double more, MovedPart* part) {
  part->first_level = part->files == 0 ? file.level : std::min(part->first_level, file.level);
  part->last_level = std::max(part->last_level, file.level);
  ++part->files;
  part->keys += file.keys;
  part->more += more;
}

std::string FilesText(const MovedPart& part, const std::string& where) {
  const bool is_one = part.files == 1;
  const std::string levels = part.first_level == part.last_level
                                 ? Text("level %d", part.first_level)
                                 : Text("levels %d to %d", part.first_level, part.last_level);
  return Text("%zu %s", part.files, is_one ? "file" : "files") + where +
         Text(" with %.0f keys, on ", part.keys) + levels + (is_one ? ", has" : ", have");
}

std::string BytesText(double bytes) {
  return bytes < 1 << 20 ? Text("%.1f KiB", bytes / 1024) : Text("%.1f MiB", bytes / (1 << 20));
}

}  // namespace

MovedFilters FindMovedFilters(const std::vector<PlacedFilter>& tree) {
  std::map<int, double> keys;  // keys of each level
  for (const PlacedFilter& file : tree) keys[file.level] += file.keys;
  MovedFilters moved;
  double bytes = 0;
  double reads = 0;
  for (const PlacedFilter& file : tree) {
    if (file.keys < 1) continue;
    const Planned planned = PlannedFor(file);
    double lookups = file.level == 0 ? 1 : file.keys / keys[file.level];
    if (file.policy.levels_below == 0) lookups *= file.policy.absent_share;
    bytes += planned.bytes;
    reads += lookups * planned.rate;
    if (!file.is_moved) continue;
    if (file.rate < planned.rate) {
      Add(file, file.bytes - planned.bytes, &moved.large);
    } else {
      Add(file, lookups * (file.rate - planned.rate), &moved.weak);
    }
  }
  moved.large.of_whole = bytes > 0 ? moved.large.more / bytes : 0;
  moved.weak.of_whole = reads > 0 ? moved.weak.more / reads : 0;
  return moved;
}

std::vector<std::string> ToSentences(const MovedFilters& moved, LevelPlan level_plan,
                                     const std::string& where) {
  const std::string plan = "level_plan=" + std::string(ToString(level_plan));
  constexpr char kMend[] =
      "CompactRange over their keys, with bottommost_level_compaction=kForce, writes them anew";
  std::vector<std::string> sentences;
  if (moved.weak.of_whole >= kWeakThatMatters) {
    sentences.push_back(FilesText(moved.weak, where) +
                        Text(" filters that were made for another place, or none: a lookup makes "
                             "about %.2g more false reads than with what the policy builds "
                             "there (",
                             moved.weak.more) +
                        plan +
                        Text("), where all files together are to cost %.2g; ",
                             moved.weak.more / moved.weak.of_whole) +
                        "compactions that merge these files mend it; to have it done, " + kMend);
  }
  if (moved.large.of_whole >= kLargeThatMatters) {
    sentences.push_back(
        FilesText(moved.large, where) +
        " filters that were made for another place: they take about " +
        BytesText(moved.large.more) + " more than what the policy builds there (" + plan +
        Text("), %.0f %% of all filters by the policy; ", 100 * moved.large.of_whole) + kMend);
  }
  return sentences;
}

}  // namespace winnow::inspect
