// Files that compaction workers wrote, by DB::OpenAndCompact in other processes, without Winnow's
// filters, or with those of other options. RocksDB takes a worker's table factory from the worker
// alone, whatever the database's options are, and tells nobody.

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

namespace winnow::plugin {

// Of a family whose filters Winnow's policy builds.
struct RemoteOutput {
  std::string path;
  std::string family;
  bool all_have_filters = false;  // the policy gives one to each file that has keys
  // One of which its filter has to state, if it is Winnow's; empty: any.
  std::vector<double> rates = {};
  // Of the same job, whose filters are looked at one after the other, for their rate alone, where
  // this file states none.
  std::vector<std::string> others = {};
  static constexpr size_t kMaxOthers = 8;
};

// By which an SstFileReader reads nothing of a table but its properties, and keeps nothing.
ROCKSDB_NAMESPACE::Options OptionsToReadProperties(ROCKSDB_NAMESPACE::Env* env);

// What the file has in the place of its filter, as the end of a sentence about it; empty where
// nothing is wrong. is_ours: its filter's bytes are Winnow's, whatever the policy is called that
// its properties name: an interposed one has RocksDB's name.
std::string FaultOfOutput(const ROCKSDB_NAMESPACE::TableProperties& properties, bool is_ours,
                          bool all_have_filters);

// What is said again and again of one database.
class SayingPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kInterval{10};

  // Of one more: unset if it is not to be said now; else of how many was nothing said before it.
  std::optional<size_t> Next(Time now);

  // Of how many nothing was said, which then counts as said.
  size_t TakeUnsaid() noexcept { return std::exchange(unsaid_, 0); }

 private:
  std::optional<Time> last_;
  size_t unsaid_ = 0;
};

// Looks at such files, and says in the database's LOG, and on stderr where WINNOW_LOG asks for it,
// which have not the filters that they should: of each database the first at once, then one in ten
// minutes, with the number of the others, and when it is closed the number of the last ones.
//
// Files are read in a thread of its own, which there is only while files wait. At most kMaxWaiting
// do. How many were not looked at, as there were more or memory is short, the next line says, or
// one when the database is closed. Safe from any thread. A forked process begins with none.
class RemoteOutputs {
 public:
  static constexpr size_t kMaxWaiting = 4096;

  RemoteOutputs();
  // Leaves out what waits.
  ~RemoteOutputs();
  RemoteOutputs(const RemoteOutputs&) = delete;
  RemoteOutputs& operator=(const RemoteOutputs&) = delete;

  struct Database {
    const void* name = nullptr;  // whatever Closed is told
    ROCKSDB_NAMESPACE::Env* env = nullptr;
    std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log;  // may be null
    std::string folder = {};
  };
  // May throw std::bad_alloc; then nothing of these is known.
  void Look(const Database& database, std::vector<RemoteOutput> files);

  // Its environment may end after this: waits until its files are read, of which it leaves out all
  // but the first kMaxAtEnd.
  static constexpr size_t kMaxAtEnd = 16;
  void Closed(const void* database) noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_OUTPUTS_H_
