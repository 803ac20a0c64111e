// State machine over the buckets of a sub-shard, for RibbonElimination of any kernel.
// ribbon_elimination.h describes the algorithm, this file the implementation.
//
// Up to four sub-shards are processed in lockstep: the pivots of a step are found for all of them
// together, because each slot depends on the slot before, and then each sub-shard ends the step
// separately. The whole state of a sub-shard is in its RibbonShardState. `eliminate` returns when
// one sub-shard needs its caller, and leaves the others where they are. The states:
//
//   between     is_begun is false. No bucket is in progress. `eliminate` begins the next one.
//   entering    is_begun, step < 16. Rows that start in the slots of `step` are in the pool.
//   leaving     is_begun, step >= 16. The bucket's slots are done, no row enters, and rows of the
//               pool take slots of the next bucket: at most six steps, as windows have 55 slots.
//   trial       is_begun and is_trial, step < 16. The keys of `step` don't fit into the pool and
//               are not yet in it, and neither are carried rows of that step. No slot is written
//               and `step` does not advance, while the pool is eliminated to find a contradiction.
//   given up    is_overfull, is_begun is false. The bucket is as if none of its keys had entered:
//               the caller places it.
//
// Transitions at the end of a step (FinishStep for the common case, MoveOnWithCare for the others):
//
//   common case           entering -> entering at the next step, or leaving after the 16th.
//   contradiction         The lowest class that has one fails, and all higher classes: their rows
//                         leave the pool, their keys don't enter any more, and the slots they took
//                         are freed by EndBucket, from `steps`. Then as in the common case.
//   pool empty, leaving   The bucket ends: its threshold is written, and the next bucket begins;
//                         the state is `between` after the last bucket of a bin.
//   in a trial            Contradiction: the pool is restored to that before the trial, without the
//                         classes that failed, and the step is tried again, which may be another
//                         trial. Empty pool without a contradiction: no class is at fault, there
//                         are too many rows: given up. Else the trial goes on, one step further in
//                         its windows.
//   carried rows don't fit   Given up immediately.
//
// Invariants between steps, except in a trial:
//
//   pool.planes    byte i of plane t is byte t of row i's window, whose first slot is the step's:
//                  planes 0 to 6 are its coefficient, 7 and 8 its fingerprint (8 only if there are
//                  more than 8 columns). Planes are 0 at rows that are not alive.
//   pool.alive     bit i: row i is in use. It has a coefficient, and no slot yet. It stays row i
//                  until it becomes a pivot or vanishes.
//   pool.class2, pool.classes12   the live rows of class 2; of classes 1 and 2. Other rows count as
//                                 class 0, which takes slots first. Carried rows count as class 0
//                                 too: they have slots whichever classes above 0 fail. If class 0
//                                 fails, RestoreRows restores their slots.
//   kept_classes   number of classes that have not failed: 3 at first, in the end the bucket's
//                  threshold.
//   rows           slots of steps before `step` have their rows; those from `step` on, up to 48
//                  slots into the bucket, have rows carried from the previous bucket; others have
//                  0.
//   steps[s]       for s < step: each slot's pivot, as a row of the pool, and the classes then.
//   carried        the rows of the bucket's first 48 slots before it began, for RestoreRows.
//   next_key       the first key of the following steps.
//
// The planes are those of a later window in a trial, before_trial is the pool before the trial, and
// class2 and classes12 tell the class of a contradiction.
//
// A step is implemented per instruction set: Steps<kPlanes>, with 8 planes or, if the second byte
// of fingerprints is used, 9.
//
//   Pivots      the row of the pool that becomes the pivot of each slot (Rows(): byte 7 - j is that
//               of slot j), and for each row of the pool the pivots that are added to it.
//   FindPivots  finds the pivots, in plane 0 of several pools.
//   AddPivots   adds the pivots to the pool's rows, and moves the planes to the next step. Writes
//               the pivots to the slots' `rows`, unless `rows` is null.
//   FreeSlots   clears each of eight slots' rows whose pivot is among the `failed` rows.
//   Planes      the pool's planes, between AddPivots and the next step: in registers, until Store,
//               or in memory. WithCoefficient, WithFingerprint and InLowSlots return the rows with
//               a coefficient, with a fingerprint, or with bits in the step's first four slots.
//               PutKeys puts the next `count` keys into the first free rows, and returns these;
//               PutCarried does so with the nonzero ones of eight rows, or returns false if there
//               is no room.

#ifndef WINNOW_SRC_SIMD_RIBBON_BUCKETS_H_
#define WINNOW_SRC_SIMD_RIBBON_BUCKETS_H_

