// Set of the seen lines: one filter, growing filters, or two generations.

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

// Maximum lines per batch: the misses of a batch overlap, except those of its last lines.
inline constexpr size_t kBatch = 256;

// Maximum number of batches that are prefetched but not yet added.
inline constexpr size_t kMaxBatches = 4;

// Factor of the capacity that a filter is built for, so that it exceeds the capacity before it
// exceeds the rate.
inline constexpr double kHeadroom = 1.01;
uint64_t WithHeadroom(uint64_t capacity);

// Returns the number of new lines, past this capacity, between checks of the rate.
inline uint64_t LinesBetweenChecks(uint64_t capacity) {
  return std::max<uint64_t>(capacity / 400, 16);
}

// Returns the shape for so many lines plus the headroom. Has one block per line less than
// BlockedBloom::ShapeFor() if that takes at most 5 % more memory, since cache misses dominate the
// cost.
amq::BlockedShape ShapeForLines(uint64_t capacity, double rate);

// Checks the plan of `generations` new generations of this fixed size, which together have the
// rate. Returns an error if equal hashes are too frequent with so many lines.
absl::Status CheckNewPlan(uint64_t capacity, double rate, unsigned generations = 1);

class SeenLines {
 public:
  virtual ~SeenLines() = default;

  // Allocates memory and disk space for the filter; must be called before the first line. Without
  // lines, nothing is allocated. Error messages are sentences; throws std::bad_alloc or
  // std::length_error if out of memory.
  virtual absl::Status Begin() { return absl::OkStatus(); }

  // Adds n lines, at most most_at_once(), in order. Sets is_new[i] if line i was surely not seen
  // before, or is uncertain. Throws std::bad_alloc only if the filter grows; some lines may then
  // have been added. An error ends the stream; every is_new[i] is set nevertheless.
  virtual absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) = 0;

  // Returns whether an Add() that returned an error did not add line i. The line is then neither
  // new nor seen, and a later run finds out which.
  virtual bool IsLeftOut(size_t i) const {
    static_cast<void>(i);
    return false;
  }

  virtual size_t most_at_once() const { return kBatch; }

  // Returns the number of lines per prefetched batch, or 0 if this class does not prefetch. Each
  // batch must be passed to Bring() before Add(), in the same order. At most kMaxBatches batches
  // may wait for Add().
  virtual size_t brought_at_once() const { return 0; }
  virtual void Bring(const KeyHash*, size_t) {}

  // Returns additional text for the summary, behind the size.
  virtual std::string Remark() const { return ""; }

  // Forgets all lines except those added since the last call. For generations only.
  virtual void Rotate() {}

  // Keep() makes added lines known to later runs, if the set persists; call it after their output
  // is written. Finish() does so at the end of a run. Both do nothing before Begin(). Error
  // messages are sentences.
  virtual absl::Status Keep() { return absl::OkStatus(); }
  virtual absl::Status Finish() { return absl::OkStatus(); }

  // Number of lines that changed the filter in use. This and the next two functions return 0 before
  // Begin().
  virtual uint64_t num_added() const = 0;
  virtual size_t size_bytes() const = 0;

  // Returns the current probability that a new line counts as seen. Reads the whole filter.
  virtual double RateNow() const = 0;
};

// Returns a filter of fixed size.
std::unique_ptr<SeenLines> MakeFixed(uint64_t capacity, double rate);

// Returns filters that grow and keep the rate for any number of lines.
std::unique_ptr<SeenLines> MakeGrowing(uint64_t first_capacity, double rate);

// Returns two generations of this capacity each, which together have the rate.
std::unique_ptr<SeenLines> MakeGenerations(uint64_t capacity, double rate);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_SEEN_LINES_H_
