// Which lines were seen: one filter, filters that grow, or two generations.

#ifndef WINNOW_STREAMS_DEDUP_SEEN_LINES_H_
#define WINNOW_STREAMS_DEDUP_SEEN_LINES_H_

#include <absl/status/status.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "winnow/amq/blocked_bloom.h"
#include "winnow/hash.h"

namespace winnow::dedup {

// Lines that are handed over at once: their misses overlap, but for the last ones of a batch.
inline constexpr size_t kBatch = 256;

// Most batches that are brought and not added yet.
inline constexpr size_t kMaxBatches = 4;

// A filter is made for this much more than its capacity, so that it is past the capacity before it
// is past the rate.
inline constexpr double kHeadroom = 1.01;
uint64_t WithHeadroom(uint64_t capacity);

// New lines, past this capacity, after which the rate is looked at again.
inline uint64_t LinesBetweenChecks(uint64_t capacity) {
  return std::max<uint64_t>(capacity / 400, 16);
}

// The filter for so many lines, and a few more: with a block less for each line than
// BlockedBloom::ShapeFor where that takes at most 5 % more memory, as misses are what it costs.
amq::BlockedShape ShapeForLines(uint64_t capacity, double rate);

// Checks the plan of new generations of this fixed size, which have the rate together: an error if
// so many lines have equal hashes too often for that.
absl::Status CheckNewPlan(uint64_t capacity, double rate, unsigned generations = 1);

class SeenLines {
 public:
  virtual ~SeenLines() = default;

  // To be called before the first line, and takes what the filter needs of memory and of the disk:
  // nothing of either is taken where no line comes. Errors are sentences; throws std::bad_alloc or
  // std::length_error where memory does not hold it.
  virtual absl::Status Begin() { return absl::OkStatus(); }

  // Remembers n lines, at most most_at_once(), in turn. is_new[i]: whether line i was surely not
  // seen, or is uncertain. Throws std::bad_alloc only if the filter grows; some lines may then be
  // remembered. An error ends the stream, and every is_new[i] is assigned all the same.
  virtual absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) = 0;

  // Returns whether an Add that gave an error did not remember line i. It is neither new nor seen
  // then, and a later run finds out which.
  virtual bool IsLeftOut(size_t i) const {
    static_cast<void>(i);
    return false;
  }

  virtual size_t most_at_once() const { return kBatch; }

  // Where it brings lines, so many at once: each is handed over to Bring before Add, in the same
  // order, and what Add reads is on its way meanwhile. At most kMaxBatches batches wait for Add.
  virtual size_t brought_at_once() const { return 0; }
  virtual void Bring(const KeyHash*, size_t) {}

  // Text for the totals beside the numbers below, behind the size.
  virtual std::string Remark() const { return ""; }

  // Forgets all but what was added since the last call. Of generations only.
  virtual void Rotate() {}

  // Makes what was added known to later runs, where there are any; to be called when its output is
  // written. Finish ends a run with it. Both do nothing before Begin. Errors are sentences.
  virtual absl::Status Keep() { return absl::OkStatus(); }
  virtual absl::Status Finish() { return absl::OkStatus(); }

  // Lines that changed the filter that lines are added to now. As the next two, 0 before Begin.
  virtual uint64_t num_added() const = 0;
  virtual size_t size_bytes() const = 0;

  // The chance that a new line counts as seen, now. Reads all of the filter.
  virtual double RateNow() const = 0;
};

// A filter of fixed size.
std::unique_ptr<SeenLines> MakeFixed(uint64_t capacity, double rate);

// Filters that grow and keep the rate, however many lines there are.
std::unique_ptr<SeenLines> MakeGrowing(uint64_t first_capacity, double rate);

// Two generations of this capacity each, which have the rate together.
std::unique_ptr<SeenLines> MakeGenerations(uint64_t capacity, double rate);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_SEEN_LINES_H_