#include <cstring>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {
namespace {

constexpr unsigned kClasses = 3;  // bumping classes, 0 to 2
// Planes 0 to 6 are the coefficient, 7 is the fingerprint, and 8 its second byte with more columns
// than kNarrowColumns.
constexpr unsigned kCoefficientPlanes = 7;
constexpr unsigned kFingerprintPlane = 7;
constexpr unsigned kNarrowColumns = 8;

using Pool = RibbonShardState::Pool;

// Forces the compiler to compute the value without a branch.
inline uint64_t Keep(uint64_t value) {
  __asm__("" : "+r"(value));
  return value;
}

// Returns the rows of the lowest class among `rows`. Branch-free, since the class is unpredictable.
WINNOW_INLINE uint64_t LowestClass(uint64_t rows, const Pool& pool) {
  const uint64_t all = Keep(rows);
  const uint64_t below2 = all & ~pool.class2;
  const uint64_t below1 = all & ~pool.classes12;
  const uint64_t best2 = Keep(below2 != 0 ? below2 : all);
  return Keep(below1 != 0 ? below1 : best2);
}

// Restores the bucket's rows to their state before its keys entered.
inline void RestoreRows(RibbonShardState* state) {
  constexpr size_t kSlots = RibbonShardState::kMaxSteps * kRibbonStepSlots;
  constexpr size_t kCarried = RibbonShardState::kCarriedSteps * kRibbonStepSlots;
  std::memcpy(state->rows, state->carried, kCarried * sizeof(uint64_t));
  std::memset(state->rows + kCarried, 0, (kSlots - kCarried) * sizeof(uint64_t));
}

inline void GiveUpBucket(RibbonShardState* state) {
  RestoreRows(state);
  state->next_key = state->first_key;
  state->is_overfull = true;
  state->is_begun = false;
}

// Starts a trial, to find out which class fails if the keys of the step don't fit into the pool.
inline void BeginTrial(RibbonShardState* state) {
  state->before_trial = state->pool;
  state->is_trial = true;
}

template <typename Steps>
struct Buckets {
  using Planes = typename Steps::Planes;
  using Pivots = typename Steps::Pivots;

  // Frees the slots of failed classes, and advances to the next bucket.
  static void EndBucket(RibbonShardState* state) {
    if (state->kept_classes == 0) {
      RestoreRows(state);
    } else if (state->kept_classes < kClasses) {
      for (unsigned step = 0; step < state->step; ++step) {
        const RibbonShardState::Step& record = state->steps[step];
        const uint64_t failed = state->kept_classes == 2 ? record.class2 : record.classes12;
        Steps::FreeSlots(record.pivots, failed, state->rows + step * kRibbonStepSlots);
      }
    }
    *state->threshold = static_cast<unsigned char>(state->kept_classes);
    ++state->threshold;
    state->rows += kRibbonBucketSlots;
    state->step_ends += kRibbonBucketSteps;
    --state->buckets;
    state->is_begun = false;
  }

  // Removes a class and all higher ones from the pool.
  static void DropClasses(unsigned first, RibbonShardState* state, Planes* planes) {
    Pool& pool = state->pool;
    state->kept_classes = first < state->kept_classes ? first : state->kept_classes;
    const uint64_t dropped = first == 2 ? pool.class2 : first == 1 ? pool.classes12 : ~uint64_t{0};
    pool.alive &= ~dropped;
    pool.class2 &= pool.alive;
    pool.classes12 &= pool.alive;
    planes->Drop(dropped);
  }

  // Adds the keys that start in the step's slots. Returns false, and changes nothing, if they don't
  // fit into the pool.
  WINNOW_INLINE static bool AddKeys(RibbonShardState* state, Planes* planes) {
    static_assert(kRibbonClass2Slots % kRibbonStepSlots == 0);
    constexpr unsigned kClass2Steps = kRibbonClass2Slots / kRibbonStepSlots;
    constexpr unsigned kClass1Steps = kRibbonClass1Slots / kRibbonStepSlots;
    static_assert(kRibbonClass1Slots % kRibbonStepSlots == 4);  // the reason for InLowSlots
    Pool& pool = state->pool;
    const unsigned step = state->step;
    const uint32_t end = state->step_ends[step];
    const unsigned bump_class = (step < kClass1Steps ? 1u : 0u) + (step < kClass2Steps ? 1u : 0u);
    if (bump_class < state->kept_classes) {
      const uint64_t free = ~pool.alive;
      const uint32_t count = end - state->next_key;
      if (__builtin_expect(count > static_cast<unsigned>(__builtin_popcountll(free)), 0)) {
        return false;
      }
      const uint64_t places = planes->PutKeys(*state, count, free);
      pool.alive |= places;
      if (step < kClass2Steps) pool.class2 |= places;
      if (step < kClass1Steps) pool.classes12 |= places;
      if (step == kClass1Steps) {
        pool.classes12 |= places & planes->InLowSlots();
        if (state->kept_classes == 1) DropClasses(1, state, planes);
      }
    }
    state->next_key = end;
    return true;
  }

