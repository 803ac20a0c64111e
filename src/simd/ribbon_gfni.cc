// RibbonElimination with AVX-512, VBMI and GFNI: a plane of the pool is one register.

#include <immintrin.h>

#include <cstring>

#include "src/simd/kernels.h"

#define WINNOW_INLINE inline __attribute__((always_inline))

namespace winnow::simd {
namespace {

constexpr unsigned kCoefficientPlanes = 7;
constexpr unsigned kFingerprintPlane = 7;
constexpr unsigned kNarrowColumns = 8;  // more need the second plane of fingerprints

struct Constants {
  alignas(64) uint8_t bit[8][64] = {};     // 1 << i in each byte
  alignas(64) uint8_t byte[8][64] = {};    // byte i of each word of 64 bits
  alignas(64) uint8_t transpose[64] = {};  // of 8 x 8 bytes

  constexpr Constants() {
#pragma GCC unroll 9
    for (unsigned i = 0; i < 8; ++i) {
      for (unsigned j = 0; j < 64; ++j) {
        bit[i][j] = static_cast<uint8_t>(1u << i);
        byte[i][j] = j % 8 == i ? 0xff : 0;
      }
    }
    for (unsigned i = 0; i < 64; ++i) transpose[i] = static_cast<uint8_t>(i % 8 * 8 + i / 8);
  }
};
constexpr Constants kConstants;

__m512i Set64(uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }
__m512i TransposeBytes(__m512i bytes) {
  return _mm512_permutexvar_epi8(_mm512_load_si512(kConstants.transpose), bytes);
}

// Makes the compiler compute the value, without a branch.
inline uint64_t Keep(uint64_t value) {
  __asm__("" : "+r"(value));
  return value;
}

// Makes the compiler load the words one by one: taking them out of a register takes shuffles, which
// are short.
template <size_t kWords>
WINNOW_INLINE void KeepInMemory(uint64_t (&words)[kWords]) {
  __asm__("" : "+m"(words));
}

// The matrix for each lane, in a register. clang's assembler (14, 16 and 19 at least;
// llvm-project's pull request 120340) writes another address where the instruction for matrices
// takes one from memory ({1to8}). g++ never does that.
__m512i MatrixForAll(uint64_t matrix) {
  __m512i matrices = Set64(matrix);
#if defined(__clang__)
  __asm__("" : "+v"(matrices));
#endif
  return matrices;
}

// ---- Rows of keys

// Eight registers of eight words: word j of register i becomes word i of register j.
void TransposeWords(__m512i* words) {
  __m512i pairs[8];
  for (unsigned i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_epi64(words[i], words[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi64(words[i], words[i + 1]);
  }
  __m512i fours[8];
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned odd = 0; odd < 2; ++odd) {
      const __m512i a = pairs[4 * half + odd];
      const __m512i b = pairs[4 * half + odd + 2];
      fours[4 * half + odd] = _mm512_shuffle_i64x2(a, b, 0x88);      // words 0 and 4 of each
      fours[4 * half + odd + 2] = _mm512_shuffle_i64x2(a, b, 0xdd);  // words 2 and 6
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    words[i] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0x88);
    words[i + 4] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0xdd);
  }
}

void MakePlanes(const uint64_t* hashes, size_t n, uint32_t starts, unsigned fingerprint_bits,
                unsigned char* planes, size_t plane_bytes) {
  const __m512i coefficient_multiplier = Set64(kCoefficientMultiplier);
  const __m512i fingerprint_multiplier = Set64(kFingerprintMultiplier);
  const __m128i fingerprint_shift = _mm_cvtsi32_si128(static_cast<int>(64 - fingerprint_bits));
  for (size_t first = 0; first < n; first += 64) {
    __m512i rows[8];
    __m128i high_fingerprints[8];
#pragma GCC unroll 9
    for (unsigned i = 0; i < 8; ++i) {
      const size_t at = first + 8 * i;
      const auto lanes = static_cast<__mmask8>(at + 8 <= n ? 0xff
                                               : at >= n   ? 0
                                                           : (1u << (n - at)) - 1);
      const __m512i hash = _mm512_maskz_loadu_epi64(lanes, hashes + at);
      const __m512i start =
          _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(hash, 32), Set64(starts)), 32);
      const __m512i coefficient = _mm512_or_si512(
          _mm512_srli_epi64(_mm512_mullo_epi64(hash, coefficient_multiplier), 64 - kRibbonWidth),
          Set64(1));
      const __m512i fingerprint =
          _mm512_srl_epi64(_mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 31)),
                                              fingerprint_multiplier),
                           fingerprint_shift);
      const __m512i shift = _mm512_and_si512(start, Set64(kRibbonStepSlots - 1));
      rows[i] =
          TransposeBytes(_mm512_or_si512(_mm512_sllv_epi64(coefficient, shift),
                                         _mm512_slli_epi64(fingerprint, 8 * kFingerprintPlane)));
      high_fingerprints[i] = _mm512_cvtepi64_epi8(_mm512_srli_epi64(fingerprint, 8));
    }
    TransposeWords(rows);
    for (unsigned plane = 0; plane < 8; ++plane) {
      _mm512_storeu_si512(planes + plane * plane_bytes + first, rows[plane]);
    }
    if (fingerprint_bits <= kNarrowColumns) continue;
