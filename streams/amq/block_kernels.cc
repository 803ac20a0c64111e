#include "streams/amq/block_kernels.h"

#include "streams/amq/block_loops.h"

namespace winnow::amq {
namespace {

// Portable lanes: handle one word of a block after the other.
class PlainLanes {
 public:
  explicit PlainLanes(unsigned bits_per_block) noexcept : bits_(bits_per_block) {}

  WINNOW_INLINE bool Add(uint64_t* words, uint64_t pattern_bits) noexcept {
    const BlockPattern pattern(pattern_bits);
    uint64_t added = 0;
    for (unsigned i = 0; i < bits_; ++i) {
      uint64_t& word = words[pattern.Word(i)];
      added += (word & pattern.Bit(i)) == 0;
      word |= pattern.Bit(i);
    }
    sum_ += added;
    return added != 0;
  }

  WINNOW_INLINE bool HasAll(const uint64_t* words, uint64_t pattern_bits) const noexcept {
    const BlockPattern pattern(pattern_bits);
    for (unsigned i = 0; i < bits_; ++i) {
      if ((words[pattern.Word(i)] & pattern.Bit(i)) == 0) return false;
    }
    return true;
  }

  WINNOW_INLINE uint64_t added() const noexcept { return sum_; }

 private:
  unsigned bits_;
  uint64_t sum_ = 0;
};

constexpr BlockKernels kPlainBlockKernels = {"plain", Add<PlainLanes>, AddPlaced<PlainLanes>,
                                             Ask<PlainLanes>, SumChances<PlainLanes>};

}  // namespace

void BringBlocks(const BlockArray& blocks, const KeyHash* hashes, size_t n,
                 BlockPlace* places) noexcept {
  for (size_t k = 0; k < n; ++k) {
    for (unsigned i = 0; i < blocks.blocks_per_key; ++i) {
      *places = PlaceOfKey(hashes[k].value, i, blocks.num_blocks);
      __builtin_prefetch(blocks.words + places->first_word, 1);
      ++places;
    }
  }
}

size_t UsableBlockKernels(const BlockKernels* (&usable)[kMaxBlockKernels]) noexcept {
  size_t count = 0;
#ifdef WINNOW_AMQ_X86_KERNELS
  if (__builtin_cpu_supports("avx512f")) usable[count++] = &kAvx512BlockKernels;
  if (__builtin_cpu_supports("avx2")) usable[count++] = &kAvx2BlockKernels;
#endif
  usable[count++] = &kPlainBlockKernels;
  return count;
}

const BlockKernels& ChosenBlockKernels() noexcept {
  static const BlockKernels& chosen = [&]() -> const BlockKernels& {
    const BlockKernels* usable[kMaxBlockKernels];
    UsableBlockKernels(usable);
    return *usable[0];
  }();
  return chosen;
}

}  // namespace winnow::amq
