// Lookups and seeks in a RocksDB trace, which DB::StartTrace() and DB::EndTrace() write.
// IsTraceFile() in src/text/key_list.h distinguishes a trace from a list of lines.

#ifndef WINNOW_SRC_DATABASE_LOOKUP_TRACE_H_
#define WINNOW_SRC_DATABASE_LOOKUP_TRACE_H_

#include <absl/functional/function_ref.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <functional>
#include <string>

namespace winnow::inspect {

struct TraceNotes {
  uint64_t lookups = 0;  // lookups in the requested column family; each key of a MultiGet counts
  uint64_t of_other_families = 0;  // lookups in other column families
  uint64_t writes = 0;             // write batches
  uint64_t taken_seeks = 0;        // visited seeks of the family's iterators
  uint64_t seeks = 0;              // other seeks of iterators
  uint64_t others = 0;             // other records
  // Position and reason if reading stopped before the end that EndTrace() writes; else empty.
  std::string cut_off;

  // Returns a remark for people, beginning with "name: ", without a full stop; may be empty.
  std::string Sentence() const;
};

// Seek() of an iterator. SeekToFirst() with a lower bound is recorded as a seek to the bound;
// RocksDB records neither SeekToFirst() without a lower bound nor SeekToLast(), nor the length of
// scans.
struct TracedSeek {
  absl::string_view key;
  absl::string_view upper_bound;  // empty: no upper bound, or a trace of version 0.1
};
using VisitSeek = std::function<void(const TracedSeek& seek)>;

// Calls `visit` for each Get and each key of each MultiGet in the column family with this ID, in
// the order of the trace. Calls `visit_seek`, if set, for each Seek in the column family. Keys are
// valid only during the call. A trace without its end, as when the program was killed, or with
// damage is read up to there. Returns an empty string, or a sentence that names the file if it is
// unreadable, no regular file, no trace, or of a version other than 0.1 and 0.2, which RocksDB
// writes up to 11.9.
//
// RocksDB's own trace reader is not used: it needs a database, and if built with assertions, as
// Debian's, it aborts on a damaged trace.
std::string VisitTrace(const std::string& path, uint32_t family,
                       absl::FunctionRef<void(absl::string_view key)> visit, TraceNotes* notes,
                       const VisitSeek& visit_seek = nullptr);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_LOOKUP_TRACE_H_
