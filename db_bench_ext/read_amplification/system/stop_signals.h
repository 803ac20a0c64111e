// Signals that end a run early, in good order.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STOP_SIGNALS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STOP_SIGNALS_H_

#include <atomic>

namespace winnow::bench {

// From now on SIGINT, SIGTERM and SIGHUP no longer end the process, but are remembered; one that
// the process was started to ignore, as by nohup, stays ignored. A pipe without a reader is an
// error of the write instead of a signal. Call it once, before other threads are started.
void CatchStopSignals();

// True once one of them has come. Lives as long as the process.
const std::atomic<bool>* StopAsked();

// Exit status that the process should end with then: 128 + the number of the first signal that
// came; 0 if none has.
int StopStatus();

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STOP_SIGNALS_H_
