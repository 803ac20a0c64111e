// Reports files that compaction workers wrote (DB::OpenAndCompact in other processes) without
// Winnow's filters, or with filters of other options. RocksDB uses the worker's own table factory,
// whatever the database's options are, and tells nobody.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table_properties.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/remote/stated_rates.h"

namespace winnow::plugin {

// A worker's file of a column family whose filters Winnow's policy builds.
struct RemoteOutput {
  std::string path;
  std::string family;
  bool all_have_filters = false;  // the policy gives one to each file that has keys
  // If its filter is Winnow's, its rate must be in one of these; empty: any.
  std::vector<RateRange> rates = {};
  // Other files of the same job. If this file states no rate, theirs are looked at, one after the
  // other, only for their rate.
  std::vector<std::string> others = {};
  static constexpr size_t kMaxOthers = 8;
};

// Options with which an SstFileReader reads only a table's properties, and keeps nothing.
ROCKSDB_NAMESPACE::Options OptionsToReadProperties(ROCKSDB_NAMESPACE::Env* env);

// What the file has instead of the right filter, as the end of a sentence about it; empty if
// nothing is wrong. is_ours: its filter's bytes are Winnow's, whatever policy its properties name,
// as an interposed policy has RocksDB's name.
std::string FaultOfOutput(const ROCKSDB_NAMESPACE::TableProperties& properties, bool is_ours,
                          bool all_have_filters);

// The pace of a message that is repeated for one database.
class SayingPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kInterval{10};

  // Counts one more event. Unset if the message is not due now; else the number of events before
  // this one that no message has told.
  std::optional<size_t> Next(Time now);

  // The number of events that no message has told; they count as told then.
  size_t TakeUnsaid() noexcept { return std::exchange(unsaid_, 0); }

 private:
  std::optional<Time> last_;
  size_t unsaid_ = 0;
};

// Looks at such files, and reports in the database's LOG, and on stderr with WINNOW_LOG, which of
// them do not have the right filters. Of each database it reports the first file at once, then one
// every ten minutes with the number of the others, and at the close the number of those that are
// left.
//
// A thread of its own reads the files; it exists only while files wait. At most kMaxWaiting files
// wait. If there are more, or memory is short, files are left out, and the next line, or one at the
// close, says how many. Safe from any thread. In a forked process no files wait at first.
class RemoteOutputs {
 public:
  static constexpr size_t kMaxWaiting = 4096;

  RemoteOutputs();
  // Leaves out files that wait.
  ~RemoteOutputs();
  RemoteOutputs(const RemoteOutputs&) = delete;
  RemoteOutputs& operator=(const RemoteOutputs&) = delete;

  struct Database {
    const void* name = nullptr;  // whatever Closed is told
    ROCKSDB_NAMESPACE::Env* env = nullptr;
    std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log;  // may be null
    std::string folder = {};
  };
  // May throw std::bad_alloc; then these files are not looked at.
  void Look(const Database& database, std::vector<RemoteOutput> files);

  // The database's environment may be destroyed after this. So it waits until the first kMaxAtEnd
  // of its waiting files are read, and leaves out the others.
  static constexpr size_t kMaxAtEnd = 16;
  void Closed(const void* database) noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_
