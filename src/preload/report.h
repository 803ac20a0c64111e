// What the interposer says on stderr. Every line begins with "winnow: ".

#ifndef WINNOW_SRC_PRELOAD_REPORT_H_
#define WINNOW_SRC_PRELOAD_REPORT_H_

#include <string>

#include "src/rocksdb/counters.h"

namespace winnow::preload {

// Writes a line, unless the same one was written by this process before. One write, so that lines
// of several threads or processes don't mix. Never throws. Safe from any thread.
void SayOnce(const std::string& line) noexcept;

// Writes the line and ends the process with status 1, at once: nothing that the program registered
// for its end is run, since it may be in the middle of anything.
[[noreturn]] void EndProgram(const std::string& line) noexcept;

// From now on this process says its totals when it ends by exit() or by leaving main(). A process
// that it forks doesn't, unless it calls this as well. Safe from any thread.
void SayTotalsAtExit() noexcept;

// The line with the totals, without its beginning and end.
std::string TotalsLine(const plugin::Counters& totals);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_REPORT_H_
