// Struct-of-arrays form of many filters, for lookups in all of them at the same time.

#ifndef WINNOW_SRC_CORE_SEGMENT_TABLE_H_
#define WINNOW_SRC_CORE_SEGMENT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/core/segment.h"
#include "src/simd/kernels.h"

namespace winnow::core {

// Segments of the same kind and number of probes are contiguous, in *runs*, each in search order;
// the index of a segment in the arrays is its *seat*. Answers are rows of bits, one bit per segment
// in search order.
class SegmentTable {
 public:
  // `segments` are in search order, fewer than 2^32 - 1, and must outlive the table.
  explicit SegmentTable(const std::vector<const Segment*>& segments);
  SegmentTable(const SegmentTable&) = delete;
  SegmentTable& operator=(const SegmentTable&) = delete;

  size_t size() const noexcept { return size_; }
  size_t num_words() const noexcept { return num_words_; }

  // Returns the filter of the only segment, or null if there are others or none.
  const FilterView* only() const noexcept { return size_ == 1 ? &few_.front().view : nullptr; }

  // Asks all segments. Assigns a row of num_words() words, as AskRange does.
  void AskAll(uint64_t hash, uint64_t* row) const noexcept { ask_(*this, hash, row); }

  // Asks the segments in [first, last); last <= size(). Assigns one row per hash.
  void AskRange(const uint64_t* hashes, size_t n, size_t first, size_t last,
                uint64_t* rows) const noexcept;

  // Asks the segments of a bitmap, one bitmap per hash.
  void AskBitmap(const uint64_t* hashes, size_t n, const uint64_t* among,
                 uint64_t* rows) const noexcept;

  // Asks n listed segments: bit i of the row belongs to segments[i]. Indices from size() on may
  // contain everything.
  void AskList(uint64_t hash, const uint32_t* segments, size_t n, uint64_t* row) const noexcept;

 private:
  class Flight;

  struct Run {
    SegmentKind kind;
    bool is_aligned;        // Bloom: all blocks are 64-byte aligned
    bool is_consecutive;    // no other segment is in between in search order
    const uint16_t* words;  // Bloom: sets of words
    uint32_t first;         // range of seats
    uint32_t last;
  };

  // Pseudo-seats of segments that are in no run.
  static constexpr uint32_t kAlwaysSeat = UINT32_MAX;
  static constexpr uint32_t kNeverSeat = UINT32_MAX - 1;
  // Minimum sizes for prefetching, from the rows filter_set_of_… of filter_bench. Smaller tables
  // are in the cache anyway, and fewer probes overlap without prefetching.
  static constexpr uint64_t kPrefetchFromBytes = uint64_t{1} << 20;
  static constexpr uint64_t kPrefetchFromProbes = 9;
  static constexpr uint64_t kPrefetchFarFromProbes = 33;
  static constexpr uint64_t kPrefetchFromChosen = 4;
  // Minimum size for batches: below this, bookkeeping for the keys in flight costs more than it
  // saves.
  static constexpr uint64_t kBatchFromBytes = uint64_t{8} << 20;
  // Minimum size for batches of few segments of any kinds.
  static constexpr uint64_t kBatchFewFromBytes = uint64_t{2} << 20;
  // Maximum number of segments that are asked one by one: locating and testing all segments
  // together is faster for more.
  static constexpr size_t kFew = 8;

  void AddRun(const std::vector<const Segment*>& segments, const std::vector<uint32_t>& members);
  simd::Ahead AheadFor(const Run& run, uint64_t probes) const noexcept;
  void ClearRow(size_t first, size_t last, uint64_t* row) const noexcept;

  // Ways to ask all segments.
  using Ask = void (*)(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept;
  static void AskOnly(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept;
  static void AskBlooms(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept;
  static void AskFew(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept;
  static void AskMany(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept;
  uint64_t AskFewAmong(uint64_t hash, uint64_t among) const noexcept;
  bool IsFasterByFew(size_t hashes) const noexcept {
    return !few_.empty() && (hashes == 1 || bytes_ < kBatchFewFromBytes);
  }

  const size_t size_;
  const size_t num_words_;
  Ask ask_ = AskMany;
  const simd::Kernels& kernels_;
  uint64_t bytes_ = 0;  // bytes of all filters
  // Data of a lookup if all segments are one run of Bloom filters, close together.
  simd::Ahead one_ahead_;
  const uint16_t* one_words_ = nullptr;
  simd::BloomSegments one_segments_{};
  // All segments, if there are few. A lookup reads one cache line of each.
  struct alignas(64) Few {
    FilterView view;
  };
  std::vector<Few> few_;
  std::vector<Run> runs_;
  std::vector<uint32_t> seats_;           // seats by index
  std::vector<uint64_t> always_;          // bitmap by index; 1: may contain everything
  std::vector<uint32_t> indices_;         // indices by seat
  std::vector<const FilterView*> views_;  // views by seat
  // Arrays by seat. Ribbons come first, then Blooms, then others.
  struct Layers {
    std::vector<simd::RibbonLayer> layers;
    std::vector<const unsigned char*> words;
    std::vector<const unsigned char*> thresholds;
    std::vector<uint32_t> starts;
    std::vector<uint32_t> split;
    std::vector<uint32_t> shape;

    void Add(const simd::RibbonLayer& layer);
    simd::RibbonSegments From(size_t seat) const noexcept;
  };
  Layers first_;   // first layers; for Blooms, only blocks and their number
  Layers second_;  // second layers of Ribbons
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_SEGMENT_TABLE_H_
