// The hashes of the lines of the last seconds, oldest first.

#ifndef WINNOW_STREAMS_DEDUP_RECENT_LINES_H_
#define WINNOW_STREAMS_DEDUP_RECENT_LINES_H_

#include <chrono>
#include <cstddef>
#include <deque>

#include "winnow/hash.h"

namespace winnow::dedup {

// 8 bytes a line, and a little for each tenth of a second that has lines.
class RecentLines {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void Add(KeyHash hash, Time now);
  // Those that were added until then, but for what was added less than a tenth of a second before.
  void DropUntil(Time time);

  size_t size() const { return hashes_.size(); }
  KeyHash operator[](size_t i) const { return hashes_[i]; }

 private:
  // Lines that came within a tenth of a second.
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
