// Metrics file: a periodically rewritten file with all counters, for programs that do not serve
// Winnow's metrics.

#ifndef WINNOW_SRC_ROCKSDB_METRICS_FILE_H_
#define WINNOW_SRC_ROCKSDB_METRICS_FILE_H_

namespace winnow::plugin {

// Must be called when a database is opened with one of Winnow's policies, not when a policy is
// made: a process that has none in force would overwrite the file of one that has.
//
// Writes CountersAsPrometheusText() to the file that WINNOW_METRICS names: now, after 1, 2, 4 and 8
// seconds, then every 15 seconds, and when the process ends by exit() or by returning from main().
// The file stays then, so that a collector also sees short processes, and an alert one that comes
// back without Winnow. `%p` in the name becomes the process id, which each sample then has as label
// `pid`; no later process takes such a file over, so it is removed when the process ends, and one
// of a killed process when the next one begins (RemoveFilesOfEndedProcesses).
//
// Does nothing without WINNOW_METRICS, in a program that exports the variable
// winnow_keeps_no_metrics, as the tool does, or if this process has called it before; a forked
// process begins anew. Each write renames a temporary file in the same folder, so that readers,
// such as the textfile collector of node_exporter, see whole files. The name is read when the
// library is loaded, relative to the working directory at that time; it is ignored in a process
// with more rights than its caller (secure_getenv). A file that can't be written is reported on
// stderr once. Never throws. Thread-safe.
void KeepMetricsFile() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_METRICS_FILE_H_
