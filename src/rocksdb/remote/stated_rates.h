// The false-positive rates that a policy's filters may state by its options. With
// level_plan=uniform each filter, of any kind and size, states the rate that bits_per_key means.
// With level_plan=auto small files have lower rates, and large ones up to kMostPlanned times that
// rate. With level_plan=learned and with filter_memory filters state any rate.

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

struct RateRange {
  double least;
  double most;
  double usual;  // that of bits_per_key
};

// For all policies that share what they know of files: SetOptions may replace one by another, and a
// file's column family may have either. Safe from any thread.
class StatedRates {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // A worker that reads its options from a file may still find the former ones so much later.
  static constexpr std::chrono::minutes kGrace{1};
  // The most former rates that are remembered.
  static constexpr size_t kMaxEnded = 64;
  // A file with a share s of a tree's keys has the rate s * 2^H with level_plan=auto, relative to
  // that of bits_per_key; H is the entropy of the shares in bits. That is 5.7 for half of the keys
  // beside 32 equal files.
  static constexpr double kMostPlanned = 8;

  // Adds a policy by its options, which may change at any time until Forget; that waits for calls
  // of `options`. `policy` is only compared. May throw std::bad_alloc.
  void Add(const void* policy, std::function<PolicyOptions()> options);
  void Forget(const void* policy, Time now) noexcept;

  // Looks at the options, as the other functions do, too. Options that they replace count as ended
  // now.
  void Look(Time now) noexcept;

  // The rates of the policies after `begin`, or within kGrace before it. Empty: files may state
  // any rate, or too much is forgotten. May throw std::bad_alloc.
  std::vector<RateRange> Since(Time begin, Time now);

 private:
  using Rate = std::optional<RateRange>;  // unset: any
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

// True if the rate is in one of these ranges, within a tenth, or if there are none.
bool IsOneOf(double rate, const std::vector<RateRange>& ranges) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_
