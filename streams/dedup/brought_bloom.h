// A BlockedBloom whose blocks are prefetched while earlier lines are processed.

#ifndef WINNOW_STREAMS_DEDUP_BROUGHT_BLOOM_H_
#define WINNOW_STREAMS_DEDUP_BROUGHT_BLOOM_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "streams/amq/block_kernels.h"
#include "streams/amq/blocked_parts.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/hash.h"

namespace winnow::dedup {

class BroughtBloom {
 public:
  // Up to max_batches batches of AtOnce() lines can be prefetched and not yet added.
  BroughtBloom(amq::BlockedBloom filter, size_t max_batches)
      : filter_(std::move(filter)),
        per_line_(filter_.shape().blocks_per_key),
        lines_(max_batches * AtOnce(filter_.shape())),
        places_(lines_ * per_line_) {}

  // Returns the number of lines per batch: enough to keep the processor busy, but not so many that
  // blocks leave the cache before they are used.
  static size_t AtOnce(const amq::BlockedShape& shape) { return shape.blocks_per_key < 3 ? 8 : 4; }

  amq::BlockedBloom& filter() { return filter_; }
  const amq::BlockedBloom& filter() const { return filter_; }

  // Prefetches the blocks of n lines. Lines prefetched and not yet added must fit in max_batches
  // batches.
  void Bring(const KeyHash* hashes, size_t n) {
    for (size_t done = 0; done < n;) {
      const size_t part = Part(end_, n - done);
      amq::BlockedBloomParts::Bring(filter_, hashes + done, part, At(end_));
      end_ += part;
      done += part;
    }
  }

  // Adds the n oldest prefetched lines; at least n must be pending.
  void AddBrought(size_t n, bool* is_new) {
    for (size_t done = 0; done < n;) {
      const size_t part = Part(begin_, n - done);
      amq::BlockedBloomParts::Add(At(begin_), part, is_new + done, &filter_);
      begin_ += part;
      done += part;
    }
  }

 private:
  // Returns how many of n lines lie contiguously in the ring buffer from `at` on.
  size_t Part(size_t at, size_t n) const { return std::min(n, lines_ - at % lines_); }
  amq::BlockPlace* At(size_t line) { return &places_[line % lines_ * per_line_]; }

  amq::BlockedBloom filter_;
  size_t per_line_;
  size_t lines_;
  std::vector<amq::BlockPlace> places_;
  size_t begin_ = 0;  // first pending line
  size_t end_ = 0;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_BROUGHT_BLOOM_H_
