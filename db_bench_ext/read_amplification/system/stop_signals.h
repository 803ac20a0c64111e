// Signals that end a run early but cleanly.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STOP_SIGNALS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STOP_SIGNALS_H_

#include <atomic>

namespace winnow::bench {

// Installs handlers that record SIGINT, SIGTERM and SIGHUP instead of ending the process; signals
// that were ignored at the start, as by nohup, stay ignored. A pipe without a reader causes a write
// error instead of SIGPIPE. Call once, before other threads are started.
void CatchStopSignals();

// Returns a flag that is true once one of the signals was received. Valid as long as the process.
const std::atomic<bool>* StopAsked();

// Returns the exit status for a received signal, 128 + the number of the first one; 0 if none was
// received.
int StopStatus();

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STOP_SIGNALS_H_
