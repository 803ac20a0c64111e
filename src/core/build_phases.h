// Where the time of building a Ribbon goes, for benchmarks.

#ifndef WINNOW_SRC_CORE_BUILD_PHASES_H_
#define WINNOW_SRC_CORE_BUILD_PHASES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace winnow::core {

enum class BuildPhase : uint8_t {
  kRest,         // the last layer, the tail, memory
  kSorting,      // dealing the hashes into bins, and sorting these
  kElimination,  // with making the rows
  kSolving,      // back substitution
};
inline constexpr size_t kBuildPhases = 4;

// Takes the times of all filters that this thread finishes while it lives, in nanoseconds. One at
// a time. Without one, a change of phase costs a test, a few times for every 4,000 keys.
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

// The phase from here to the end of the block, then again the one before. The outermost one, that
// of the whole filter, begins and ends the taking of times.
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
