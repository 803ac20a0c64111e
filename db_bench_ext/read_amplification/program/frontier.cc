#include "db_bench_ext/read_amplification/program/frontier.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "db_bench_ext/read_amplification/report/policy_text.h"

namespace winnow::bench {

absl::StatusOr<std::vector<double>> ParseFrontier(std::string_view list) {
  std::set<double> bits;
  if (list.empty()) return std::vector<double>();
  for (const absl::string_view text :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    double number = 0;
    if (!absl::SimpleAtod(text, &number) || !(number >= 1 && number <= 100)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--frontier has '", text,
                       "', where bits per key from 1 to 100 were expected, "
                       "as in --frontier=6,8,10,12"));
    }
    bits.insert(number);
  }
  return std::vector<double>(bits.begin(), bits.end());
}

absl::StatusOr<std::vector<FrontierPolicy>> FrontierPolicies(const std::vector<Policy>& asked,
                                                             const std::vector<double>& bits) {
  std::vector<FrontierPolicy> policies;
  std::set<std::string> known;
  for (const Policy& policy : asked) known.insert(policy.asked);
  for (const Policy& policy : asked) {
    for (const double b : bits) {
      const std::optional<std::string> text = inspect::WithBits(policy.asked, b);
      if (!text || inspect::BitsOf(policy.asked) == b || !known.insert(*text).second) continue;
      absl::StatusOr<Policy> varied = MakePolicy(*text);
      if (!varied.ok()) return varied.status();
      policies.push_back({policy.asked, b, *std::move(varied)});
    }
  }
  return policies;
}

absl::StatusOr<std::vector<inspect::FrontierPoint>> RunFrontier(
    const RunOptions& options, const std::vector<FrontierPolicy>& policies, const RunData& data,
    const WorkFolder& folder, Progress* progress, const std::atomic<bool>* stop) {
  RunOptions counted = options;
  counted.timed_reads = 0;
  counted.timed_rounds = 0;
  std::vector<inspect::FrontierPoint> points;
  const size_t at_once = std::max<size_t>(1, options.trees_at_once);
  for (size_t begin = 0; begin < policies.size(); begin += at_once) {
    const size_t end = std::min(policies.size(), begin + at_once);
    std::vector<Policy> batch;
    for (size_t i = begin; i < end; ++i) batch.push_back(policies[i].policy);
    absl::StatusOr<std::unique_ptr<WorkFolder>> trees =
        WorkFolder::Open(absl::StrCat(folder.path(), "/frontier"), false);
    if (!trees.ok()) return trees.status();
    absl::StatusOr<std::vector<inspect::PolicyResult>> results =
        Run(counted, batch, data, trees->get(), progress, stop);
    if (!results.ok()) return results.status();
    for (size_t i = begin; i < end; ++i) {
      points.push_back({policies[i].varied, policies[i].bits, std::move((*results)[i - begin])});
    }
  }
  return points;
}

}  // namespace winnow::bench
