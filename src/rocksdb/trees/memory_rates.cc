#include "src/rocksdb/trees/memory_rates.h"

#include <algorithm>
#include <cmath>

#include "src/rocksdb/trees/file_rates.h"

namespace winnow::plugin {
namespace {

// Appends trees of which only sums are known: each level is one file.
void AppendSums(const TreeFiles::Sums& sums, const TreeRates::Rule& rule,
                std::vector<RatedFile>* all) {
  double below = 0;
  for (auto level = sums.levels.rbegin(); level != sums.levels.rend(); ++level) {
    if (!(level->keys > 0)) continue;
    const bool has_filters = rule.last_level_has_filters() || level != sums.levels.rbegin();
    if (has_filters) {
      RatedFile& file = all->emplace_back();
      file.keys = level->keys;
      file.SetReach(rule.is_alike ? level->keys : sums.keys * rule.ReachWith(below / sums.keys));
    }
    below += level->keys;
  }
}

double Solve(const std::vector<RatedFile>& files, const MemoryRates::Asked& asked, double near) {
  double keys = 0;
  for (const RatedFile& file : files) keys += file.keys;
  if (!(keys > 0)) return -kMostLog2Lambda;
  RateMemory memory;  // unit: bits per key
  memory.uniform_bits = 1;
  memory.built_to_expected = 8 * asked.bytes_a_bit;
  memory.target = 8 * MemoryRates::kAim * asked.rule.memory / keys;
  memory.least_bits = 0;
  memory.most_bits = asked.most_bits;
  return Log2LambdaFor(files, memory, near);
}

}  // namespace

// Updates the weights. The regression precedes the update of the heat by the new samples: those
// samples were not known when the files were written, so that chance does not look like lasting
// heat.
void MemoryRates::SetWeights(const std::vector<Tree>& trees, bool by_lookups) {
  struct Now {
    double keys;
    double more_keys;     // written since the last update
    double more_samples;  // samples since the last update
  };
  std::vector<Now> now;
  Now all{};
  for (const Tree& tree : trees) {
    Lookups& lookups = *tree.lookups;
    const TreeFiles::Written written = tree.files->written();
    // Another thread may have made a later update.
    const uint64_t samples = std::max(tree.files->samples().total(), lookups.samples);
    now.push_back({written.alive, std::max(written.keys - lookups.written, 0.0),
                   static_cast<double>(samples - lookups.samples)});
    lookups.written += now.back().more_keys;
    lookups.samples = samples;
    lookups.log2_weight = 0;
    if (!tree.is_sampled) lookups.recent = 0;
    if (!tree.is_sampled || !(written.alive > 0)) now.back() = {};
    all.keys += now.back().keys;
    all.more_keys += now.back().more_keys;
    all.more_samples += now.back().more_samples;
  }
  if (!(all.keys > 0)) return;
  const double times = all.more_keys / all.keys;
  const double fades = std::exp2(-times / kWritesHalfLife);
  together_ *= fades;
  then_ *= fades;
  const double older = std::exp2(-times - all.more_samples / kHalfLife);
  double recent = 0;
  double count = 0;  // number of trees with keys
  for (size_t i = 0; i < trees.size(); ++i) {
    Lookups& lookups = *trees[i].lookups;
    const double part = now[i].keys / all.keys;
    together_ += (now[i].more_samples - part * all.more_samples) * lookups.then;
    then_ += part * all.more_samples * lookups.then_squared;
    lookups.recent = older * lookups.recent + now[i].more_samples;
    if (part > 0) {
      recent += lookups.recent;
      ++count;
    }
  }
  const double lasts = std::clamp((together_ + kGuess) / (then_ + kGuess), 0.0, kMostLasts);
  for (size_t i = 0; i < trees.size(); ++i) {
    Lookups& lookups = *trees[i].lookups;
    double heat = 0;
    const double part = now[i].keys / all.keys;
    if (by_lookups && part > 0 && recent >= kMinSamples * count) {
      const double assumed = kPseudoCount * count;
      heat = (lookups.recent + assumed * part) / ((recent + assumed) * part) - 1;
    }
    const double anew = part > 0 ? std::min(now[i].more_keys / now[i].keys, 1.0) : 0;
    lookups.then += anew * (heat - lookups.then);
    lookups.then_squared += anew * (heat * heat - lookups.then_squared);
    lookups.log2_weight = std::log2(1 + lasts * heat);
  }
}

double MemoryRates::Log2LambdaOf(const std::vector<Tree>& trees, const TreeFiles::Sums& elsewhere,
                                 const Asked& asked) {
  double written = 0;
  double keys = elsewhere.keys;
  const Lookups* own = nullptr;
  for (const Tree& tree : trees) {
    const TreeFiles::Written of_tree = tree.files->written();
    written += of_tree.keys;
    keys += of_tree.alive;
    if (tree.rates == asked.own) own = tree.lookups;
  }
  // Returns lambda for the file's tree. The lock is held.
  const auto of_tree = [&] { return log2_lambda_ - (own != nullptr ? own->log2_weight : 0); };
  // Independent of the tree that asks.
  const TreeRates::Rule rule = asked.rule.OfTree(true);
  double near = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const double much = TreeRates::kLookAgain * keys;
    const bool is_large = asked.file != nullptr &&
                          TreeRates::kFewFiles * static_cast<double>(asked.file->keys) > keys;
    const bool is_due = asked.is_anew || written_ < 0 || std::abs(written - written_) > much ||
                        std::abs(keys - keys_) > much || is_large || !(rule == rule_);
    if (!is_due) return of_tree();
    near = log2_lambda_;
    SetWeights(trees, asked.rule.by_lookups);
  }
  std::vector<RatedFile> all;
  for (const Tree& tree : trees) {
    const size_t before = all.size();
    if (tree.rates == asked.own) {
      tree.rates->AppendFiles(tree.files, asked.file, asked.job, asked.rule, &all);
    } else {
      const TreeRates::Rule of_other = asked.rule.OfTree(tree.rates->is_leveled());
      tree.rates->AppendFiles(tree.files, nullptr, nullptr, of_other, &all);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = before; i < all.size(); ++i) all[i].log2_reach += tree.lookups->log2_weight;
  }
  AppendSums(elsewhere, asked.rule, &all);
  const double lambda = Solve(all, asked, near);
  const std::lock_guard<std::mutex> lock(mutex_);
  log2_lambda_ = lambda;
  written_ = written;
  keys_ = keys;
  rule_ = rule;
  return of_tree();
}

}  // namespace winnow::plugin
