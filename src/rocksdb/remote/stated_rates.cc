#include "src/rocksdb/remote/stated_rates.h"

#include <algorithm>
#include <utility>

#include "src/core/sizing.h"
#include "src/rocksdb/trees/context.h"

namespace winnow::plugin {
namespace {

std::optional<double> RateOf(const PolicyOptions& options) noexcept {
  const bool is_uniform = options.build == Build::kWinnow && !GoesByTrees(options);
  return is_uniform ? std::optional(core::RateForBits(options.bits_per_key)) : std::nullopt;
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
    const Rate rate = RateOf(known.options());
    if (known.rate && *known.rate != rate) End(*known.rate, now);
    known.rate = rate;
  }
}

void StatedRates::End(const Rate& rate, Time now) {
  ended_.push_back({rate, now});
  if (ended_.size() <= kMaxEnded) return;
  forgotten_ = std::max(forgotten_, ended_.front().time);
  ended_.pop_front();
}

std::vector<double> StatedRates::Since(Time begin, Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  LookLocked(now);
  const Time first = begin - kGrace;
  if (forgotten_ >= first) return {};
  std::vector<double> rates;
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

bool IsOneOf(double rate, const std::vector<double>& rates) noexcept {
  return rates.empty() || std::any_of(rates.begin(), rates.end(), [rate](double one) {
           return rate <= 1.1 * one && one <= 1.1 * rate;
         });
}

}  // namespace winnow::plugin
