// Sorting of the numbers that a range filter stores, in the memory of the keys: the numbers are
// distributed to bins, which are then sorted one by one in the caches.

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

  // Calls visit(const uint64_t* numbers, size_t n) for batches in ascending order.
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
  // Bin size at which the numbers and their copies fit into the second-level cache, and maximum
  // number of bins, beyond which bins would take more memory than their chunks.
  static constexpr uint64_t kNumbersInBin = 2048;
  static constexpr uint64_t kMostBins = 4096;

  static unsigned ShiftOf(const EliasFanoShape& shape) noexcept {
    const uint64_t bins = std::clamp<uint64_t>(shape.count / kNumbersInBin, 1, kMostBins);
    unsigned shift = 0;
    while ((shape.bound - 1) >> shift >= bins) ++shift;
    return shift;
  }

  // Sorts the numbers of a bin by the bits in which they differ.
  void Sort();

  HashChunkPool* pool_;
  unsigned shift_;
  std::vector<HashBin> bins_;
  std::vector<uint64_t> numbers_;
  std::vector<uint64_t> copies_;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_SORT_H_
