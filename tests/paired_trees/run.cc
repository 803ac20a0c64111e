#include "tests/paired_trees/run.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/base/random.h"
#include "src/cli/progress.h"

namespace winnow::paired_trees {
namespace {

// Lookups by which a tree is judged.
constexpr size_t kAtALook = 4'000;
constexpr size_t kAtRest = 20'000;

// Returns about n absent keys, each next to a key, evenly distributed over the keys of the files.
std::vector<Lookup> ByKeys(const PairedFiles& files, size_t n) {
  size_t keys = 0;
  for (const auto& file : files) keys += file->numbers.size();
  const size_t step = std::max<size_t>(1, keys / n);
  std::vector<Lookup> lookups;
  for (const auto& file : files) {
    for (size_t i = step / 2; i < file->numbers.size(); i += step) {
      lookups.push_back({file->numbers[i] + 1, false});
    }
  }
  return lookups;
}

// Memory of a policy's filters.
double BitsPerKey(const PairedFiles& files, size_t policy) {
  double bytes = 0;
  double keys = 0;
  for (const auto& file : files) {
    bytes += static_cast<double>(file->filters[policy].size());
    keys += static_cast<double>(file->numbers.size());
  }
  return 8 * bytes / keys;
}

void GrowUnderLookups(const Skew& skew, SkewedWork* work, Tree* tree) {
  constexpr uint64_t kBatch = 100;  // writes after which lookups follow
  constexpr uint64_t kLookups = 250;
  bench::Random random(1);
  while (work->written() < work->writes()) {
    tree->Put(work->NextWrite());
    if (!skew.while_it_grows || work->written() % kBatch != 0) continue;
    for (uint64_t i = 0; i < kLookups; ++i) {
      const Lookup lookup = work->Draw(&random);
      if (tree->Has(lookup.number) == lookup.present) continue;
      throw std::runtime_error("a lookup gave a wrong result: the database or a filter is wrong");
    }
  }
  tree->Rest();
}

std::vector<Lookup> Sample(const SkewedWork& work, size_t n) {
  bench::Random random(work.written());
  std::vector<Lookup> lookups;
  for (size_t i = 0; i < n; ++i) lookups.push_back(work.Draw(&random));
  return lookups;
}

rocksdb::Options OptionsOf(const Cell& cell, uint64_t divide_sizes) {
  const uint64_t file = (64 << 20) / divide_sizes;
  rocksdb::Options options;
  Check(rocksdb::GetOptionsFromString(
      rocksdb::ConfigOptions(), {},
      absl::StrCat("create_if_missing=true;compression=kNoCompression;max_background_jobs=2;"
                   "level_compaction_dynamic_level_bytes=true;write_buffer_size=",
                   file, ";target_file_size_base=", file, ";max_bytes_for_level_base=", 4 * file,
                   ";", cell.options),
      &options));
  return options;
}

}  // namespace

std::vector<TreeResult> RunTree(const Cell& cell, uint64_t keys, uint64_t divide_sizes,
                                uint64_t seed, const std::vector<PairedPolicy>& policies) {
  const PairedPolicies paired(policies);
  rocksdb::Options options = OptionsOf(cell, divide_sizes);
  paired.SetIn(&options);
  Tree tree(options, cell.prefix);
  keys = static_cast<uint64_t>(cell.share * static_cast<double>(keys));
  std::optional<SkewedWork> work;
  if (cell.skew) work.emplace(*cell.skew, keys, seed);
  std::vector<TreeResult> results(policies.size());
  // Adds a look; `figure` gets the false reads of these lookups.
  const auto look = [&](double TreeResult::*figure, size_t lookups) {
    const PairedFiles files = paired.FilesOf(tree.db());
    if (files.empty()) return;
    const std::vector<double> reads =
        FalseReads(files, work ? Sample(*work, lookups) : ByKeys(files, lookups));
    for (size_t i = 0; i < results.size(); ++i) {
      results[i].bits.push_back(BitsPerKey(files, i));
      const double at_equal_memory = std::exp2(results[i].bits.back() - results[0].bits.back());
      results[i].*figure += at_equal_memory * reads[i];
      for (const auto& file : files) {
        const auto width = static_cast<double>(file->numbers.back() - file->numbers.front());
        results[i].by_range += at_equal_memory * file->rates[i] * width;
      }
    }
  };
  cli::ProgressLine progress("paired_trees");
  uint64_t looks = 0;
  tree.Watch(std::max<uint64_t>(1, (work ? work->writes() : keys) / kLooks), [&] {
    progress.Set(cell.name, looks++, kLooks);
    look(&TreeResult::growing, kAtALook);
    tree.Settle(std::chrono::milliseconds(2), 50);  // on slow machines, too, compactions keep pace
  });
  if (work) {
    GrowUnderLookups(*cell.skew, &*work, &tree);
  } else {
    cell.grow(&tree, keys, seed);
  }
  look(&TreeResult::at_rest, kAtRest);
  if (results[0].bits.size() < 2) {
    throw std::runtime_error("a tree of " + cell.name + " has no filters; give it more --keys");
  }
  return results;
}

Ratios RatiosOf(const TreeResult& policy, const TreeResult& to) {
  double memory = 0;
  double mean = 0;
  double most = 0;
  for (size_t i = 0; i < policy.bits.size(); ++i) {
    memory = policy.bits[i] / to.bits[i];
    mean += memory / static_cast<double>(policy.bits.size());
    most = std::max(most, memory);
  }
  return {memory,
          mean,
          most,
          policy.growing / to.growing,
          policy.at_rest / to.at_rest,
          policy.by_range / to.by_range};
}

Mean MeanOf(const std::vector<double>& trees) {
  // Student's t at 97.5 % of up to five trees; of many, as of all cells, it is normal.
  static constexpr double kT[] = {0, 12.706, 4.303, 3.182, 2.776};
  const double t = trees.size() <= std::size(kT) ? kT[trees.size() - 1] : 1.96;
  const auto n = static_cast<double>(trees.size());
  double sum = 0;
  for (const double tree : trees) sum += std::log(tree);
  const double mean = std::exp(sum / n);
  double squares = 0;
  for (const double tree : trees) squares += std::pow(std::log(tree / mean), 2);
  const double half = t * std::sqrt(squares / std::max(1.0, n - 1) / n);
  return {mean, {mean * std::exp(-half), mean * std::exp(half)}};
}

}  // namespace winnow::paired_trees
