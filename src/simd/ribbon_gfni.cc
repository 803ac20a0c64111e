// RibbonElimination with AVX-512, VBMI and GFNI: a plane of the pool is one register.

#include <immintrin.h>

#include <cstring>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_elimination.h"
#include "src/simd/ribbon_gfni_pivots.h"
#include "src/simd/ribbon_gfni_planes.h"
#include "src/simd/ribbon_gfni_pool.h"

namespace winnow::simd {
namespace {

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

// Ends a step: the pivots go to their slots, and out of the pool.
template <unsigned kPlanes>
WINNOW_INLINE void FinishStep(const Pivots& pivots, RibbonShardState* state) {
  RibbonShardState::Pool& pool = state->pool;
  Planes<kPlanes> planes;
  planes.Load(pool);
  alignas(64) uint64_t matrices[kRibbonPlanes];
  const __m512i low_matrices = MakeMatrices(planes, pivots.rows, matrices);
  const SlotRows rows = RowsOfSlots<kPlanes>(pivots, low_matrices, matrices);
  if (__builtin_expect(!state->is_trial, 1)) {
    rows.Store(state->rows + state->step * kRibbonStepSlots);
    state->steps[state->step] = {pivots.rows, pool.class2, pool.classes12};
  }
  Planes<kPlanes> next;
  AddPivots(pivots, matrices, planes, &next);
  pool.alive = next.WithCoefficient();
  const uint64_t contradicting = next.WithFingerprint() & ~pool.alive;
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

const RibbonElimination kGfniElimination = {MakePlanes, Eliminate};

}  // namespace winnow::simd