#pragma GCC unroll 9
    for (unsigned i = 0; i < 8; ++i) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(planes + 8 * plane_bytes + first + 8 * i),
                       high_fingerprints[i]);
    }
  }
}

// ---- The pool

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
  static_assert(kRibbonClass2Slots == 2 * kRibbonStepSlots);
  constexpr unsigned kClass1Steps = kRibbonClass1Slots / kRibbonStepSlots;
  static_assert(kRibbonClass1Slots % kRibbonStepSlots == 4);  // what `low_slots` is for
  RibbonShardState::Pool& pool = state->pool;
  const unsigned step = state->step;
  const uint32_t begin = state->next_key;
  const uint32_t end = state->step_ends[step];
  const unsigned bump_class = (step < kClass1Steps ? 1u : 0u) + (step < 2 ? 1u : 0u);
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
    if (step < 2) pool.class2 |= places;
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

// The bucket's rows as they were before its keys came.
void RestoreRows(RibbonShardState* state) {
  constexpr size_t kSlots = RibbonShardState::kMostSteps * kRibbonStepSlots;
  constexpr size_t kCarried = RibbonShardState::kCarriedSteps * kRibbonStepSlots;
  std::memcpy(state->rows, state->carried, kCarried * sizeof(uint64_t));
  std::memset(state->rows + kCarried, 0, (kSlots - kCarried) * sizeof(uint64_t));
}

void GiveUpBucket(RibbonShardState* state) {
  RestoreRows(state);
  state->next_key = state->first_key;
  state->is_overfull = true;
  state->is_begun = false;
}

// Tells which class fails where the keys of the step don't fit into the pool.
void BeginTrial(RibbonShardState* state) {
  state->before_trial = state->pool;
  state->is_trial = true;
}

// Adds what comes in at the state's step, and writes the planes to the pool.
template <unsigned kPlanes>
WINNOW_INLINE void AddRows(RibbonShardState* state, Planes<kPlanes>* planes) {
  const bool keys_fit = AddKeys(state, planes);
  const bool rows_fit =
      !keys_fit || state->step >= RibbonShardState::kCarriedSteps || AddCarried(state, planes);
  planes->Store(&state->pool);
  if (__builtin_expect(!keys_fit, 0)) BeginTrial(state);
  if (__builtin_expect(!rows_fit, 0)) GiveUpBucket(state);
}