  // Adds the rows that the previous bucket left at the slots of this step. Returns false if there
  // is no room.
  WINNOW_INLINE static bool AddCarried(RibbonShardState* state, Planes* planes) {
    uint64_t places = 0;
    if (!planes->PutCarried(state->rows + state->step * kRibbonStepSlots, ~state->pool.alive,
                            &places)) {
      return false;
    }
    state->pool.alive |= places;
    return true;
  }

  // Adds the keys and carried rows of `step`, and stores the planes. The new state is entering, a
  // trial or given up.
  WINNOW_INLINE static void AddRows(RibbonShardState* state, Planes* planes) {
    const bool keys_fit = AddKeys(state, planes);
    const bool rows_fit =
        !keys_fit || state->step >= RibbonShardState::kCarriedSteps || AddCarried(state, planes);
    planes->Store(&state->pool);
    if (__builtin_expect(!keys_fit, 0)) BeginTrial(state);
    if (__builtin_expect(!rows_fit, 0)) GiveUpBucket(state);
  }

  static void BeginBucket(RibbonShardState* state) {
    state->pool.alive = state->pool.class2 = state->pool.classes12 = 0;
    state->first_key = state->next_key;
    state->step = 0;
    state->kept_classes = kClasses;
    state->is_begun = true;
    state->is_trial = false;
    std::memcpy(state->carried, state->rows, sizeof state->carried);
    Planes planes;
    planes.Clear(&state->pool);
    AddRows(state, &planes);
  }

  // Handles rows that have a fingerprint and no coefficient: the lowest of their classes fails.
  static void Contradict(uint64_t rows, RibbonShardState* state) {
    const Pool& pool = state->pool;
    const unsigned failed = (rows & ~pool.classes12) != 0 ? 0 : (rows & ~pool.class2) != 0 ? 1 : 2;
    const bool was_trial = state->is_trial;
    if (was_trial) {
      state->pool = state->before_trial;
      state->is_trial = false;
    }
    Planes planes(&state->pool);
    DropClasses(failed, state, &planes);
    if (was_trial) {
      AddRows(state, &planes);
    } else {
      planes.Store(&state->pool);
    }
  }

  // Handles the cases that FinishStep leaves: trials, contradictions, the 16th step and leaving.
  __attribute__((noinline)) static void MoveOnWithCare(uint64_t contradicting,
                                                       RibbonShardState* state) {
    const bool is_trial = state->is_trial;
    if (contradicting != 0) Contradict(contradicting, state);
    if (is_trial) {
      if (state->is_trial && state->pool.alive == 0) GiveUpBucket(state);
      return;
    }
    ++state->step;
    if (state->step < kRibbonBucketSteps) {
      Planes planes(&state->pool);
      AddRows(state, &planes);
    } else if (state->pool.alive == 0) {
      EndBucket(state);
      if (state->buckets != 0) BeginBucket(state);
    }
  }

  // Ends a step: writes the pivots to their slots and removes them from the pool.
  WINNOW_INLINE static void FinishStep(const Pivots& pivots, RibbonShardState* state) {
    Pool& pool = state->pool;
    uint64_t* rows = nullptr;
    if (__builtin_expect(!state->is_trial, 1)) {
      rows = state->rows + state->step * kRibbonStepSlots;
      state->steps[state->step] = {pivots.Rows(), pool.class2, pool.classes12};
    }
    Planes next;
    Steps::AddPivots(pivots, &pool, rows, &next);
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
      MoveOnWithCare(contradicting, state);
    }
  }

  template <unsigned kShards>
  static void EliminateShards(RibbonShardState* states) {
    for (unsigned i = 0; i < kShards; ++i) {
      if (!states[i].is_begun) BeginBucket(&states[i]);
    }
    bool is_stopped = false;
    for (unsigned i = 0; i < kShards; ++i) is_stopped = is_stopped || states[i].is_overfull;
    while (!is_stopped) {
      Pivots pivots[kShards];
      Steps::template FindPivots<kShards>(states, pivots);
      for (unsigned i = 0; i < kShards; ++i) {
        FinishStep(pivots[i], &states[i]);
        is_stopped = is_stopped || states[i].is_overfull || states[i].buckets == 0;
      }
    }
  }

  static void Eliminate(RibbonShardState* states, unsigned num_shards) {
    switch (num_shards) {
      case kRibbonMostShards:
        return EliminateShards<kRibbonMostShards>(states);
      case 2:
        return EliminateShards<2>(states);
      default:
        return EliminateShards<1>(states);
    }
  }
};

template <template <unsigned kPlanes> class Steps>
void Eliminate(RibbonShardState* states, unsigned num_shards, unsigned fingerprint_bits) {
  if (fingerprint_bits <= kNarrowColumns) {
    Buckets<Steps<8>>::Eliminate(states, num_shards);
  } else {
    Buckets<Steps<kRibbonPlanes>>::Eliminate(states, num_shards);
  }
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_BUCKETS_H_
