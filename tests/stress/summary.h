// Summary of a run, for people and for programs.

#ifndef WINNOW_TESTS_STRESS_SUMMARY_H_
#define WINNOW_TESTS_STRESS_SUMMARY_H_

#include <string>

#include "tests/stress/supervisor.h"

namespace winnow::stress {

// A row for each count and a column for each kernel.
std::string Table(const StressResult& result);

// One line, schema winnow.stress/1.
std::string JsonLine(const StressResult& result, const std::string& command, uint64_t seed);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SUMMARY_H_
