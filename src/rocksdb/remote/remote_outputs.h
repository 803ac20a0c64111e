// Reports files that compaction workers wrote (DB::OpenAndCompact in other processes) without
// Winnow's filters, or with filters of other options. RocksDB uses the worker's own table factory,
// whatever the database's options are, and tells nobody.

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

#include "src/rocksdb/remote/stated_rates.h"

namespace winnow::plugin {

// The files that a worker wrote in one compaction of a column family whose filters Winnow's policy
// builds.
struct RemoteJob {
  const void* database = nullptr;  // whatever Closed is told
  ROCKSDB_NAMESPACE::Env* env = nullptr;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log = {};  // may be null
  std::string folder = {};
  std::string family = {};
  bool all_have_filters = false;       // the policy gives one to each file that has keys
  const StatedRates* rates = nullptr;  // that Winnow's filters may have; null: any
  // The first one is looked at, and up to kMaxOthers others as long as those before can't be read
  // or rightly have no filter: a job has the same options for all its files.
  std::vector<std::string> paths = {};
  static constexpr size_t kMaxOthers = 8;
};

// Returns what the file has instead of the right filter, as the end of a sentence about it; empty
// if nothing is wrong. is_ours: its filter's bytes are Winnow's, whatever policy its properties
// name, as an interposed policy has RocksDB's name.
std::string FaultOfOutput(const ROCKSDB_NAMESPACE::TableProperties& properties, bool is_ours,
                          bool all_have_filters);

// The pace of a message that is repeated for one database.
struct SayingPace {
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kInterval{10};

  // Counts one more event. Unset if the message is not due now; else the number of events before
  // this one that no message has told.
  std::optional<size_t> Next(Time now);

  std::optional<Time> last;
  size_t unsaid = 0;  // events that no message has told
};

// Looks at such files, and reports in the database's LOG, and on stderr with WINNOW_LOG, those that
// do not have the right filters. Of each database it reports the first file at once, then one every
// ten minutes with the number of the compactions between, and at the close the number of those that
// are left. Safe from any thread.
class RemoteOutputs {
 public:
  // Reads files in this thread, without a lock. May throw std::bad_alloc.
  void Look(const RemoteJob& job);

  // May throw std::bad_alloc, and has forgotten the database then.
  void Closed(const void* database);

 private:
  // The reports of a database, until it is closed.
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
