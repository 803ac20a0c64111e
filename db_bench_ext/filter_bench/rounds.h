// Interleaved measurement of rows, their rivals and a twin, for --rounds.
//
// Times fluctuate on a shared machine. A row of ours, its twin and its rivals therefore run
// directly after one another, round after round, in an order that is reversed each time; the
// results are medians of the ratios within rounds. The twin has the same kind of filter with its
// own bytes, and for an added library also with a copy of the library; if there is no such subject,
// it is the row itself. On a machine without noise its ratio to the row would be 1: the deviation
// shows which differences are insignificant.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROUNDS_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROUNDS_H_

#include <string>

namespace winnow::bench {

// Runs the rows that match --benchmark_filter, with twins and rivals, `rounds` times each, and rows
// without a time per key once. Prints a table to stdout with the ratio of each row of ours to each
// rival (below 1: ours is faster), and "not resolved" if the difference is within the quartiles of
// the twin's ratios. With a json_path, writes all runs there like Google Benchmark's repetitions.
// Must be called after all rows are registered. Returns the exit status: 1, with a message on
// stderr, if no row matches, a row fails, or the file cannot be written.
int RunInRounds(int rounds, const std::string& json_path);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROUNDS_H_
