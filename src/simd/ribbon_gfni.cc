// RibbonElimination with AVX-512, VBMI and GFNI: the machine that goes through the buckets of a
// sub-shard. ribbon_elimination.h says what is done; here is how.
//
// Up to four sub-shards go in lock-step: the pivots of a step are found for all of them together,
// because each slot's waits for that of the slot before, and then each ends the step by itself. All
// that a sub-shard is stands in its RibbonShardState. `eliminate` returns when one needs its
// caller, and leaves the others where they are. The states:
//
//   between     is_begun false. No bucket is under way. `eliminate` begins the next one.
//   entering    is_begun, step < 16. What starts in the slots of `step` is in the pool.
//   leaving     is_begun, step >= 16. The bucket's slots are done, no row comes in, and rows of the
//               pool take slots of the next bucket: six steps at most, as windows are 55 slots.
//   trial       is_begun and is_trial, step < 16. The keys of `step` don't fit into the pool and
//               are still out, and so are carried rows of that step. No slot is written and `step`
//               stands still, while the pool is eliminated to see whether it contradicts itself.
//   given up    is_overfull, is_begun false. As if no key of the bucket had come: the caller
//               places it.
//
// What ends a step, and leads where (FinishStep for what is common, MoveOnWithCare for the rest):
//
//   nothing special       entering -> entering at the next step, or leaving after the 16th.
//   a contradiction       The lowest class that has one fails, and those above it: their rows leave
//                         the pool, their keys don't come in any more, and the slots they took are
//                         freed by EndBucket, from `steps`. Then as above.
//   pool empty, leaving   The bucket ends: its threshold is written, and the next one begins, or
//                         between, if it was the bin's last.
//   in a trial            A contradiction: the pool is again as before the trial, less the classes
//                         that failed, and the step is tried again, which may be another trial. An
//                         empty pool without one: no class is at fault, there are just too many
//                         rows: given up. Else the trial goes on, a step further in its windows.
//   carried rows don't fit   Given up, at once.
//
// What holds between steps, but in a trial:
//
//   pool.planes    byte i of plane t is byte t of row i's window, whose first slot is the step's:
//                  planes 0 to 6 are its coefficient, 7 and 8 its fingerprint (8 only where there
//                  are more than 8 columns). Planes are 0 at rows that are not alive.
//   pool.alive     bit i: row i is in use. It has a coefficient, and no slot yet. It stays row i
//                  until it becomes a pivot, or nothing is left of it.
//   pool.class2, pool.classes12   the live rows of class 2; of classes 1 and 2. Other rows count as
//                  class 0, which takes slots before the others do. So do carried rows: whichever
//                  classes above 0 fail, they have slots. Where class 0 fails RestoreRows puts them
//                  back to where they were.
//   kept_classes   classes below it have not failed: 3 at first, the bucket's threshold at last.
//   rows           slots of steps before `step` have their rows; those from there on, up to 48
//                  slots into the bucket, have rows carried from the bucket before; others have 0.
//   steps[s]       for s < step: which row of the pool each slot's pivot was, and the classes then.
//   carried        the rows of the bucket's first 48 slots before it began, for RestoreRows.
//   next_key       the first key of the steps to come.
//
// In a trial the planes are those of a later window, before_trial is the pool as it was, and class2
// and classes12 tell which class a contradiction is of.
//
// In registers, and only within a step: Planes are the pool's; Pivots say for each slot which row
// becomes its pivot, and for each row which pivots are added to it; the matrices are the pivots'
// bytes in each plane. The next step begins with all in memory again, since four pools don't fit
// into 32 registers.

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

// To find out which class fails, where the keys of the step don't fit into the pool.
void BeginTrial(RibbonShardState* state) {
  state->before_trial = state->pool;
  state->is_trial = true;
}

// Adds what comes in at `step`, and writes the planes to the pool: entering, a trial, or given up.
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
  state->kept_classes = kClasses;
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
  } else if (state->kept_classes < kClasses) {
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

// What FinishStep leaves: trials, contradictions, the 16th step and those of leaving.
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
