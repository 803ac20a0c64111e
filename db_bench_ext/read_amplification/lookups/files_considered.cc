#include "db_bench_ext/read_amplification/lookups/files_considered.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::bench {
namespace {

bool Holds(const TreeFile& file, std::string_view key) {
  return file.smallest <= key && key <= file.largest;
}

size_t FilesHolding(const LevelFiles& levels, std::string_view key) {
  size_t n = 0;
  for (size_t level = 0; level < levels.size(); ++level) {
    const std::vector<TreeFile>& files = levels[level];
    if (level == 0) {
      n += static_cast<size_t>(std::count_if(
          files.begin(), files.end(), [&](const TreeFile& file) { return Holds(file, key); }));
      continue;
    }
    const auto file = std::partition_point(files.begin(), files.end(),
                                           [&](const TreeFile& f) { return f.largest < key; });
    if (file != files.end() && Holds(*file, key)) ++n;
  }
  return n;
}

}  // namespace

double FilesConsideredPerLookup(const LevelFiles& levels, const Lookups& lookups, uint64_t sample) {
  const uint64_t n = std::min(sample, lookups.count);
  if (n == 0) return 0;
  uint64_t files = 0;
  std::string room;
  for (uint64_t i = 0; i < n; ++i) files += FilesHolding(levels, lookups.at(i, &room).key);
  return static_cast<double>(files) / static_cast<double>(n);
}

}  // namespace winnow::bench
