// Reports of files that compaction workers wrote (DB::OpenAndCompact in other processes) without
// Winnow's filters. RocksDB uses the worker's own table factory, whatever the database's options
// are, and does not report this.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_

#include <rocksdb/env.h>
#include <rocksdb/table_properties.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace winnow::plugin {

// Output files of a worker's compaction, in a column family whose filters Winnow's policy builds.
struct RemoteJob {
  const void* database = nullptr;  // key for Closed
  ROCKSDB_NAMESPACE::Env* env = nullptr;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log = {};  // may be null
  std::string folder = {};
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

// Rate limiter of a message that is repeated for one database.
struct SayingPace {
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kInterval{10};

  // Counts one more event. Returns nullopt if no message is due now; else the number of earlier
  // events without a message.
  std::optional<size_t> Next(Time now);

  std::optional<Time> last;
  size_t unsaid = 0;  // events without a message
};

// Checks such files, and reports lost filters in the database's LOG, and on stderr with
// WINNOW_LOG. Reports the first file of a database at once, then one every ten minutes with the
// number of compactions in between, and at its close the number of the remaining ones. Thread-safe.
class RemoteOutputs {
 public:
  // Reads files in this thread, without a lock. May throw std::bad_alloc.
  void Look(const RemoteJob& job);

  // Forgets the database, also if this throws std::bad_alloc.
  void Closed(const void* database);

 private:
  // Reports of a database, until it is closed.
  struct Told {
    std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log;
    std::string folder;
    SayingPace pace;
  };

  std::mutex mutex_;
  std::map<const void*, Told> told_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_