template <unsigned kPlanes>
void BeginBucket(RibbonShardState* state) {
  state->pool.alive = state->pool.class2 = state->pool.classes12 = 0;
  state->first_key = state->next_key;
  state->step = 0;
  state->kept_classes = 3;
  state->is_begun = true;
  state->is_trial = false;
  std::memcpy(state->carried, state->rows, sizeof state->carried);
  Planes<kPlanes> planes;
#pragma GCC unroll 9
  for (unsigned i = 0; i < kPlanes; ++i) planes.plane[i] = _mm512_setzero_si512();
  AddRows(state, &planes);
}

// Takes the failed classes' rows out of their slots, and goes on to the next bucket.
void EndBucket(RibbonShardState* state) {
  if (state->kept_classes == 0) {
    RestoreRows(state);
  } else if (state->kept_classes < 3) {
    for (unsigned step = 0; step < state->step; ++step) {
      uint64_t* rows = state->rows + step * kRibbonStepSlots;
      const RibbonShardState::Step& record = state->steps[step];
      const uint64_t failed = state->kept_classes == 2 ? record.class2 : record.classes12;
      const uint64_t pivots = __builtin_bswap64(record.pivots);
      const auto kept = static_cast<__mmask8>(
          ~_mm_bitshuffle_epi64_mask(_mm_set1_epi64x(static_cast<long long>(failed)),
                                     _mm_cvtsi64_si128(static_cast<long long>(pivots))));
      _mm512_storeu_si512(rows, _mm512_maskz_loadu_epi64(kept, rows));
    }
  }
  *state->threshold = static_cast<unsigned char>(state->kept_classes);
  ++state->threshold;
  state->rows += kRibbonBucketSlots;
  state->step_ends += kRibbonBucketSteps;
  --state->buckets;
  state->is_begun = false;
}

// Rows that have a fingerprint and no coefficient: the lowest of their classes fails.
template <unsigned kPlanes>
void Contradict(uint64_t rows, RibbonShardState* state) {
  const RibbonShardState::Pool& pool = state->pool;
  const unsigned failed = (rows & ~pool.classes12) != 0 ? 0 : (rows & ~pool.class2) != 0 ? 1 : 2;
  const bool was_trial = state->is_trial;
  if (was_trial) {
    state->pool = state->before_trial;
    state->is_trial = false;
  }
  Planes<kPlanes> planes;
  planes.Load(state->pool);
  DropClasses(failed, state, &planes);
  if (was_trial) {
    AddRows(state, &planes);
  } else {
    planes.Store(&state->pool);
  }
}

// Goes on behind a step where something happens that rarely does.
template <unsigned kPlanes>
__attribute__((noinline)) void MoveOnWithCare(uint64_t contradicting, RibbonShardState* state) {
  const bool is_trial = state->is_trial;
  if (contradicting != 0) Contradict<kPlanes>(contradicting, state);
  if (is_trial) {
    if (state->is_trial && state->pool.alive == 0) GiveUpBucket(state);
    return;
  }
  ++state->step;
  if (state->step < kRibbonBucketSteps) {
    Planes<kPlanes> planes;
    planes.Load(state->pool);
    AddRows(state, &planes);
  } else if (state->pool.alive == 0) {
    EndBucket(state);
    if (state->buckets != 0) BeginBucket<kPlanes>(state);
  }
}

// ---- A step of eight slots

// What elimination in plane 0 has found.
struct Pivots {
  __m512i combinations;  // for each row of the pool, which pivots are added to it
  __m512i own;           // byte j of each word: the combination that is the pivot of slot j
  uint64_t rows;         // byte 7 - j: the pool's row that is the pivot of slot j
};

