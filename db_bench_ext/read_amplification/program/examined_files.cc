#include "db_bench_ext/read_amplification/program/examined_files.h"

#include <optional>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "src/policy_trial/learned_trial.h"
#include "src/sst/sst_filters.h"

namespace winnow::bench {
absl::Status ExamineFiles(const GrownTree& tree, const std::atomic<bool>* stop,
                          inspect::PolicyResult* result, std::vector<RangeOfFilter>* filters) {
  const std::optional<PolicyOptions> winnow = inspect::WinnowPolicyOf(tree.policy.asked);
  const bool may_lack_filters =
      MayLackFilters(tree.options) || (winnow && winnow->absent_share == 0);
  result->policy = tree.policy.asked;
  std::vector<FoundFilter> found;
  for (size_t level = 0; level < tree.levels.size(); ++level) {
    if (tree.levels[level].empty()) continue;
    inspect::LevelShape shape;
    shape.level = static_cast<int>(level);
    for (const TreeFile& file : tree.levels[level]) {
      if (*stop) return absl::CancelledError("interrupted");
      const inspect::SstReport report = inspect::ReadSst(tree.path + file.name);
      if (!report.filter) return absl::InternalError(report.error.value_or("can't read a file"));
      const inspect::FilterSummary& filter = *report.filter;
      found.push_back({report.path, filter.policy_name, filter.kind, filter.fault.value_or(""),
                       level > 0 && may_lack_filters});
      ++result->filters[filter.kind];
      ++shape.filters[filter.kind];
      ++shape.files;
      shape.keys += file.keys;
      shape.filter_bytes += filter.bytes;
      if (filters == nullptr) continue;
      filters->push_back({shape.level, GeneratedKeys::NumberOf(file.smallest),
                          GeneratedKeys::NumberOf(file.largest), file.keys, filter.bytes});
    }
    result->files += shape.files;
    result->keys += shape.keys;
    result->filter_bytes += shape.filter_bytes;
    result->tree.push_back(shape);
  }
  if (absl::Status status = ProveInForce(tree.policy, found); !status.ok()) return status;
  result->in_force = found.front().policy_name;
  return absl::OkStatus();
}

}  // namespace winnow::bench
