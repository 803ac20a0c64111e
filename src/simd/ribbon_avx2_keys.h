// MakeKeys of ribbon_steps.h with AVX2, four keys at a time.

#ifndef WINNOW_SRC_SIMD_RIBBON_AVX2_KEYS_H_
#define WINNOW_SRC_SIMD_RIBBON_AVX2_KEYS_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_steps.h"

namespace winnow::simd {
namespace {

// Returns 64-bit products, which AVX2 has only for 32-bit factors.
WINNOW_INLINE __m256i Multiply(__m256i numbers, uint64_t factor) {
  const __m256i low = _mm256_set1_epi64x(static_cast<long long>(factor & 0xffffffff));
  const __m256i high = _mm256_set1_epi64x(static_cast<long long>(factor >> 32));
  const __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(numbers, 32), low),
                                          _mm256_mul_epu32(numbers, high));
  return _mm256_add_epi64(_mm256_mul_epu32(numbers, low), _mm256_slli_epi64(middle, 32));
}

inline void MakeKeysByFours(const uint64_t* hashes, size_t n, uint32_t starts, RibbonRows rows,
                            unsigned char* keys, size_t key_room) {
  const unsigned fingerprint_bits = rows.fingerprint_bits;
  const __m256i value_mask = _mm256_set1_epi64x(static_cast<long long>(rows.value_mask()));
  const __m256i positions = _mm256_set1_epi64x(starts);
  const __m128i fingerprint_shift = _mm_cvtsi32_si128(static_cast<int>(64 - fingerprint_bits));
  size_t made = 0;
  // Fingerprints of two bytes are rare and are left to MakeKeysFrom.
  for (; fingerprint_bits <= kNarrowColumns && made + 4 <= n; made += 4) {
    const __m256i item = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hashes + made));
    const __m256i hash = _mm256_andnot_si256(value_mask, item);
    const __m256i start =
        _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(hash, 32), positions), 32);
    const __m256i slot = _mm256_and_si256(start, _mm256_set1_epi64x(kRibbonStepSlots - 1));
    const __m256i coefficient = _mm256_or_si256(
        _mm256_srli_epi64(Multiply(hash, kCoefficientMultiplier), 64 - kRibbonWidth),
        _mm256_set1_epi64x(1));
    const __m256i source =
        Multiply(_mm256_xor_si256(hash, _mm256_srli_epi64(hash, 31)), kFingerprintMultiplier);
    const __m256i low_bits = _mm256_or_si256(
        _mm256_andnot_si256(value_mask, _mm256_srl_epi64(source, fingerprint_shift)),
        _mm256_and_si256(value_mask, item));
    const __m256i fingerprint = _mm256_slli_epi64(low_bits, 8 * kFingerprintPlane);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + sizeof(uint64_t) * made),
                        _mm256_or_si256(_mm256_sllv_epi64(coefficient, slot), fingerprint));
  }
  MakeKeysFrom(made, hashes, n, starts, rows, keys, key_room);
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_AVX2_KEYS_H_
