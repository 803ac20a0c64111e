// Rows beside their rivals and a twin: what --rounds does.
//
// Times wander on a machine that others use too. So a row of ours, its twin and its rivals run one
// right after the other, round after round, in an order that turns around each time, and what
// counts are the medians of the ratios within rounds. The twin is the same once more: the same kind
// of filter with bytes of its own, of a plugin that was added also with a copy of the library;
// where a row has no such subject, the row itself. Its ratio to the row would be 1 on a machine
// without noise, so what it is instead tells which differences mean nothing.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROUNDS_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROUNDS_H_

#include <string>

namespace winnow::bench {

// Runs what --benchmark_filter matches, with twins and rivals, so many times each, and rows without
// a time by the key once. Prints a table on stdout, with the ratio of each row of ours to each of
// its rivals (below 1: ours is faster) and "not resolved" where the difference is within the
// quartiles of the twin's ratios. With a json_path, writes all runs there as Google Benchmark
// writes repetitions. To be called after all rows were registered. Returns the program's exit
// status: 1 where no row matches, one fails or the file can't be written, and stderr says which.
int RunInRounds(int rounds, const std::string& json_path);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROUNDS_H_
