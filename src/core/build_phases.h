// Time of each phase of building a Ribbon filter, for benchmarks.

#ifndef WINNOW_SRC_CORE_BUILD_PHASES_H_
#define WINNOW_SRC_CORE_BUILD_PHASES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace winnow::core {

enum class BuildPhase : uint8_t {
  kRest,         // the last layer, the tail, memory
  kSorting,      // distribution of the hashes to bins, and sorting of bins
  kElimination,  // elimination, and creation of the rows
  kSolving,      // back substitution
};
inline constexpr size_t kBuildPhases = 4;

// Measures all filters that this thread finishes during the object's lifetime, in nanoseconds. A
// thread may have one such object at a time. Without one, a change of phase costs a test, a few
// times per 4,000 keys.
class BuildPhaseTimes {
 public:
  BuildPhaseTimes() noexcept;
  ~BuildPhaseTimes();
  BuildPhaseTimes(const BuildPhaseTimes&) = delete;
  BuildPhaseTimes& operator=(const BuildPhaseTimes&) = delete;

  uint64_t nanoseconds(BuildPhase phase) const noexcept {
    return nanoseconds_[static_cast<size_t>(phase)];
  }

 private:
  friend class BuildPhaseScope;
  void Enter(BuildPhase phase) noexcept;

  std::array<uint64_t, kBuildPhases> nanoseconds_{};
  BuildPhase phase_ = BuildPhase::kRest;
  bool is_running_ = false;
  uint64_t since_ = 0;
};

// Enters a phase until the end of the scope, then reenters the previous one. The outermost scope,
// that of the whole filter, starts and stops the clock.
class BuildPhaseScope {
 public:
  explicit BuildPhaseScope(BuildPhase phase) noexcept;
  ~BuildPhaseScope() {
    if (times_ != nullptr) Leave();
  }
  BuildPhaseScope(const BuildPhaseScope&) = delete;
  BuildPhaseScope& operator=(const BuildPhaseScope&) = delete;

 private:
  void Leave() noexcept;

  BuildPhaseTimes* times_;
  BuildPhase before_ = BuildPhase::kRest;
  bool is_outermost_ = false;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_BUILD_PHASES_H_
