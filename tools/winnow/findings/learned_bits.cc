#include "tools/winnow/findings/learned_bits.h"

#include <algorithm>
#include <map>
#include <utility>

namespace winnow::inspect {
namespace {

using Level = std::vector<const SstReport*>;
using Tree = std::map<int, Level>;

constexpr int kParts = 10;
constexpr double kLittle = 1.2;

// A file with less than this share of its level's mean keys per file is left out of the range of
// bits: the bits of a small filter depend on rounding.
constexpr double kRest = 0.25;

BitsOfLevel SumOf(int level, const Level& files) {
  BitsOfLevel sum;
  sum.level = level;
  sum.files = files.size();
  FilterTotals totals;
  for (const SstReport* file : files) totals.Add(*file);
  const double least_keys =
      kRest * static_cast<double>(totals.keys) / static_cast<double>(sum.files);
  for (const SstReport* file : files) {
    if (static_cast<double>(file->filter->keys) < least_keys) continue;
    const double bits = file->filter->bits_per_key;
    sum.least = sum.most == 0 ? bits : std::min(sum.least, bits);
    sum.most = std::max(sum.most, bits);
  }
  sum.mean = totals.bits_per_key();
  return sum;
}

// Returns the mean bits per key in each tenth of the level's keys. A file's bits are the same in
// all tenths that it overlaps.
std::vector<double> TenthsOf(Level files) {
  std::sort(files.begin(), files.end(),
            [](const SstReport* a, const SstReport* b) { return a->place < b->place; });
  double keys = 0;
  for (const SstReport* file : files) keys += static_cast<double>(file->filter->keys);
  const double part = keys / kParts;
  std::vector<double> tenths(kParts, 0);
  double begin = 0;
  for (const SstReport* file : files) {
    const double end = begin + static_cast<double>(file->filter->keys);
    for (int i = 0; i < kParts; ++i) {
      const double inside = std::min(end, (i + 1) * part) - std::max(begin, i * part);
      tenths[static_cast<size_t>(i)] += std::max(0.0, inside) / part * file->filter->bits_per_key;
    }
    begin = end;
  }
  return tenths;
}

}  // namespace

std::vector<LearnedBits> LearnedBitsOf(const std::vector<SstReport>& files) {
  std::map<FamilyName, Tree> trees;
  std::map<FamilyName, bool> learned;
  for (const SstReport& file : files) {
    if (!file.filter || !file.level || file.filter->keys == 0) continue;
    const FamilyName name{file.database, file.column_family};
    trees[name][*file.level].push_back(&file);
    const std::optional<BuiltFor>& built_for = file.filter->built_for;
    if (built_for && (built_for->level_plan == "learned" || built_for->rate_by == "lookups")) {
      learned[name] = true;
    }
  }
  std::vector<LearnedBits> all;
  for (const auto& [name, is_learned] : learned) {
    LearnedBits bits;
    bits.family = name;
    const Tree& tree = trees[name];
    for (const auto& [level, of_level] : tree) bits.levels.push_back(SumOf(level, of_level));
    if (std::none_of(bits.levels.begin(), bits.levels.end(),
                     [](const BitsOfLevel& level) { return level.most > kLittle * level.least; })) {
      continue;
    }
    if (tree.rbegin()->first > 0) bits.tenths = TenthsOf(tree.rbegin()->second);
    all.push_back(std::move(bits));
  }
  return all;
}

}  // namespace winnow::inspect
