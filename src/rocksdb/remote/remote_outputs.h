// Detection of files that compaction workers wrote (DB::OpenAndCompact in other processes) without
// Winnow's filters. RocksDB uses the worker's own table factory, whatever the database's options
// are, and does not report this.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_

#include <rocksdb/env.h>
#include <rocksdb/table_properties.h>

#include <cstddef>
#include <string>
#include <vector>

namespace winnow::plugin {

// Output files of a worker's compaction, in a column family whose filters Winnow's policy builds.
struct RemoteJob {
  ROCKSDB_NAMESPACE::Env* env = nullptr;
  std::string folder = {};  // of the database
  std::string family = {};
  bool all_have_filters = false;  // true if the policy builds a filter for each file that has keys
  // Checks the first file, and up to kMaxOthers more while the files before can't be read or
  // rightly have no filter: a job uses equal options for all its files.
  std::vector<std::string> paths = {};
  static constexpr size_t kMaxOthers = 8;
};

// Returns what the file has instead of the right filter, as the end of a sentence about the file;
// empty if it is right. `is_ours` is true if its filter's bytes are Winnow's, whichever policy its
// properties name, as an interposed policy has RocksDB's name.
std::string FaultOfOutput(const ROCKSDB_NAMESPACE::TableProperties& properties, bool is_ours,
                          bool all_have_filters);

// Returns a line for the database's LOG about the first file of the job that lacks its filter, and
// what helps; empty if none is known to. Reads files in this thread. May throw std::bad_alloc.
std::string LostFilterLine(const RemoteJob& job);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_
