// Block kernels for processors with AVX-512: a block in one register.

#include <immintrin.h>

#include "streams/amq/block_lanes.h"
#include "streams/amq/block_loops.h"

namespace winnow::amq {
namespace {

class Avx512Lanes {
 public:
  WINNOW_INLINE explicit Avx512Lanes(unsigned bits_per_block) noexcept
      : ones_(kLaneTables.ones[bits_per_block]), sum_(_mm512_setzero_si512()) {}

  WINNOW_INLINE bool Add(uint64_t* words, uint64_t pattern) noexcept {
    const __m512i bits = Bits(pattern);
    const __m512i old = _mm512_load_si512(words);
    const __m512i now = _mm512_or_si512(old, bits);
    const __mmask8 added = _mm512_cmpneq_epi64_mask(old, now);
    sum_ = _mm512_mask_add_epi64(sum_, added, sum_, _mm512_set1_epi64(1));
    _mm512_store_si512(words, now);
    return added != 0;
  }

  WINNOW_INLINE bool HasAll(const uint64_t* words, uint64_t pattern) const noexcept {
    const __m512i bits = Bits(pattern);
    return _mm512_cmpneq_epi64_mask(_mm512_and_si512(_mm512_load_si512(words), bits), bits) == 0;
  }

  WINNOW_INLINE uint64_t added() const noexcept {
    alignas(64) uint64_t lanes[8];
    _mm512_store_si512(lanes, sum_);
    uint64_t sum = 0;
    for (const uint64_t lane : lanes) sum += lane;
    return sum;
  }

 private:
  WINNOW_INLINE __m512i Bits(uint64_t pattern) const noexcept {
    const unsigned first = static_cast<unsigned>(pattern >> 48) % kBlockWords;
    const __m512i all = _mm512_set1_epi64(static_cast<int64_t>(pattern));
    const __m512i bit =
        _mm512_and_si512(_mm512_srlv_epi64(all, _mm512_load_si512(kLaneTables.shifts[first])),
                         _mm512_set1_epi64(63));
    return _mm512_sllv_epi64(_mm512_load_si512(ones_[first]), bit);
  }

  const uint64_t (*ones_)[kBlockWords];
  __m512i sum_;
};

}  // namespace

const BlockKernels kAvx512BlockKernels = {"avx512", Add<Avx512Lanes>, AddPlaced<Avx512Lanes>,
                                          Ask<Avx512Lanes>, SumChances<Avx512Lanes>};

}  // namespace winnow::amq
