#include "db_bench_ext/read_amplification/trees/compaction_plan.h"

#include <algorithm>

namespace winnow::bench {
namespace {

uint64_t Keys(const std::vector<TreeFile>& files) {
  uint64_t keys = 0;
  for (const TreeFile& file : files) keys += file.keys;
  return keys;
}

// Appends the names of the files with keys between smallest and largest.
void AddOverlapping(const std::vector<TreeFile>& files, const std::string& smallest,
                    const std::string& largest, std::vector<std::string>* names) {
  for (const TreeFile& file : files) {
    if (file.largest >= smallest && file.smallest <= largest) names->push_back(file.name);
  }
}

}  // namespace

// Returns the level with the highest ratio of size to target, if one exceeds its target.
std::optional<size_t> CompactionPlan::FullestLevel(const LevelFiles& levels, uint64_t level0_files,
                                                   const LevelSizes& sizes) const {
  std::optional<size_t> fullest;
  double highest = 1;
  if (!levels.empty() && levels[0].size() >= level0_files) {
    fullest = 0;
    highest = static_cast<double>(levels[0].size()) / static_cast<double>(level0_files);
  }
  for (size_t level = 1; level + 1 < levels.size(); ++level) {
    const double score =
        static_cast<double>(Keys(levels[level])) / static_cast<double>(sizes.most_keys[level]);
    if (score > highest) {
      highest = score;
      fullest = level;
    }
  }
  return fullest;
}

std::optional<Compaction> CompactionPlan::Next(const LevelFiles& levels, uint64_t level0_files) {
  std::vector<uint64_t> keys;
  keys.reserve(levels.size());
  for (const std::vector<TreeFile>& files : levels) keys.push_back(Keys(files));
  const LevelSizes sizes = SizesOfLevels(targets_, keys);
  const std::optional<size_t> level = FullestLevel(levels, level0_files, sizes);
  if (!level) return std::nullopt;
  const std::vector<TreeFile>& files = levels[*level];

  Compaction compaction;
  const size_t output = *level == 0 ? sizes.base_level : *level + 1;
  compaction.output_level = static_cast<int>(output);
  std::string smallest, largest;
  if (*level == 0) {
    smallest = files[0].smallest;
    for (const TreeFile& file : files) {
      compaction.files.push_back(file.name);
      smallest = std::min(smallest, file.smallest);
      largest = std::max(largest, file.largest);
    }
  } else {
    turns_.resize(std::max(turns_.size(), levels.size()));
    auto file = std::find_if(files.begin(), files.end(), [&](const TreeFile& candidate) {
      return candidate.smallest > turns_[*level];
    });
    if (file == files.end()) file = files.begin();
    turns_[*level] = file->largest;
    compaction.files.push_back(file->name);
    smallest = file->smallest;
    largest = file->largest;
  }
  AddOverlapping(levels[output], smallest, largest, &compaction.files);
  return compaction;
}

}  // namespace winnow::bench
