// Event log of all processes: one line per event in a file, which survives kills.

#ifndef WINNOW_TESTS_DISTRIBUTED_EVENTS_H_
#define WINNOW_TESTS_DISTRIBUTED_EVENTS_H_

#include <cstdint>
#include <map>
#include <string>

namespace winnow::distributed {

enum class Event {
  kOpened,     // a primary opened the database
  kDone,       // a worker finished a compaction
  kNotTaken,   // no worker took the job in time, so the primary ran it
  kDied,       // the job's worker died, so the primary ran it
  kFailed,     // the worker reported an error, so the primary ran it
  kEqual,      // a worker's file has the filter that its keys give
  kDifferent,  // a worker's file has another Winnow filter
  kForeign,    // a worker's file has a filter of RocksDB's policies
  kNone,       // a worker's file has no filter
  kNamed,      // a file has a wrong filter at the end, and the LOG names it
  kUnnamed,    // a file has a wrong filter at the end, and the LOG does not name it
  kRight,      // a file has the right filter at the end
  kSaid,       // a line in the LOG about workers' files
  kUntold,     // a worker's compaction knew nothing of the tree, by its LOG
  kEnd
};

// Returns the event's name in the file and in summaries: words with underscores.
const char* Name(Event event);

// Writer of the event log. Thread-safe. Throws std::runtime_error if the file can't be written.
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

// Returns the number of events of each type; all are 0 if there is no such file.
std::map<Event, uint64_t> CountEvents(const std::string& path);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_EVENTS_H_