template <unsigned kShards>
WINNOW_INLINE void FindPivots(const RibbonShardState* states, Pivots* pivots) {
  __m512i slots[kShards];
  for (unsigned i = 0; i < kShards; ++i) {
    slots[i] = _mm512_load_si512(states[i].pool.planes[0]);
    pivots[i] = {_mm512_setzero_si512(), _mm512_setzero_si512(), 0};
  }
#pragma GCC unroll 8
  for (unsigned slot = 0; slot < kRibbonStepSlots; ++slot) {
    const __m512i bit = _mm512_load_si512(kConstants.bit[slot]);
    const __m512i byte = _mm512_load_si512(kConstants.byte[slot]);
#pragma GCC unroll 4
    for (unsigned i = 0; i < kShards; ++i) {
      const __mmask64 candidates = _mm512_test_epi8_mask(slots[i], bit);
      const uint64_t all = Keep(candidates);
      const uint64_t below2 = all & ~states[i].pool.class2;
      const uint64_t below1 = all & ~states[i].pool.classes12;
      // Which one it is can't be predicted.
      const uint64_t best2 = Keep(below2 != 0 ? below2 : all);
      const uint64_t best = Keep(below1 != 0 ? below1 : best2);
      const uint64_t row = _tzcnt_u64(best);
      const __m512i index = _mm512_set1_epi8(static_cast<char>(row));
      slots[i] =
          _mm512_xor_si512(slots[i], _mm512_maskz_permutexvar_epi8(candidates, index, slots[i]));
      const __m512i combination =
          _mm512_xor_si512(_mm512_permutexvar_epi8(index, pivots[i].combinations), bit);
      pivots[i].combinations =
          _mm512_xor_si512(pivots[i].combinations, _mm512_maskz_mov_epi8(candidates, combination));
      // own | (combination & byte)
      pivots[i].own = _mm512_ternarylogic_epi64(pivots[i].own, combination, byte, 0xf8);
      pivots[i].rows = pivots[i].rows << 8 | (row & (kRibbonPoolRows - 1));
    }
  }
}

// The bytes of eight rows in each of the planes, a word for each plane.
template <unsigned kPlanes>
WINNOW_INLINE __m512i Gather(const Planes<kPlanes>& planes, __m512i rows) {
  __m128i words[8];
#pragma GCC unroll 9
  for (unsigned i = 0; i < 8; ++i) {
    words[i] = _mm512_castsi512_si128(_mm512_permutexvar_epi8(rows, planes.plane[i]));
  }
  const __m256i low =
      _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi64(words[0], words[1])),
                              _mm_unpacklo_epi64(words[2], words[3]), 1);
  const __m256i high =
      _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi64(words[4], words[5])),
                              _mm_unpacklo_epi64(words[6], words[7]), 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// Transposes 8 x 8 bits in each word, and turns their rows around.
__m512i TransposeBits(__m512i words) {
  return _mm512_gf2p8affine_epi64_epi8(Set64(0x0102040810204080u), words, 0);
}

