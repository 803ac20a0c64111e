// Sorting what a range filter stores, in memory that the keys took before: dealt into bins, which
// are then sorted one by one in the caches.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_SORT_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_SORT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/core/hash_chunks.h"
#include "src/core/ranges/range_elias_fano.h"

namespace winnow::core {

class RangeSorter {
 public:
  RangeSorter(const EliasFanoShape& shape, HashChunkPool* pool)
      : pool_(pool), shift_(ShiftOf(shape)), bins_(((shape.bound - 1) >> shift_) + 1) {}

  void Add(const uint64_t* numbers, size_t n) {
    const unsigned shift = shift_;
    HashBin* const bins = bins_.data();
    for (size_t i = 0; i < n; ++i) pool_->Add(&bins[numbers[i] >> shift], numbers[i]);
  }

  // Calls visit(const uint64_t* numbers, size_t n) for some of them at a time, in ascending order.
  template <typename Visit>
  void Drain(Visit visit) {
    for (HashBin& bin : bins_) {
      numbers_.clear();
      pool_->Drain(&bin, [&](const uint64_t* numbers, size_t n) {
        numbers_.insert(numbers_.end(), numbers, numbers + n);
      });
      Sort();
      visit(numbers_.data(), numbers_.size());
    }
  }

 private:
  // So many numbers and their copies lie in the second-level cache. More bins than this would take
  // more memory than the chunks that they hold.
  static constexpr uint64_t kNumbersInBin = 2048;
  static constexpr uint64_t kMostBins = 4096;

  static unsigned ShiftOf(const EliasFanoShape& shape) noexcept {
    const uint64_t bins = std::clamp<uint64_t>(shape.count / kNumbersInBin, 1, kMostBins);
    unsigned shift = 0;
    while ((shape.bound - 1) >> shift >= bins) ++shift;
    return shift;
  }

  // By the bits in which the numbers of a bin differ.
  void Sort();

  HashChunkPool* pool_;
  unsigned shift_;
  std::vector<HashBin> bins_;
  std::vector<uint64_t> numbers_;
  std::vector<uint64_t> copies_;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_SORT_H_
