#include "winnow/amq/window_bloom.h"

#include <algorithm>
#include <utility>

#include "streams/amq/plan.h"

namespace winnow::amq {
namespace {

Plan OfGeneration(const Plan& plan) noexcept {
  Plan half = NearestValid(plan);
  half.capacity = std::max<uint64_t>(half.capacity, 1);
  half.rate /= 2;
  return half;
}

double OfEither(double a, double b) noexcept { return a + b - a * b; }

}  // namespace

WindowBloom::WindowBloom(const Plan& plan)
    : capacity_(OfGeneration(plan).capacity),
      newer_(OfGeneration(plan)),
      older_(OfGeneration(plan)) {}

bool WindowBloom::Add(KeyHash hash) noexcept {
  // A key that the newer generation contains, or seems to contain, stays contained as long as that
  // generation is kept, so it need not be added again.
  if (newer_.MayContain(hash)) return false;
  const bool is_new = !older_.MayContain(hash);
  if (newer_.num_added() >= capacity_) Rotate();
  newer_.Add(hash);
  return is_new;
}

bool WindowBloom::MayContain(KeyHash hash) const noexcept {
  return newer_.MayContain(hash) || older_.MayContain(hash);
}

void WindowBloom::Rotate() noexcept {
  std::swap(newer_, older_);
  newer_.Clear();
  ++rotations_;
}

double WindowBloom::expected_fpr() const noexcept {
  return OfEither(newer_.expected_fpr(), older_.expected_fpr());
}

double WindowBloom::planned_fpr() const noexcept {
  return OfEither(newer_.planned_fpr(), older_.planned_fpr());
}

}  // namespace winnow::amq
