// The rates of false positives that a policy's files state, where those follow from its options
// alone: by level_plan=uniform without filter_memory. Whatever kind a filter is, and however many
// keys it has, it states the rate that bits_per_key means.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Of all policies that share what they know of files: SetOptions makes one in place of another, and
// the family that a file is of may have either. Safe from any thread.
class StatedRates {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Whoever takes its options from a file may find those from before so much later.
  static constexpr std::chrono::minutes kGrace{1};
  // Rates that no policy has any more, of which more are not remembered.
  static constexpr size_t kMaxEnded = 64;

  // A policy, by its options, which may change at any time, until Forget, which waits for calls of
  // `options`. `policy` is only compared. May throw std::bad_alloc.
  void Add(const void* policy, std::function<PolicyOptions()> options);
  void Forget(const void* policy, Time now) noexcept;

  // Looks at the options, as in the other functions: those that they replace ended now.
  void Look(Time now) noexcept;

  // Those that a policy had after `begin`, or within kGrace before it. Empty: files may state any,
  // as some follow a plan, or too much is forgotten. May throw std::bad_alloc.
  std::vector<double> Since(Time begin, Time now);

 private:
  using Rate = std::optional<double>;  // unset: any
  struct Known {
    std::function<PolicyOptions()> options;
    std::optional<Rate> rate;  // when it was looked at last
  };
  struct Ended {
    Rate rate;
    Time time;
  };
  void LookLocked(Time now);
  void End(const Rate& rate, Time now);

  std::mutex mutex_;
  std::map<const void*, Known> now_;
  std::deque<Ended> ended_;  // the first one first
  Time forgotten_ = Time::min();
};

// Whether a filter that states this rate is as its options ask, if these are for one of the others;
// rates within a tenth are as good as the same. True if there are none.
bool IsOneOf(double rate, const std::vector<double>& rates) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_
