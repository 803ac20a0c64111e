#include "src/rocksdb/policy_meter.h"

#include <mutex>
#include <utility>

#include "src/core/struct_size.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::FilterPolicy;

namespace {

// List of all policies. Never destroyed: policies may live longer than static objects.
struct AllPolicies {
  std::mutex mutex;
  PolicyMeter* first = nullptr;
};
AllPolicies& Policies() {
  static AllPolicies& all = *new AllPolicies;
  return all;
}

}  // namespace

PolicyMeter::PolicyMeter(const FilterPolicy* policy, std::shared_ptr<LoadMeter> meter) noexcept
    : policy_(policy), meter_(std::move(meter)) {
  AllPolicies& all = Policies();
  const std::lock_guard<std::mutex> lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

PolicyMeter::~PolicyMeter() {
  AllPolicies& all = Policies();
  const std::lock_guard<std::mutex> lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

std::shared_ptr<LoadMeter> MeterOf(const FilterPolicy* policy) noexcept {
  AllPolicies& all = Policies();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const PolicyMeter* one = all.first; one != nullptr; one = one->next_) {
    if (one->policy_ == policy) return one->meter_;
  }
  return nullptr;
}

}  // namespace plugin

bool FillFilterLoads(const ROCKSDB_NAMESPACE::FilterPolicy* policy, FilterLoads* loads,
                     size_t size) noexcept {
  FilterLoads read;
  bool is_known = true;
  if (policy == nullptr) {
    read = plugin::LoadMeter::ReadAll();
  } else if (const auto meter = plugin::MeterOf(policy)) {
    read = meter->Read();
  } else {
    is_known = false;
  }
  core::ForCaller(read, loads, size);
  return is_known;
}

bool SetFilterLoadAlarm(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                        std::function<void(const FilterLoadAlarm&)> alarm,
                        size_t size_of_alarm) noexcept {
  if (size_of_alarm > sizeof(FilterLoadAlarm)) return false;
  const auto meter = plugin::MeterOf(&policy);
  return meter != nullptr && meter->SetCallback(std::move(alarm));
}

}  // namespace winnow
