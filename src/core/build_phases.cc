#include "src/core/build_phases.h"

#include <chrono>
#include <utility>

namespace winnow::core {
namespace {

thread_local BuildPhaseTimes* active = nullptr;

uint64_t Now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace

BuildPhaseTimes::BuildPhaseTimes() noexcept { active = this; }
BuildPhaseTimes::~BuildPhaseTimes() { active = nullptr; }

void BuildPhaseTimes::Enter(BuildPhase phase) noexcept {
  const uint64_t now = Now();
  if (is_running_) nanoseconds_[static_cast<size_t>(phase_)] += now - since_;
  since_ = now;
  phase_ = phase;
}

BuildPhaseScope::BuildPhaseScope(BuildPhase phase) noexcept : times_(active) {
  if (times_ == nullptr) return;
  before_ = times_->phase_;
  times_->Enter(phase);
  is_outermost_ = !std::exchange(times_->is_running_, true);
}

void BuildPhaseScope::Leave() noexcept {
  times_->Enter(before_);
  if (is_outermost_) times_->is_running_ = false;
}

}  // namespace winnow::core
