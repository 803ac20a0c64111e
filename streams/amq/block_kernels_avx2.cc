// Block kernels for processors with AVX2: a block in two registers.

#include <immintrin.h>

#include "streams/amq/block_lanes.h"
#include "streams/amq/block_loops.h"

namespace winnow::amq {
namespace {

class Avx2Lanes {
 public:
  WINNOW_INLINE explicit Avx2Lanes(unsigned bits_per_block) noexcept
      : ones_(kLaneTables.ones[bits_per_block]), sum_(_mm256_setzero_si256()) {}

  WINNOW_INLINE bool Add(uint64_t* words, uint64_t pattern) noexcept {
    __m256i* const to = reinterpret_cast<__m256i*>(words);
    const __m256i low = Bits(pattern, 0);
    const __m256i high = Bits(pattern, 4);
    const __m256i old_low = _mm256_load_si256(to);
    const __m256i old_high = _mm256_load_si256(to + 1);
    const __m256i new_low = _mm256_or_si256(old_low, low);
    const __m256i new_high = _mm256_or_si256(old_high, high);
    // A lane is -1 if its word did not change.
    const __m256i same_low = _mm256_cmpeq_epi64(old_low, new_low);
    const __m256i same_high = _mm256_cmpeq_epi64(old_high, new_high);
    sum_ = _mm256_add_epi64(sum_, _mm256_add_epi64(same_low, same_high));
    blocks_ += 1;
    _mm256_store_si256(to, new_low);
    _mm256_store_si256(to + 1, new_high);
    return _mm256_movemask_epi8(_mm256_and_si256(same_low, same_high)) != -1;
  }

  WINNOW_INLINE bool HasAll(const uint64_t* words, uint64_t pattern) const noexcept {
    const __m256i* const from = reinterpret_cast<const __m256i*>(words);
    return (_mm256_testc_si256(_mm256_load_si256(from), Bits(pattern, 0)) &
            _mm256_testc_si256(_mm256_load_si256(from + 1), Bits(pattern, 4))) != 0;
  }

  WINNOW_INLINE uint64_t added() const noexcept {
    alignas(32) uint64_t lanes[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum_);
    return blocks_ * kBlockWords + lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }

 private:
  WINNOW_INLINE __m256i Bits(uint64_t pattern, unsigned word) const noexcept {
    const unsigned first = static_cast<unsigned>(pattern >> 48) % kBlockWords;
    const auto* shifts = reinterpret_cast<const __m256i*>(&kLaneTables.shifts[first][word]);
    const auto* ones = reinterpret_cast<const __m256i*>(&ones_[first][word]);
    const __m256i all = _mm256_set1_epi64x(static_cast<int64_t>(pattern));
    const __m256i bit =
        _mm256_and_si256(_mm256_srlv_epi64(all, _mm256_load_si256(shifts)), _mm256_set1_epi64x(63));
    return _mm256_sllv_epi64(_mm256_load_si256(ones), bit);
  }

  const uint64_t (*ones_)[kBlockWords];
  __m256i sum_;
  uint64_t blocks_ = 0;
};

}  // namespace

const BlockKernels kAvx2BlockKernels = {"avx2", Add<Avx2Lanes>, AddPlaced<Avx2Lanes>,
                                        Ask<Avx2Lanes>, SumChances<Avx2Lanes>};

}  // namespace winnow::amq
