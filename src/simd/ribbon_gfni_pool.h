// The pool of a sub-shard in registers, and what comes into it at a step: the keys that start in
// the step's slots, and the rows that the bucket before has left there.

#ifndef WINNOW_SRC_SIMD_RIBBON_GFNI_POOL_H_
#define WINNOW_SRC_SIMD_RIBBON_GFNI_POOL_H_

#include <immintrin.h>

#include <cstdint>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_elimination.h"
#include "src/simd/ribbon_gfni_planes.h"
#include "src/simd/ribbon_gfni_vectors.h"

namespace winnow::simd {
namespace {

constexpr unsigned kClasses = 3;  // of bumping, 0 to 2

uint64_t RowsOf(unsigned count) { return _bzhi_u64(~uint64_t{0}, count); }

template <unsigned kPlanes>
struct Planes {
  __m512i plane[kPlanes];

  void Load(const RibbonShardState::Pool& pool) {
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) plane[i] = _mm512_load_si512(pool.planes[i]);
  }
  void Store(RibbonShardState::Pool* pool) const {
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) _mm512_store_si512(pool->planes[i], plane[i]);
  }
  void KeepOnly(uint64_t rows) {
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) plane[i] = _mm512_maskz_mov_epi8(rows, plane[i]);
  }

  // The rows that have a bit of coefficient left behind the step that has moved plane 0 out.
  uint64_t WithCoefficient() const {
    const __m512i bits =
        _mm512_or_si512(_mm512_ternarylogic_epi64(plane[0], plane[1], plane[2], 0xfe),
                        _mm512_ternarylogic_epi64(plane[3], plane[4], plane[5], 0xfe));
    return _mm512_test_epi8_mask(bits, bits);
  }
  uint64_t WithFingerprint() const {
    __m512i bits = plane[kFingerprintPlane];
    if constexpr (kPlanes > 8) bits = _mm512_or_si512(bits, plane[8]);
    return _mm512_test_epi8_mask(bits, bits);
  }
};

// Takes a class and all higher ones out of the pool.
template <unsigned kPlanes>
void DropClasses(unsigned first, RibbonShardState* state, Planes<kPlanes>* planes) {
  RibbonShardState::Pool& pool = state->pool;
  state->kept_classes = first < state->kept_classes ? first : state->kept_classes;
  pool.alive &= first == 2 ? ~pool.class2 : first == 1 ? ~pool.classes12 : 0;
  pool.class2 &= pool.alive;
  pool.classes12 &= pool.alive;
  planes->KeepOnly(pool.alive);
}

// The rows that the bucket before has left at the slots of this step.
template <unsigned kPlanes>
WINNOW_INLINE bool AddCarried(RibbonShardState* state, Planes<kPlanes>* planes) {
  RibbonShardState::Pool& pool = state->pool;
  const __m512i all = _mm512_loadu_si512(state->rows + state->step * kRibbonStepSlots);
  const __mmask8 some = _mm512_test_epi64_mask(all, all);
  if (some == 0) return true;
  const auto count = static_cast<unsigned>(_mm_popcnt_u32(some));
  if (count > kRibbonPoolRows - static_cast<unsigned>(_mm_popcnt_u64(pool.alive))) return false;
  const __m512i slots = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const __m512i coefficients = _mm512_sllv_epi64(_mm512_srli_epi64(all, 64 - kRibbonWidth), slots);
  const __m512i row = _mm512_or_si512(coefficients, _mm512_slli_epi64(all, 8 * kFingerprintPlane));
  alignas(64) uint64_t words[8];
  _mm512_store_si512(words, TransposeBytes(_mm512_maskz_compress_epi64(some, row)));
  KeepInMemory(words);
  const uint64_t places = _pdep_u64(RowsOf(count), ~pool.alive);
#pragma GCC unroll 9
  for (unsigned i = 0; i < 8; ++i) {
    const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(words[i]));
    planes->plane[i] =
        _mm512_mask_expand_epi8(planes->plane[i], places, _mm512_castsi128_si512(bytes));
  }
  if constexpr (kPlanes > 8) {
    const __m512i high = _mm512_srli_epi64(_mm512_maskz_compress_epi64(some, all), 8);
    planes->plane[8] = _mm512_mask_expand_epi8(planes->plane[8], places,
                                               _mm512_castsi128_si512(_mm512_cvtepi64_epi8(high)));
  }
  pool.alive |= places;
  return true;
}

// False, and nothing has changed, if the keys of this step don't fit into the pool.
template <unsigned kPlanes>
WINNOW_INLINE bool AddKeys(RibbonShardState* state, Planes<kPlanes>* planes) {
  static_assert(kRibbonClass2Slots % kRibbonStepSlots == 0);
  constexpr unsigned kClass2Steps = kRibbonClass2Slots / kRibbonStepSlots;
  constexpr unsigned kClass1Steps = kRibbonClass1Slots / kRibbonStepSlots;
  static_assert(kRibbonClass1Slots % kRibbonStepSlots == 4);  // what `low_slots` is for
  RibbonShardState::Pool& pool = state->pool;
  const unsigned step = state->step;
  const uint32_t begin = state->next_key;
  const uint32_t end = state->step_ends[step];
  const unsigned bump_class = (step < kClass1Steps ? 1u : 0u) + (step < kClass2Steps ? 1u : 0u);
  if (bump_class < state->kept_classes) {
    const uint64_t free = ~pool.alive;
    const uint32_t count = end - begin;
    if (__builtin_expect(count > static_cast<unsigned>(_mm_popcnt_u64(free)), 0)) return false;
    const uint64_t places = _pdep_u64(RowsOf(count), free);
    const unsigned char* bytes = state->planes + begin;
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i, bytes += state->plane_bytes) {
      planes->plane[i] =
          _mm512_mask_expand_epi8(planes->plane[i], places, _mm512_loadu_si512(bytes));
    }
    pool.alive |= places;
    if (step < kClass2Steps) pool.class2 |= places;
    if (step < kClass1Steps) pool.classes12 |= places;
    if (step == kClass1Steps) {
      const uint64_t low_slots =
          _mm512_mask_test_epi8_mask(places, planes->plane[0], _mm512_set1_epi8(0x0f));
      pool.classes12 |= low_slots;
      if (state->kept_classes == 1) DropClasses(1, state, planes);
    }
  }
  state->next_key = end;
  return true;
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_GFNI_POOL_H_
