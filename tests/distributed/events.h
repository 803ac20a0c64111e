// Event log of all processes and lives: a line each in one file, which outlives a kill.

#ifndef WINNOW_TESTS_DISTRIBUTED_EVENTS_H_
#define WINNOW_TESTS_DISTRIBUTED_EVENTS_H_

#include <cstdint>
#include <map>
#include <string>

namespace winnow::distributed {

enum class Event {
  kOpened,     // the database, by a primary
  kDone,       // a compaction by a worker
  kNotTaken,   // a job that no worker took in time: done by the primary, as the next two
  kDied,       // its worker did
  kFailed,     // the worker says why
  kEqual,      // a file of a worker's whose filter is the one that its keys give
  kDifferent,  // whose filter is another one of Winnow's
  kForeign,    // whose filter is one of RocksDB's policies
  kNone,       // that has none
  kNamed,      // a file of the database at the end that is not right, and that its LOG names
  kUnnamed,    // the same, and the LOG does not
  kRight,      // a file of the database at the end that has the filter that its keys give
  kSaid,       // a line in the LOG about files of workers
  kUntold,     // a compaction by a worker whose LOG has nothing of the tree that a plan goes by
  kEnd
};

// The name in the file and in summaries: words with underscores.
const char* Name(Event event);

// Safe from any thread. Throws std::runtime_error if the file can't be written.
class Events {
 public:
  explicit Events(const std::string& path);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void Add(Event event, const std::string& what);

 private:
  const std::string path_;
  const int file_;
};

// How many there were of each. Without such a file, none.
std::map<Event, uint64_t> CountEvents(const std::string& path);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_EVENTS_H_
