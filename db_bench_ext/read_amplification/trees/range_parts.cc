#include "db_bench_ext/read_amplification/trees/range_parts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace winnow::bench {

std::vector<inspect::RangeOfLevel> PartsOfRange(const std::vector<RangeOfFilter>& filters,
                                                uint64_t end) {
  const double width = static_cast<double>(end) / inspect::kParts;
  std::map<int, inspect::RangeOfLevel> levels;
  for (const RangeOfFilter& filter : filters) {
    inspect::RangeOfLevel& sums = levels[filter.level];
    sums.level = filter.level;
    sums.keys.resize(inspect::kParts);
    sums.filter_bytes.resize(inspect::kParts);
    const auto first = static_cast<double>(filter.first);
    const double after = static_cast<double>(filter.last) + 1;
    for (size_t part = 0; part < inspect::kParts; ++part) {
      const double begin = width * static_cast<double>(part);
      const double overlap = std::min(after, begin + width) - std::max(first, begin);
      const double share = std::max(0.0, overlap) / (after - first);
      sums.keys[part] += share * static_cast<double>(filter.keys);
      sums.filter_bytes[part] += share * static_cast<double>(filter.filter_bytes);
    }
  }
  std::vector<inspect::RangeOfLevel> list;
  list.reserve(levels.size());
  for (auto& [level, sums] : levels) list.push_back(std::move(sums));
  return list;
}

}  // namespace winnow::bench
