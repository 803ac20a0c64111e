// Hashes of the lines of the last seconds, oldest first.

#ifndef WINNOW_STREAMS_DEDUP_RECENT_LINES_H_
#define WINNOW_STREAMS_DEDUP_RECENT_LINES_H_

#include <chrono>
#include <cstddef>
#include <deque>

#include "winnow/hash.h"

namespace winnow::dedup {

// Takes 8 bytes per line, plus a few bytes for each tenth of a second with lines.
class RecentLines {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void Add(KeyHash hash, Time now);
  // Drops the lines added until `time`, except those added less than a tenth of a second before it.
  void DropUntil(Time time);

  size_t size() const { return hashes_.size(); }
  KeyHash operator[](size_t i) const { return hashes_[i]; }

 private:
  // Lines that were added within a tenth of a second.
  struct Moment {
    Time first;
    Time last;
    size_t lines;
  };

  std::deque<KeyHash> hashes_;
  std::deque<Moment> moments_;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_RECENT_LINES_H_
