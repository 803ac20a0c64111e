// Counters in a file that is rewritten: metrics of programs that serve none of Winnow's.

#ifndef WINNOW_SRC_ROCKSDB_METRICS_FILE_H_
#define WINNOW_SRC_ROCKSDB_METRICS_FILE_H_

namespace winnow::plugin {

// Writes CountersAsPrometheusText() to the file that WINNOW_METRICS names: now, after 1, 2, 4 and 8
// seconds, every 15 seconds from then on, and when the process ends by exit() or by leaving main().
// Does nothing without WINNOW_METRICS, and from the second call in a process on; a forked process
// begins anew. Each time a temporary file in the same folder is renamed, so that readers, such as
// the textfile collector of node_exporter, see whole files. `%p` in the name is the process id,
// which each sample then has as label `pid`. The name is read when the library is loaded, relative
// to the folder of then; never in a process with more rights than its caller. A file that can't be
// written is reported on stderr once. Never throws. Safe from any thread.
void KeepMetricsFile() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_METRICS_FILE_H_
