// The lookups and seeks in a trace of RocksDB's, as a program writes it from DB::StartTrace on to
// DB::EndTrace. IsTraceFile() of src/text/key_list.h tells one from a list of lines.

#ifndef WINNOW_SRC_DATABASE_LOOKUP_TRACE_H_
#define WINNOW_SRC_DATABASE_LOOKUP_TRACE_H_

#include <absl/functional/function_ref.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <functional>
#include <string>

namespace winnow::inspect {

struct TraceNotes {
  uint64_t lookups = 0;            // of the family that was asked for, each key of a MultiGet
  uint64_t of_other_families = 0;  // lookups as well
  uint64_t writes = 0;             // batches
  uint64_t taken_seeks = 0;        // of the family's iterators, that were visited
  uint64_t seeks = 0;              // of iterators, the others
  uint64_t others = 0;             // records of other kinds
  // Lookups that a MultiGet has besides its first one of the family.
  uint64_t joined = 0;
  // The MultiGets are of a RocksDB before 9.0, or of one that is not known. That reads those that
  // take vectors key by key, and the others together; the trace does not tell which are which.
  bool may_read_one_by_one = false;
  // Where and why no more was read, before the end that EndTrace writes; empty: all was.
  std::string cut_off;

  // Says what a person should know of it, from "name: " on, without a full stop; empty: nothing.
  std::string Sentence() const;
};

// A Seek of an iterator. SeekToFirst is one to the lower bound; without such a bound RocksDB does
// not write it, nor SeekToLast. How far a scan goes on is in no trace.
struct TracedSeek {
  absl::string_view key;
  absl::string_view upper_bound;  // empty: it has none, or the trace is of version 0.1
};
using VisitSeek = std::function<void(const TracedSeek& seek)>;

// Calls visit for each Get and each key of each MultiGet of the column family with this number, in
// the order of the trace, and tells whether the MultiGet is that of the lookup before. A trace that
// ends before its end, as when the program was killed, or that is damaged from somewhere on, is
// read up to there. Empty, or a sentence that names the file: it can't be read, is none, or is of a
// version of traces other than 0.1 and 0.2, which RocksDB writes up to 11.9. Only regular files.
// With visit_seek, calls that for each Seek of the family, too. The bytes live until it returns.
//
// RocksDB's own reader of traces is not used: it needs a database, and where it was built with
// assertions, as Debian's, it ends the program on a damaged trace.
std::string VisitTrace(const std::string& path, uint32_t family,
                       absl::FunctionRef<void(absl::string_view key, bool joins)> visit,
                       TraceNotes* notes, const VisitSeek& visit_seek = nullptr);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_LOOKUP_TRACE_H_
