// Markdown tables of plans.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_PLAN_TABLE_H_
#define WINNOW_DB_BENCH_EXT_TUNING_PLAN_TABLE_H_

#include <string>
#include <vector>

namespace winnow::bench {

// A column of numbers.
struct PlanColumn {
  std::string title;
  int digits;  // after the decimal point
};

struct PlanRow {
  std::vector<double> numbers;  // one per column
  std::string levels;           // keys and bits by level
};

// Text above the tables of tune_levels.
inline constexpr char kIntroduction[] =
    "# What level plans cost and save\n\n"
    "Printed by `build/release/bin/tune_levels --folder=DIR`. Trees of RocksDB's own compaction, "
    "with\n"
    "its default sizes divided by 64: flushes and files of 1 MiB (some 26,000 keys), 4 MiB on the "
    "base level. Threads decide when\n"
    "compactions come, so that two runs grow two trees, and a row is one of many that might have "
    "been.\n\n"
    "*Memory to uniform* is that of the filters to that of uniform filters of 10 bits per key in "
    "the "
    "same files, *at any time* the most that it was while the tree grew. *False reads* are the sum "
    "of the\n"
    "rates that the filters of all files state in whose range a key lies, on an average over "
    "absent keys between the least and the\n"
    "greatest; *uniform, same memory* is what filters of one rate would have in the same files, at "
    "the bits_per_key that take what\n"
    "the plan's took. By level: keys, bits per key, and in brackets the files in whose range an "
    "absent key lies: RocksDB's small\n"
    "levels have gaps where files were merged down, and where they cover little, there is little "
    "to save.\n\n";

inline constexpr char kHeatIntroduction[] =
    "\n## Under lookups\n\n"
    "Here the tree is looked up while it grows, by the lookups of each row, and is then "
    "overwritten by as many writes as it\n"
    "has keys, so that its last level is rewritten. Absent keys lie between present ones. *False "
    "reads* are those of keys that are\n"
    "drawn as the lookups are at the end, of a present key by the filters above the file that has "
    "it. *Growing* is the mean over\n"
    "looks while the tree grows, each by the lookups of its time, and beside it the ratio to "
    "uniform filters of the same memory.\n"
    "*Counted* is what RocksDB counts of lookups at rest, and *blocks* those of data that were not "
    "in the block cache, which\n"
    "holds 5 % of the tree.\n\n";

inline constexpr char kMemoryIntroduction[] =
    "# What filter_memory holds\n\n"
    "Trees grow from a tenth of the keys for which the memory is bits_per_key to ten times as "
    "many. *Memory* is that of the filters\n"
    "to filter_memory, while the tree is at work: the most at any time, and the mean and the least "
    "since it first was full. *False reads* are\n"
    "expected of a lookup of an absent key, on a geometric average over sizes a factor of 1.3 "
    "apart, and beside it those of the same plan\n"
    "with bits_per_key, by trees of several values of it, for the same bits per key at the same "
    "size.\n\n";

inline constexpr char kLaggingIntroduction[] =
    "# What filter_memory holds while writes outrun compactions\n\n"
    "Trees grow as above, while compactions take in --pace files for each one that is flushed. "
    "*Level 0 small* are the looks at which\n"
    "level 0 had at most a tenth of the keys: the most memory, how many looks these are, and the "
    "most files of level 0 without\n"
    "filters.\n\n";

inline constexpr char kPairedIntroduction[] =
    "# Plans within one tree\n\n"
    "One tree grows with the filters of the first plan, and the others build their own filters of "
    "its files, which are dropped.\n"
    "*Memory to uniform* is that at the end, on an average over 40 looks while the tree grows, and "
    "the most. The other columns\n"
    "are ratios of false reads of absent keys, summed over the looks, at the memory of the first "
    "plan: a bit per key more counts as\n"
    "half of the false reads. *To the first* plan, with lookups that fall evenly over the keys, "
    "and *by range*, with such that\n"
    "fall evenly over the range of keys; *to uniform* filters of the plan's memory; and these "
    "relative to *exp(H)/R*, the best\n"
    "where each of R sorted runs covers all keys (H is the entropy of their shares of the "
    "keys).\n\n";

// Returns the table head with its separator line; `first` is the title of the column of names.
std::string PlanTableHead(const std::string& first, const std::vector<PlanColumn>& columns);

std::string PlanTableRow(const std::string& name, const std::string& plan,
                         const std::vector<PlanColumn>& columns, const PlanRow& row);

// Returns a row with the means and standard deviations of at least two rows.
std::string PlanTableMean(const std::string& name, const std::string& plan,
                          const std::vector<PlanColumn>& columns, const std::vector<PlanRow>& rows);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_PLAN_TABLE_H_
