#include "src/rocksdb/remote/stated_rates.h"

#include <algorithm>
#include <utility>

#include "src/core/sizing.h"

namespace winnow::plugin {
namespace {

std::optional<RateRange> RangeOf(const PolicyOptions& options) noexcept {
  const bool may_be_any = options.build != Build::kWinnow || options.filter_memory > 0 ||
                          options.level_plan == LevelPlan::kLearned;
  if (may_be_any) return std::nullopt;
  const double usual = core::RateForBits(options.bits_per_key);
  if (options.level_plan == LevelPlan::kUniform) return RateRange{usual, usual, usual};
  // Files of the last level have higher rates the fewer keys are absent.
  if (options.absent_share < 1) return std::nullopt;
  return RateRange{0, StatedRates::kMostPlanned * usual, usual};
}

bool AreSame(const std::optional<RateRange>& a, const std::optional<RateRange>& b) noexcept {
  if (!a || !b) return !a && !b;
  return a->least == b->least && a->most == b->most;
}

}  // namespace

void StatedRates::Add(const void* policy, std::function<PolicyOptions()> options) {
  const std::lock_guard<std::mutex> lock(mutex_);
  now_[policy] = {std::move(options), std::nullopt};
}

void StatedRates::Forget(const void* policy, Time now) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = now_.find(policy);
  if (found == now_.end()) return;
  try {
    if (found->second.rate) End(*found->second.rate, now);
  } catch (...) {
    forgotten_ = now;
  }
  now_.erase(found);
}

void StatedRates::Look(Time now) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    LookLocked(now);
  } catch (...) {
    forgotten_ = now;
  }
}

void StatedRates::LookLocked(Time now) {
  for (auto& [policy, known] : now_) {
    const Rate rate = RangeOf(known.options());
    if (known.rate && !AreSame(*known.rate, rate)) End(*known.rate, now);
    known.rate = rate;
  }
}

void StatedRates::End(const Rate& rate, Time now) {
  ended_.push_back({rate, now});
  if (ended_.size() <= kMaxEnded) return;
  forgotten_ = std::max(forgotten_, ended_.front().time);
  ended_.pop_front();
}

std::vector<RateRange> StatedRates::Since(Time begin, Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  LookLocked(now);
  const Time first = begin - kGrace;
  if (forgotten_ >= first) return {};
  std::vector<RateRange> rates;
  for (const auto& [policy, known] : now_) {
    if (!*known.rate) return {};
    rates.push_back(**known.rate);
  }
  for (const Ended& ended : ended_) {
    if (ended.time < first) continue;
    if (!ended.rate) return {};
    rates.push_back(*ended.rate);
  }
  return rates;
}

bool IsOneOf(double rate, const std::vector<RateRange>& ranges) noexcept {
  return ranges.empty() ||
         std::any_of(ranges.begin(), ranges.end(), [rate](const RateRange& range) {
           return rate <= 1.1 * range.most && range.least <= 1.1 * rate;
         });
}

}  // namespace winnow::plugin