// Adds the pivots to the others, writes them to their slots and moves on by a step.
template <unsigned kPlanes>
WINNOW_INLINE void FinishStep(const Pivots& pivots, RibbonShardState* state) {
  RibbonShardState::Pool& pool = state->pool;
  Planes<kPlanes> planes;
  planes.Load(pool);
  const __m512i indices = Set64(pivots.rows);
  alignas(64) uint64_t matrices[kRibbonPlanes];
  const __m512i matrix = TransposeBits(Gather(planes, indices));
  _mm512_store_si512(matrices, matrix);
  KeepInMemory(matrices);
  if constexpr (kPlanes > 8) {
    const __m512i word = _mm512_permutexvar_epi8(indices, planes.plane[8]);
    matrices[8] =
        static_cast<uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(TransposeBits(word))));
  }

  // The pivots as rows. One that no row of the pool was found for lacks its lowest bit.
  const __m512i rows = TransposeBytes(_mm512_gf2p8affine_epi64_epi8(pivots.own, matrix, 0));
  const __mmask8 found =
      _mm512_test_epi64_mask(rows, _mm512_setr_epi64(1, 2, 4, 8, 16, 32, 64, 128));
  const __m512i coefficients = _mm512_srlv_epi64(_mm512_and_si512(rows, Set64(~uint64_t{0} >> 8)),
                                                 _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  __m512i fingerprints = _mm512_srli_epi64(rows, 8 * kFingerprintPlane);
  if constexpr (kPlanes > 8) {
    const __m512i high = _mm512_gf2p8affine_epi64_epi8(pivots.own, MatrixForAll(matrices[8]), 0);
    fingerprints = _mm512_or_si512(
        fingerprints, _mm512_slli_epi64(_mm512_cvtepu8_epi64(_mm512_castsi512_si128(high)), 8));
  }
  if (__builtin_expect(!state->is_trial, 1)) {
    _mm512_storeu_si512(
        state->rows + state->step * kRibbonStepSlots,
        _mm512_maskz_or_epi64(found, _mm512_slli_epi64(coefficients, 64 - kRibbonWidth),
                              fingerprints));
    state->steps[state->step] = {pivots.rows, pool.class2, pool.classes12};
  }

  // Plane 0 has become 0, and the others move down.
  Planes<kPlanes> next;
#pragma GCC unroll 9
  for (unsigned i = 1; i < kPlanes; ++i) {
    const __m512i sums =
        _mm512_gf2p8affine_epi64_epi8(pivots.combinations, MatrixForAll(matrices[i]), 0);
    next.plane[i < kCoefficientPlanes ? i - 1 : i] = _mm512_xor_si512(planes.plane[i], sums);
  }
  next.plane[kCoefficientPlanes - 1] = _mm512_setzero_si512();
  const __m512i some_bits =
      _mm512_or_si512(_mm512_ternarylogic_epi64(next.plane[0], next.plane[1], next.plane[2], 0xfe),
                      _mm512_ternarylogic_epi64(next.plane[3], next.plane[4], next.plane[5], 0xfe));
  pool.alive = _mm512_test_epi8_mask(some_bits, some_bits);
  __m512i some_fingerprint = next.plane[kFingerprintPlane];
  if constexpr (kPlanes > 8) some_fingerprint = _mm512_or_si512(some_fingerprint, next.plane[8]);
  const uint64_t contradicting =
      _mm512_test_epi8_mask(some_fingerprint, some_fingerprint) & ~pool.alive;
  if (__builtin_expect(contradicting == 0, 1)) {
    pool.class2 &= pool.alive;
    pool.classes12 &= pool.alive;
  }
  if (__builtin_expect(
          contradicting == 0 && !state->is_trial && state->step + 1 < kRibbonBucketSteps, 1)) {
    ++state->step;
    AddRows(state, &next);
  } else {
    next.Store(&pool);
    MoveOnWithCare<kPlanes>(contradicting, state);
  }
}

template <unsigned kShards, unsigned kPlanes>
void EliminateShards(RibbonShardState* states) {
  for (unsigned i = 0; i < kShards; ++i) {
    if (states[i].is_begun) continue;
    BeginBucket<kPlanes>(&states[i]);
  }
  bool is_stopped = false;
  for (unsigned i = 0; i < kShards; ++i) is_stopped = is_stopped || states[i].is_overfull;
  while (!is_stopped) {
    Pivots pivots[kShards];
    FindPivots<kShards>(states, pivots);
    for (unsigned i = 0; i < kShards; ++i) {
      FinishStep<kPlanes>(pivots[i], &states[i]);
      is_stopped = is_stopped || states[i].is_overfull || states[i].buckets == 0;
    }
  }
}

template <unsigned kPlanes>
void EliminateSome(RibbonShardState* states, unsigned num_shards) {
  switch (num_shards) {
    case kRibbonMostShards:
      return EliminateShards<kRibbonMostShards, kPlanes>(states);
    case 2:
      return EliminateShards<2, kPlanes>(states);
    default:
      return EliminateShards<1, kPlanes>(states);
  }
}

void Eliminate(RibbonShardState* states, unsigned num_shards, unsigned fingerprint_bits) {
  if (fingerprint_bits <= kNarrowColumns) {
    EliminateSome<8>(states, num_shards);
  } else {
    EliminateSome<kRibbonPlanes>(states, num_shards);
  }
}

}  // namespace

#undef WINNOW_INLINE

const RibbonElimination kGfniElimination = {MakePlanes, Eliminate};

}  // namespace winnow::simd
