// The filters of many segments as arrays, and lookups in all of them at the same time.

#ifndef WINNOW_SRC_CORE_SEGMENT_TABLE_H_
#define WINNOW_SRC_CORE_SEGMENT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/core/segment.h"
#include "src/simd/kernels.h"

namespace winnow::core {

// Segments of the same kind and number of probes lie beside each other, in *runs*, each in search
// order; the place of a segment in the arrays is its *seat*. Answers go to rows of bits, one for
// each segment in search order.
class SegmentTable {
 public:
  // In search order, below 2^32 - 1 of them. They must outlive the table.
  explicit SegmentTable(const std::vector<const Segment*>& segments);
  SegmentTable(const SegmentTable&) = delete;
  SegmentTable& operator=(const SegmentTable&) = delete;

  size_t size() const noexcept { return size_; }
  size_t num_words() const noexcept { return num_words_; }

  // The filter of the only segment; null if there are others, or none.
  const FilterView* only() const noexcept { return size_ == 1 ? &few_.front().view : nullptr; }

  // All segments. Words of the row as in AskRange.
  void AskAll(uint64_t hash, uint64_t* row) const noexcept { ask_(*this, hash, row); }

  // The segments from `first` on, `last` and those behind not among them; last <= size(). One row
  // for each of n hashes.
  void AskRange(const uint64_t* hashes, size_t n, size_t first, size_t last,
                uint64_t* rows) const noexcept;

  // The segments of a bitmap, one for each hash.
  void AskBitmap(const uint64_t* hashes, size_t n, const uint64_t* among,
                 uint64_t* rows) const noexcept;

  // Listed segments: bit i of the row belongs to segments[i]. One from size() on may contain
  // everything.
  void AskList(uint64_t hash, const uint32_t* segments, size_t n, uint64_t* row) const noexcept;

 private:
  class Flight;

  struct Run {
    SegmentKind kind;
    bool is_aligned;        // Bloom: all blocks lie at multiples of 64
    bool is_consecutive;    // in search order there is no other segment between
    const uint16_t* words;  // Bloom: sets of words
    uint32_t first;         // seats
    uint32_t last;
  };

  // Seats of segments that are in no run.
  static constexpr uint32_t kAlwaysSeat = UINT32_MAX;
  static constexpr uint32_t kNeverSeat = UINT32_MAX - 1;
  // Least sizes for prefetching, by the rows filter_set_of_… of filter_bench. Below them a table is
  // in the cache anyway, and so few probes overlap without help.
  static constexpr uint64_t kPrefetchFromBytes = uint64_t{1} << 20;
  static constexpr uint64_t kPrefetchFromProbes = 9;
  static constexpr uint64_t kPrefetchFarFromProbes = 33;
  static constexpr uint64_t kPrefetchFromChosen = 4;
  // Below it, what several keys have under way together takes longer to keep than it saves.
  static constexpr uint64_t kBatchFromBytes = uint64_t{8} << 20;
  // The same for few of any kinds.
  static constexpr uint64_t kBatchFewFromBytes = uint64_t{2} << 20;
  // So many are asked one by one: to locate and test together pays from more on.
  static constexpr size_t kFew = 8;

  void AddRun(const std::vector<const Segment*>& segments, const std::vector<uint32_t>& members);
  simd::Ahead AheadFor(const Run& run, uint64_t probes) const noexcept;
  void ClearRow(size_t first, size_t last, uint64_t* row) const noexcept;

  // The ways to ask all segments.
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
  uint64_t bytes_ = 0;  // of all filters
  // Where all segments are one run of Bloom filters, what its lookup needs, close together.
  simd::Ahead one_ahead_;
  const uint16_t* one_words_ = nullptr;
  simd::BloomSegments one_segments_{};
  // All segments, where they are few. What a lookup reads of one is in one line of the cache.
  struct alignas(64) Few {
    FilterView view;
  };
  std::vector<Few> few_;
  std::vector<Run> runs_;
  std::vector<uint32_t> seats_;           // by index
  std::vector<uint64_t> always_;          // bitmap by index: may contain everything
  std::vector<uint32_t> indices_;         // by seat
  std::vector<const FilterView*> views_;  // by seat
  // By seat. Ribbons come first, then Blooms, then others.
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
  Layers first_;   // of Blooms: blocks and their number only
  Layers second_;  // of Ribbons
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_SEGMENT_TABLE_H_
