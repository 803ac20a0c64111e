#include "tests/distributed/events.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace winnow::distributed {

const char* Name(Event event) {
  static constexpr const char* kNames[] = {
      "opened",         "done",       "not_taken",     "worker_died",   "worker_failed",
      "filter_equal",   "different",  "of_rocksdb",    "no_filter",     "live_and_named",
      "live_not_named", "live_equal", "said_in_a_log", "tree_not_known"};
  static_assert(std::size(kNames) == static_cast<size_t>(Event::kEnd));
  return kNames[static_cast<size_t>(event)];
}

Events::Events(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (file_ < 0) throw std::runtime_error("can't write " + path + ": " + std::strerror(errno));
}

Events::~Events() { close(file_); }

void Events::Add(Event event, const std::string& what) {
  std::string line = std::string(Name(event)) + " " + what;
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  // A single write(), so that lines of several threads do not mix.
  if (write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::runtime_error("can't write " + path_ + ": " + std::strerror(errno));
  }
}

std::map<Event, uint64_t> CountEvents(const std::string& path) {
  std::map<std::string, uint64_t> by_name;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) ++by_name[line.substr(0, line.find(' '))];
  std::map<Event, uint64_t> counts;
  for (int i = 0; i < static_cast<int>(Event::kEnd); ++i) {
    const Event event = static_cast<Event>(i);
    counts[event] = by_name[Name(event)];
  }
  return counts;
}

}  // namespace winnow::distributed
