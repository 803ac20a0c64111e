// Summary of a run, as text and as JSON.

#ifndef WINNOW_TESTS_STRESS_SUMMARY_H_
#define WINNOW_TESTS_STRESS_SUMMARY_H_

#include <string>

#include "tests/stress/supervisor.h"

namespace winnow::stress {

// Returns a table with a row per count and a column per kernel.
std::string Table(const StressResult& result);

// Returns one line of JSON, schema winnow.stress/1.
std::string JsonLine(const StressResult& result, const std::string& command, uint64_t seed);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SUMMARY_H_
